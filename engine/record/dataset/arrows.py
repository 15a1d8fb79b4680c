"""Arrows as numbers: an action for each direction, clockwise from up."""

from dataclasses import dataclass
from typing import cast

import numpy

from engine.games.arrows.geometry import HALF, LENGTH, NOWHERE, ROW
from engine.games.arrows.parameters import Setup, parse
from engine.games.arrows.position import ArrowsPosition
from engine.games.arrows.rules import DIRECTIONS
from engine.games.history import History
from engine.games.interface import Position
from engine.record.dataset.planes import Planes, bits


@dataclass(frozen=True)
class ArrowsEncoding:
    """The encoding of a board of arrows: an `engine.record.dataset.encoding.Encoding`."""

    setup: Setup
    size = DIRECTIONS
    actions_per_move = 1
    planes = ("free fields", "own next field", "the opponent's next field")

    @classmethod
    def of(cls, parameters: str) -> "ArrowsEncoding":
        """Return the encoding of a board, given by its parameters."""
        return cls(parse(parameters))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Three planes as large as the board."""
        return len(self.planes), self.setup.rows, self.setup.columns

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return the direction."""
        return (int(move),)

    def name(self, action: int) -> str:
        """Return the direction as a move is written."""
        return str(action)

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the free fields, and one field at most in each of the others: none where the side has lost."""
        position = cast(ArrowsPosition, history.position)
        state = position.state
        fields = [state.low | state.high << HALF]
        for target in (state.own, state.other) if side == position.turn else (state.other, state.own):
            fields.append(0 if target == NOWHERE else 1 << target)
        seen = numpy.array([bits(each, ROW * LENGTH) for each in fields], numpy.float32)
        # every board lies in the top left corner of the largest one, with a guard behind each row
        return seen.reshape(len(fields), LENGTH, ROW)[:, : self.setup.rows, : self.setup.columns].copy()
