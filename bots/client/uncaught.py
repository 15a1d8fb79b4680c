"""One-line messages, instead of tracebacks, for uncaught errors of the client library and for Ctrl-C."""

import sys
from pathlib import Path
from types import TracebackType

from bots.client.errors import ArenaError, HiddenModule


def show_in_one_line() -> None:
    """Let this process end with one line on stderr where an `ArenaError` or Ctrl-C ends it.

    A hook of its own stays. Nothing is changed for who catches the error.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    program = Path(sys.argv[0] if sys.argv else "").name or "python"
    if isinstance(error, KeyboardInterrupt):
        print(f"{program}: interrupted", file=sys.stderr)
    elif isinstance(error, ArenaError | HiddenModule):
        print(f"{program}: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)
