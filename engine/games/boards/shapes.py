"""A board with its pieces as plain shapes, of which every picture of a position is made, and as an SVG document.

Lengths are units, of which `STEP` lie between neighbouring fields; the middle of the board is (0, 0), y grows
downwards. Colours are names of `COLOURS`.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import atan2, copysign, cos, hypot, radians, sin
from typing import NamedTuple, TypeAlias

from engine.games.boards.layout import BESIDE, Drawing, Layout, Place

STEP = 100
"""Units between two neighbouring fields."""

WIDE = 14
"""Steps of a board from which on names are larger from the start, and further from the board."""

PIXELS, PHONE_PIXELS, LEAST_PIXELS = 48, 360, 290
"""How wide a step is on small boards, how wide a picture is on a phone, where its names are still read, and how wide a
board is in the narrowest window that a page is made for."""

LEGIBLE_PIXELS = 11
"""How high names are there at least."""

LEAST_SIZE = 14
"""The smallest size of names on a page."""

MOST = 100
"""The largest size of names: they are as high as the fields that they name are apart."""

CROWDED = {"hexagon": 46, "cells": 75}
"""Beyond this size each other name is left out."""

LETTER, GAP = 0.58, 12
"""How wide a letter of a name is, of its height, and what lies around names."""

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


MARKS = {
    "last": Paint(stroke="light", width=8),
    "decisive": Paint("light-wash", "light", 11),
    **{f"aim{side}": Paint(stroke=colour, width=5, dash=(11, 9)) for side, colour in enumerate(SIDES)},
}
"""How fields are marked: of the last move, of what has decided, and those that a side has to play to."""


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
    spare: bool = False
    """Whether it is left out where there is little room."""


class Placed(NamedTuple):
    """A piece: shapes around its place."""

    x: float
    y: float
    shapes: "tuple[Shape, ...]"


Shape: TypeAlias = Circle | Box | Line | Polygon | Words | Placed


class Rim(NamedTuple):
    """How the names around a board are written."""

    size: float
    beyond: float
    """From a dot, or from the plate of a board of cells, to the middle of a name."""
    margin: float
    """Steps from the farthest dots to the corners of the plate."""
    extra: float
    """Steps that the drawing needs on each side beyond those of its layout."""

    def named(self, layout: Layout, places: Iterable[Place]) -> Iterator[tuple[Place, bool]]:
        """Yield a row of places, and whether the name of each is spare; none where names have no size."""
        if self.size:
            crowded = self.size > CROWDED[layout.kind]
            yield from ((place, crowded and i % 2 == 1) for i, place in enumerate(places))


def rim(layout: Layout, *, page: bool = False) -> Rim:
    """Return names that can be read on a phone, too: the plate of a wide board has more room for them.

    A board of a page is as wide as its place, also one of few fields, whose names are smaller then.
    """
    wide = layout.width > WIDE
    if layout.kind == "squares":  # names stand beside fields
        return Rim(25, 0, 0, 0)
    room = _room_of_hexagon if layout.kind == "hexagon" else _room_of_cells
    letters = max(len(name) for name, _, _ in layout.dots or layout.labels)
    size = LEAST_SIZE if page else 34 if wide else 23 if layout.kind == "hexagon" else 26
    while True:
        fitted = room(size, LETTER * letters * size / 2, wide)
        width = layout.width + 2 * fitted.extra
        step = LEAST_PIXELS / width if page else min(PIXELS, PHONE_PIXELS / width)
        if size >= MOST or size * step / STEP >= LEGIBLE_PIXELS:
            return fitted
        size += 1


def _room_of_hexagon(size: int, half: float, wide: bool) -> Rim:
    """Return what names of a size need of which one is twice `half` long."""
    beyond = max(46 if wide else 40, GAP + half)
    margin = max(0.92 if wide else 0.78, (beyond + half + GAP) / STEP / cos(radians(30)))
    return Rim(size, beyond, margin, max(0.0, margin + 0.08 - 1))


def _room_of_cells(size: int, half: float, wide: bool) -> Rim:
    beyond = max(BESIDE / 2 * STEP, GAP + half)
    return Rim(size, beyond, 0, max(0.0, 2 * beyond / STEP - BESIDE))


def ground(drawing: Drawing, names: Rim) -> Iterator[Shape]:
    """Yield what lies under marks and pieces: the plate with its lines and names."""
    draw = {"cells": _cells, "squares": _squares, "hexagon": _hexagon}[drawing.layout.kind]
    yield from draw(drawing, names)


def standing(drawing: Drawing) -> Iterator[Shape]:
    """Yield the marks of fields, and above them the pieces."""
    places = {name: (x * STEP, y * STEP) for name, x, y in drawing.layout.fields}
    for field, paint in _marks(drawing):
        if field in places:
            yield spot(drawing.layout, paint, *places[field])
    for piece in drawing.pieces:
        yield Placed(*places[piece.field], tuple(look(drawing.layout, piece.side, piece.direction)))


def spot(layout: Layout, paint: Paint, x: float = 0, y: float = 0) -> Shape:
    """Return what marks a field."""
    return Box(x, y, 94, 94, 15, paint) if layout.kind == "cells" else Circle(x, y, 48, paint)


def look(layout: Layout, side: int, direction: int | None = None) -> Iterator[Shape]:
    """Yield the shapes of a piece, around (0, 0)."""
    return _sign(side, direction) if layout.kind == "cells" else disc(side)


def disc(side: int) -> Iterator[Shape]:
    """Yield a turned disc with grooves, around (0, 0)."""
    body, edge, groove = DISCS[side]
    yield Circle(0, 4, PIECE_RADIUS, Paint("shade"))
    yield Circle(0, 0, PIECE_RADIUS, Paint(body, edge, 3))
    for radius in (29, 15):
        yield Circle(0, 0, radius, Paint(stroke=groove, width=3.5))


def _sign(side: int, direction: int | None) -> Iterator[Shape]:
    """Yield an arrow where the piece has a direction, else a cross or a ring."""
    colour = SIDES[side]
    if direction is not None:
        yield Box(0, 0, 84, 84, 14, Paint(colour))
        yield Polygon(tuple(_turned(ARROW, 45 * direction)), Paint("on-side", "on-side", 5))
    elif side == 0:
        yield from (Line(*ends, Paint(stroke=colour, width=13)) for ends in CROSS)
    else:
        yield Circle(0, 0, 25, Paint(stroke=colour, width=13))


def _marks(drawing: Drawing) -> Iterator[tuple[str | None, Paint]]:
    """Yield the fields to be marked: of the last move, of what has decided, and those that have to be played to."""
    yield drawing.marked, MARKS["last"]
    for field in drawing.decisive:
        yield field, MARKS["decisive"]
    for side, aim in enumerate(drawing.aims):
        yield aim, MARKS[f"aim{side}"]


def _strokes(layout: Layout) -> Iterator[Shape]:
    for x1, y1, x2, y2 in layout.strokes:
        yield Line(x1 * STEP, y1 * STEP, x2 * STEP, y2 * STEP, Paint(stroke="line", width=4))


def _hexagon(drawing: Drawing, names: Rim) -> Iterator[Shape]:
    layout = drawing.layout
    radius = (max(hypot(x, y) for _, x, y in layout.dots) + names.margin) * STEP
    corners = ((cos(radians(degrees)) * radius, sin(radians(degrees)) * radius) for degrees in range(30, 360, 60))
    yield Polygon(tuple(corners), Paint("plate", "plate-edge", 10))
    yield from _strokes(layout)
    around = sorted(layout.dots, key=lambda dot: atan2(dot.y, dot.x))
    if names.size:
        for _, x, y in around:
            yield Circle(x * STEP, y * STEP, 9, Paint("plate", "line", 5))
    for (name, x, y), spare in names.named(layout, around):
        outward = STEP + names.beyond / hypot(x, y)
        yield Words(name, x * outward, y * outward, names.size, "on-plate", spare)


def _squares(drawing: Drawing, names: Rim) -> Iterator[Shape]:
    layout = drawing.layout
    side = 2 * (max(x for _, x, _ in layout.fields) + 0.55) * STEP
    yield Box(0, 0, side, side, 36, Paint("plate", "plate-edge", 10))
    yield from _strokes(layout)
    for _, x, y in layout.fields:
        yield Circle(x * STEP, y * STEP, 11, Paint("line"))
    for name, x, y in layout.fields if names.size else ():
        yield Words(name, x * STEP + 21, y * STEP + 23, names.size, "on-plate")


def _cells(drawing: Drawing, names: Rim) -> Iterator[Shape]:
    layout = drawing.layout
    right, bottom = max(x for _, x, _ in layout.fields) + 0.5, max(y for _, _, y in layout.fields) + 0.5
    yield Box(0, 0, 2 * right * STEP + 16, 2 * bottom * STEP + 16, 18, Paint("plate", "plate-edge", 10))
    for name, x, y in layout.fields:
        yield cell(x * STEP, y * STEP, "blocked" if name in drawing.blocked else "cell")
    further = names.beyond - BESIDE / 2 * STEP  # labels lie in the middle of the room that they usually need
    above = [label for label in layout.labels if abs(label.y) > bottom]
    for (name, x, y), spare in names.named(layout, above):
        yield Words(name, x * STEP, y * STEP + copysign(further, y), names.size, "quiet", spare)
    for (name, x, y), spare in names.named(layout, [label for label in layout.labels if abs(label.y) < bottom]):
        yield Words(name, x * STEP + copysign(further, x), y * STEP, names.size, "quiet", spare)


def cell(x: float, y: float, colour: str) -> Shape:
    """Return a field of a board of cells."""
    return Box(x, y, 92, 92, 10, Paint(colour))


def _turned(corners: Iterable[tuple[float, float]], degrees: float) -> Iterator[tuple[float, float]]:
    """Turn corners around (0, 0), clockwise."""
    right, down = cos(radians(degrees)), sin(radians(degrees))
    for x, y in corners:
        yield x * right - y * down, x * down + y * right


MAX_PIXELS = 520
"""How wide a picture is at most."""

LINE, TEXT, TITLE = 20, 16, 18
"""Pixels from a line of text to the next, of the letters below the board, and of those above it."""

TEXT_LETTER = 0.55
"""Width of a letter of ordinary text, as a part of its size: texts that would not fit are drawn smaller."""


class Picture(NamedTuple):
    """Shapes with the part of the plane that is seen, in units."""

    left: float
    top: float
    width: float
    height: float
    pixels: tuple[int, int]
    """The width and the height at which it is usually shown."""
    ground: tuple[Shape, ...]
    """What is the same in all pictures of a game."""
    above: tuple[Shape, ...]


def picture(drawing: Drawing, caption: str, title: tuple[str, ...] = ()) -> Picture:
    """Return a board with a line of text below it for each part of a caption before a semicolon, and a title above."""
    layout, lines, names = drawing.layout, [part.strip() for part in caption.split(";") if part], rim(drawing.layout)
    across, down = (length + 2 * names.extra for length in (layout.width, layout.height))
    scale = min(PIXELS, MAX_PIXELS / across) / STEP
    width, inner = across * STEP, down * STEP
    over, under = ((LINE * (len(rows) + 0.5) / scale if rows else 0) for rows in (title, lines))
    height = over + inner + under
    words = (
        *_lines(title, -inner / 2 - over, TITLE / scale, "ink", LINE / scale, width),
        *_lines(lines, inner / 2, TEXT / scale, "quiet", LINE / scale, width),
    )
    return Picture(
        left=-width / 2,
        top=-inner / 2 - over,
        width=width,
        height=height,
        pixels=(round(width * scale), round(height * scale)),
        ground=tuple(one for one in ground(drawing, names) if not (isinstance(one, Words) and one.spare)),
        above=(*standing(drawing), *words),
    )


def _lines(texts: Sequence[str], top: float, size: float, colour: str, apart: float, width: float) -> Iterator[Words]:
    """Yield lines of text one below the other, in smaller letters where one would not fit into the width."""
    for row, text in enumerate(texts):
        fitting = min(size, width / (TEXT_LETTER * max(1, len(text))))
        yield Words(text, 0, top + apart * (row + 0.5), fitting, colour)


class Colour(NamedTuple):
    """A colour by day and by night, each as #rrggbb, or #rrggbbaa where it is transparent."""

    day: str
    night: str


