"""What every move of a position leads to with perfect play, as tablebases know it."""

from collections.abc import Callable
from enum import StrEnum

import msgspec

from engine.games.interface import Position
from engine.solve.tablebase.tablebase import Tablebase
from server.web.play.questions import Question, history_of


class State(StrEnum):
    """Whether a position is known."""

    KNOWN = "known"
    MAKING = "making"
    """The tablebase of the variant is being made; ask again in some seconds."""
    FAILED = "failed"
    """It could not be made; the disk of the server may be full. To ask again is to try again."""
    LATER = "later"
    """It is not made for this address now, which has had others made of late."""
    UNKNOWN = "unknown"
    """No tablebase has the position."""


class Value(msgspec.Struct, frozen=True):
    """What a move leads to, for the side that makes it."""

    move: str
    result: int
    """1 a win, 0 a draw, -1 a loss."""
    plies: int
    """After how many plies the game is over, this one counted; 0 for a draw."""


class Values(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a position."""

    state: State
    result: int | None = None
    """For the side to move."""
    plies: int | None = None
    moves: tuple[Value, ...] = ()
    """Every move, the best one first."""


def values(question: Question, tablebase_of: Callable[[Position], Tablebase | None], *, make: bool = True) -> Values:
    """Tell what each move of the position at the end of a game leads to; raises `Refusal`.

    Where the tablebase of a small variant is not there yet, another process begins to make it, at the lowest priority,
    if whoever asks may have it made.
    """
    position = history_of(question).position
    tablebase = tablebase_of(position)
    if tablebase is None:
        return Values(state=State.UNKNOWN)
    judgement = tablebase.judgement(position.kernel(compile=False).state)
    if judgement is None:
        if not tablebase.is_expected():
            return Values(state=State.UNKNOWN)
        if not make:
            return Values(state=State.LATER)
        tablebase.start()
        return Values(state=State.FAILED if tablebase.has_failed() else State.MAKING)
    moves = tuple(Value(*known) for known in tablebase.values(position))
    return Values(state=State.KNOWN, result=judgement.result, plies=judgement.plies, moves=moves)
