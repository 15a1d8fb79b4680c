"""m,n,k-games as numbers: an action for each field, row by row from the top left one."""

from dataclasses import dataclass
from typing import cast

import numpy

from engine.games.history import History
from engine.games.interface import Position
from engine.games.mnk import board
from engine.games.mnk.parameters import Parameters, parse
from engine.games.mnk.position import MnkPosition
from engine.record.dataset.planes import Planes, bits


@dataclass(frozen=True)
class MnkEncoding:
    """The encoding of an m,n,k-game: an `engine.record.dataset.encoding.Encoding`."""

    variant: Parameters
    actions_per_move = 1
    planes = ("own pieces", "the opponent's pieces")

    @classmethod
    def of(cls, parameters: str) -> "MnkEncoding":
        """Return the encoding of a variant, given in canonical text."""
        return cls(parse(parameters))

    @property
    def size(self) -> int:
        """The number of fields."""
        return self.variant.rows * self.variant.columns

    @property
    def shape(self) -> tuple[int, int, int]:
        """Two planes as large as the board."""
        return len(self.planes), self.variant.rows, self.variant.columns

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return the number of the field that a move names."""
        return (board.field(self.variant, move).bit_length() - 1,)

    def name(self, action: int) -> str:
        """Return the name of a field."""
        return board.name(self.variant, 1 << action)

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the pieces of both sides."""
        state = cast(MnkPosition, history.position).state
        sides = (state.first, state.second)
        seen = [bits(pieces, self.size) for pieces in (sides[side], sides[1 - side])]
        return numpy.array(seen, numpy.float32).reshape(self.shape)
