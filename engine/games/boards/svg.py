"""Boards as SVG: complete documents, and boards of pages whose pieces are moved by scripts.

Neighbouring fields lie `STEP` units apart. The middle of the board is (0, 0), and y grows
downwards. Shapes have variables of CSS for colours, as the style sheet of the pages defines them (`variables`).
`document` replaces these variables by the colours of day or night.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import atan2, copysign, cos, hypot, radians, sin
from typing import NamedTuple

from engine.games.boards.layout import LABEL_DISTANCE, Drawing, Layout, Place

STEP = 100
"""Units between two neighbouring fields."""


class Colour(NamedTuple):
    """A colour for light and for dark pages, each as #rrggbb or, with transparency, #rrggbbaa."""

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
"""Colours of boards. Pieces have a contrast of 3:1 or more to the board (tests/web/test_colours.py)."""

AROUND = {
    "paper": Colour("#f4efe6", "#171614"),
    "ink": Colour("#22211d", "#ece6da"),
    "quiet": Colour("#635e53", "#a9a193"),
}
"""Colours around boards, the same as on pages and in reports (server/contest/report/styles/base.css)."""


def by_light(night: bool) -> dict[str, str]:
    """Return all colours by name, for light pages or for dark ones (``night``)."""
    return {name: colour.night if night else colour.day for name, colour in (COLOURS | AROUND).items()}


def variables() -> str:
    """Return the colours of boards as CSS variables, for light and dark pages."""
    lines = (f"  --{name}: light-dark({colour.day}, {colour.night});\n" for name, colour in COLOURS.items())
    return f":root {{\n{''.join(lines)}}}\n"


# Elements


ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""Replacements of characters that SVG reserves. `html.escape` does the same, but loads a table of all entities."""

ROUND = ' stroke-linecap="round" stroke-linejoin="round"'


def paint(fill: str = "", stroke: str = "", width: float = 0) -> str:
    """Return the attributes that fill and outline a shape in colours, given by name."""
    filled = f'fill="var(--{fill})"' if fill else 'fill="none"'
    return filled + (f' stroke="var(--{stroke})" stroke-width="{width:g}"' if stroke else "")


def circle(x: float, y: float, radius: float, attributes: str = "") -> str:
    """Write a circle."""
    return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{radius:g}" {attributes}/>'


def box(x: float, y: float, width: float, height: float, corner: float, attributes: str = "") -> str:
    """Write an upright rectangle around its middle."""
    where = f'x="{_number(x - width / 2)}" y="{_number(y - height / 2)}"'
    return f'<rect {where} width="{_number(width)}" height="{_number(height)}" rx="{corner}" {attributes}/>'


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    """Write a straight line."""
    return f'<line x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"/>'


def polygon(corners: Iterable[tuple[float, float]], attributes: str) -> str:
    """Write a closed polygon."""
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
    return f'<polygon points="{points}" {attributes}{ROUND}/>'


def words(text: str, x: float, y: float, size: float, attributes: str) -> str:
    """Write a line of text around its middle."""
    where = f'x="{_number(x)}" y="{_number(y)}" text-anchor="middle" dominant-baseline="central"'
    return f'<text {where} font-size="{_number(size)}" {attributes}>{text.translate(ESCAPES)}</text>'


def group(attributes: str, elements: Iterable[str]) -> str:
    """Group elements with common attributes."""
    return f"<g {attributes}>{''.join(elements)}</g>"


def _number(value: float) -> str:
    """Write a number with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


# The board


PIXELS, PHONE_PIXELS, LEAST_PIXELS = 48, 360, 290
"""Pixels of a step of a small board, of a picture on a phone, and of a board in the narrowest window of a page."""

LEGIBLE_PIXELS = 11
"""Least height of names in a picture on a phone, and in the narrowest window."""

SIZE, PAGE_SIZE, MOST = 26, 14, 100
"""Smallest size of names in pictures and on pages, and the largest size: the distance of the fields that they name."""

CROWDED = {"hexagon": 46, "cells": 75}
"""Size of names above which every other name is left out."""

LETTER, GAP = 0.58, 12
"""Width of a letter as a part of its height, and the space around names in units."""


