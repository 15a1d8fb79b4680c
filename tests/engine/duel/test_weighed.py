"""The evaluation with other weights."""

import json
from collections.abc import Mapping
from itertools import islice
from random import Random

import pytest

from engine.compiling.binding import can_compile
from engine.duel.engine_config import NoWeights, weigher
from engine.games.catalogue import GAMES
from engine.games.gipf import patterns as tables
from engine.games.gipf.evaluation import WEIGHTS, Weights
from engine.games.interface import EVALUATION_LIMIT, Position
from engine.search.alphabeta import bind
from engine.search.searcher import Searcher, SearchLimits, SearchResult, key_of
from tests.games.cases import random_game

GIPF = GAMES["gipf"]
SMALL = "3 3 9 9"


def positions(parameters: str, count: int) -> list[Position]:
    chance = Random(4)
    played = (position for _ in range(count) for position in random_game(GIPF, parameters, chance, most=40))
    return list(islice((position for position in played if position.verdict() is None), count))


def weighed(position: Position, named: Mapping[str, object]) -> Position:
    return weigher(position, named)(position)


def value(position: Position) -> int:
    kernel = position.kernel(compile=False)
    return int(kernel.rules.evaluate(kernel.state))


def think(position: Position, nodes: int = 400) -> SearchResult:
    searcher = Searcher(position.kernel(compile=False), megabytes=1)
    return searcher.think(position, (), SearchLimits(nodes=nodes), clock=lambda: 0.0)


@pytest.mark.parametrize("parameters", [SMALL, "4 4 15 15", "5 4 18 18"])
def test_no_weights_change_nothing(parameters: str) -> None:
    for position in positions(parameters, 40):
        assert value(position) == value(weighed(position, {}))
        assert key_of(weighed(position, WEIGHTS._asdict())) == key_of(position)


@pytest.mark.slow("interpreted")
def test_weights_take_the_place_of_tables() -> None:
    shipped = json.loads(tables.FOLDER.joinpath("tables_4_4.json").read_text())
    for position in positions("4 4 15 15", 40):
        assert value(weighed(position, {"piece": WEIGHTS.piece})) == value(weighed(position, WEIGHTS._asdict()))
        assert value(weighed(position, shipped)) == value(position)
    assert any(value(weighed(each, {"piece": 100})) != value(each) for each in positions("4 4 15 15", 40))


def test_the_usual_weights_are_those_where_there_are_no_tables() -> None:
    for parameters in ("2 3 9 9", "6 4 18 18"):
        for position in positions(parameters, 20):
            assert value(weighed(position, WEIGHTS._asdict())) == value(position)


def test_each_weight_counts_for_what_it_is_called() -> None:
    """The value is linear in the weights: with one of them and no other it counts the feature."""
    none = dict.fromkeys(Weights._fields, 0)
    position = GIPF.read("2 3 9 9\n3 1 W\n W B\nB _ W\n W _\n")
    counted = {name: value(weighed(position, {**none, name: 1})) for name in Weights._fields}
    # white: 3 on the board and 3 in reserve; black: 2 and 1; all of them stand on the edge; one pair of white's
    assert counted["piece"] == 3
    assert (counted["reserve_3"], counted["reserve_1"]) == (1, -1)
    assert counted["reserve_0"] == counted["reserve_2"] == counted["reserve_4"] == 0
    assert counted["ring"] == 1
    for each in positions("4 4 15 15", 20):
        parts = [weight * value(weighed(each, {**none, name: 1})) for name, weight in WEIGHTS._asdict().items()]
        assert sum(parts) == value(weighed(each, WEIGHTS._asdict()))


@pytest.mark.slow("interpreted")
def test_the_search_plays_by_them() -> None:
    """A side to which its own pieces are worth less than nothing does not collect them."""
    differ = 0
    for position in positions(SMALL, 12):
        usual, other = think(position), think(weighed(position, {"piece": -100, "ring": 0, "pair": 0}))
        differ += usual.move != other.move
        assert other.move in [successor.move for successor in position.successors()]
        assert all(isinstance(move, str) for move in other.pv)
    assert differ >= 6


def test_positions_behind_moves_are_weighed_too() -> None:
    weights = {"ring": 40, "pair": -30}
    differ = 0
    for move, after in weighed(GIPF.start(SMALL), weights).successors():
        plain = GIPF.start(SMALL).resolve(move).position
        assert value(weighed(GIPF.start(SMALL), weights).resolve(move).position) == value(after)
        reached = weighed(GIPF.start(SMALL), weights).move_to(plain.kernel(compile=False).state).position
        assert (reached.key, value(reached)) == (after.key, value(after))
        assert value(after) == value(weighed(plain, weights))
        differ += value(after) != value(plain)
    assert differ > 5


@pytest.mark.slow
@pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT")
def test_compiled_and_interpreted_are_alike() -> None:
    """The evaluation is; and what is compiled of a search with one evaluation is never taken for that with another."""
    searches = set()
    for weights in ({}, {"ring": -9, "reserve_0": -500}):
        for position in positions(SMALL, 20):
            other = weighed(position, weights)
            kernel = other.kernel()
            assert kernel.compiled
            assert kernel.rules.evaluate(kernel.state) == value(other)
            searches.add(vars(bind(kernel).search)["py_func"].fingerprint)
    assert len(searches) == 2


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"pairs": 1}, "there is no weight 'pairs'; the weights are piece, "),
        ({"pair": 1.5}, "the weight pair is 1.5, but it has to be a whole number"),
        ({"pair": True}, "the weight pair is True"),
        ({"pair": [1]}, "the weight pair is"),
        ({"pair": 10**7}, f"an evaluation may go beyond {EVALUATION_LIMIT}"),
        ({"reserve_2": -(10**6)}, "an evaluation may go beyond"),
    ],
)
def test_what_is_no_weight_is_refused(weights: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match="weight") as caught:
        weighed(GIPF.start(SMALL), weights)
    assert sentence in str(caught.value)


def test_a_game_without_weights_says_so() -> None:
    with pytest.raises(NoWeights, match="the evaluation of morris has no weights"):
        weighed(GAMES["morris"].start(""), {"piece": 1})
