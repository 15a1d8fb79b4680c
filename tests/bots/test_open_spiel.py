"""The game of OpenSpiel, by OpenSpiel's own test, and its bots on a server."""

import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy
import pytest

from bots.workbench.learning.episode import Episode
from engine import record
from engine.games.interface import Game
from tests.bots.test_learning import VARIANTS, play_match
from tests.games.cases import named
from tests.server.process import ServerProcess

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

import pyspiel
from open_spiel.python.algorithms import mcts

from bots.workbench.learning.open_spiel_game import ArenaGame, ArenaState, OpenSpielBot


def load(game: str, parameters: str, move_limit: int = 40) -> Any:
    """Return a game as OpenSpiel's users load it."""
    return pyspiel.load_game("gipf_arena", {"game": game, "params": parameters, "move_limit": move_limit})


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_open_spiels_own_test(game: Game, parameters: str) -> None:
    pyspiel.random_sim_test(load(game.name, parameters), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_it_plays_the_same_game_as_an_episode(game: Game, parameters: str) -> None:
    loaded, chance = load(game.name, parameters), Random(1)
    state, episode = loaded.new_initial_state(), Episode.begin(game.name, parameters, 40)
    while not state.is_terminal():
        assert state.current_player() == episode.turn
        assert state.legal_actions() == list(episode.legal)
        for side in (0, 1):
            assert (numpy.array(state.observation_tensor(side)) == episode.observe(side).reshape(-1)).all()
        action = chance.choice(episode.legal)
        assert state.action_to_string(action) == episode.encoding.name(action)
        state.apply_action(action)
        episode = episode.after(action)
    assert episode.outcome is not None
    assert state.returns() == list(episode.returns())
    assert len(state.history()) <= loaded.max_game_length()


def test_no_game_is_longer_than_is_said() -> None:
    assert load("mnk", "3 3 3").max_game_length() == 9
    assert load("morris", "", 100).max_game_length() == 200
    assert load("gipf", "4 4 15 15", 100).max_game_length() == 100 * (1 + 37 // 4)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, "there is no game 'chess'; there is gipf, arrows, morris, mnk"),
        ({"game": "mnk", "params": "3 3"}, "m,n,k-games take three numbers"),
        ({"move_limit": 0}, "move_limit is 0, but a game takes a move at least"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_there_is_not(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ArenaGame(arguments)


def searcher(game: Any) -> Any:
    """Make a bot of OpenSpiel's own, of which the playouts are seeded."""
    evaluator = mcts.RandomRolloutEvaluator(random_state=numpy.random.RandomState(1))
    return mcts.MCTSBot(game, 1.4, 60, evaluator, random_state=numpy.random.RandomState(2))


def test_its_search_finds_a_win_on_the_spot() -> None:
    game = load("mnk", "3 3 3")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    assert isinstance(state, ArenaState)
    assert searcher(game).step(state) == 2


@pytest.mark.slow
def test_its_bots_play_on_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    variants = [("mnk", "3 3 3"), ("gipf", "2 3 5 5")]
    with ServerProcess(tmp_path / "data") as server:
        results = [play_match(server.port, *variant, OpenSpielBot(searcher)) for variant in variants]
        server.stop()
    for number, (result,) in enumerate(results, 1):
        summary = record.verify((tmp_path / "data" / "records" / f"{number}.txt").read_text(encoding="utf-8"))
        assert summary.history.moves == result.history.moves
        assert summary.reason not in ("bad_move", "resign", "crashed", "time")


def test_the_sentence_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "bots.workbench.learning.open_spiel_game")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'gipf-arena\[openspiel\]' installs it$"):
        import bots.workbench.learning.open_spiel_game  # noqa: F401
