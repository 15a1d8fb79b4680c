"""How failures are told: where a bot has failed in one line, and uncaught errors without a traceback."""

import sys
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

from bots.client.errors import ArenaError, HiddenModule

MAX_FAILURE_CHARACTERS = 200
"""Longest description of a failure in CRASHED: as much as a server shows, and far less than a line may have."""

_OURS = Path(__file__).resolve().parents[2]
_OTHERS = (
    *(_OURS / package for package in ("bots", "engine")),
    *(Path(sysconfig.get_paths()[name]).resolve() for name in ("stdlib", "purelib", "platlib")),
)
"""Folders with files that no author of a bot has written."""


def describe_failure(what: str, error: BaseException) -> str:
    """Return one line on a bot that failed to do something: where in its own files, and the traceback's last line."""
    place = _place_of(error)
    return f"the bot failed {what}{f' ({place})' if place else ''}: {last_traceback_line(error)}"


def last_traceback_line(error: BaseException) -> str:
    """Return the type of an exception and what it says, as a traceback ends, without its notes, in one line."""
    ending = traceback.TracebackException.from_exception(error)
    ending.__notes__ = []
    *_, last = ending.format_exception_only()
    return " ".join(line.strip() for line in last.splitlines()).strip()


def traceback_of(error: BaseException) -> str:
    """Return the traceback of an exception, from the author's own first line on where it has one."""
    trace = error.__traceback__
    while trace is not None and not _is_authors(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))


def printable(sentence: str) -> str:
    """Return a sentence as text that fits into a line of the protocol."""
    text = "".join(character if character.isprintable() else " " for character in sentence).strip()
    return text if len(text) <= MAX_FAILURE_CHARACTERS else f"{text[: MAX_FAILURE_CHARACTERS - 1]}…"


def _place_of(error: BaseException) -> str:
    """Return file, line and function of the innermost frame that is the author's own; of any where none is."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    frame = next((frame for frame in reversed(frames) if _is_authors(frame.filename)), frames[-1])
    return f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}"


def _is_authors(filename: str) -> bool:
    path = Path(filename).resolve()
    return not filename.startswith("<") and not any(path.is_relative_to(folder) for folder in _OTHERS)


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
