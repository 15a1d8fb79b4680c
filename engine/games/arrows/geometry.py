"""Where the fields of boards lie, as bits of two words, in one layout for all boards.

Every board lies in the top left corner of the largest one, ten by ten; the fields beyond its edges are as good as
blocked. Field (x, y) has the number ``(y - 1) * 11 + x - 1``: each row of ten is followed by a guard that is
never free, so that a set of fields can be shifted in any direction without running from one row into the next.
Five rows are 55 bits: fields with lower numbers are bits of a low word, the others of a high one. Both words
leave seven bits for the number of a field, and one for the sign.
"""

from typing import NamedTuple

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""The eight directions as (right, down), clockwise from up."""

LENGTH = 10
"""Columns, and rows, of the largest board."""

ROW = LENGTH + 1
"""Bits from a field to the one below it."""

HALF = ROW * LENGTH // 2
"""The bits of a word."""

NOWHERE = 127
"""Stands for a place on which no arrow can ever be placed: one off the board, or an occupied or blocked field."""


class Layout(NamedTuple):
    """The tables of the layout: a row a number of a field, and an empty one for `NOWHERE` and numbers not used."""

    next: tuple[int, ...]
    """Eight numbers a field: the neighbours by direction, `NOWHERE` off the largest board."""
    low: tuple[int, ...]
    """The field itself, as bits of the low word."""
    high: tuple[int, ...]
    near_low: tuple[int, ...]
    """The neighbours of the field, as bits of the low word."""
    near_high: tuple[int, ...]


def number(x: int, y: int) -> int:
    """Return the number of field (x, y), or `NOWHERE` off the largest board."""
    return (y - 1) * ROW + x - 1 if 1 <= x <= LENGTH and 1 <= y <= LENGTH else NOWHERE


def words(fields: int) -> tuple[int, int]:
    """Part a set of fields, the bit of each given by its number, into the low and the high word."""
    return fields & ((1 << HALF) - 1), fields >> HALF


def layout() -> Layout:
    """Compute the tables."""
    empty = NOWHERE + 1
    neighbours = [[NOWHERE] * len(STEPS) for _ in range(empty)]
    fields = [0] * empty
    near = [0] * empty
    for x in range(1, LENGTH + 1):
        for y in range(1, LENGTH + 1):
            at = number(x, y)
            fields[at] = 1 << at
            neighbours[at] = [number(x + right, y + down) for right, down in STEPS]
            near[at] = sum(1 << other for other in neighbours[at] if other != NOWHERE)
    low, high = zip(*map(words, fields), strict=True)
    near_low, near_high = zip(*map(words, near), strict=True)
    return Layout(tuple(other for row in neighbours for other in row), low, high, near_low, near_high)
