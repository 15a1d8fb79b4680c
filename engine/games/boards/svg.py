"""Boards as SVG: one picture that needs nothing else, drawn as on the server's pages, for notebooks and documents."""

from collections.abc import Iterator
from math import cos, hypot, radians, sin

from engine.games.boards.layout import Drawing, Layout, Piece

STEP = 100
"""Units of the picture between two neighbouring fields."""

MAX_PIXELS, PIXELS = 520, 48
"""How wide a picture is at most, and how wide a step is on small boards."""

CAPTION_LINE = 0.42
"""Steps of a line below the board, which says what the board does not show."""

WIDE = 14
"""Steps of a board from which on names are drawn larger."""

COLOURS = {
    "plate": "#e6d2a8", "plate-edge": "#c8ad78", "line": "#8b7040", "on-plate": "#6a5327", "cell": "#f0e2c2",
    "blocked": "#8f7444", "ivory": "#fdf9ef", "ivory-edge": "#7d6a40", "ebony": "#33312f", "ebony-edge": "#171615",
    "ebony-groove": "#605c57", "first": "#b5371f", "second": "#17627d", "on-side": "#fff9ee", "light": "#a65300",
}  # fmt: skip
"""Those of the pages by day (server/web/assets/static/site.css)."""

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""What stands for characters that mean something else in SVG. `html.escape` does that too, with a table of all
entities, which every program would load."""

SIDES = (("ivory", "ivory-edge", "ivory-edge"), ("ebony", "ebony-edge", "ebony-groove"))
"""Colours of the body, the rim and the grooves of discs."""

ARROW = "M 0 -31 L 25 -3 L 10 -3 L 10 30 L -10 30 L -10 -3 L -25 -3 Z"
CROSS = "M -24 -24 L 24 24 M 24 -24 L -24 24"


def draw(drawing: Drawing, caption: str) -> str:
    """Return a board as an SVG document, with a text below it that has a line for each part before a semicolon."""
    layout, lines = drawing.layout, [part.strip() for part in caption.split(";")]
    width, height = layout.width * STEP, (layout.height + CAPTION_LINE * (len(lines) + 0.5)) * STEP
    scale = min(PIXELS, MAX_PIXELS / layout.width) / STEP
    left, top = _number(-width / 2), _number(-layout.height * STEP / 2)
    size = f'width="{round(width * scale)}" height="{round(height * scale)}"'
    box = f'viewBox="{left} {top} {_number(width)} {_number(height)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="sans-serif">',
        f"<title>{caption.translate(ESCAPES)}</title>",
        *_plate(drawing),
        *_marks(drawing),
        *_pieces(drawing),
        *(_text(line, 0, layout.height / 2 + CAPTION_LINE * (row + 0.5), 30) for row, line in enumerate(lines)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _plate(drawing: Drawing) -> Iterator[str]:
    """Draw what lies under the pieces."""
    layout = drawing.layout
    is_wide = layout.width > WIDE
    if layout.kind == "cells":
        yield from _cells(layout, drawing.blocked)
    else:
        yield _ground(layout, 0.92 if is_wide else 0.78)
        for x1, y1, x2, y2 in layout.strokes:
            ends = f'x1="{_at(x1)}" y1="{_at(y1)}" x2="{_at(x2)}" y2="{_at(y2)}"'
            yield f'<line {ends} stroke="{COLOURS["line"]}" stroke-width="4" stroke-linecap="round"/>'
    for name, x, y in layout.labels:
        yield _text(name, x, y, 40 if is_wide else 26)
    if layout.kind == "squares":
        for name, x, y in layout.fields:
            yield f'<circle cx="{_at(x)}" cy="{_at(y)}" r="11" fill="{COLOURS["line"]}"/>'
            yield _text(name, x + 0.21, y + 0.23, 23)
    for name, x, y in layout.dots:
        around = f'fill="{COLOURS["plate"]}" stroke="{COLOURS["line"]}" stroke-width="5"'
        yield f'<circle cx="{_at(x)}" cy="{_at(y)}" r="9" {around}/>'
        outward = 1 + (46 if is_wide else 40) / (hypot(x, y) * STEP)
        yield _text(name, x * outward, y * outward, 34 if is_wide else 23)


def _ground(layout: Layout, margin: float) -> str:
    """Draw the plate of a board of lines: a hexagon or a square."""
    filled = f'fill="{COLOURS["plate"]}" stroke="{COLOURS["plate-edge"]}" stroke-width="10" stroke-linejoin="round"'
    if layout.kind == "squares":
        reach = (max(x for _, x, _ in layout.fields) + 0.55) * STEP
        sides = f'width="{_number(2 * reach)}" height="{_number(2 * reach)}"'
        return f'<rect x="{_number(-reach)}" y="{_number(-reach)}" {sides} rx="36" {filled}/>'
    radius = (max(hypot(x, y) for _, x, y in layout.dots) + margin) * STEP
    corners = ((cos(radians(degrees)) * radius, sin(radians(degrees)) * radius) for degrees in range(30, 360, 60))
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
    return f'<polygon points="{points}" {filled}/>'


def _cells(layout: Layout, blocked: tuple[str, ...]) -> Iterator[str]:
    """Draw a board of square fields."""
    right, bottom = max(x for _, x, _ in layout.fields) + 0.5, max(y for _, _, y in layout.fields) + 0.5
    edge = f'fill="{COLOURS["plate"]}" stroke="{COLOURS["plate-edge"]}" stroke-width="10"'
    where = f'x="{_number(-right * STEP - 8)}" y="{_number(-bottom * STEP - 8)}"'
    sides = f'width="{_number(2 * right * STEP + 16)}" height="{_number(2 * bottom * STEP + 16)}"'
    yield f'<rect {where} {sides} rx="18" {edge}/>'
    for name, x, y in layout.fields:
        colour = COLOURS["blocked" if name in blocked else "cell"]
        corner = f'x="{_at(x - 0.46)}" y="{_at(y - 0.46)}"'
        yield f'<rect {corner} width="92" height="92" rx="10" fill="{colour}"/>'


def _marks(drawing: Drawing) -> Iterator[str]:
    """Draw the marks of the last move, and of fields that have to be played to."""
    marks = [(drawing.marked, "light", 'stroke-width="8"')]
    dashed = 'stroke-width="5" stroke-dasharray="11 9"'
    marks += [(field, side, dashed) for field, side in zip(drawing.aims, ("first", "second"), strict=True)]
    places = {name: (x, y) for name, x, y in drawing.layout.fields}
    for field, colour, line in marks:
        if field in places:
            x, y = places[field]
            stroke = f'fill="none" stroke="{COLOURS[colour]}" {line}'
            if drawing.layout.kind == "cells":
                yield f'<rect x="{_at(x - 0.47)}" y="{_at(y - 0.47)}" width="94" height="94" rx="15" {stroke}/>'
            else:
                yield f'<circle cx="{_at(x)}" cy="{_at(y)}" r="48" {stroke}/>'


def _pieces(drawing: Drawing) -> Iterator[str]:
    places = {name: (x, y) for name, x, y in drawing.layout.fields}
    for piece in drawing.pieces:
        x, y = places[piece.field]
        shape = "".join(_disc(piece.side) if drawing.layout.kind != "cells" else _sign(piece))
        yield f'<g transform="translate({_at(x)} {_at(y)})">{shape}</g>'


def _disc(side: int) -> Iterator[str]:
    """Draw a turned disc with grooves."""
    body, edge, groove = (COLOURS[name] for name in SIDES[side])
    yield '<circle cy="4" r="41" fill="#000" fill-opacity=".27"/>'
    yield f'<circle r="41" fill="{body}" stroke="{edge}" stroke-width="3"/>'
    for radius in (29, 15):
        yield f'<circle r="{radius}" fill="none" stroke="{groove}" stroke-width="3.5"/>'


def _sign(piece: Piece) -> Iterator[str]:
    """Draw an arrow where the piece has a direction, else a cross or a ring."""
    colour = COLOURS[("first", "second")[piece.side]]
    if piece.direction is not None:
        yield f'<rect x="-42" y="-42" width="84" height="84" rx="14" fill="{colour}"/>'
        yield f'<path d="{ARROW}" transform="rotate({45 * piece.direction})" fill="{COLOURS["on-side"]}"/>'
    elif piece.side == 0:
        yield f'<path d="{CROSS}" fill="none" stroke="{colour}" stroke-width="13" stroke-linecap="round"/>'
    else:
        yield f'<circle r="25" fill="none" stroke="{colour}" stroke-width="13"/>'


def _text(text: str, x: float, y: float, size: int) -> str:
    where = f'x="{_at(x)}" y="{_at(y)}" text-anchor="middle" dominant-baseline="central"'
    return f'<text {where} font-size="{size}" fill="{COLOURS["on-plate"]}">{text.translate(ESCAPES)}</text>'


def _at(steps: float) -> str:
    return _number(steps * STEP)


def _number(value: float) -> str:
    """Write a number with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
