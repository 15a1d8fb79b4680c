"""Boards as pixels: PNG files by resvg, and animations of these by Pillow.

Letters are those of Aileron, a font that comes with Pillow and stands in the public domain, so that pictures are the
same on every machine. What the font lacks is written without accents, or as ``?``.
"""

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING
from unicodedata import combining, normalize

from engine.games.boards.colours import by_light
from engine.games.boards.shapes import Picture
from engine.games.boards.svg import document

if TYPE_CHECKING:
    from PIL.Image import Image

SCALES = (1, 2, 3)
"""How many pixels of a PNG lie in one of those in which sizes of pictures are told."""

COLOURS = 96
"""Those of all pictures of an animation together: boards have some twenty, and edges what lies between these."""


def png(picture: Picture, *, night: bool = False, scale: int = 1) -> bytes:
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


def gif(pictures: Sequence[Picture], milliseconds: Sequence[int], *, night: bool = False) -> bytes:
    """Return pictures of one game, each with how long it is seen, as a GIF that begins again at its end."""
    from PIL import Image

    def painted(picture: Picture) -> "Image.Image":
        return Image.open(BytesIO(png(picture, night=night))).convert("RGB")

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
