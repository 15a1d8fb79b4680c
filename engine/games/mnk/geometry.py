"""Where the fields, lines and mirrored fields of a board lie, as bits.

Field (row r, column c), both from 0 at the top left, is bit ``r * M + c`` on a board of M columns. Along a line
the fields are then always equally many bits apart.

Reflections are made of *delta swaps*: pairs of fields that all lie the same number of bits apart change places at
once (Knuth, The Art of Computer Programming 4A, 7.1.3). Halves change places, then the halves of each half.
"""

from functools import lru_cache
from typing import NamedTuple

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four directions of lines as (row, column) steps: rows, columns and both diagonals."""


MAX_WINDOWS = 64
"""Boards and Ks of which all lines are kept, of up to 100 KB each, the latest used."""


class Line(NamedTuple):
    """The lines of K fields in one direction."""

    step: int
    """Distance in bits from a field to the next one; 0 where no line fits."""
    starts: int
    """The fields, as bits, from which K fields in the direction stay on the board."""


class Swap(NamedTuple):
    """Pairs of fields that change places."""

    distance: int
    """Bits between the fields of each pair."""
    lower: int
    """The field of the lower bit of each pair."""


def bit(columns: int, row: int, column: int) -> int:
    """Return the bit of a field."""
    return 1 << (row * columns + column)


def lines(rows: int, columns: int, run: int) -> tuple[Line, ...]:
    """Return the lines of ``run`` fields in each of the four directions."""
    found = []
    for down, right in DIRECTIONS:
        starts = 0
        for row in range(rows - (run - 1) * down):
            for column in range(columns):
                if 0 <= column + (run - 1) * right < columns:
                    starts |= bit(columns, row, column)
        found.append(Line(down * columns + right if starts else 0, starts))
    return tuple(found)


@lru_cache(MAX_WINDOWS)
def windows(rows: int, columns: int, run: int) -> tuple[int, ...]:
    """Return all lines of ``run`` fields on a board, as sets of fields."""
    found = []
    for line in lines(rows, columns, run):
        first = sum(1 << (line.step * i) for i in range(run)) if line.step else 1
        found += [first << start for start in range(rows * columns) if line.starts >> start & 1]
    return tuple(found)


def mirrored_columns(rows: int, columns: int) -> tuple[Swap, ...]:
    """Return the swaps that put the first column in the place of the last, and so on."""
    return tuple(
        Swap(pairs[0][1] - pairs[0][0], sum(bit(columns, row, left) for row in range(rows) for left, _ in pairs))
        for pairs in _reversal([0], columns)
    )


def mirrored_rows(rows: int, columns: int) -> tuple[Swap, ...]:
    """Return the swaps that put the first row in the place of the last, and so on."""
    return tuple(
        Swap((pairs[0][1] - pairs[0][0]) * columns, sum(bit(columns, up, c) for up, _ in pairs for c in range(columns)))
        for pairs in _reversal([0], rows)
    )


def _reversal(starts: list[int], length: int) -> list[list[tuple[int, int]]]:
    """Reverse stretches of one length: pairs of places that change at once, the halves first."""
    half = length // 2
    if half == 0:
        return []
    distance = length - half
    pairs = [(start + i, start + distance + i) for start in starts for i in range(half)]
    return [pairs, *_reversal(starts + [start + distance for start in starts], half)]


def transposed(size: int) -> tuple[Swap, ...]:
    """Return the swaps that put rows in the place of columns on a square board.

    Blocks off the diagonal change places while they can be halved; then, in each block, parallels to the diagonal.
    """
    swaps = []
    blocks = [(0, 0)]
    block = size
    while block % 2 == 0:
        block //= 2
        inner = [(i, j) for i in range(block) for j in range(block)]
        lower = sum(bit(size, row + i, column + block + j) for row, column in blocks for i, j in inner)
        swaps.append(Swap(block * (size - 1), lower))
        blocks += [
            (row + down, column + right)
            for row, column in blocks
            for down, right in ((0, block), (block, 0), (block, block))
        ]
    for away in range(1, block):
        lower = sum(bit(size, row + i, column + i + away) for row, column in blocks for i in range(block - away))
        swaps.append(Swap(away * (size - 1), lower))
    return tuple(swaps)


def swapped(fields: int, swaps: tuple[Swap, ...]) -> int:
    """Return a set of fields after swaps, one after the other."""
    for distance, lower in swaps:
        different = (fields ^ (fields >> distance)) & lower
        fields ^= different ^ (different << distance)
    return fields
