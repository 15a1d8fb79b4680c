"""Advice on the move in a game, and the search in one call. Small boards: nothing here may wait for the compiler."""

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.games.catalogue import GAMES, start_of
from engine.games.interface import History
from engine.search.searcher import GameEngine, best_move
from tests.clocks import ticking

LARGE = "5 4 18 18"
"""A board of many moves; quick tests are interpreted, so that the search polls the clock."""


def begun(game: str, parameters: str) -> History:
    return History.begin(GAMES[game].start(parameters))


@pytest.mark.slow("interpreted")
def test_it_thinks_for_as_long_as_it_is_told_and_plays_a_legal_move() -> None:
    history = begun("gipf", LARGE)
    thought = GameEngine().think(history, 1.0, clock=ticking(0.004))
    assert 0.9 < thought.seconds < 1.2
    assert history.after(thought.move(history.position)).plies == 1


def test_the_only_move_takes_no_time() -> None:
    position = GAMES["morris"].read("0 0 W\n_BWBWWB_B__BWWB_B_B_____\n")
    (only,) = position.legal_moves
    thought = GameEngine(megabytes=1).think(History.begin(position), 1000.0, clock=ticking(0.01))
    assert thought.move(position) == only and thought.depth == 1


@pytest.mark.parametrize("game", GAMES)
def test_the_same_position_has_the_same_move_whatever_was_asked_before(game: str) -> None:
    position = start_of(game)
    first = best_move(position, nodes=200)
    assert first in position.legal_moves
    best_move(position.play(first), nodes=300)
    assert best_move(position, nodes=200) == first
    assert best_move(position, nodes=1) in position.legal_moves


def test_who_asks_for_nothing_is_told() -> None:
    with raises(snapshot("ValueError: nodes is the number of positions to search, at least 1; not 0")):
        best_move(start_of("gipf"), nodes=0)
    with raises(snapshot("ValueError: the game is over: there is no move to search")):
        best_move(GAMES["mnk"].read("3 3 3 2\n1 1 1\n2 2 0\n0 0 0\n"))
