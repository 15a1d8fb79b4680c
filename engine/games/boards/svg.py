"""Boards as SVG: pictures that need nothing else, and boards of pages, in which scripts move pieces."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, product

from engine.games.boards.layout import Drawing, Layout
from engine.games.boards.shapes import (
    AROUND,
    COLOURS,
    MARKS,
    STEP,
    Box,
    Circle,
    Line,
    Paint,
    Picture,
    Placed,
    Polygon,
    Shape,
    Words,
    by_light,
    cell,
    ground,
    look,
    picture,
    rim,
    spot,
)

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


VARIABLES = {name: f"var(--{name})" for name in (*COLOURS, *AROUND)}
"""What stands for colours on a page, whose style sheet has them (`engine.games.boards.shapes.variables`)."""


def board(drawing: Drawing) -> str:
    """Return an empty board for a page, with templates of what stands on it in ``defs``.

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
    box = " ".join(map(_number, (-width / 2, -height / 2, width, height)))
    parts = [
        f'<svg class="board {layout.kind}" viewBox="{box}">',
        '<g class="plate" aria-hidden="true">',
        *_runs(ground(Drawing(layout=layout, pieces=()), names)),
        "</g><defs>",
        *(f'<g data-mark="{name}">{_element(spot(layout, paint), VARIABLES)}</g>' for name, paint in MARKS.items()),
        f'<g data-mark="blocked">{_element(cell(0, 0, "blocked"), VARIABLES)}</g>',
    ]
    for side, direction in product((0, 1), directions):
        kind = f"{side}" if direction is None else f"{side}-{direction}"
        shape = "".join(_runs(look(layout, side, direction)))
        parts.append(f'<g data-piece="{kind}"><g class="shape">{shape}</g></g>')
    return "".join([*parts, "</defs></svg>"])


def _runs(shapes: Iterable[Shape]) -> Iterator[str]:
    """Yield shapes for a page, those of one paint in a group that has it."""
    for paint, run in groupby(shapes, key=lambda shape: getattr(shape, "paint", None)):
        if paint is not None:
            yield f"<g {_painted(paint, VARIABLES)}>"
        yield from (_element(shape, VARIABLES if paint is None else None) for shape in run)
        if paint is not None:
            yield "</g>"


def elements(shapes: Iterable[Shape], colours: Mapping[str, str]) -> list[str]:
    """Return shapes as elements of SVG; ``colours`` are the values of names."""
    return [_element(shape, colours) for shape in shapes]


def _element(shape: Shape, colours: Mapping[str, str] | None) -> str:
    """Write a shape, without its paint where no colours are given."""
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
        case Words(text, x, y, size, colour, spare):
            where = f'x="{_number(x)}" y="{_number(y)}" text-anchor="middle" dominant-baseline="central"'
            assert colours is not None
            painted = f'font-size="{_number(size)}" fill="{colours[colour]}"' + (' class="odd"' if spare else "")
            return f"<text {where} {painted}>{text.translate(ESCAPES)}</text>"
        case Placed(x, y, shapes):
            assert colours is not None
            inside = "".join(elements(shapes, colours))
            return f'<g transform="translate({_number(x)} {_number(y)})">{inside}</g>'


def _painted(paint: Paint, colours: Mapping[str, str] | None) -> str:
    if colours is None:
        return ""
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
