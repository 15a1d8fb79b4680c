"""The layout of boards in drawings, and the counting of lines. Contains no rules.

The distance between neighbouring fields is 1. x grows to the right, y grows downwards, and the centre of every board is
(0, 0). Fields have the names of the game's notation.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LABEL_DISTANCE = 0.62
"""Distance from the last field of a line to its label."""


class Place(NamedTuple):
    """A named place on the board."""

    name: str
    x: float
    y: float


class Stroke(NamedTuple):
    """A straight line in the drawing of a board."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """A board without pieces. Each is made once, so that it can be the key of a cache."""

    kind: str
    """The style of the drawing: hexagon, cells, or squares."""
    width: float
    """Width of the drawing with its labels."""
    height: float
    fields: tuple[Place, ...]
    """The fields in reading order."""
    dots: tuple[Place, ...] = ()
    """The dots around the board, from which pieces are pushed."""
    strokes: tuple[Stroke, ...] = ()
    labels: tuple[Place, ...] = ()
    """Labels of rows and columns."""


class Piece(NamedTuple):
    """A piece on the board. An arrow has a direction: 0 is up, 7 is up left, clockwise."""

    field: str
    side: int
    direction: int | None = None


class Stock(NamedTuple):
    """The pieces of a side beside the board: its reserve, and its captured pieces."""

    reserve: int
    captured: int


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A board with its pieces."""

    layout: Layout
    pieces: tuple[Piece, ...]
    """The pieces in the order of their fields, or in the order in which they were placed."""
    blocked: tuple[str, ...] = ()
    """Blocked fields, on which nothing can be placed."""
    aims: tuple[str | None, str | None] = (None, None)
    """The next field of each side, if the rules determine it and it lies on the board."""
    stock: tuple[Stock, Stock] | None = None
    """None for games without pieces beside the board."""
    marked: str | None = None
    """The field of the last move."""
    decisive: tuple[str, ...] = ()
    """The reason for the end of the game: the fields of the winner's line, or the arrow that points to no free
    field."""


def cells(columns: int, rows: int, names: Iterable[str], above: list[str], beside: list[str]) -> Layout:
    """Return a board of square fields. Names are given row by row; ``above`` and ``beside`` are the labels."""
    left, top = (1 - columns) / 2, (1 - rows) / 2
    places = ((left + x, top + y) for y in range(rows) for x in range(columns))
    across = (Place(text, left + x, top - 0.5 - LABEL_DISTANCE / 2) for x, text in enumerate(above))
    down = (Place(text, left - 0.5 - LABEL_DISTANCE / 2, top + y) for y, text in enumerate(beside))
    return Layout(
        kind="cells",
        width=columns + 2 * LABEL_DISTANCE,
        height=rows + 2 * LABEL_DISTANCE,
        fields=tuple(Place(name, *where) for name, where in zip(names, places, strict=True)),
        labels=(*across, *down),
    )


Counts = tuple[int, ...]
"""Numbers of lines with 0, 1, 2 … pieces of a side and no piece of the other side."""


def count_lines(lines: Sequence[int], length: int, own: int, other: int) -> Counts:
    """Count the lines without a piece of ``other``, by the number of pieces of ``own``: 0 to ``length``.

    Lines and pieces are sets of fields, as bits.
    """
    counts = [0] * (length + 1)
    for line in lines:
        if not line & other:
            counts[(line & own).bit_count()] += 1
    return tuple(counts)


def completing_fields(lines: Sequence[int], length: int, own: int, other: int) -> int:
    """Return the empty fields on which a piece of ``own`` completes a line."""
    found = 0
    for line in lines:
        if not line & other and (line & own).bit_count() == length - 1:
            found |= line & ~own
    return found


def each_field(fields: int) -> Iterator[int]:
    """Yield the fields of a set as single bits, the lowest first."""
    while fields:
        field = fields & -fields
        yield field
        fields ^= field
