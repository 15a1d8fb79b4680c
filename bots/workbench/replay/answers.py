"""What a bot answers in a turn, and how that compares with the record."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from bots.workbench.replay.turns import Turn
from engine.games.interface import BadMove, play
from engine.wire.notes import Note


class Outcome(StrEnum):
    """How an answer compares with the record."""

    SAME = "same"
    """The move of the record, or another text for what leads to the same position; or the bot resigns again."""
    DIFFERENT = "differs"
    FAILED = "fails"
    """No legal move in time."""
    NEW = "new"
    """A legal move, where the record has none."""


class Answer(NamedTuple):
    """What a bot has answered in a turn, and how long it took."""

    move: str
    """The move, as the bot has it; empty where there is none."""
    failure: str
    """Why there is none, in a sentence; empty where the bot resigns."""
    seconds: float
    notes: tuple[Note, ...] = ()
    """What the bot has noted of the turn."""


class Asked(Protocol):
    """A bot that can be asked what it plays in a turn."""

    def answer(self, turn: Turn) -> Answer:
        """Return what the bot plays; raises `bots.client.errors.ArenaError` where the turn cannot be told to it."""

    def close(self) -> None:
        """Let go of it."""


class Compared(NamedTuple):
    """A turn, what the bot answers in it, and how that compares with the record."""

    turn: Turn
    move: str
    """The answer in canonical text; empty where it is no legal move."""
    failure: str
    """Why it is none."""
    seconds: float
    outcome: Outcome
    notes: tuple[Note, ...]


def compare(turn: Turn, answer: Answer, *, late_counts: bool = True) -> Compared:
    """Compare an answer with the record; one that took longer than the clock had has failed, where that counts."""
    move, failure, outcome = _judged(turn, answer, late_counts)
    return Compared(turn, move, failure, answer.seconds, outcome, answer.notes)


def _judged(turn: Turn, answer: Answer, late_counts: bool) -> tuple[str, str, Outcome]:
    """Return the move in canonical text, why it is none, and the outcome."""
    if not answer.move:
        if answer.failure:
            return "", answer.failure, Outcome.FAILED
        return "", "resigns", Outcome.SAME if turn.ending == "resign" else Outcome.DIFFERENT
    position = turn.history.position
    try:
        move, after = position.resolve(answer.move)
    except BadMove as error:
        return "", f"plays {answer.move!r}: {error}", Outcome.FAILED
    left = turn.milliseconds[turn.side]
    if late_counts and answer.seconds * 1000 > left:
        return move, f"plays {move} after the {left} ms that it had", Outcome.FAILED
    if turn.ending:
        return move, "", Outcome.NEW
    return move, "", Outcome.SAME if after.key == play(position, turn.recorded).key else Outcome.DIFFERENT
