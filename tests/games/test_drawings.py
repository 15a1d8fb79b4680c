"""Positions as SVG, PNG and GIF: each piece in its place, in the colours of the pages, with names that can be read."""

import re
from io import BytesIO
from itertools import combinations
from math import hypot
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageSequence

from engine.games.boards import pictures
from engine.games.boards.board_position import BoardPosition
from engine.games.boards.layout import Drawing, Place
from engine.games.boards.pictures import written
from engine.games.boards.shapes import STEP, Words, by_light, picture, rim
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import Game
from tests.games.cases import EVERY_VARIANT, named, random_game
from tests.games.stones import STONES
from tests.pictures import FOLDER
from tests.pictures import pictures as pictures_of_the_rules

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
VARIANTS = [*EVERY_VARIANT, *((GAMES["gipf"], "12 4 30 30"), (GAMES["mnk"], "1 1 1"), (GAMES["mnk"], "19 19 5"))]


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_a_position_is_drawn_with_all_its_pieces_on_its_board(game: Game, parameters: str) -> None:
    for position in list(random_game(game, parameters, Random(8), most=40))[::8]:
        for last in [None, *list(position.successors())[-1:]]:
            drawn = last.position if last else position
            text = drawn.svg(last)
            root = ElementTree.fromstring(text)
            assert root.tag == f"{SVG}svg" and not re.search(r"\b(nan|inf|None)\b", text)
            if not isinstance(drawn, BoardPosition):
                continue
            left, top, width, height = map(float, root.attrib["viewBox"].split())
            groups = root.findall(f"{SVG}g")
            assert len(groups) == sum(map(len, drawn.pieces))
            places = {name: (x * 100, y * 100) for name, x, y in drawn.drawing().layout.fields}
            where = [tuple(map(float, group.attrib["transform"][10:-1].split())) for group in groups]
            expected = [places[name] for side in (0, 1) for name in drawn.pieces[side]]
            assert sorted(where) == sorted((float(f"{x:.1f}"), float(f"{y:.1f}")) for x, y in expected)
            assert all(left < x < left + width and top < y < top + height for x, y in where)
            assert last or drawn._repr_svg_() == text
            marked = drawn.drawing(last).marked
            assert (marked in places) == (last is not None)


def test_the_pictures_of_the_rules_are_as_they_would_be_drawn_now() -> None:
    """After a change of drawings: python -m tests.pictures."""
    drawn = {f"{name}.svg": position.svg(last) for name, position, last in pictures_of_the_rules()}
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == drawn
    shown = re.findall(r"\(pictures/([\w-]+\.svg)\)", (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(drawn)


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
