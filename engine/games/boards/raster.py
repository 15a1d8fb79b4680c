"""Boards as pixels, with Pillow: PNG for sites and programs that do not take SVG, and the frames of animations.

Everything is drawn `FINER` times as large and then reduced, which smooths all edges. Letters are those of Aileron, a
font that comes with Pillow and stands in the public domain; what it lacks is written without accents, or as ``?``.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from itertools import cycle, pairwise
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from engine.games.boards.colours import by_light
from engine.games.boards.shapes import Box, Circle, Line, Paint, Picture, Placed, Polygon, Shape, Words

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont
from collections.abc import Sequence

FINER = 3

SCALES = (1, 2, 3)
"""How many pixels of a PNG lie in one of those in which sizes of pictures are told."""

ROUND_CORNER = 16
"""Straight pieces of an outline for each quarter of a turn."""

Place = tuple[float, float]


def png(picture: Picture, *, night: bool = False, scale: int = 1) -> bytes:
    """Return a picture as a PNG file; ``scale`` is one of the `SCALES`, and raises ValueError otherwise."""
    if scale not in SCALES:
        raise ValueError(f"the scale is {scale}, but it has to be 1, 2 or 3")
    file = BytesIO()
    Painter(picture, night=night, scale=scale).paint(picture).save(file, "PNG")
    return file.getvalue()


class Painter:
    """Paints pictures of one game, of which the ground is painted once."""

    def __init__(self, picture: Picture, *, night: bool = False, scale: int = 1) -> None:
        """Take any picture of the game, and how many pixels lie in one of its own."""
        from PIL import Image

        self._colours = by_light(night)
        self._unit = picture.pixels[0] * scale * FINER / picture.width
        self._origin = picture.left, picture.top
        width, height = (length * scale * FINER for length in picture.pixels)
        self._ground = Image.new("RGB", (width, height), self._colours["paper"])
        self._draw(self._ground, picture.ground)

    def paint(self, picture: Picture) -> "Image":
        """Return the pixels of a picture that has the same ground."""
        image = self._ground.copy()
        self._draw(image, picture.above)
        return image.reduce(FINER)

    def _draw(self, image: "Image", shapes: Iterable[Shape]) -> None:
        from PIL import ImageDraw

        brush = Brush(ImageDraw.Draw(image, "RGBA"), self._colours, self._unit)
        for shape in shapes:
            brush.draw(shape, (-self._origin[0], -self._origin[1]))


class Brush:
    """Draws shapes; ``unit`` is how many pixels lie in a unit."""

    def __init__(self, canvas: "ImageDraw", colours: Mapping[str, str], unit: float) -> None:
        """Take what to draw on."""
        self._canvas = canvas
        self._colours = colours
        self._unit = unit

    def draw(self, shape: Shape, by: Place) -> None:
        """Draw a shape that is moved by some units."""
        unit, canvas = self._unit, self._canvas
        match shape:
            case Placed(x, y, shapes):
                for inner in shapes:
                    self.draw(inner, (by[0] + x, by[1] + y))
            case Words(text, x, y, size, colour):
                where = (x + by[0]) * unit, (y + by[1]) * unit
                font = _font(round(size * unit))
                canvas.text(where, written(text), fill=self._colours[colour], font=font, anchor="mm")
            case Line(x1, y1, x2, y2, paint):
                self._stroke([(x1 + by[0], y1 + by[1]), (x2 + by[0], y2 + by[1])], paint)
            case Circle(x, y, radius, paint) if not paint.dash:
                self._disc(x + by[0], y + by[1], radius, paint)
            case _:
                outline = [(x + by[0], y + by[1]) for x, y in _outline(shape)]
                if shape.paint.fill:
                    canvas.polygon([(x * unit, y * unit) for x, y in outline], fill=self._colours[shape.paint.fill])
                if shape.paint.stroke:
                    self._stroke([*outline, outline[0]], shape.paint)

    def _disc(self, x: float, y: float, radius: float, paint: Paint) -> None:
        if paint.stroke:
            outer, inner = radius + paint.width / 2, radius - paint.width / 2
            self._ellipse(x, y, outer, outline=self._colours[paint.stroke], width=round((outer - inner) * self._unit))
            radius = inner
        if paint.fill:
            self._ellipse(x, y, radius, fill=self._colours[paint.fill])

    def _ellipse(self, x: float, y: float, radius: float, **look: str | int) -> None:
        box = (
            (x - radius) * self._unit,
            (y - radius) * self._unit,
            (x + radius) * self._unit,
            (y + radius) * self._unit,
        )
        self._canvas.ellipse(box, **look)  # type: ignore[arg-type]

    def _stroke(self, places: list[Place], paint: Paint) -> None:
        """Draw a line through places, with round ends and corners."""
        colour, half = self._colours[paint.stroke], paint.width / 2
        for part in _dashes(places, paint.dash) if paint.dash else [places]:
            along = [(x * self._unit, y * self._unit) for x, y in part]
            self._canvas.line(along, fill=colour, width=max(1, round(paint.width * self._unit)), joint="curve")
            if not paint.dash:
                for x, y in part:
                    self._ellipse(x, y, half, fill=colour)


def written(text: str) -> str:
    """Return a text in letters that the font has, with other ones without accents or as ``?``."""
    plain = normalize("NFKD", text.replace("–", "-").replace("×", "x"))
    return "".join(letter if " " <= letter <= "~" else "?" for letter in plain if not combining(letter))


def _outline(shape: Box | Circle | Polygon) -> list[Place]:
    """Return the corners of a shape, of which round ones are many."""
    if isinstance(shape, Polygon):
        return list(shape.corners)
    if isinstance(shape, Circle):
        return list(_arc(shape.x, shape.y, shape.radius, 0, 4))
    right, down, corner = shape.width / 2 - shape.corner, shape.height / 2 - shape.corner, shape.corner
    middles = ((right, down), (-right, down), (-right, -down), (right, -down))
    return [place for turn, (x, y) in enumerate(middles) for place in _arc(shape.x + x, shape.y + y, corner, turn, 1)]


def _arc(x: float, y: float, radius: float, start: int, quarters: int) -> Iterator[Place]:
    """Yield places on an arc around (x, y), clockwise from a quarter on."""
    for step in range(ROUND_CORNER * quarters + 1):
        angle = (start + step / ROUND_CORNER) * pi / 2
        yield x + radius * cos(angle), y + radius * sin(angle)


def _dashes(places: list[Place], lengths: tuple[float, ...]) -> Iterator[list[Place]]:
    """Yield the parts of a line that are drawn, by lengths that are drawn and left out in turn."""
    pattern = cycle(lengths)
    left, drawn, part = next(pattern), True, [places[0]]
    for (x1, y1), (x2, y2) in pairwise(places):
        length, done = hypot(x2 - x1, y2 - y1), 0.0
        while length - done > left:
            done += left
            place = x1 + (x2 - x1) * done / length, y1 + (y2 - y1) * done / length
            if drawn:
                yield [*part, place]
            left, drawn, part = next(pattern), not drawn, [place]
        left -= length - done
        part.append((x2, y2))
    if drawn and len(part) > 1:
        yield part


@lru_cache(64)
def _font(size: int) -> "FreeTypeFont":
    from PIL import ImageFont

    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # every wheel of Pillow has FreeType
    return font


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
