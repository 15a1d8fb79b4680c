"""Moves and positions as numbers, for programs that learn: actions and planes of all games.

`Encoding` says what the encoding of a variant has. docs/learning.md has the tables of actions and planes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import TypeAlias, cast

import numpy
from numpy.typing import NDArray

from engine.games.arrows import board as arrows_board
from engine.games.arrows.position import ArrowsPosition
from engine.games.arrows.rules import DIRECTIONS, HALF, LENGTH, NOWHERE, ROW
from engine.games.catalogue import GAMES
from engine.games.gipf.geometry import AXES, geometry, is_field, parse as parse_gipf
from engine.games.gipf.notation import SAME, names, split
from engine.games.gipf.position import GipfPosition, play_push
from engine.games.interface import REPETITIONS, History, Position
from engine.games.morris.board import SIZE, place
from engine.games.morris.position import QUIET_LIMIT, MorrisPosition
from engine.games.morris.rules import FIELDS, PIECES

Planes: TypeAlias = NDArray[numpy.float32]
"""A stack of planes: numbers from 0 to 1 by plane, row and column."""


def bits(fields: int, count: int) -> NDArray[numpy.uint8]:
    """Return the lowest bits of a number as an array, the lowest one first."""
    length = (count + 7) // 8
    packed = numpy.frombuffer((fields & ((1 << 8 * length) - 1)).to_bytes(length, "little"), numpy.uint8)
    return numpy.unpackbits(packed, count=count, bitorder="little")


class Encoding(ABC):
    """The moves and positions of a variant as numbers. All positions of the variant have the same encoding."""

    planes: tuple[str, ...]
    """The content of each plane, in a few words."""

    def __init__(self, size: int, rows: int, columns: int) -> None:
        """Take the number of actions, which are numbered from 0, and the size of a plane."""
        self.size = size
        self.shape = len(self.planes), rows, columns
        """The number of planes, rows and columns."""

    @abstractmethod
    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return a legal move, in canonical text, as actions in the order in which they are made.

        The actions of a move are never the beginning of the actions of another move in the same position.
        """

    @abstractmethod
    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the present position as a side sees it, which need not be to move: its own pieces come first.

        ``made`` are the actions of the move under way that were made already, where more of them are to come.
        """


class GipfEncoding(Encoding):
    """The encoding of a variant of GIPF."""

    planes = (
        "own pieces",
        "the opponent's pieces",
        "the fields of the board",
        "own pieces in reserve",
        "the opponent's pieces in reserve",
        "how often the position stood on the board before",
    )

    def __init__(self, parameters: str) -> None:
        """Number the pushes, and a row of either colour along each axis for each field; planes are as fields lie."""
        self._variant = parse_gipf(parameters)
        size = self._variant.size
        self._width = 2 * size - 1
        self._pushes = len(names(size).texts)
        width = range(self._width)
        fields = [(row, column) for row in width for column in width if is_field(size, row, column)]
        self._fields = {field: number for number, field in enumerate(fields)}  # in the order in which they are printed
        super().__init__(self._pushes + 2 * len(AXES) * len(fields), self._width, self._width)

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return the push, and the rows that are chosen, each by owner, axis and the first field of its run."""
        push, chosen = split(move)
        places = names(self._variant.size).places
        found = [names(self._variant.size).pushes[push]]
        colour = position.turn
        for named in chosen:
            colour = colour if named.colour == SAME else named.colour
            first, last = sorted(places[end] for end in named.ends)
            axis = AXES.index((int(last[0] > first[0]), int(last[1] > first[1])))
            line = (colour != position.turn) * len(AXES) + axis
            found.append(self._pushes + line * len(self._fields) + self._fields[first])
        return tuple(found)

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the pieces on the board and in reserve, and how near the draw by repetition is."""
        position = cast(GipfPosition, history.position)
        state = position.state if not made else self._after(position, made).state
        pieces = (state.white, state.black)
        reserves = (state.white_reserve / self._variant.white, state.black_reserve / self._variant.black)
        seen = numpy.empty(self.shape, numpy.float32)
        for plane, fields in enumerate((pieces[side], pieces[1 - side], geometry(self._variant.size).board)):
            seen[plane] = bits(fields, self._width**2).reshape(self._width, self._width)
        seen[3], seen[4] = reserves[side], reserves[1 - side]
        seen[5] = history.keys.count(position.key) / (REPETITIONS - 1)
        return seen

    def _after(self, position: GipfPosition, made: tuple[int, ...]) -> GipfPosition:
        """Return the board after a push and the rows chosen so far, some of which crossed others."""
        text = names(self._variant.size).texts[made[0]]
        for count in range(1, len(made)):
            text = next(
                longer
                for longer in (f"{text} {row.text}" for row in play_push(position, text).crossing)
                if self.actions(position, longer)[count] == made[count]
            )
        return play_push(position, text).position


class ArrowsEncoding(Encoding):
    """The encoding of a board of arrows."""

    planes = ("free fields", "own next field", "the opponent's next field")

    def __init__(self, parameters: str) -> None:
        """Take planes as large as the board."""
        setup = arrows_board.parse(parameters)
        super().__init__(DIRECTIONS, setup.rows, setup.columns)

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return the direction."""
        return (int(move),)

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the free fields, and one field at most in each of the others: none where the side has lost."""
        position = cast(ArrowsPosition, history.position)
        state = position.state
        targets = (state.own, state.other) if side == position.turn else (state.other, state.own)
        fields = [state.low | state.high << HALF, *(0 if at == NOWHERE else 1 << at for at in targets)]
        seen = numpy.array([bits(each, ROW * LENGTH) for each in fields], numpy.float32)
        # every board lies in the top left corner of the largest one, with a guard behind each row
        return seen.reshape(len(fields), LENGTH, ROW)[:, : self.shape[1], : self.shape[2]].copy()


MOVE = FIELDS
"""The first action that moves a piece; those before it place one."""

TAKE = MOVE + FIELDS * FIELDS
"""The first action that takes a piece."""

ROWS, COLUMNS = zip(*map(place, range(FIELDS)), strict=True)
"""Where the fields lie on the grid."""


class MorrisEncoding(Encoding):
    """The encoding of nine men's morris."""

    planes = (
        "own pieces",
        "the opponent's pieces",
        "the fields of the board",
        "own pieces in hand",
        "the opponent's pieces in hand",
        "how often the position stood on the board before",
        "moves since the last placing or capture",
    )

    def __init__(self, _parameters: str) -> None:
        """Take planes of seven rows and columns, as the board is drawn."""
        super().__init__(TAKE + FIELDS, SIZE, SIZE)

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return a placing or a move, and the piece that it takes."""
        numbers = [int(word) for word in move.split()]
        if cast(MorrisPosition, position).state.own_hand:
            first, *taken = numbers
        else:
            source, target, *taken = numbers
            first = MOVE + source * FIELDS + target
        return (first, *(TAKE + field for field in taken))

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


class FieldEncoding(Encoding):
    """The encoding of a variant of any game whose moves are names of fields."""

    planes = ("own pieces", "the opponent's pieces")

    def __init__(self, start: Position) -> None:
        """Number the fields in the order of the drawing; planes are as large as the board of the first position."""
        fields = start.drawing().layout.fields
        rows, columns = sorted({field.y for field in fields}), sorted({field.x for field in fields})
        self._numbers = {field.name: number for number, field in enumerate(fields)}
        self._places = {field.name: (rows.index(field.y), columns.index(field.x)) for field in fields}
        super().__init__(len(fields), len(rows), len(columns))

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return the number of the field that a move names."""
        return (self._numbers[move],)

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the pieces of both sides."""
        pieces = history.position.pieces
        seen = numpy.zeros(self.shape, numpy.float32)
        for plane, shown in enumerate((pieces[side], pieces[1 - side])):
            for name in shown:
                seen[plane][self._places[name]] = 1
        return seen


ENCODINGS: dict[str, Callable[[str], Encoding]] = {
    "gipf": GipfEncoding,
    "arrows": ArrowsEncoding,
    "morris": MorrisEncoding,
}
"""Functions that make the encoding of a variant, by the name of the game. Other games have a `FieldEncoding`."""


@cache
def encoding_of(game: str, parameters: str) -> Encoding:
    """Return the encoding of a variant; raises `engine.games.interface.BadParameters`."""
    parameters = GAMES[game].parameters(parameters)
    return ENCODINGS[game](parameters) if game in ENCODINGS else FieldEncoding(GAMES[game].start(parameters))


def legal_actions(position: Position) -> dict[tuple[int, ...], str]:
    """Return every legal move by its actions, in the game's documented order."""
    encoding = encoding_of(position.game.name, position.parameters)
    return {encoding.actions(position, move): move for move in position.legal_moves}
