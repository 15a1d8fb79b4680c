"""Positions as SVG: well-formed, of the same colours as the pages, with each piece in its place."""

import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from engine.games.boards.board_position import BoardPosition
from engine.games.catalogue import GAMES
from engine.games.interface import Game
from tests.games.cases import EVERY_VARIANT, named, random_game
from tests.pictures import FOLDER, pictures

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
    drawn = {f"{name}.svg": position.svg(last) for name, position, last in pictures()}
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == drawn
    shown = re.findall(r"\(pictures/([\w-]+\.svg)\)", (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(drawn)