class Rim(NamedTuple):
    """The sizes and positions of the names around a board."""

    size: float
    """Height of names; 0 for a board without names."""
    beyond: float
    """Units from a dot, or from the plate of a board of cells, to the middle of a name."""
    margin: float
    """Steps from the farthest dots to the corners of the plate."""
    extra: float
    """Steps that the drawing needs on each side in addition to its layout."""
    page: bool = False
    """Whether a crowded board keeps every other name, with the class ``odd``, for large windows."""

    def named(self, layout: Layout, places: Iterable[Place]) -> Iterator[tuple[Place, str]]:
        """Yield the places with a name, each with attributes of the name."""
        for number, place in enumerate(places):
            is_spare = number % 2 == 1 and self.size > CROWDED[layout.kind]
            if self.size and (self.page or not is_spare):
                yield place, ' class="odd"' if is_spare else ""


NO_NAMES = Rim(size=0, beyond=0, margin=0.25, extra=0)
"""The rim of a board without names."""


def rim(layout: Layout, *, page: bool = False) -> Rim:
    """Return names that are legible on a phone, in a picture or on a page."""
    if layout.kind == "squares":  # names stand beside fields
        return Rim(25, 0, 0, 0)
    letters = max(len(place.name) for place in layout.dots or layout.labels)
    size = PAGE_SIZE if page else SIZE
    while True:
        half = LETTER * letters * size / 2
        if layout.kind == "hexagon":
            beyond = max(40, GAP + half)
            margin = max(0.78, (beyond + half + GAP) / STEP / cos(radians(30)))
            extra = max(0.0, margin + 0.08 - 1)
        else:
            beyond, margin = max(LABEL_DISTANCE / 2 * STEP, GAP + half), 0.0
            extra = max(0.0, 2 * beyond / STEP - LABEL_DISTANCE)
        width = layout.width + 2 * extra
        step = LEAST_PIXELS / width if page else min(PIXELS, PHONE_PIXELS / width)
        if size >= MOST or size * step / STEP >= LEGIBLE_PIXELS:
            return Rim(size, beyond, margin, extra, page)
        size += 1


def ground(drawing: Drawing, names: Rim) -> Iterator[str]:
    """Yield the plate of a board, then its lines or cells, then its names."""
    yield from {"cells": _cells, "squares": _squares, "hexagon": _hexagon}[drawing.layout.kind](drawing, names)


def _strokes(layout: Layout) -> str:
    ends = ([STEP * end for end in stroke] for stroke in layout.strokes)
    return group(paint(stroke="line", width=4) + ROUND, (line(*each) for each in ends))


def _hexagon(drawing: Drawing, names: Rim) -> Iterator[str]:
    layout = drawing.layout
    radius = (max(hypot(x, y) for _, x, y in layout.dots) + names.margin) * STEP
    corners = ((cos(radians(degrees)) * radius, sin(radians(degrees)) * radius) for degrees in range(30, 360, 60))
    yield polygon(corners, paint("plate", "plate-edge", 10))
    yield _strokes(layout)
    around = sorted(layout.dots, key=lambda dot: atan2(dot.y, dot.x))
    if names.size:
        yield group(paint("plate", "line", 5), (circle(x * STEP, y * STEP, 9) for _, x, y in around))
    for (name, x, y), attributes in names.named(layout, around):
        outward = STEP + names.beyond / hypot(x, y)
        yield words(name, x * outward, y * outward, names.size, paint("on-plate") + attributes)


def _squares(drawing: Drawing, names: Rim) -> Iterator[str]:
    layout = drawing.layout
    side = 2 * (max(x for _, x, _ in layout.fields) + 0.55) * STEP
    yield box(0, 0, side, side, 36, paint("plate", "plate-edge", 10))
    yield _strokes(layout)
    yield group(paint("line"), (circle(x * STEP, y * STEP, 11) for _, x, y in layout.fields))
    for name, x, y in layout.fields if names.size else ():
        yield words(name, x * STEP + 21, y * STEP + 23, names.size, paint("on-plate"))


