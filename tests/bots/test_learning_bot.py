"""The example bot that learns by playing itself."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy
import pytest

from bots.bot import Clocks
from bots.examples.python import learning_bot
from bots.examples.python.learning_bot import LearnedBot, Weights, features, names_of, train
from bots.random_bot import RandomBot
from engine.games.catalogue import GAMES, start_of
from engine.games.history import History
from engine.games.interface import Position
from tests.server.process import ServerProcess
from tests.waiting import WAIT_SECONDS

PROGRAM = Path(learning_bot.__file__)
ROUNDS = 20


@pytest.mark.slow
@pytest.mark.parametrize(("game", "parameters", "games"), [("arrows", "6 6", 60), ("gipf", "3 3 7 7", 12)])
def test_it_beats_random_moves_after_some_games_and_not_before(game: str, parameters: str, games: int) -> None:
    start = start_of(game, parameters)
    assert points(numpy.zeros(len(features(start, 0))), start) <= 12
    assert points(train(start, games, seed=1), start) >= 17


def points(weights: Weights, start: Position) -> float:
    """Return the points of the bot against random moves, in games in which it begins and does not, in turn."""
    learned, random, total = LearnedBot(weights, seed=1), RandomBot(2), 0.0
    for number in range(ROUNDS):
        history = History.begin(start)
        while (outcome := history.verdict(300)) is None:
            bot = learned if history.position.turn == number % 2 else random
            history = history.after(bot.choose(history.position, Clocks(60_000, 60_000, 0)))
        total += 0.5 if outcome.winner is None else outcome.winner == number % 2
    return total


def test_a_seed_learns_the_same_each_time() -> None:
    start = start_of("arrows", "6 6")
    assert (train(start, 5, seed=1) == train(start, 5, seed=1)).all()
    assert (train(start, 5, seed=1) != train(start, 5, seed=2)).any()


@pytest.mark.parametrize("game", GAMES)
def test_every_feature_has_a_name_and_both_sides_have_the_same(game: str) -> None:
    position, chance = start_of(game), Random(1)
    for _ in range(4):
        position = chance.choice(list(position.successors())).position
    names, mine, theirs = names_of(position), features(position, 0), features(position, 1)
    assert len(names) == len(mine) == len(theirs)
    for name, own in zip(names, mine, strict=True):
        assert (
            own == theirs[names.index(name.replace("own", "other") if "own" in name else name.replace("other", "own"))]
        )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], 'first: python learning_bot.py train GAME "PARAMETERS"; then: python learning_bot.py'),
        (["train", "chess"], "there is no game 'chess'; there is gipf, arrows, morris, mnk"),
        (["train", "mnk", "3"], "m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not '3'"),
    ],
)
def test_what_it_cannot_do(words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        learning_bot.main(words)
    assert ended.value.code == sentence


@pytest.mark.slow
def test_what_it_has_learned_plays_on_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(learning_bot, "GAMES_TO_LEARN", 60)
    learning_bot.main(["train", "arrows", "6 6"])
    assert json.loads((tmp_path / "learned.json").read_text(encoding="utf-8"))["weights"]["own mobility"] > 0
    with ServerProcess(tmp_path / "data", "--builtin", "random:arrows") as server:
        environment = {**os.environ, "ARENA_PORT": str(server.port), "ARENA_NAME": "learned"}
        done = subprocess.run(
            [sys.executable, str(PROGRAM)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert ": won as " in done.stderr.splitlines()[-1]
