"""What a bot answers in a turn, and how that compares with the record."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from bots.workbench.replay.turns import Turn
from engine.games.interface import BadMove, play


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


def compare(turn: Turn, answer: Answer, *, late_counts: bool = True) -> Compared:
    """Compare an answer with the record; one that took longer than the clock had has failed, where that counts."""
    if not answer.move:
        resigns = not answer.failure
        same = resigns and turn.ending == "resign"
        outcome = Outcome.FAILED if answer.failure else Outcome.SAME if same else Outcome.DIFFERENT
        return Compared(turn, "", answer.failure or "resigns", answer.seconds, outcome)
    position = turn.history.position
    try:
        move, after = position.resolve(answer.move)
    except BadMove as error:
        return Compared(turn, "", f"plays {answer.move!r}: {error}", answer.seconds, Outcome.FAILED)
    left = turn.milliseconds[turn.side]
    if late_counts and answer.seconds * 1000 > left:
        return Compared(turn, move, f"plays {move} after the {left} ms that it had", answer.seconds, Outcome.FAILED)
    if turn.ending:
        return Compared(turn, move, "", answer.seconds, Outcome.NEW)
    same = after.key == play(position, turn.recorded).key
    return Compared(turn, move, "", answer.seconds, Outcome.SAME if same else Outcome.DIFFERENT)