def _cells(drawing: Drawing, names: Rim) -> Iterator[str]:
    layout = drawing.layout
    right, bottom = max(x for _, x, _ in layout.fields) + 0.5, max(y for _, _, y in layout.fields) + 0.5
    yield box(0, 0, 2 * right * STEP + 16, 2 * bottom * STEP + 16, 18, paint("plate", "plate-edge", 10))
    for kind in ("cell", "blocked"):
        places = [place for place in layout.fields if (place.name in drawing.blocked) == (kind == "blocked")]
        yield group(paint(kind), (cell(x * STEP, y * STEP) for _, x, y in places))
    further = names.beyond - LABEL_DISTANCE / 2 * STEP  # labels lie in the middle of the room that they usually need
    above = [label for label in layout.labels if abs(label.y) > bottom]
    beside = [label for label in layout.labels if abs(label.y) < bottom]
    for (name, x, y), attributes in names.named(layout, above):
        yield words(name, x * STEP, y * STEP + copysign(further, y), names.size, paint("quiet") + attributes)
    for (name, x, y), attributes in names.named(layout, beside):
        yield words(name, x * STEP + copysign(further, x), y * STEP, names.size, paint("quiet") + attributes)


def cell(x: float, y: float, attributes: str = "") -> str:
    """Write a field of a board of cells."""
    return box(x, y, 92, 92, 10, attributes)


# Marks and pieces


ARROW = ((0, -31), (25, -3), (10, -3), (10, 30), (-10, 30), (-10, -3), (-25, -3))
"""Corners of an arrow that points up."""

CROSS = ((-24, -24, 24, 24), (24, -24, -24, 24))

DISCS = (("ivory", "ivory-edge", "ivory-edge"), ("ebony", "ebony-edge", "ebony-groove"))
"""Colours of the body, the rim and the grooves of a side's discs."""

SIDES = ("first", "second")
"""Colours of the sides on boards without discs."""

MARKS = {
    "last": paint(stroke="light", width=8),
    "decisive": paint("light-wash", "light", 11),
    **{f"aim{side}": paint(stroke=SIDES[side], width=5) + ' stroke-dasharray="11 9"' for side in (0, 1)},
}
"""Attributes of marks: the field of the last move, decisive fields, and the next field of each side."""


def marks(drawing: Drawing) -> Iterator[str]:
    """Yield the marks of fields."""
    marked = [(drawing.marked, "last"), *((field, "decisive") for field in drawing.decisive)]
    marked += [(aim, f"aim{side}") for side, aim in enumerate(drawing.aims)]
    places = places_of(drawing.layout)
    return (spot(drawing.layout, MARKS[mark], *places[field]) for field, mark in marked if field is not None)


def pieces(drawing: Drawing) -> Iterator[str]:
    """Yield the pieces."""
    places = places_of(drawing.layout)
    for piece in drawing.pieces:
        x, y = places[piece.field]
        where = f'transform="translate({_number(x)} {_number(y)})"'
        yield group(where, look(drawing.layout, piece.side, piece.direction))


def places_of(layout: Layout) -> dict[str, tuple[float, float]]:
    """Return the middle of each field, by its name."""
    return {name: (x * STEP, y * STEP) for name, x, y in layout.fields}


def spot(layout: Layout, attributes: str, x: float = 0, y: float = 0) -> str:
    """Write the mark of a field."""
    return box(x, y, 94, 94, 15, attributes) if layout.kind == "cells" else circle(x, y, 48, attributes)


def look(layout: Layout, side: int, direction: int | None = None) -> Iterator[str]:
    """Yield the shapes of a piece, around (0, 0): a disc, an arrow, a cross or a ring."""
    if layout.kind != "cells":
        body, edge, groove = DISCS[side]
        yield group(paint("shade"), [circle(0, 4, 41)])
        yield group(paint(body, edge, 3), [circle(0, 0, 41)])
        yield group(paint(stroke=groove, width=3.5), (circle(0, 0, radius) for radius in (29, 15)))
    elif direction is not None:
        yield box(0, 0, 84, 84, 14, paint(SIDES[side]))
        yield polygon(_turned(ARROW, 45 * direction), paint("on-side", "on-side", 5))
    elif side == 0:
        yield group(paint(stroke=SIDES[side], width=13) + ROUND, (line(*ends) for ends in CROSS))
    else:
        yield circle(0, 0, 25, paint(stroke=SIDES[side], width=13))


