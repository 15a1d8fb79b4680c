"""Nine men's morris as numbers: to place a piece, to move one, and to take one after that."""

from dataclasses import dataclass
from typing import cast

import numpy

from engine.games.history import REPETITIONS, History
from engine.games.interface import Position
from engine.games.morris.board import SIZE, place
from engine.games.morris.fields import FIELDS
from engine.games.morris.position import QUIET_LIMIT, MorrisPosition
from engine.games.morris.rules import PIECES
from engine.record.dataset.planes import Planes, bits

MOVE = FIELDS
"""The first action that moves a piece; those before it place one."""

TAKE = MOVE + FIELDS * FIELDS
"""The first action that takes a piece."""

ROWS, COLUMNS = zip(*map(place, range(FIELDS)), strict=True)
"""Where the fields lie on the grid."""


@dataclass(frozen=True)
class MorrisEncoding:
    """The encoding of nine men's morris: an `engine.record.dataset.encoding.Encoding`."""

    size = TAKE + FIELDS
    actions_per_move = 2
    planes = (
        "own pieces",
        "the opponent's pieces",
        "the fields of the board",
        "own pieces in hand",
        "the opponent's pieces in hand",
        "how often the position stood on the board before",
        "moves since the last placing or capture",
    )

    @classmethod
    def of(cls, parameters: str) -> "MorrisEncoding":
        """Return the encoding; there are no variants."""
        return cls()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes of seven rows and columns, as the board is drawn."""
        return len(self.planes), SIZE, SIZE

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return a placing or a move, and the piece that it takes."""
        numbers = [int(word) for word in move.split()]
        if cast(MorrisPosition, position).state.own_hand:
            first, *taken = numbers
        else:
            source, target, *taken = numbers
            first = MOVE + source * FIELDS + target
        return (first, *(TAKE + field for field in taken))

    def name(self, action: int) -> str:
        """Return an action in words."""
        if action >= TAKE:
            return f"take {action - TAKE}"
        source, target = divmod(action - MOVE, FIELDS)
        return f"move {source} to {target}" if action >= MOVE else f"place {action}"

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the pieces on the board and in the hands, and what may end the game in a draw."""
        position = cast(MorrisPosition, history.position)
        state = position.state
        for action in made:
            source, target = divmod(action - MOVE, FIELDS) if action >= MOVE else (None, action)
            left = state.own if source is None else state.own & ~(1 << source)
            state = state._replace(own=left | 1 << target, own_hand=max(0, state.own_hand - 1))
        sides = ((state.own, state.own_hand), (state.other, state.other_hand))
        own, other = sides if side == position.turn else sides[::-1]
        seen = numpy.zeros(self.shape, numpy.float32)
        seen[0, ROWS, COLUMNS] = bits(own[0], FIELDS)
        seen[1, ROWS, COLUMNS] = bits(other[0], FIELDS)
        seen[2, ROWS, COLUMNS] = 1
        seen[3], seen[4] = own[1] / PIECES, other[1] / PIECES
        seen[5] = history.keys.count(position.key) / (REPETITIONS - 1)
        seen[6] = min(1, history.quiet / QUIET_LIMIT)
        return seen
