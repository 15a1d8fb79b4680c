"""A picture of a position before it is written as SVG or as pixels: the shapes, and how large it is."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.games.boards.layout import Drawing
from engine.games.boards.shapes import PIXELS, STEP, Shape, Words, ground, rim, standing

MAX_PIXELS = 520
"""How wide a picture is at most."""

LINE, TEXT, TITLE = 20, 16, 18
"""Pixels from a line of text to the next, of the letters below the board, and of those above it."""

LETTER = 0.55
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
    layout, lines = drawing.layout, [part.strip() for part in caption.split(";") if part]
    across, down = (length + 2 * rim(layout).extra for length in (layout.width, layout.height))
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
        ground=tuple(ground(drawing)),
        above=(*standing(drawing), *words),
    )


def _lines(texts: Sequence[str], top: float, size: float, colour: str, apart: float, width: float) -> Iterator[Words]:
    """Yield lines of text one below the other, in smaller letters where one would not fit into the width."""
    for row, text in enumerate(texts):
        fitting = min(size, width / (LETTER * max(1, len(text))))
        yield Words(text, 0, top + apart * (row + 0.5), fitting, colour)