COLOURS = {
    "plate": Colour("#e6d2a8", "#8a6f45"),
    "plate-edge": Colour("#c8ad78", "#5f4b2c"),
    "line": Colour("#8b7040", "#33280f"),
    "on-plate": Colour("#6a5327", "#fffaf0"),
    "cell": Colour("#f0e2c2", "#4a3c29"),
    "blocked": Colour("#8f7444", "#221c13"),
    "ivory": Colour("#fdf9ef", "#fbf3e2"),
    "ivory-edge": Colour("#7d6a40", "#a99a7c"),
    "ebony": Colour("#33312f", "#141312"),
    "ebony-edge": Colour("#171615", "#050505"),
    "ebony-groove": Colour("#605c57", "#7a746d"),
    "shade": Colour("#00000044", "#00000044"),
    "first": Colour("#b5371f", "#f0795c"),
    "second": Colour("#17627d", "#6cc3e0"),
    "on-side": Colour("#fff9ee", "#1b1712"),
    "hint": Colour("#1f4c9c", "#d9e7ff"),
    "light": Colour("#a65300", "#ffd884"),
    "light-wash": Colour("#a6530033", "#ffd88426"),
}
"""What stands on a board has a contrast of 3:1 or more to it (tests/web/test_colours.py)."""

AROUND = {
    "paper": Colour("#f4efe6", "#171614"),
    "ink": Colour("#22211d", "#ece6da"),
    "quiet": Colour("#635e53", "#a9a193"),
}
"""What lies around boards, as on pages and in reports (server/contest/report/styles/base.css)."""


def by_light(night: bool) -> dict[str, str]:
    """Return all colours by their names, as they are by day or by night."""
    return {name: colour.night if night else colour.day for name, colour in (COLOURS | AROUND).items()}


def variables() -> str:
    """Return the colours of boards as variables of CSS, which follow the colours of the page."""
    lines = (f"  --{name}: light-dark({colour.day}, {colour.night});\n" for name, colour in COLOURS.items())
    return f":root {{\n{''.join(lines)}}}\n"
