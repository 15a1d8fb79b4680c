"""Pictures of a game: its last position as SVG or PNG, all positions as an animated GIF.

A game is its first position and the moves since then. resvg paints PNG from SVG, Pillow puts frames together.

Letters are those of Aileron, a font that comes with Pillow and stands in the public domain, so that pictures are the
same on every machine. What the font lacks is written without accents, or as ``?``.
"""

from collections.abc import Callable, Sequence
from functools import cache, reduce
from io import BytesIO
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING
from unicodedata import combining, normalize

from engine.games.boards.layout import Drawing
from engine.games.boards.shapes import Picture, by_light, picture
from engine.games.boards.svg import document
from engine.games.interface import Position, Successor, play

if TYPE_CHECKING:
    from PIL.Image import Image

SCALES = (1, 2, 3)
"""How many pixels of a PNG lie in one of those in which sizes of pictures are told."""

COLOURS = 96
"""Those of all pictures of an animation together: boards have some twenty, and edges what lies between these."""


def paint(picture: Picture, *, night: bool = False, scale: int = 1) -> bytes:
    """Return a picture as a PNG file; ``scale`` is one of the `SCALES`, and raises ValueError otherwise."""
    if scale not in SCALES:
        raise ValueError(f"the scale is {scale}, but it has to be 1, 2 or 3")
    from resvg_py import svg_to_bytes

    return bytes(
        svg_to_bytes(
            svg_string=written(document(picture, "", night=night)),
            background=by_light(night)["paper"],
            zoom=scale,
            skip_system_fonts=True,
            font_files=[_font().name],
            sans_serif_family="Aileron",
        )
    )


def _animated(pictures: Sequence[Picture], milliseconds: Sequence[int], *, night: bool = False) -> bytes:
    """Return pictures of one game, each with how long it is seen, as a GIF that begins again at its end."""
    from PIL import Image

    def painted(picture: Picture) -> "Image.Image":
        return Image.open(BytesIO(paint(picture, night=night))).convert("RGB")

    samples = [painted(pictures[at]) for at in {0, len(pictures) // 2, len(pictures) - 1}]
    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for row, sample in enumerate(samples):
        sheet.paste(sample, (0, row * height))
    palette = sheet.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    frames = (painted(one).quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures)
    first = next(frames)
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=frames, duration=list(milliseconds), loop=0, optimize=True)
    return file.getvalue()


def written(text: str) -> str:
    """Return a text in letters that the font has, with other ones without accents or as ``?``."""
    plain = normalize("NFKD", text.replace("–", "-").replace("×", "x"))
    return "".join(letter if letter.isascii() else "?" for letter in plain if not combining(letter))


@cache
def _font() -> IO[bytes]:
    """Write the font into a file that the process removes at its end."""
    from PIL import ImageFont

    font = ImageFont.load_default(10)
    assert isinstance(font, ImageFont.FreeTypeFont)  # every wheel of Pillow has FreeType
    file = NamedTemporaryFile(suffix=".ttf")  # noqa: SIM115  # stays open as long as the process runs
    file.write(font.font_bytes)
    file.flush()
    return file


MOST_MOVES = 240
"""Moves that an animation shows, the last ones of a longer game."""

FIRST, EACH, LAST = 1000, 650, 5000
"""Milliseconds for which the first position is seen, each one after it, and the last one."""


class NotDrawn(Exception):
    """A game of which no pictures are made but texts. ``str(error)`` is a sentence that says so."""


def svg(start: Position, moves: Sequence[str], *, night: bool = False) -> str:
    """Return the last position as an SVG document, with the last move marked."""
    position, last = _end(start, moves)
    return position.svg(last, night=night)


def png(start: Position, moves: Sequence[str], *, night: bool = False, scale: int = 1) -> bytes:
    """Return the last position as a PNG file, with the last move marked; raises `NotDrawn`.

    ``scale`` is one of `SCALES`; raises ValueError for another one.
    """
    position, last = _end(start, moves)
    return paint(picture(_drawing(position, last), position.summary()), night=night, scale=scale)


def animation(
    start: Position, moves: Sequence[str], players: Sequence[str], ending: str, *, night: bool = False
) -> bytes:
    """Return all positions of a game as an animated GIF, with players and, in the end, a text; raises `NotDrawn`."""
    sides = start.game.sides
    names = " - ".join(f"{player} ({side})" for player, side in zip(players, sides, strict=True))
    skipped = max(0, len(moves) - MOST_MOVES)
    position, last = start, None
    pictures: list[Picture] = []
    for ply, move in enumerate((None, *moves)):
        if move is not None:
            last = position.resolve(move)
            position = last.position
        if ply >= skipped:
            now = f"{ply}. {last.move}" if last else f"{position.game.name} {position.parameters}"
            shown = ending if ply == len(moves) and ending else now
            pictures.append(picture(_drawing(position, last), position.summary(), (names, shown)))
    times = [FIRST, *[EACH] * (len(pictures) - 1)]
    times[-1] = LAST
    return _animated(pictures, times, night=night)


def _end(start: Position, moves: Sequence[str]) -> tuple[Position, Successor | None]:
    """Return the last position, and the last move with it; raises `engine.games.interface.BadMove`."""
    if not moves:
        return start, None
    last = reduce(play, moves[:-1], start).resolve(moves[-1])
    return last.position, last


def _drawing(position: Position, last: Successor | None) -> Drawing:
    drawing: Callable[[Successor | None], Drawing] | None = getattr(position, "drawing", None)
    if drawing is None:
        raise NotDrawn(f"of {position.game.name} there are no pictures but SVG")
    return drawing(last)
