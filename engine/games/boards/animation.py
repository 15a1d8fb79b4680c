"""Pictures one after the other as an animated GIF, which every site and program shows."""

from collections.abc import Sequence
from io import BytesIO

from engine.games.boards.picture import Picture
from engine.games.boards.raster import Painter

COLOURS = 96
"""Those of all pictures together: boards have some twenty, and what lies between these at edges."""


def gif(pictures: Sequence[Picture], milliseconds: Sequence[int], *, night: bool = False) -> bytes:
    """Return pictures of one game, each with how long it is seen, as a GIF that begins again at its end."""
    from PIL import Image

    painter = Painter(pictures[0], night=night)
    samples = [painter.paint(pictures[at]) for at in {0, len(pictures) // 2, len(pictures) - 1}]
    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for row, sample in enumerate(samples):
        sheet.paste(sample, (0, row * height))
    palette = sheet.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    frames = (painter.paint(one).quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures)
    first = next(frames)
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=frames, duration=list(milliseconds), loop=0, optimize=True)
    return file.getvalue()
