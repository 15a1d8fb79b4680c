"""Games as text on the analysis page: a pasted text of any game, and a game as the record of a match. Pure."""

from typing import NamedTuple

from engine.clock import TimeControl
from engine.games import transcript
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interactive_game import MOVE_LIMIT
from engine.games.interface import BadPosition, GameError
from engine.record import BadRecord, Header, verify
from server.match import referee

RECORD = "arena-record "
"""How every record begins."""


PLAYER = "analysis"
"""The name of both players."""

BUDGET_MS = 1000
"""Of both clocks: a record has clocks, of which nothing is used."""


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
            return Detected(verify("\n".join(text.splitlines()).strip() + "\n").history, ())
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


def record_of(history: History, started: str) -> str:
    """Return the record of a match of number 0 with these moves; it has a result where they end the game.

    ``started`` is a date and time in UTC, as 2026-11-20T20:15:00.000Z.
    """
    control = TimeControl.of_milliseconds(BUDGET_MS, 0)
    header = Header(0, history.start, (PLAYER, PLAYER), control, MOVE_LIMIT, f"gipf-arena/{PLAYER}", started)
    state, lines = referee.begin(header), [header.text()]

    def take(step: referee.Step) -> referee.State:
        lines.extend(effect.line for effect in step[1] if isinstance(effect, referee.WriteRecord))
        return step[0]

    for side in (0, 1):
        state = take(referee.ready(state, side, 0))
    for move in history.moves:
        state = referee.start_turn(state, 0)
        state = take(referee.move(state, state.history.position.turn, move, 0))
    return "".join(lines)
