"""Boards as PNG files, which resvg makes from SVG.

The font is Aileron, which is in the public domain and part of Pillow, so pictures are the same on every machine.
Letters that the font lacks are written without accents, or as ``?``.
"""

from functools import cache
from tempfile import NamedTemporaryFile
from typing import IO
from unicodedata import combining, normalize

from engine.games.boards.svg import by_light


def paint(text: str, *, night: bool = False) -> bytes:
    """Convert an SVG document to a PNG file."""
    from resvg_py import svg_to_bytes

    return bytes(
        svg_to_bytes(
            svg_string=written(text),
            background=by_light(night)["paper"],
            skip_system_fonts=True,
            font_files=[_font().name],
            sans_serif_family="Aileron",
        )
    )


def written(text: str) -> str:
    """Replace the letters that the font lacks: remove accents, and write ``?`` for others."""
    plain = normalize("NFKD", text.replace("–", "-").replace("×", "x"))
    return "".join(letter if letter.isascii() else "?" for letter in plain if not combining(letter))


@cache
def _font() -> IO[bytes]:
    """Write the font to a file, which is removed when the process ends."""
    from PIL import ImageFont

    font = ImageFont.load_default(10)
    assert isinstance(font, ImageFont.FreeTypeFont)  # every wheel of Pillow has FreeType
    file = NamedTemporaryFile(suffix=".ttf")  # noqa: SIM115  # stays open as long as the process runs
    file.write(font.font_bytes)
    file.flush()
    return file
