"""Choosing rows one after the other, against the moves that the rules list."""

from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf.position import Choosing, GipfPosition, choosing, pushes
from engine.games.interface import BadMove, Position
from tests.games.cases import random_game

GIPF = GAMES["gipf"]

CROSSING = """\
2 3 9 9
3 9 W
 W W
W _ W
 W W
"""
"""Whatever is pushed into the middle leaves three rows that cross, or two."""


def whole(position: GipfPosition, text: str) -> list[tuple[str, Choosing]]:
    """Return every way to choose, each to its end."""
    found = choosing(position, text)
    if not found.crossing:
        return [(text, found)]
    return [way for row in found.crossing for way in whole(position, f"{text} {row.text}")]


def gipf(position: Position) -> GipfPosition:
    assert isinstance(position, GipfPosition)
    return position


@pytest.mark.parametrize("parameters", ["2 2 9 9", "3 2 12 12", "3 3 12 12", "4 3 15 15", "5 3 18 18"])
def test_every_way_to_choose_is_a_legal_move_and_the_other_way_round(parameters: str) -> None:
    chosen = 0
    for seed in range(2):
        for position in map(gipf, random_game(GIPF, parameters, Random(seed), most=30)):
            ways = [way for push in pushes(position) for way in whole(position, push)]
            chosen += sum(" " in text for text, _ in ways)
            for text, found in ways:
                assert position.resolve(text).position == found.position
            reached = {(text.split(" ")[0], found.position) for text, found in ways}
            legal = {(move.split(" ")[0], after) for move, after in position.successors()}
            assert reached == legal
    if parameters.startswith(("2 2", "3 2")):
        assert chosen > 0


def test_rows_are_told_with_their_fields_from_end_to_end() -> None:
    position = gipf(GIPF.read(CROSSING))
    text = next(push for push in pushes(position) if choosing(position, push).crossing)
    found = choosing(position, text)
    assert len(found.crossing) >= 2
    shared = set.intersection(*(set(row.fields) for row in found.crossing[:2]))
    assert len(shared) == 1
    first = found.crossing[0]
    after = choosing(position, f"{text} {first.text}")
    assert after.taken[-1] == first
    on_board = after.position.state.white | after.position.state.black
    assert on_board.bit_count() < (found.position.state.white | found.position.state.black).bit_count()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'' names no field"),
        ("b2-c2", "b2 is a field"),
        ("a1-b2 w: b2 c3", "no row is to be collected"),
        ("a1-b2 w:", "no row is to be collected"),
    ],
)
def test_what_cannot_be_pushed_or_chosen_is_named(text: str, words: str) -> None:
    with pytest.raises(BadMove, match=words):
        choosing(gipf(GIPF.start("4 4 15 15")), text)


def test_a_row_that_is_not_the_next_to_be_chosen_is_refused() -> None:
    position = gipf(GIPF.read(CROSSING))
    text = next(push for push in pushes(position) if choosing(position, push).crossing)
    with pytest.raises(BadMove, match="to be collected here"):
        choosing(position, f"{text} w: a1 b2")


def test_nothing_can_be_pushed_when_the_game_is_over() -> None:
    position = gipf(GIPF.read("2 3 5 5\n0 2 W\n W B\nB _ W\n W B\n"))
    assert position.verdict() is not None
    assert pushes(position) == []
    with pytest.raises(BadMove, match="no piece left"):
        choosing(position, "a1-b2")
