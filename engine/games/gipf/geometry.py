"""The parameters L = (S, K, GW, GB) of generalised GIPF, and the layout of a board in bits.

Field (row r, column c) of the printed board is bit ``r * (2S-1) + c``. Columns are counted so that neighbours differ by
(0, 1), (1, 0) or (1, 1). So neighbours on the three line families are 1, 2S-1 and 2S bits apart. The two cut corners of
the square are never occupied: these guard bits separate the lines when a set is shifted.
"""

from functools import cache
from typing import NamedTuple

from engine.games.interface import BadParameters
from engine.games.texts import numbers

SIZES = range(2, 13)
"""Allowed S, the fields on a side of the board. Columns have one letter, which limits S to 12."""

PIECES = range(4, 1000)
"""Allowed GW and GB, the pieces of a side: three are on the board at the start, and one more is needed to move."""


class Parameters(NamedTuple):
    """L: the board side S, the run length K, and the pieces of white and black."""

    size: int
    run: int
    white: int
    black: int

    def __str__(self) -> str:
        """Return L as in the first line of a board."""
        return " ".join(map(str, self))

    @property
    def warning(self) -> str:
        """A sentence on K = 2S-1; empty for other parameters."""
        if self.run == 2 * self.size - 1:
            return (
                f"K = {self.run} is as long as the longest line of a board of side {self.size}: nothing can be captured"
            )
        return ""


def parse(text: str) -> Parameters:
    """Read L from four numbers separated by spaces or commas; raises `BadParameters`."""
    found = numbers(text)
    if len(found) != 4:
        raise BadParameters("bad_parameters", f"GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not {text!r}")
    parameters = Parameters(*found)
    size, run, *pieces = parameters
    if size not in SIZES:
        raise BadParameters("bad_parameters", f"S is {size}, but boards have sides of 2 to 12 fields")
    if not 2 <= run <= 2 * size - 1:
        raise BadParameters("bad_parameters", f"K is {run}, but for S = {size} it lies between 2 and {2 * size - 1}")
    for name, count in zip(("GW", "GB"), pieces, strict=True):
        if count not in PIECES:
            raise BadParameters("bad_parameters", f"{name} is {count}, but a side has 4 to 999 pieces")
    return parameters


AXES = ((1, 1), (1, 0), (0, 1))
"""The three line families as (row, column) steps, in the order of generation of crossing rows."""

ENTRY_STEPS = ((0, -1), (-1, -1), (-1, 0), (0, 1), (1, 1), (1, 0))
"""The six directions of pushes as (row, column) steps, in the order of generation of pushes onto one field."""


class Entry(NamedTuple):
    """A push from a dot, with its line as bits, from the field next to the dot to the far end."""

    dot: tuple[int, int]
    target: tuple[int, int]
    first: int
    """The field next to the dot, as a bit."""
    line: int
    step: int
    """Distance in bits to the next field along the push; negative towards lower bits."""


class Geometry(NamedTuple):
    """The geometry of a board, which depends only on S."""

    size: int
    width: int
    board: int
    """Every field of the board, as bits."""
    entries: tuple[Entry, ...]
    """The 6 + 12(S-1) pushes, in the documented order of generation."""
    corners: tuple[int, ...]
    """The six corners as bits, clockwise from the top left one."""


def is_field(size: int, row: int, column: int) -> bool:
    """Tell whether (row, column) is a field of the board of side ``size``, not a dot."""
    return 0 <= row <= 2 * size - 2 and max(0, row - size + 1) <= column <= min(2 * size - 2, size - 1 + row)


@cache
def fields_of(size: int) -> tuple[tuple[int, int], ...]:
    """Return the fields of the board of side ``size`` as (row, column), row by row from the top."""
    width = range(2 * size - 1)
    return tuple((row, column) for row in width for column in width if is_field(size, row, column))


def rim(size: int) -> list[tuple[int, int]]:
    """Return the fields on the edge of the board, clockwise from the top left corner."""
    fields = [(0, 0)]
    for step in ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)):
        for _ in range(size - 1):
            row, column = fields[-1]
            fields.append((row + step[0], column + step[1]))
    return fields[:-1]


@cache
def windows(size: int, run: int) -> tuple[int, ...]:
    """Return all lines of ``run`` neighbouring fields on the board of side ``size``, as bits."""
    width = 2 * size - 1
    found = []
    for row, column in fields_of(size):
        for down, right in AXES:
            places = [(row + down * i, column + right * i) for i in range(run)]
            if all(is_field(size, *place) for place in places):
                found.append(sum(1 << (r * width + c) for r, c in places))
    return tuple(found)


@cache
def geometry(size: int) -> Geometry:
    """Compute the geometry of the board of side ``size`` (2 to 12)."""
    width = 2 * size - 1

    def bit(field: tuple[int, int]) -> int:
        return 1 << (field[0] * width + field[1])

    entries = []
    for row, column in rim(size):
        for down, right in ENTRY_STEPS:
            if is_field(size, row - down, column - right):
                continue
            line, place = 0, (row, column)
            while is_field(size, *place):
                line |= bit(place)
                place = (place[0] + down, place[1] + right)
            dot, target = (row - down, column - right), (row, column)
            entries.append(Entry(dot, target, bit(target), line, down * width + right))

    board = sum(map(bit, fields_of(size)))
    edge = rim(size)
    return Geometry(size, width, board, tuple(entries), tuple(bit(edge[i * (size - 1)]) for i in range(6)))
