"""The environment of PettingZoo, by PettingZoo's own tests, and what these do not look at."""

import sys
from importlib.util import find_spec
from typing import Any

import numpy
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from bots.workbench.learning import Episode
from engine.games.interface import Game
from tests.bots.test_learning import VARIANTS
from tests.games.cases import named

EXPECTED_WARNINGS = (
    "ignore:Observation space for each agent probably should be:UserWarning",  # it is a dictionary, for the mask
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation numpy array is all zeros:UserWarning",  # an empty board of m,n,k
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
"""Warnings that also fit PettingZoo's own board games; its tests exempt them by name."""

pytestmark = [
    *(pytest.mark.filterwarnings(warning) for warning in EXPECTED_WARNINGS),
    pytest.mark.skipif(find_spec("pettingzoo") is None, reason="the extra pettingzoo is not installed"),
]


def env(*words: Any, **options: Any) -> Any:
    """Make an environment. Tests import it: that takes a third of a second in each process that collects them."""
    from bots.workbench.pettingzoo_env import env

    return env(*words, **options)


# CI tries other variants than the usual one
every_variant = pytest.mark.parametrize(
    ("game", "parameters"),
    [
        pytest.param(game, parameters, marks=[pytest.mark.thorough] * (parameters != game.default_parameters))
        for game, parameters in VARIANTS
    ],
    ids=named,
)


@every_variant
def test_pettingzoos_own_tests(game: Game, parameters: str) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(env(game.name, parameters, move_limit=60), num_cycles=60)
    seed_test(lambda: env(game.name, parameters, move_limit=60), num_cycles=60)


@every_variant
def test_it_plays_the_same_game_as_an_episode(game: Game, parameters: str) -> None:
    made = env(game.name, parameters, move_limit=40)
    made.reset(seed=1)
    episode = Episode.begin(game.name, parameters, 40)
    for side in (0, 1):
        made.action_space(made.possible_agents[side]).seed(side)
    for agent in made.agent_iter():
        seen, reward, over, truncated, info = made.last()
        assert not truncated
        if over:
            assert reward == episode.returns()[made.possible_agents.index(agent)]
            assert episode.outcome is not None and info["reason"] == episode.outcome.reason
            made.step(None)
        else:
            assert agent == made.possible_agents[episode.turn] and reward == 0
            assert (seen["observation"] == episode.observe(episode.turn)).all()
            assert numpy.flatnonzero(seen["action_mask"]).tolist() == list(episode.legal)
            action = int(made.action_space(agent).sample(seen["action_mask"]))
            made.step(action)
            episode = episode.after(action)


def test_an_illegal_action_loses_in_the_usual_wrappers(capsys: pytest.CaptureFixture[str]) -> None:
    made = env("mnk", "3 3 3")
    made.reset()
    made.step(4)
    made.step(4)
    assert made.terminations == dict.fromkeys(made.possible_agents, True)
    assert made.rewards == {made.possible_agents[0]: 0, made.possible_agents[1]: -1}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, snapshot("ValueError: there is no game 'chess'; there is gipf, arrows, morris, mnk")),
        (
            {"game": "mnk", "params": "3 3"},
            snapshot("BadParameters: m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not '3 3'"),
        ),
        (
            {"render_mode": "rgb_array"},
            snapshot("ValueError: render_mode is 'rgb_array', but there are ansi and human"),
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_there_is_not(arguments: dict[str, Any], sentence: str) -> None:
    with raises(sentence):
        env(**arguments)


def test_the_sentence_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "bots.workbench.pettingzoo_env", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "gipf-arena\[pettingzoo\] .*" installs it$'):
        import bots.workbench.pettingzoo_env  # noqa: F401
