"""A board beside texts in the size in which other sites show the picture of a link."""

from collections.abc import Sequence

from engine.games.boards import raster
from engine.games.boards.layout import Drawing
from engine.games.boards.picture import Picture, picture
from engine.games.boards.shapes import Shape, Words

WIDTH, HEIGHT = 1200, 630
"""Pixels, as the sites that show links ask for: https://ogp.me, and what they say of ``og:image``."""

BOARD = 570
"""Pixels that the board has at most, either way."""

TITLE, TEXT = 58, 32
"""Pixels of letters, where the text is not too long."""

LETTER = 0.55
"""Width of a letter, as a part of its size."""

MARGIN = 30


def card_of(drawing: Drawing, title: Sequence[str], lines: Sequence[str], *, night: bool = False) -> bytes:
    """Return a board with a title and lines of text to its right, as a PNG file of `WIDTH` x `HEIGHT` pixels."""
    board = picture(drawing, "")
    scale = min(BOARD / board.width, BOARD / board.height)
    size = round(board.width * scale), round(board.height * scale)
    texts = Picture(0, 0, WIDTH, HEIGHT, (WIDTH, HEIGHT), (), tuple(_texts(title, lines)))
    image = raster.Painter(texts, night=night).paint(texts)
    drawn = board._replace(pixels=size)
    left, top = MARGIN + (BOARD - size[0]) // 2, (HEIGHT - size[1]) // 2
    image.paste(raster.Painter(drawn, night=night).paint(drawn), (left, top))
    return raster.encoded(image)


def _texts(title: Sequence[str], lines: Sequence[str]) -> list[Shape]:
    """Return the texts, one below the other, around the middle of the height."""
    rows = [(text, TITLE, "ink") for text in title] + [(text, TEXT, "quiet") for text in lines]
    top = (HEIGHT - sum(size * 1.4 for _, size, _ in rows)) / 2
    left = BOARD + 2 * MARGIN
    width = WIDTH - MARGIN - left
    shapes: list[Shape] = []
    for text, size, colour in rows:
        fitting = min(size, width / (LETTER * max(1, len(text))))
        shapes.append(Words(text, left + width / 2, top + size * 0.7, fitting, colour))
        top += size * 1.4
    return shapes
