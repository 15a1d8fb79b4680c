"""The search in one call, for bots."""

import pytest

from engine.games import moves
from engine.games.catalogue import GAMES, start_of
from engine.search import best_move


@pytest.mark.parametrize("game", GAMES)
def test_the_same_position_has_the_same_move_whatever_was_asked_before(game: str) -> None:
    position = start_of(game)
    first = best_move(position, nodes=200)
    assert first in moves(position)
    best_move(position.resolve(first).position, nodes=300)
    assert best_move(position, nodes=200) == first
    assert best_move(position, nodes=1) in moves(position)


@pytest.mark.parametrize(
    ("game", "text", "move"),
    [
        ("mnk", "3 3 3 1\n1 1 0\n2 2 0\n0 0 0\n", "c3"),
        ("mnk", "3 3 3 2\n1 1 0\n2 0 0\n0 0 0\n", "c3"),
    ],
)
def test_what_wins_or_does_not_lose_at_once_is_found(game: str, text: str, move: str) -> None:
    position = GAMES[game].read(text)
    assert best_move(position, nodes=500) == move


def test_who_asks_for_nothing_is_told() -> None:
    with pytest.raises(ValueError, match="nodes is how many positions to look at, 1 or more; not 0"):
        best_move(start_of("gipf"), nodes=0)
    with pytest.raises(ValueError, match="the game is over"):
        best_move(GAMES["mnk"].read("3 3 3 2\n1 1 1\n2 2 0\n0 0 0\n"))
