"""A board with its pieces as plain shapes: what every picture of a position is made of, whatever it is written as.

Lengths are units, of which `STEP` lie between neighbouring fields; the middle of the board is (0, 0), y grows
downwards. Colours are names of `engine.games.boards.colours`. The scripts of the pages draw the same shapes, since
there pieces move (server/web/assets/static/boards/); tests/web/test_pictures.py holds one against the other.
"""

from collections.abc import Iterable, Iterator
from math import atan2, cos, hypot, radians, sin
from typing import NamedTuple, TypeAlias

from engine.games.boards.layout import Drawing, Layout, Piece

STEP = 100
"""Units between two neighbouring fields."""

WIDE = 14
"""Steps of a board from which on names are drawn larger, to be read on a board that is drawn smaller."""

PIECE_RADIUS = 41

ARROW = ((0, -31), (25, -3), (10, -3), (10, 30), (-10, 30), (-10, -3), (-25, -3))
"""Corners of an arrow that points up."""

CROSS = ((-24, -24, 24, 24), (24, -24, -24, 24))

DISCS = (("ivory", "ivory-edge", "ivory-edge"), ("ebony", "ebony-edge", "ebony-groove"))
"""Colours of the body, the rim and the grooves of a side's discs."""

SIDES = ("first", "second")
"""Colours of the sides where pieces are no discs."""


class Paint(NamedTuple):
    """How a shape is filled and outlined. Ends and corners of outlines are round."""

    fill: str = ""
    """Empty for none, as `stroke`."""
    stroke: str = ""
    width: float = 0
    dash: tuple[float, ...] = ()
    """Lengths that are drawn and left out in turn; empty for a whole line."""


class Circle(NamedTuple):
    """A circle."""

    x: float
    y: float
    radius: float
    paint: Paint


class Box(NamedTuple):
    """An upright rectangle around its middle, perhaps with round corners."""

    x: float
    y: float
    width: float
    height: float
    corner: float
    paint: Paint


class Line(NamedTuple):
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    paint: Paint


class Polygon(NamedTuple):
    """A closed polygon."""

    corners: tuple[tuple[float, float], ...]
    paint: Paint


class Words(NamedTuple):
    """A line of text around its middle."""

    text: str
    x: float
    y: float
    size: float
    colour: str


class Placed(NamedTuple):
    """A piece: shapes around its place."""

    x: float
    y: float
    shapes: "tuple[Shape, ...]"


Shape: TypeAlias = Circle | Box | Line | Polygon | Words | Placed


def ground(drawing: Drawing) -> Iterator[Shape]:
    """Yield what lies under marks and pieces: the plate with its lines and names."""
    layout = drawing.layout
    wide = layout.width > WIDE
    if layout.kind == "cells":
        yield from _cells(layout, drawing.blocked)
        for name, x, y in layout.labels:
            yield Words(name, x * STEP, y * STEP, 40 if wide else 26, "quiet")
    elif layout.kind == "squares":
        yield from _squares(layout)
    else:
        yield from _hexagon(layout, wide)


def standing(drawing: Drawing) -> Iterator[Shape]:
    """Yield the marks of fields, and above them the pieces."""
    places = {name: (x * STEP, y * STEP) for name, x, y in drawing.layout.fields}
    for field, paint in _marks(drawing):
        if field in places:
            x, y = places[field]
            yield Box(x, y, 94, 94, 15, paint) if drawing.layout.kind == "cells" else Circle(x, y, 48, paint)
    for piece in drawing.pieces:
        shapes = disc(piece.side) if drawing.layout.kind != "cells" else _sign(piece)
        yield Placed(*places[piece.field], tuple(shapes))


def disc(side: int) -> Iterator[Shape]:
    """Yield a turned disc with grooves, around (0, 0)."""
    body, edge, groove = DISCS[side]
    yield Circle(0, 4, PIECE_RADIUS, Paint("shade"))
    yield Circle(0, 0, PIECE_RADIUS, Paint(body, edge, 3))
    for radius in (29, 15):
        yield Circle(0, 0, radius, Paint(stroke=groove, width=3.5))


def _sign(piece: Piece) -> Iterator[Shape]:
    """Yield an arrow where the piece has a direction, else a cross or a ring."""
    colour = SIDES[piece.side]
    if piece.direction is not None:
        yield Box(0, 0, 84, 84, 14, Paint(colour))
        yield Polygon(tuple(_turned(ARROW, 45 * piece.direction)), Paint("on-side", "on-side", 5))
    elif piece.side == 0:
        yield from (Line(*ends, Paint(stroke=colour, width=13)) for ends in CROSS)
    else:
        yield Circle(0, 0, 25, Paint(stroke=colour, width=13))


def _marks(drawing: Drawing) -> Iterator[tuple[str | None, Paint]]:
    """Yield the fields to be marked: of the last move, of what has decided, and those that have to be played to."""
    yield drawing.marked, Paint(stroke="light", width=8)
    for field in drawing.decisive:
        yield field, Paint("light-wash", "light", 11)
    for aim, side in zip(drawing.aims, SIDES, strict=True):
        yield aim, Paint(stroke=side, width=5, dash=(11, 9))


def _strokes(layout: Layout) -> Iterator[Shape]:
    for x1, y1, x2, y2 in layout.strokes:
        yield Line(x1 * STEP, y1 * STEP, x2 * STEP, y2 * STEP, Paint(stroke="line", width=4))


def _hexagon(layout: Layout, wide: bool) -> Iterator[Shape]:
    beyond, margin = (46, 0.92) if wide else (40, 0.78)
    radius = (max(hypot(x, y) for _, x, y in layout.dots) + margin) * STEP
    corners = ((cos(radians(degrees)) * radius, sin(radians(degrees)) * radius) for degrees in range(30, 360, 60))
    yield Polygon(tuple(corners), Paint("plate", "plate-edge", 10))
    yield from _strokes(layout)
    for name, x, y in sorted(layout.dots, key=lambda dot: atan2(dot.y, dot.x)):  # as one goes around the board
        yield Circle(x * STEP, y * STEP, 9, Paint("plate", "line", 5))
        outward = STEP + beyond / hypot(x, y)
        yield Words(name, x * outward, y * outward, 34 if wide else 23, "on-plate")


def _squares(layout: Layout) -> Iterator[Shape]:
    side = 2 * (max(x for _, x, _ in layout.fields) + 0.55) * STEP
    yield Box(0, 0, side, side, 36, Paint("plate", "plate-edge", 10))
    yield from _strokes(layout)
    for _, x, y in layout.fields:
        yield Circle(x * STEP, y * STEP, 11, Paint("line"))
    for name, x, y in layout.fields:
        yield Words(name, x * STEP + 21, y * STEP + 23, 23, "on-plate")


def _cells(layout: Layout, blocked: tuple[str, ...]) -> Iterator[Shape]:
    right, bottom = max(x for _, x, _ in layout.fields) + 0.5, max(y for _, _, y in layout.fields) + 0.5
    yield Box(0, 0, 2 * right * STEP + 16, 2 * bottom * STEP + 16, 18, Paint("plate", "plate-edge", 10))
    for name, x, y in layout.fields:
        yield Box(x * STEP, y * STEP, 92, 92, 10, Paint("blocked" if name in blocked else "cell"))


def _turned(corners: Iterable[tuple[float, float]], degrees: float) -> Iterator[tuple[float, float]]:
    """Turn corners around (0, 0), clockwise."""
    right, down = cos(radians(degrees)), sin(radians(degrees))
    for x, y in corners:
        yield x * right - y * down, x * down + y * right
