"""Exceptions of the client library, and failures of bots as text. ``str(error)`` is always one line for people.

ArenaError
|- Unreachable      no connection can be made, or none any more
|- ConnectionLost   the connection broke; a session comes back from it, so callers of `play` never see it
|- Refused          the server said ERROR or BYE to something that cannot go on without it
|- ServerFault      the server broke the protocol, or played a move that the rules here refuse
`- BotFailed        the bot raised an exception; it is the ``__cause__``
`- BadChoice     the bot chose an illegal move, or a value that is no move
"""

import sys
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

from engine.wire.words import shorten


class ArenaError(Exception):
    """Base class of errors that end a session early."""


class Unreachable(ArenaError):
    """No connection can be made."""


class ConnectionLost(ArenaError):
    """A connection broke."""


class Refused(ArenaError):
    """The server refused a request that the session depends on. ``code`` is an error code of the protocol."""

    def __init__(self, code: str, sentence: str) -> None:
        """Take code and sentence."""
        super().__init__(f"the server says: {sentence} ({code})" if sentence else f"the server says: {code}")
        self.code = code
        self.sentence = sentence


class ServerFault(ArenaError):
    """The server broke the protocol."""


class BotFailed(ArenaError):
    """A bot has failed, and its match is lost."""


class BadChoice(BotFailed):
    """A bot chose an illegal move, or a value that is no move."""

    def __init__(self, sentence: str, move: str = "") -> None:
        """Take the sentence, and the move as text; empty where it is no text."""
        super().__init__(sentence)
        self.move = move


MAX_FAILURE_CHARACTERS = 200
"""Longest description of a failure in CRASHED: as much as a server shows, and far less than a line may have."""

MAX_LINES = 60
"""Lines of a traceback that are sent: the last ones."""

MAX_LINE_CHARACTERS = 200
"""Longest line of a traceback: it fits into a line of the protocol whatever its characters are."""

_ARENA = Path(__file__).resolve().parents[2]
_OTHERS = (
    *(_ARENA / package for package in ("bots", "engine")),
    *(Path(sysconfig.get_paths()[name]).resolve() for name in ("stdlib", "purelib", "platlib")),
)
"""Folders with files that no author of a bot has written."""


def describe_failure(what: str, error: BaseException) -> str:
    """Describe a failure of a bot in one line: its task, the place in its own files, and the exception."""
    place = place_of(traceback.extract_tb(error.__traceback__))
    raised = traceback.TracebackException.from_exception(error)
    raised.__notes__ = []
    *_, last = raised.format_exception_only()
    return f"the bot failed {what}{place and f' ({place})'}: {' '.join(last.split())}"


def place_of(frames: traceback.StackSummary) -> str:
    """Return the author's own line in which a stack ends: file, line and function; empty without frames."""
    own = [frame for frame in frames if is_authors(frame.filename)] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}, in {own[-1].name}" if own else ""


def traceback_of(error: BaseException) -> str:
    """Return the traceback of an exception, from the author's own first line on where it has one."""
    trace = error.__traceback__
    while trace is not None and not is_authors(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))


def failure_lines(failure: BaseException) -> list[str]:
    """Return the lines of a failure for the bot's log: the traceback, or the sentence if there is no traceback."""
    raised = failure.__cause__ if isinstance(failure, ArenaError) else failure
    return log_lines(str(failure) if raised is None or isinstance(failure, BadChoice) else traceback_of(raised))


def log_lines(text: str) -> list[str]:
    """Return the last lines of a text, each short enough for a line of the protocol."""
    return [printable(line, MAX_LINE_CHARACTERS) for line in text.splitlines()[-MAX_LINES:]]


def printable(text: str, most: int = sys.maxsize) -> str:
    """Return a text that fits into a line of the protocol, cut to a number of characters."""
    return shorten("".join(character if character.isprintable() else " " for character in text), most)


def is_authors(filename: str) -> bool:
    """Tell whether an author of a bot has written a file."""
    path = Path(filename).resolve()
    return not filename.startswith("<") and not any(path.is_relative_to(folder) for folder in _OTHERS)


def show_in_one_line() -> None:
    """Show an `ArenaError` or Ctrl-C that ends this process as one line on stderr.

    An exception hook of the program stays. Caught errors are as before.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, KeyboardInterrupt | ArenaError):
        program = Path(sys.argv[0] if sys.argv else "").name or "python"
        # below the call of play, in a function of the bot
        own = [
            frame for frame in traceback.extract_tb(trace) if is_authors(frame.filename) and frame.name != "<module>"
        ]
        place = place_of(traceback.StackSummary.from_list(own)) if isinstance(error, KeyboardInterrupt) else ""
        print(f"{program}: {str(error) or 'interrupted'}{place and f' in {place}'}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)
