"""Where the fields of boards lie on a page: geometry for drawing, and nothing of the rules.

Lengths are in steps: the distance between two neighbouring fields is 1. x grows to the right, y downwards, and the
middle of every board is (0, 0). Names are those of the game's notation, so that a field on the page and a field in a
move are the same word.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from math import sqrt
from typing import NamedTuple

import msgspec

from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.notation import names
from engine.games.mnk.notation import letter
from engine.games.morris.drawing import AROUND, CENTRE, place
from engine.games.morris.fields import FIELDS

COLUMN = sqrt(3) / 2
"""From a column of a hexagon to the next: its fields are corners of equilateral triangles."""

BESIDE = 0.62
"""From the last field of a line to the label that names the line."""

MAX_BOARDS = 64
"""Boards of m,n,k and of arrows that are kept, of up to 70 KB each, the latest used: a new one is made in 2 ms."""


class Place(NamedTuple):
    """A named place on the board."""

    name: str
    x: float
    y: float


class Stroke(NamedTuple):
    """A straight line of the board's drawing."""

    x1: float
    y1: float
    x2: float
    y2: float


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """A board without pieces."""

    kind: str
    """How it is drawn: hexagon, cells, or squares."""
    width: float
    """Of the drawing, labels included, as `height`."""
    height: float
    fields: tuple[Place, ...]
    """Where pieces can stand, in the order in which somebody reads the board."""
    dots: tuple[Place, ...] = ()
    """Where pieces are laid down to be pushed onto the board."""
    strokes: tuple[Stroke, ...] = ()
    labels: tuple[Place, ...] = ()
    """Texts at the rim."""


@cache
def hexagon(size: int) -> Layout:
    """Return the board of GIPF with ``size`` fields on a side, columns upright, with its ring of dots."""
    places = names(size).places
    at = {name: _in_hexagon(size, name) for name in places}
    fields = tuple(at[name] for name, where in places.items() if is_field(size, *where))
    dots = tuple(at[name] for name, where in places.items() if not is_field(size, *where))
    by_place = {where: at[name] for name, where in places.items()}
    strokes = {}
    for entry in geometry(size).entries:
        down, right = (entry.target[i] - entry.dot[i] for i in (0, 1))
        row, column = entry.target
        while is_field(size, row, column):
            row, column = row + down, column + right
        ends = by_place[entry.dot], by_place[row, column]
        strokes[frozenset(ends)] = Stroke(*ends[0][1:], *ends[1][1:])
    return Layout(
        kind="hexagon",
        width=round(2 * size * COLUMN + 2, 3),
        height=2 * size + 2,
        fields=fields,
        dots=dots,
        strokes=tuple(strokes.values()),
    )


def _in_hexagon(size: int, name: str) -> Place:
    column, number = ord(name[0]) - ord("a"), int(name[1:])
    length = 2 * size + 1 - abs(size - column)
    return Place(name, round((column - size) * COLUMN, 3), (length + 1) / 2 - number)


@lru_cache(MAX_BOARDS)
def grid(columns: int, rows: int) -> Layout:
    """Return a board of m,n,k: letters name columns, numbers rows, row 1 at the bottom."""
    fields = (f"{letter(x)}{rows - y}" for y in range(rows) for x in range(columns))
    return _cells(columns, rows, fields, [letter(x) for x in range(columns)], [str(rows - y) for y in range(rows)])


@lru_cache(MAX_BOARDS)
def numbered(columns: int, rows: int) -> Layout:
    """Return a board of arrows: field ``x,y``, both counted from 1 at the top left."""
    fields = (f"{x},{y}" for y in range(1, rows + 1) for x in range(1, columns + 1))
    numbers = [[str(i) for i in range(1, length + 1)] for length in (columns, rows)]
    return _cells(columns, rows, fields, *numbers)


def _cells(columns: int, rows: int, names_of: Iterable[str], above: list[str], beside: list[str]) -> Layout:
    left, top = (1 - columns) / 2, (1 - rows) / 2
    places = ((left + x, top + y) for y in range(rows) for x in range(columns))
    across = (Place(text, left + x, top - 0.5 - BESIDE / 2) for x, text in enumerate(above))
    down = (Place(text, left - 0.5 - BESIDE / 2, top + y) for y, text in enumerate(beside))
    return Layout(
        kind="cells",
        width=columns + 2 * BESIDE,
        height=rows + 2 * BESIDE,
        fields=tuple(Place(name, *where) for name, where in zip(names_of, places, strict=True)),
        labels=(*across, *down),
    )


@cache
def squares() -> Layout:
    """Return the board of nine men's morris: three squares one in another, joined at the middles of their sides."""
    fields = []
    for field in range(FIELDS):
        row, column = place(field)
        fields.append(Place(str(field), column - CENTRE, row - CENTRE))
    around = len(AROUND)
    strokes = []
    for field in range(FIELDS):
        square, number = divmod(field, around)
        follower = square * around + (number + 1) % around
        strokes.append(Stroke(*fields[field][1:], *fields[follower][1:]))
        if number % 2 and field + around < FIELDS:
            strokes.append(Stroke(*fields[field][1:], *fields[field + around][1:]))
    side = 2 * CENTRE + 2 * BESIDE
    return Layout(kind="squares", width=side, height=side, fields=tuple(fields), strokes=tuple(strokes))
