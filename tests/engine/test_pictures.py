"""Pictures as pixels: sizes, colours where pieces stand, and the positions of a match one after the other."""

from io import BytesIO
from itertools import combinations
from math import hypot
from random import Random

import pytest
from PIL import Image, ImageSequence

from engine.games.boards import pictures
from engine.games.boards.layout import Drawing, Place
from engine.games.boards.pictures import written
from engine.games.boards.shapes import STEP, Words, by_light, picture, rim
from engine.games.catalogue import GAMES
from engine.games.history import History
from tests.games.stones import STONES


def played(game: str, parameters: str, most: int) -> History:
    """Return a game of random moves."""
    history, chance = History.begin(GAMES[game].start(parameters)), Random(4)
    for _ in range(most):
        successors = list(history.position.successors())
        if not successors:
            break
        history = history.after(chance.choice(successors).move)
    return history


def near(pixel: object, colour: str) -> bool:
    """Tell whether a pixel has nearly a colour, as far as the palette of a GIF goes."""
    assert isinstance(pixel, tuple)
    return all(abs(part - int(colour[i : i + 2], 16)) <= 8 for part, i in zip(pixel, (1, 3, 5), strict=True))


def middle(drawing: Drawing, place: Place, scale: float, below: float) -> tuple[int, int]:
    """Return where the middle of a field is in a picture with a title of so many pixels."""
    layout, extra = drawing.layout, rim(drawing.layout).extra
    x, y = place.x + layout.width / 2 + extra, place.y + layout.height / 2 + extra
    return round(x * scale), round(y * scale + below)


@pytest.mark.parametrize("night", [False, True])
@pytest.mark.parametrize("scale", [1, 2])
def test_pieces_stand_on_their_fields_in_their_colours(night: bool, scale: int) -> None:
    history, colours = played("gipf", "3 3 9 9", 8), by_light(night)
    drawing = GAMES["gipf"].read(history.position.text()).drawing()  # type: ignore[attr-defined]
    image = Image.open(BytesIO(pictures.png(history.start, history.moves, night=night, scale=scale))).convert("RGB")
    drawn = picture(drawing, history.position.summary())
    assert image.size == tuple(length * scale for length in drawn.pixels)
    places = {place.name: place for place in drawing.layout.fields}
    for piece in drawing.pieces:
        pixel = image.getpixel(middle(drawing, places[piece.field], 48 * scale, 0))
        assert near(pixel, colours[("ivory", "ebony")[piece.side]]), piece
    assert near(image.getpixel((0, 0)), colours["paper"])


BOARDS = (
    *(("gipf", f"{size} 3 15 15") for size in range(2, 13)),
    ("mnk", "19 19 5"),
    ("mnk", "1 19 2"),
    ("arrows", "8 8"),
    ("morris", ""),
)


@pytest.mark.parametrize(("game", "parameters"), BOARDS)
def test_names_can_be_read_in_a_picture_that_fills_a_phone(game: str, parameters: str) -> None:
    shown = 390 - 2 * 15
    drawing = GAMES[game].start(parameters).drawing()  # type: ignore[attr-defined]
    drawn = picture(drawing, "a text below the board")
    names = [shape for shape in drawn.ground if isinstance(shape, Words)]
    below = [shape for shape in drawn.above if isinstance(shape, Words)]
    scale = min(shown, drawn.pixels[0]) / drawn.width
    assert names
    assert min(words.size for words in (*names, *below)) * scale >= 10.9
    for name in names:  # all of it is within the picture
        half = 0.3 * len(name.text) * name.size
        assert drawn.left <= name.x - half, name
        assert name.x + half <= drawn.left + drawn.width, name
        assert drawn.top <= name.y - name.size / 2, name
        assert name.y + name.size / 2 <= drawn.top + drawn.height, name
    if drawing.layout.kind == "squares":
        return
    for one, other in combinations(names, 2):  # none stands on another one
        apart = (
            abs(one.x - other.x) - 0.29 * one.size * (len(one.text) + len(other.text)),
            abs(one.y - other.y) - one.size,
        )
        assert max(apart) > 0, (one, other)
        assert drawing.layout.kind == "cells" or hypot(one.x, one.y) > STEP * min(
            hypot(*dot[1:]) for dot in drawing.layout.dots
        )


def test_an_animation_shows_every_position_and_the_last_one_longest() -> None:
    history = played("mnk", "3 3 3", 9)
    image = Image.open(BytesIO(pictures.animation(history.start, history.moves, ("ann", "bob"), "ann wins")))
    frames = [(frame.convert("RGB"), frame.info["duration"]) for frame in ImageSequence.Iterator(image)]
    assert [duration for _, duration in frames] == [1000, *[650] * (history.plies - 1), 5000]
    assert image.info["loop"] == 0
    start = GAMES["mnk"].start("3 3 3").drawing()  # type: ignore[attr-defined]
    place = next(place for place in start.layout.fields if place.name == history.moves[0])
    below = 2.5 * 20
    assert near(frames[0][0].getpixel(middle(start, place, 48, below)), by_light(False)["cell"])
    assert near(frames[1][0].getpixel(middle(start, place, 48, below)), by_light(False)["first"])


def test_of_a_long_game_the_last_moves_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_MOVES", 3)
    history = played("mnk", "4 4 4", 8)
    image = Image.open(BytesIO(pictures.animation(history.start, history.moves, ("ann", "bob"), "")))
    assert getattr(image, "n_frames", 1) == 4


def test_what_the_font_lacks_is_written_otherwise() -> None:
    assert written("Müller – 3 × 3 象") == "Muller - 3 x 3 ?"


def test_bounds_are_held() -> None:
    start = GAMES["morris"].start("")
    with pytest.raises(ValueError, match="the scale is 4, but it has to be 1, 2 or 3"):
        pictures.png(start, (), scale=4)
    with pytest.raises(pictures.NotDrawn, match="of stones there are no pictures but SVG"):
        pictures.png(STONES.start(STONES.default_parameters), ())
