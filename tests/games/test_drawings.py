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

from engine.games import pictures
from engine.games.boards.layout import Place
from engine.games.boards.png import written
from engine.games.boards.svg import STEP, by_light, rim
from engine.games.catalogue import GAMES
from engine.games.interface import Game, History, Position
from tests.games.cases import EVERY_VARIANT, named, random_game
from tests.pictures import FOLDER, pictures as pictures_of_the_rules

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
VARIANTS = [
    *EVERY_VARIANT,
    (GAMES["mnk"], "1 1 1"),
    *(
        pytest.param(GAMES[name], parameters, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough])
        for name, parameters in (("gipf", "12 4 30 30"), ("mnk", "19 19 5"))
    ),
]


def numbers(text: str) -> list[float]:
    return list(map(float, re.findall(r"[-\d.]+", text)))


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_a_position_is_drawn_with_all_its_pieces_on_its_board(game: Game, parameters: str) -> None:
    for position in list(random_game(game, parameters, Random(8), most=40))[::8]:
        for last in [None, *list(position.children())[-1:]]:
            drawn = last.position if last else position
            text = drawn.svg(last)
            root = ElementTree.fromstring(text)
            assert root.tag == f"{SVG}svg" and not re.search(r"\b(nan|inf|None|var)\b", text)
            left, top, width, height = numbers(root.attrib["viewBox"])
            places = {name: (round(x * STEP, 1), round(y * STEP, 1)) for name, x, y in drawn.drawing().layout.fields}
            where = [tuple(numbers(group.attrib["transform"])) for group in root.findall(f"{SVG}g[@transform]")]
            assert sorted(where) == sorted(places[name] for side in (0, 1) for name in drawn.pieces[side])
            assert all(left < x < left + width and top < y < top + height for x, y in where)
            assert last or drawn._repr_svg_() == text
            assert (drawn.drawing(last).marked in places) == (last is not None and game.name in GAMES)


def test_the_pictures_of_the_rules_are_as_they_would_be_drawn_now() -> None:
    """After a change of drawings: python -m tests.pictures."""
    drawn = {f"{name}.svg": position.svg(last) for name, position, last in pictures_of_the_rules()}
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")} == drawn
    shown = re.findall(r"\(pictures/([\w-]+\.svg)\)", (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(drawn)


def played(game: str, parameters: str, most: int) -> History:
    """Return a game of random moves."""
    history, chance = History.begin(GAMES[game].start(parameters)), Random(4)
    for _ in range(most):
        history = history.after(chance.choice(list(history.position.children())).move)
        if history.position.is_over:
            break
    return history


def near(pixel: object, colour: str) -> bool:
    """Tell whether a pixel has nearly a colour, as far as the palette of a GIF goes."""
    assert isinstance(pixel, tuple)
    return all(abs(part - int(colour[i : i + 2], 16)) <= 8 for part, i in zip(pixel, (1, 3, 5), strict=True))


def middle(position: Position, name: str, scale: float, below: float) -> tuple[int, int]:
    """Return where the middle of a field is in a picture with a title of so many pixels."""
    layout = position.drawing().layout
    extra = rim(layout).extra
    place = next(place for place in layout.fields if place.name == name)
    x, y = place.x + layout.width / 2 + extra, place.y + layout.height / 2 + extra
    return round(x * scale), round(y * scale + below)


@pytest.mark.parametrize("night", [False, True])
def test_pieces_stand_on_their_fields_in_their_colours(night: bool) -> None:
    history, colours = played("gipf", "3 3 9 9", 8), by_light(night)
    image = Image.open(BytesIO(history.position.png(night=night))).convert("RGB")
    root = ElementTree.fromstring(history.position.svg())
    assert image.size == (int(root.attrib["width"]), int(root.attrib["height"]))
    for colour, fields in zip(("ivory", "ebony"), history.position.pieces, strict=True):
        for field in fields:
            assert near(image.getpixel(middle(history.position, field, 48, 0)), colours[colour]), field
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
    position = GAMES[game].start(parameters)
    layout = position.drawing().layout
    root = ElementTree.fromstring(position.svg())
    left, top, width, height = numbers(root.attrib["viewBox"])
    scale = min(shown, int(root.attrib["width"])) / width
    names, sizes = [], []
    for element in root.findall(f"{SVG}text"):
        sizes.append(float(element.attrib["font-size"]))
        if " " not in (text := str(element.text)):
            names.append((Place(text, float(element.attrib["x"]), float(element.attrib["y"])), sizes[-1]))
    assert names
    assert min(sizes) * scale >= 10.9
    for (name, x, y), size in names:  # all of it is within the picture
        half = 0.3 * len(name) * size
        assert left <= x - half and x + half <= left + width, name
        assert top <= y - size / 2 and y + size / 2 <= top + height, name
    if layout.kind == "squares":
        return
    for (one, size), (other, _) in combinations(names, 2):  # none stands on another one
        apart = abs(one.x - other.x) - 0.29 * size * (len(one.name) + len(other.name)), abs(one.y - other.y) - size
        assert max(apart) > 0, (one, other)
    if layout.kind == "hexagon":
        ring = STEP * min(hypot(*dot[1:]) for dot in layout.dots)
        assert all(hypot(*name[1:]) > ring for name, _ in names)


@pytest.mark.slow("interpreted")
def test_an_animation_shows_every_position_and_the_last_one_longest() -> None:
    history = played("mnk", "3 3 3", 9)
    image = Image.open(BytesIO(pictures.animation(history.start, history.moves, ("ann", "bob"), "ann wins")))
    frames = [(frame.convert("RGB"), frame.info["duration"]) for frame in ImageSequence.Iterator(image)]
    assert [duration for _, duration in frames] == [1000, *[650] * (history.plies - 1), 5000]
    assert image.info["loop"] == 0
    place = middle(history.start, history.moves[0], 48, 2.5 * 20)
    assert near(frames[0][0].getpixel(place), by_light(False)["cell"])
    assert near(frames[1][0].getpixel(place), by_light(False)["first"])


@pytest.mark.slow("interpreted")
def test_of_a_long_game_the_last_moves_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_MOVES", 3)
    history = played("mnk", "4 4 4", 8)
    image = Image.open(BytesIO(pictures.animation(history.start, history.moves, ("ann", "bob"), "")))
    assert getattr(image, "n_frames", 1) == 4


def test_what_the_font_lacks_is_written_otherwise() -> None:
    assert written("Müller – 3 × 3 象") == "Muller - 3 x 3 ?"
