"""The turns of a side in a record, each with all that its player knew then."""

from typing import NamedTuple

from engine.clock import Clock
from engine.games.history import History
from engine.record import Header, Summary
from engine.wire import messages as m
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
