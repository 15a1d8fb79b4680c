"""Choosing rows one after the other, against the moves that the rules list; very many choices; texts without a move."""

from random import Random

import pytest
from inline_snapshot import snapshot

from engine.games.catalogue import GAMES
from engine.games.gipf import notation
from engine.games.gipf.geometry import is_field
from engine.games.gipf.position import GipfPosition, PushResult, play_push, pushes
from engine.games.interface import BadMove, Position
from tests.games.cases import random_game

GIPF = GAMES["gipf"]


def whole(position: GipfPosition, text: str) -> list[tuple[str, PushResult]]:
    """Return every way to choose, each to its end."""
    found = play_push(position, text)
    if not found.crossing:
        return [(text, found)]
    return [way for row in found.crossing for way in whole(position, f"{text} {row.text}")]


def gipf(position: Position) -> GipfPosition:
    assert isinstance(position, GipfPosition)
    return position


@pytest.mark.parametrize(
    "parameters",
    [
        *("2 2 9 9", "3 2 12 12", "3 3 12 12", "4 3 15 15"),
        pytest.param("5 3 18 18", marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough]),
    ],
)
def test_every_way_to_choose_is_a_legal_move_and_the_other_way_round(parameters: str) -> None:
    chosen = 0
    for seed in range(2):
        for position in map(gipf, random_game(GIPF, parameters, Random(seed), most=30)):
            ways = [way for push in pushes(position) for way in whole(position, push)]
            chosen += sum(" " in text for text, _ in ways)
            for text, found in ways:
                assert position.play(text) == found.position
            reached = {(text.split(" ")[0], found.position) for text, found in ways}
            legal = {(move.split(" ")[0], after) for move, after in position.children()}
            assert reached == legal
    if parameters.startswith(("2 2", "3 2")):
        assert chosen > 0


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
        play_push(gipf(GIPF.start("4 4 15 15")), text)


@pytest.mark.parametrize("text", ["", " ", "a1", "a1 b2", "-", "a1-", "-b2", "a1-b2-c3", "a 1-b2", "hello"])
def test_text_without_a_push_has_a_wrong_index(text: str) -> None:
    """The rules have no error of their own for these texts."""
    with pytest.raises(BadMove) as refused:
        GIPF.start("3 3 9 9").child(text)
    assert refused.value.code.endswith("_IS_WRONG_INDEX")


TWO_ORDERS = "3 3 15 4\n4 2 B\n  _ _ W\n W _ _ W\nW B W _ _\n _ W W _\n  _ W _\n"
"""After a1-b2 three white rows stand: one crosses the two others, and either of these breaks it."""


def test_choices_that_end_the_same_in_either_order_are_one_move() -> None:
    """Two texts for one push and one final position: the first is the move, the other is understood as it."""
    position = GIPF.read(TWO_ORDERS)
    assert [move for move in position.legal_moves if move.startswith("a1-b2")] == ["a1-b2 w: b3 e2"]
    assert position.child("a1-b2 w: e5 e2").move == "a1-b2 w: b3 e2"


def test_a_row_of_the_mover_named_in_the_opponents_colour_is_a_wrong_colour() -> None:
    """Also where that row crosses no other and rows of the opponent are to be taken as well."""
    position = GIPF.read("3 3 9 9\n6 6 W\n_ W _\n_ W _ _\nW B _ _ _\n_ B _ _\nB _ _\n")
    with pytest.raises(BadMove) as refused:
        position.child("a1-b2 b: c5 c3")
    assert refused.value.code == "WRONG_COLOR_OF_CHOSEN_ROW"


NAMED = "a1-b2 w: c5 e5 w: e7 g7 w: g9 i9 w: i11 k11 w: k13 m13 w: m15 o13 w: o15 q13 b: b4 d4"
LENGTH = 18
"""Pieces of the row that is pushed; each completes two crossing runs of three."""


def crowded() -> str:
    """Return a board of side 12 on which the push a1-b2 makes two crossing rows for each piece of a long line."""
    cells = {}
    for column in range(LENGTH):
        piece = "WB"[column % 2]
        cells[(11, column)] = piece
        for steps in (1, 2):
            cells[(11 + steps, column + 1)] = piece
            cells[(11 - steps, column + 1 - steps)] = piece
    rows = [" ".join(cells.get((r, c), "_") for c in range(23) if is_field(12, r, c)) for r in range(23)]
    return "\n".join(["12 3 999 999", "5 5 W", *rows])


def test_choices_named_in_another_order_are_the_same_move() -> None:
    position = GAMES["gipf"].read(crowded())
    push, *rows = NAMED.replace(" w:", ",w:").replace(" b:", ",b:").split(",")
    assert position.child(" ".join([push, *reversed(rows[:-1]), rows[-1]])) == position.child(NAMED)


@pytest.mark.slow("interpreted")
def test_ways_to_choose_are_listed_in_order_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    position = GAMES["gipf"].read(crowded())
    listed = [move for move in position.legal_moves if move.startswith("a1-b2")]
    assert len(listed) == len(set(listed)) == 2**9
    assert listed[0] == NAMED
    monkeypatch.setattr(notation, "MOVES_PER_PUSH", 2**9 - 1)
    with pytest.raises(OverflowError):
        list(position.children())


def test_missing_choice_is_still_named() -> None:
    position = GAMES["gipf"].read(crowded())
    with pytest.raises(BadMove) as caught:
        position.child(NAMED.rpartition(" b:")[0])
    assert (caught.value.code, str(caught.value)) == snapshot(
        ("WRONG_INDEX_OF_CHOSEN_ROW", "rows of black cross and one must be chosen: b: b4 d4 or b: d4 d2")
    )
