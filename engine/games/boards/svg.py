"""Boards as SVG: one picture that needs nothing else, drawn as on the server's pages, for notebooks and documents."""

from collections.abc import Iterable, Mapping

from engine.games.boards.colours import by_light
from engine.games.boards.layout import Drawing
from engine.games.boards.shapes import Box, Circle, Line, Paint, Picture, Placed, Polygon, Shape, Words, picture

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
        *elements((*drawn.ground, *drawn.above), colours),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def elements(shapes: Iterable[Shape], colours: Mapping[str, str]) -> list[str]:
    """Return shapes as elements of SVG; ``colours`` are the values of names."""
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
            inside = "".join(elements(shapes, colours))
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
    opaque, transparency = (colour[:7], colour[7:]) if colour.startswith("#") else (colour, "")
    return f'{what}="{opaque}"' + (f' {what}-opacity="{int(transparency, 16) / 255:.2f}"' if transparency else "")


def _number(value: float) -> str:
    """Write a number with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
