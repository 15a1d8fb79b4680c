"""Where the fields of boards lie in a drawing, and how far lines of fields are filled: nothing of the rules.

Lengths are in steps: the distance between two neighbouring fields is 1. x grows to the right, y downwards, and the
middle of every board is (0, 0). Names are those of the game's notation, so that a field in a drawing and a field in a
move are the same word.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

BESIDE = 0.62
"""From the last field of a line to the label that names the line."""


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """A board without pieces; games make each once, so that it can be the key of a cache."""

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


class Piece(NamedTuple):
    """A piece on the board, and for arrows where it points (0 up to 7 up left, clockwise)."""

    field: str
    side: int
    direction: int | None = None


class Stock(NamedTuple):
    """What a side has beside the board: pieces still to be played, and pieces that it has lost."""

    reserve: int
    captured: int


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A board with all that stands on it."""

    layout: Layout
    pieces: tuple[Piece, ...]
    """In the order of the fields that they stand on, or in which they were placed."""
    blocked: tuple[str, ...] = ()
    """Fields on which nothing can be placed."""
    aims: tuple[str | None, str | None] = (None, None)
    """The field that a side has to play to next, where the game says so and it lies on the board."""
    stock: tuple[Stock, Stock] | None = None
    """None in games in which nothing is ever beside the board."""
    marked: str | None = None
    """The field of the last move."""
    decisive: tuple[str, ...] = ()
    """What has decided a game that is over: the fields of the winner's line, or the arrow that points nowhere."""


def cells(columns: int, rows: int, names: Iterable[str], above: list[str], beside: list[str]) -> Layout:
    """Return a board of square fields, named row by row from the top, with labels for its columns and its rows."""
    left, top = (1 - columns) / 2, (1 - rows) / 2
    places = ((left + x, top + y) for y in range(rows) for x in range(columns))
    across = (Place(text, left + x, top - 0.5 - BESIDE / 2) for x, text in enumerate(above))
    down = (Place(text, left - 0.5 - BESIDE / 2, top + y) for y, text in enumerate(beside))
    return Layout(
        kind="cells",
        width=columns + 2 * BESIDE,
        height=rows + 2 * BESIDE,
        fields=tuple(Place(name, *where) for name, where in zip(names, places, strict=True)),
        labels=(*across, *down),
    )


Counts = tuple[int, ...]
"""How many lines hold 0, 1, 2 … pieces of a side, and none of the other."""


def count_lines(lines: Sequence[int], length: int, own: int, other: int) -> Counts:
    """Count the lines of so many fields that hold no piece of ``other``, by the number of pieces of ``own`` in them.

    Lines and pieces are sets of fields, a bit a field. The result has an entry for each number from 0 to ``length``.
    """
    counts = [0] * (length + 1)
    for line in lines:
        if not line & other:
            counts[(line & own).bit_count()] += 1
    return tuple(counts)


def completing_fields(lines: Sequence[int], length: int, own: int, other: int) -> int:
    """Return the fields on which a piece of ``own`` fills a line; none of them holds a piece."""
    found = 0
    for line in lines:
        if not line & other and (line & own).bit_count() == length - 1:
            found |= line & ~own
    return found


def each_field(fields: int) -> Iterator[int]:
    """Yield the fields of a set, a bit each, the lowest first."""
    while fields:
        field = fields & -fields
        yield field
        fields ^= field
