"""Which game a text is of: a position, a game with its moves, or the record of a match. Pure."""

from typing import NamedTuple

from engine.games import transcript
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import BadPosition, GameError
from engine.record import BadRecord, verify

RECORD = "arena-record "
"""How every record begins."""


class Unreadable(ValueError):
    """A text of no game; ``str(error)`` is a sentence that says why."""


class Detected(NamedTuple):
    """What a text holds."""

    history: History
    others: tuple[str, ...]
    """Names of other games that the text could be of, too."""


def detect(text: str, preferred: str) -> Detected:
    """Read a text of any game; one that is of several is taken as the preferred one's. Raises `Unreadable`.

    The sentence says what is wrong with it as a text of the game that it comes nearest to: of which most lines can be
    read, and among equals of the preferred one.
    """
    if text.lstrip().startswith(RECORD):
        try:
            return Detected(verify(text).history, ())
        except BadRecord as error:
            raise Unreadable(f"this is no true record: {error}") from None
    found: dict[str, History] = {}
    faults: list[tuple[int, str]] = []
    for name in sorted(GAMES, key=lambda name: name != preferred):
        try:
            found[name] = transcript.read(GAMES[name], text)
        except GameError as error:
            line = error.line if isinstance(error, BadPosition) else 0
            faults.append((line, f"as {name}: {error}"))
    if not found:
        raise Unreadable(max(faults, key=lambda fault: fault[0])[1])
    first, *others = found
    return Detected(found[first], tuple(others))
