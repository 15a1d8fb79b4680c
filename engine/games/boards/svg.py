"""Colours of boards by day and by night, and boards as SVG: pictures that need nothing else."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.games.boards.layout import Drawing
from engine.games.boards.shapes import Box, Circle, Line, Paint, Picture, Placed, Polygon, Shape, Words, picture


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
"""What lies around boards, as on pages and in reports (server/contest/report/templates/base.css)."""


def by_light(night: bool) -> dict[str, str]:
    """Return all colours by their names, as they are by day or by night."""
    return {name: colour.night if night else colour.day for name, colour in (COLOURS | AROUND).items()}


def variables() -> str:
    """Return the colours of boards as variables of CSS, which follow the colours of the page."""
    lines = (f"  --{name}: light-dark({colour.day}, {colour.night});\n" for name, colour in COLOURS.items())
    return f":root {{\n{''.join(lines)}}}\n"


ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""What stands for characters that mean something else in SVG. `html.escape` does that too, with a table of all
entities, which every program would load."""


def draw(drawing: Drawing, caption: str, *, night: bool = False) -> str:
    """Return a board as an SVG document, with a text below it that has a line for each part before a semicolon.

    What lies around the board is transparent; ``night`` is for where that is dark.
    """
    return document(picture(drawing, caption), caption, night=night)


def document(drawn: Picture, title: str, *, night: bool = False) -> str:
    """Return a picture as an SVG document."""
    colours = by_light(night)
    size = f'width="{drawn.pixels[0]}" height="{drawn.pixels[1]}"'
    box = " ".join(map(_number, (drawn.left, drawn.top, drawn.width, drawn.height)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="{box}" font-family="sans-serif">',
        f"<title>{title.translate(ESCAPES)}</title>",
        *_elements((*drawn.ground, *drawn.above), colours),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _elements(shapes: Iterable[Shape], colours: Mapping[str, str]) -> list[str]:
    return [_element(shape, colours) for shape in shapes]


def _element(shape: Shape, colours: Mapping[str, str]) -> str:
    match shape:
        case Circle(x, y, radius, paint):
            where = f'cx="{_number(x)}" cy="{_number(y)}" ' if x or y else ""
            return f'<circle {where}r="{_number(radius)}" {_painted(paint, colours)}/>'
        case Box(x, y, width, height, corner, paint):
            where = f'x="{_number(x - width / 2)}" y="{_number(y - height / 2)}"'
            sides = f'width="{_number(width)}" height="{_number(height)}" rx="{_number(corner)}"'
            return f"<rect {where} {sides} {_painted(paint, colours)}/>"
        case Line(x1, y1, x2, y2, paint):
            ends = f'x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"'
            return f'<line {ends} {_painted(paint, colours)} stroke-linecap="round"/>'
        case Polygon(corners, paint):
            points = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
            return f'<polygon points="{points}" {_painted(paint, colours)} stroke-linejoin="round"/>'
        case Words(text, x, y, size, colour):
            where = f'x="{_number(x)}" y="{_number(y)}" text-anchor="middle" dominant-baseline="central"'
            look = f'font-size="{_number(size)}" fill="{colours[colour]}"'
            return f"<text {where} {look}>{text.translate(ESCAPES)}</text>"
        case Placed(x, y, shapes):
            inside = "".join(_elements(shapes, colours))
            return f'<g transform="translate({_number(x)} {_number(y)})">{inside}</g>'


def _painted(paint: Paint, colours: Mapping[str, str]) -> str:
    parts = [_coloured("fill", colours[paint.fill]) if paint.fill else 'fill="none"']
    if paint.stroke:
        parts += [_coloured("stroke", colours[paint.stroke]), f'stroke-width="{_number(paint.width)}"']
    if paint.dash:
        parts.append(f'stroke-dasharray="{" ".join(map(_number, paint.dash))}"')
    return " ".join(parts)


def _coloured(what: str, colour: str) -> str:
    """Write a colour, its opacity apart: not every program that reads SVG knows #rrggbbaa."""
    opaque, transparency = colour[:7], colour[7:]
    return f'{what}="{opaque}"' + (f' {what}-opacity="{int(transparency, 16) / 255:.2f}"' if transparency else "")


def _number(value: float) -> str:
    """Write a number with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
