"""A push with more final positions than are listed is judged all the same when its choices are named."""

import pytest

from engine.catalogue import GAMES
from engine.game import IllegalMove
from engine.gipf.geometry import is_field

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


def test_named_choices_are_followed_where_there_are_too_many_to_list() -> None:
    position = GAMES["gipf"].read(crowded())
    with pytest.raises(OverflowError):
        list(position.successors())
    move, after = position.resolve(NAMED)
    assert move == NAMED
    assert after.turn == 1
    assert after.text() != position.text()


def test_missing_choice_is_still_named() -> None:
    position = GAMES["gipf"].read(crowded())
    with pytest.raises(IllegalMove) as caught:
        position.resolve(NAMED.rpartition(" b:")[0])
    assert caught.value.code == "WRONG_INDEX_OF_CHOSEN_ROW"
    assert "rows of black cross" in str(caught.value)
