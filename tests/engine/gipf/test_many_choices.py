"""A push with more final positions than are listed is judged all the same when its choices are named."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf import notation
from engine.games.gipf.geometry import is_field
from engine.games.gipf.kernel import bind
from engine.games.interface import BadMove, moves

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


def test_named_choices_are_followed_without_looking_at_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    position = GAMES["gipf"].read(crowded())
    rules, looks = bind(12, 3), 0

    def counted(*what: Any) -> Any:
        nonlocal looks
        looks += 1
        return rules.rows_to_collect(*what)

    monkeypatch.setattr(notation, "bind", lambda *_: SimpleNamespace(**{**vars(rules), "rows_to_collect": counted}))
    move, after = position.resolve(NAMED)
    assert move == NAMED
    assert after.turn == 1
    assert after.text() != position.text()
    assert looks < 100, "there are 512 ways to choose"


def test_choices_named_in_another_order_are_the_same_move() -> None:
    position = GAMES["gipf"].read(crowded())
    push, *rows = NAMED.replace(" w:", ",w:").replace(" b:", ",b:").split(",")
    assert position.resolve(" ".join([push, *reversed(rows[:-1]), rows[-1]])) == position.resolve(NAMED)


def test_ways_to_choose_are_listed_in_order_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    position = GAMES["gipf"].read(crowded())
    listed = [move for move in moves(position) if move.startswith("a1-b2")]
    assert len(listed) == len(set(listed)) == 2**9
    assert listed[0] == NAMED
    monkeypatch.setattr(notation, "MOVES_PER_PUSH", 2**9 - 1)
    with pytest.raises(OverflowError):
        moves(position)


def test_missing_choice_is_still_named() -> None:
    position = GAMES["gipf"].read(crowded())
    with pytest.raises(BadMove) as caught:
        position.resolve(NAMED.rpartition(" b:")[0])
    assert caught.value.code == "WRONG_INDEX_OF_CHOSEN_ROW"
    assert "rows of black cross" in str(caught.value)
