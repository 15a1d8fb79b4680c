"""A game of the analysis page as the record of a match. Pure."""

from engine.games.history import MOVE_LIMIT, History
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header

PLAYER = "analysis"
"""The name of both players."""

BUDGET_MS = 1000
"""Of both clocks: a record has clocks, of which nothing is used."""


def record_of(history: History, started: str) -> str:
    """Return the record of a match of number 0 with these moves; it has a result where they end the game.

    ``started`` is a date and time in UTC, as 2026-11-20T20:15:00.000Z.
    """
    control = TimeControl.of_milliseconds(BUDGET_MS, 0)
    header = Header(0, history.start, (PLAYER, PLAYER), control, MOVE_LIMIT, f"gipf-arena/{PLAYER}", started)
    state, lines = referee.begin(header), [header.text()]

    def take(step: referee.Step) -> referee.State:
        lines.extend(referee.lines_of(step[1]))
        return step[0]

    for side in (0, 1):
        state = take(referee.ready(state, side, 0))
    for move in history.moves:
        state = referee.start_turn(state, 0)
        state = take(referee.move(state, state.history.position.turn, move, 0))
    return "".join(lines)
