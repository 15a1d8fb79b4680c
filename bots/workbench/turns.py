"""The turns of a side in a record, each with all that its player knew then, and answers of a bot in them."""

from enum import StrEnum
from typing import NamedTuple

from engine.clock import Clock
from engine.games.history import History
from engine.games.interface import BadMove, play
from engine.record import Header, Summary
from engine.wire import messages as m
from engine.wire.notes import Note
from engine.wire.words import word_of


class Turn(NamedTuple):
    """A turn of one side, when TURN was sent."""

    ply: int
    """The number of the move that was asked for, from 1."""
    side: int
    history: History
    """The game before it."""
    left: tuple[int, int]
    """What both sides had left, in microseconds."""
    shown: tuple[m.Start | m.Moved, ...]
    """What the player had been told since its match began, as after a lost connection."""
    recorded: str
    """The move in the record, legal or not; empty where there is none."""
    ending: str
    """Why the record has no legal move here: the reason of the loss, ``ended`` or ``unfinished``; empty where it has
    one."""

    @property
    def milliseconds(self) -> tuple[int, int]:
        """What both sides had left, as TURN has it."""
        return Clock(self.left).milliseconds(0)


def match_of(header: Header, side: int) -> m.Match:
    """Return MATCH as the player of a side was sent it, but for its token, which nobody has kept."""
    position = header.position
    name, opponent = position.game.sides[side], header.players[1 - side]
    control = header.control.milliseconds
    parameters = word_of(position.parameters)
    return m.Match(header.match, position.game.name, parameters, name, opponent, *control, header.move_limit, "replay")


def turns_of(summary: Summary, side: int) -> list[Turn]:
    """Return the turns of a side, with the one in which the match ended, if it was to move then."""
    if not all(summary.ready):
        return []
    header, sides = summary.header, summary.header.position.game.sides
    history = History.begin(header.position)
    left = summary.initialised[-1].left
    shown: tuple[m.Start | m.Moved, ...] = (m.Start(*Clock(left).milliseconds(0)),)
    found = []
    for move, played in zip(summary.history.moves, summary.played, strict=True):
        if played.side == side:
            found.append(Turn(history.plies + 1, side, history, left, shown, move, ""))
        history, left = history.after(move), played.left
        moved = m.Moved(history.plies, sides[played.side], *Clock(left).milliseconds(0), m.Text(move))
        shown = (*shown, moved)
    if history.position.turn == side and history.verdict(header.move_limit) is None:
        found.append(Turn(history.plies + 1, side, history, left, shown, summary.refused or "", _ending(summary, side)))
    return found


def _ending(summary: Summary, side: int) -> str:
    """Say why a side that was to move has made no legal move: how it has lost, or that the match went no further."""
    if not summary.result:
        return "unfinished"
    return summary.reason if summary.winner == 1 - side else "ended"


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