def _turned(corners: Iterable[tuple[float, float]], degrees: float) -> Iterator[tuple[float, float]]:
    """Rotate corners around (0, 0), clockwise."""
    right, down = cos(radians(degrees)), sin(radians(degrees))
    for x, y in corners:
        yield x * right - y * down, x * down + y * right


# Documents


MAX_PIXELS = 520
"""Width of the widest picture."""

LINE, TEXT, TITLE = 20, 16, 18
"""Pixels between lines of text, and sizes of the letters below and above the board."""

TEXT_LETTER = 0.55
"""Width of an average letter as a part of its size. Texts that would not fit are smaller."""


def document(drawing: Drawing, caption: str, title: Sequence[str] = (), *, night: bool = False) -> str:
    """Return a board as an SVG document, with lines of text above it, and a line below for each part of a caption.

    Semicolons separate the parts. The background is transparent; ``night`` is for dark backgrounds.
    """
    layout, names = drawing.layout, rim(drawing.layout)
    captions = [part.strip() for part in caption.split(";") if part]
    width, inner = ((length + 2 * names.extra) * STEP for length in (layout.width, layout.height))
    scale = min(PIXELS / STEP, MAX_PIXELS / width)
    over, under = (LINE * (len(texts) + 0.5) / scale if texts else 0 for texts in (title, captions))
    height = over + inner + under
    size = f'width="{round(width * scale)}" height="{round(height * scale)}"'
    shown = " ".join(map(_number, (-width / 2, -inner / 2 - over, width, height)))
    elements = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="{shown}" font-family="sans-serif">',
        f"<title>{caption.translate(ESCAPES)}</title>",
        *ground(drawing, names),
        *marks(drawing),
        *pieces(drawing),
    ]
    for texts, top, pixels, colour in ((title, -inner / 2 - over, TITLE, "ink"), (captions, inner / 2, TEXT, "quiet")):
        for row, text in enumerate(texts):
            fitting = min(pixels / scale, width / (TEXT_LETTER * max(1, len(text))))
            elements.append(words(text, 0, top + LINE / scale * (row + 0.5), fitting, paint(colour)))
    colours = by_light(night)

    def coloured(found: re.Match[str]) -> str:
        # the opacity is an attribute of its own: not every program that reads SVG knows #rrggbbaa
        attribute, colour = found[1], colours[found[2]]
        opacity = f' {attribute}-opacity="{int(colour[7:], 16) / 255:.2f}"' if len(colour) > 7 else ""
        return f'{attribute}="{colour[:7]}"{opacity}'

    return re.sub(r'(\w+)="var\(--([\w-]+)\)"', coloured, "\n".join(elements)) + "\n</svg>\n"


# Boards of pages


def board(drawing: Drawing) -> str:
    """Return an empty board for a page, with templates of marks and pieces in ``defs``.

    Templates lie around (0, 0). ``data-piece`` of a piece is its side, with its direction where it has one, as in
    ``0-3``; ``data-mark`` is a name in `MARKS`, or ``blocked``. Names with the class ``odd`` are for boards
    with much room.
    """
    directions = tuple(range(8)) if any(piece.direction is not None for piece in drawing.pieces) else (None,)
    return _board(drawing.layout, directions)


@lru_cache(64)
def _board(layout: Layout, directions: tuple[int | None, ...]) -> str:
    names = rim(layout, page=True)
    width, height = ((length + 2 * names.extra) * STEP for length in (layout.width, layout.height))
    shown = " ".join(map(_number, (-width / 2, -height / 2, width, height)))
    templates = [f'<g data-mark="{name}">{spot(layout, mark)}</g>' for name, mark in MARKS.items()]
    templates.append(f'<g data-mark="blocked">{cell(0, 0, paint("blocked"))}</g>')
    for side, direction in product((0, 1), directions):
        kind = f"{side}" if direction is None else f"{side}-{direction}"
        shapes = "".join(look(layout, side, direction))
        templates.append(f'<g data-piece="{kind}"><g class="shape">{shapes}</g></g>')
    plate = group('class="plate" aria-hidden="true"', ground(Drawing(layout=layout, pieces=()), names))
    return f'<svg class="board {layout.kind}" viewBox="{shown}">{plate}<defs>{"".join(templates)}</defs></svg>'
