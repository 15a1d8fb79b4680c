"""GIPF as numbers: the push, and then a row for each choice between rows that cross."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy

from engine.games.gipf.geometry import AXES, geometry, is_field
from engine.games.gipf.notation import SAME, names, split
from engine.games.gipf.parameters import Parameters, parse
from engine.games.gipf.position import GipfPosition
from engine.games.gipf.row_choices import choosing
from engine.games.history import REPETITIONS, History
from engine.games.interface import Position
from engine.record.dataset.planes import Planes, bits

AXIS_NAMES = ("diagonal", "column", "row")
"""What the lines of `AXES` are called."""

OWNERS = ("own", "opponent's")


@dataclass(frozen=True)
class GipfEncoding:
    """The encoding of a variant of GIPF: an `engine.record.dataset.encoding.Encoding`."""

    variant: Parameters
    planes = (
        "own pieces",
        "the opponent's pieces",
        "the fields of the board",
        "own pieces in reserve",
        "the opponent's pieces in reserve",
        "how often the position stood on the board before",
    )

    @classmethod
    def of(cls, parameters: str) -> "GipfEncoding":
        """Return the encoding of a variant, given in canonical text."""
        return cls(parse(parameters))

    @property
    def size(self) -> int:
        """The pushes, and a row of either colour along each axis for each field."""
        return self._pushes + len(OWNERS) * len(AXES) * len(self._fields)

    @property
    def actions_per_move(self) -> int:
        """The push, and no more rows than there are runs on a full board."""
        return 1 + len(self._fields) // self.variant.run

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes of 2S-1 rows and columns, as fields are numbered."""
        return len(self.planes), self._width, self._width

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return the push, and the rows that are chosen, each by owner, axis and the first field of its run."""
        push, chosen = split(move)
        places = names(self.variant.size).places
        found = [names(self.variant.size).pushes[push]]
        colour = position.turn
        for named in chosen:
            colour = colour if named.colour == SAME else named.colour
            first, last = sorted(places[end] for end in named.ends)
            axis = AXES.index((int(last[0] > first[0]), int(last[1] > first[1])))
            line = (colour != position.turn) * len(AXES) + axis
            found.append(self._pushes + line * len(self._fields) + self._fields[first])
        return tuple(found)

    def name(self, action: int) -> str:
        """Return a push as it is written, and a row in words."""
        if action < self._pushes:
            return names(self.variant.size).texts[action]
        line, field = divmod(action - self._pushes, len(self._fields))
        owner, axis = divmod(line, len(AXES))
        return f"{OWNERS[owner]} {AXIS_NAMES[axis]} from {self._field_names[field]}"

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the pieces on the board and in reserve, and how near the draw by repetition is."""
        position = cast(GipfPosition, history.position)
        state = position.state if not made else self._after(position, made).state
        pieces = (state.white, state.black)
        reserves = (state.white_reserve / self.variant.white, state.black_reserve / self.variant.black)
        seen = numpy.empty(self.shape, numpy.float32)
        for plane, fields in enumerate((pieces[side], pieces[1 - side], geometry(self.variant.size).board)):
            seen[plane] = bits(fields, self._width**2).reshape(self._width, self._width)
        seen[3], seen[4] = reserves[side], reserves[1 - side]
        seen[5] = history.keys.count(position.key) / (REPETITIONS - 1)
        return seen

    def _after(self, position: GipfPosition, made: tuple[int, ...]) -> GipfPosition:
        """Return the board after a push and the rows chosen so far, some of which crossed others."""
        text = names(self.variant.size).texts[made[0]]
        for count in range(1, len(made)):
            crossing = choosing(position, text).crossing
            text = next(
                longer
                for longer in (f"{text} {row.text}" for row in crossing)
                if self.actions(position, longer)[count] == made[count]
            )
        return choosing(position, text).position

    @property
    def _width(self) -> int:
        return 2 * self.variant.size - 1

    @property
    def _pushes(self) -> int:
        return len(names(self.variant.size).texts)

    @cached_property
    def _fields(self) -> dict[tuple[int, int], int]:
        """The fields as (row, column), numbered in the order in which they are printed."""
        width = range(self._width)
        fields = [(row, column) for row in width for column in width if is_field(self.variant.size, row, column)]
        return {field: number for number, field in enumerate(fields)}

    @cached_property
    def _field_names(self) -> list[str]:
        by_place = names(self.variant.size).by_place
        return [by_place[place] for place in self._fields]
