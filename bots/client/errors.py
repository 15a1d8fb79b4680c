"""Exceptions of the client library, and failures of bots as text. ``str(error)`` is always one line for people.

ArenaError
|- Unreachable      no connection can be made, or none any more
|- ConnectionLost   the connection broke; `bots.client.run` comes back from it, so callers of `play` never see it
|- Refused          the server said ERROR or BYE to something that cannot go on without it
|- ServerFault      the server broke the protocol, or played a move that the rules here refuse
`- BotFailed        the bot raised an exception; it is the ``__cause__``
`- BadChoice     the bot chose what is no legal move: ``move``, which may be anything
"""

import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

REMEDIES = {"name_taken": "choose another name, or wait until it is free"}
"""Advice on refusals by the server, by error code."""


class ArenaError(Exception):
    """Base class of errors that end a session early."""


class Unreachable(ArenaError):
    """No connection can be made."""


class ConnectionLost(ArenaError):
    """A connection broke."""


class Refused(ArenaError):
    """The server refused what a session cannot go on without. ``code`` is the protocol's."""

    def __init__(self, code: str, sentence: str) -> None:
        """Take code and sentence."""
        says = f"the server says: {sentence} ({code})" if sentence else f"the server says: {code}"
        super().__init__(f"{says}; {REMEDIES[code]}" if code in REMEDIES else says)
        self.code = code


class ServerFault(ArenaError):
    """The server broke the protocol."""


class HiddenModule(ImportError):
    """A file in the bot's folder shadows a module that the client library needs."""


class BotFailed(ArenaError):
    """A bot raised an exception, and its match was given up."""


class BadChoice(BotFailed):
    """A bot chose an illegal move, and its match was given up."""

    def __init__(self, move: object, sentence: str) -> None:
        """Take the chosen move and a sentence."""
        super().__init__(sentence)
        self.move = move


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


def printable(text: str, most: int = sys.maxsize) -> str:
    """Return a text that fits into a line of the protocol, cut to a number of characters."""
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


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


MAX_LINES = 60
"""Lines of a failure that are sent."""

FIRST_LINES = 10
"""Those of the beginning among them: an exception that was the cause of another one stands there."""

MAX_LINE_CHARACTERS = 200
"""Longest line: it fits into a line of the protocol whatever its characters are."""


def failure_lines(failure: BaseException) -> Iterator[str]:
    """Yield the traceback of what a bot raised, or, where nothing was raised, the sentence that says what was wrong."""
    raised = failure.__cause__ if isinstance(failure, ArenaError) else failure
    text = traceback_of(raised) if raised is not None and not isinstance(failure, BadChoice) else str(failure)
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        last = FIRST_LINES + 1 - MAX_LINES
        left_out = f"[{len(lines) + last - FIRST_LINES} lines are left out here]"
        lines = [*lines[:FIRST_LINES], left_out, *lines[last:]]
    for line in lines:
        yield printable(line, MAX_LINE_CHARACTERS)


OURS = frozenset({"bots", "engine"})
"""Packages of the arena that a bot imports."""

NEEDED = OURS | sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "cyclopts", "rich"}
"""Modules that importing the client library may need."""


@contextmanager
def explained_imports() -> Iterator[None]:
    """Raise `HiddenModule` for an import that fails because a file of the program shadows a module."""
    try:
        yield
    except Exception as error:
        found = hidden(Path(sys.path[0] if sys.path else "").absolute(), f"{error}")
        if not found:
            raise
        show_in_one_line()
        raise HiddenModule(f"{_shadowing(found)} ({type(error).__name__}: {error})") from error


def hidden(folder: Path, error: str = "") -> list[Path]:
    """Return the files and packages in a folder that hide modules which are needed: those that an error names, or all.

    The arena's own packages hide nothing, nor does what cannot be read.
    """
    if folder == Path(__file__).parent.parent:
        return []
    try:
        candidates = sorted(
            path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
        )
    except OSError:
        return []
    found = [path for path in candidates if path.stem in NEEDED]
    named = [path for path in found if re.search(rf"\b{re.escape(path.stem)}\b", error)]
    return named or found


def hides_us(folder: Path) -> str:
    """Return a sentence on the files in a folder that hide the arena's own packages; empty where there are none."""
    found = [path for path in hidden(folder) if path.stem in OURS]
    return _shadowing(found) if found else ""


def _shadowing(found: list[Path]) -> str:
    names = " and ".join(f"{path} hides the module {path.stem!r}" for path in found)
    return f"{names}, which the arena's client library needs: rename {'it' if len(found) == 1 else 'them'}"
