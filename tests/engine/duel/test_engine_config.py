"""The text of a side, and the evaluation with the weights of a side."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compiling.binding import can_compile
from engine.duel.engine_config import MOST, BadEngineConfig, EngineConfig, NoWeights, read, usual_jobs, weigher
from engine.games.catalogue import GAMES
from engine.games.gipf import patterns as tables
from engine.games.gipf.evaluation import WEIGHTS
from engine.games.interface import EVALUATION_LIMIT, Position
from engine.levels import MAX_LEVEL
from engine.search.alphabeta import bind
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import key_of
from tests.games.cases import random_game

NUMBERS = st.none() | st.integers(1, MOST)
WORDS = st.text("abc./-_ =0", min_size=1).map(str.strip).filter(bool)


@given(
    side=st.builds(
        EngineConfig,
        nodes=NUMBERS,
        ms=st.none(),
        depth=st.integers(1, MAX_DEPTH),
        level=st.none() | st.integers(1, MAX_LEVEL),
        table=NUMBERS,
        threads=st.none() | st.integers(1, 256),
        exact=st.booleans(),
        weights=st.just("") | WORDS,
    )
)
def test_text_is_read_back(side: EngineConfig) -> None:
    assert read(str(side)) == side


def test_options_come_in_any_order_and_with_blanks() -> None:
    side = read(" table = 16 , exact ,nodes=5000")
    assert side == EngineConfig(nodes=5000, table=16, exact=True)
    assert str(side) == "nodes=5000,table=16,exact"
    assert read("level=9") == EngineConfig(level=9) and read("level=10,ms=5") == EngineConfig(level=10, ms=5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "",
            "'' is no option; the options are nodes, ms, depth, level, table, threads, exact, weights",
        ),
        ("nodes=5,", "'' is no option"),
        ("speed=5", "'speed=5' is no option"),
        ("Nodes=5", "'Nodes=5' is no option"),
        ("nodes=5,nodes=6", "nodes is given twice"),
        ("nodes", "nodes needs a value: nodes=5000"),
        ("nodes=", "nodes needs a value"),
        ("nodes=0", "nodes is '0', but it has to be a whole number from 1 to 1000000000"),
        ("nodes=-1", "nodes is '-1'"),
        ("nodes=1e3", "nodes is '1e3'"),
        ("nodes=５", "nodes is '５'"),
        ("ms=1.5", "ms is '1.5'"),
        ("depth=65", "from 1 to 64"),
        ("depth=4,table=0", "table is '0'"),
        ("nodes=5,exact=1", "exact takes no value"),
        ("table=16,exact", "nothing ends its thinking: give it nodes=, ms=, depth=, or a lower level="),
        ("level=10", "nothing ends its thinking"),
        ("level=11", "level is '11', but it has to be a whole number from 1 to 10"),
        ("nodes=5,weights=", "weights needs a value: weights=tables.json"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(BadEngineConfig) as caught:
        read(text)
    assert sentence in str(caught.value)


def test_as_many_games_at_a_time_as_threads_fit_on_the_cores() -> None:
    one, two, three = read("ms=20"), read("ms=20,threads=2"), read("nodes=5000,threads=3")
    assert [usual_jobs((one, one), cores) for cores in (1, 2, 8)] == [1, 2, 8]
    assert [usual_jobs((one, two), cores) for cores in (1, 2, 8)] == [1, 1, 4]
    assert usual_jobs((three, two), 8) == 2


GIPF = GAMES["gipf"]
SMALL = "3 3 9 9"


def positions(parameters: str, count: int) -> list[Position]:
    chance = Random(4)
    played = (position for _ in range(count) for position in random_game(GIPF, parameters, chance, most=40))
    return list(islice((position for position in played if position.verdict() is None), count))


def value(position: Position, named: Mapping[str, object] | None = None) -> int:
    kernel = weigher(position, named or {})(position.kernel(compile=False))
    return int(kernel.rules.evaluate(kernel.state))


@pytest.mark.parametrize("parameters", [SMALL, "4 4 15 15", "5 4 18 18"])
def test_no_weights_change_nothing(parameters: str) -> None:
    for position in positions(parameters, 40):
        kernel = weigher(position, WEIGHTS._asdict())(position.kernel(compile=False))
        assert kernel.rules.hash_of(kernel.state) == key_of(position)
        assert weigher(position, {})(kernel) == kernel


@pytest.mark.slow("interpreted")
def test_weights_take_the_place_of_tables() -> None:
    shipped = json.loads(Path(tables.__file__).with_name("tables_4_4.json").read_text())
    for position in positions("4 4 15 15", 40):
        assert value(position, {"piece": WEIGHTS.piece}) == value(position, WEIGHTS._asdict())
        assert value(position, shipped) == value(position)
    assert any(value(each, {"piece": 100}) != value(each) for each in positions("4 4 15 15", 40))


@pytest.mark.slow
@pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT")
def test_compiled_and_interpreted_are_alike() -> None:
    """The evaluation is; and what is compiled of a search with one evaluation is never taken for that with another."""
    searches = set()
    for weights in ({}, {"ring": -9, "reserve_0": -500}):
        for position in positions(SMALL, 20):
            kernel = weigher(position, weights)(position.kernel())
            assert kernel.compiled
            assert kernel.rules.evaluate(kernel.state) == value(position, weights)
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
        weigher(GIPF.start(SMALL), weights)
    assert sentence in str(caught.value)


def test_a_game_without_weights_says_so() -> None:
    with pytest.raises(NoWeights, match="the evaluation of morris has no weights"):
        weigher(GAMES["morris"].start(""), {"piece": 1})
