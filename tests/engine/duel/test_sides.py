"""The text of a side, and the evaluation with the weights of a side."""

import json
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.duel.games import EngineConfig, read_side, weigher
from engine.games.catalogue import GAMES
from engine.games.gipf import patterns as tables
from engine.games.gipf.evaluation import WEIGHTS
from engine.games.interface import Position
from engine.search.searcher import key_of
from tests.games.cases import random_game


def test_options_come_in_any_order_and_with_blanks() -> None:
    assert read_side(" table = 16 , exact ,nodes=5000") == EngineConfig(nodes=5000, table=16, exact=True)
    assert read_side("level=9") == EngineConfig(level=9) and read_side("level=10,ms=5") == EngineConfig(level=10, ms=5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "unknown field ``; the options are nodes, ms, depth, level, table, threads, exact, weights"),
        ("speed=5", "unknown field `speed`"),
        ("nodes", "Expected `int | null`, got `bool` - at `$.nodes`"),
        ("nodes=0", "Expected `int` >= 1 - at `$.nodes`"),
        ("depth=65", "Expected `int` <= 64 - at `$.depth`"),
        ("nodes=5,exact=often", "Expected `bool`, got `str` - at `$.exact`"),
        ("table=16,exact", "its search has no limit: give it nodes=, ms=, depth=, or a lower level="),
        ("level=10", "its search has no limit"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_side(text)


GIPF = GAMES["gipf"]
SMALL = "3 3 9 9"


def positions(parameters: str, count: int) -> list[Position]:
    chance = Random(4)
    played = (position for _ in range(count) for position in random_game(GIPF, parameters, chance, most=40))
    return list(islice((position for position in played if position.outcome is None), count))


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


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"pairs": 1}, "pairs, 1 is no weight; weights are whole numbers named piece, "),
        ({"pair": 1.5}, "pair, 1.5 is no weight"),
        ({"pair": True}, "pair, True is no weight"),
    ],
)
def test_what_is_no_weight_is_refused(weights: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match="weight") as caught:
        weigher(GIPF.start(SMALL), weights)
    assert sentence in str(caught.value)


def test_a_game_without_weights_says_so() -> None:
    with raises(snapshot("ValueError: the evaluation of morris has no weights")):
        weigher(GAMES["morris"].start(""), {"piece": 1})
