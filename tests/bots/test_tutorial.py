"""The tutorial of docs/bots.md, done: each of its files is run, and each bot is stronger than the one before."""

import importlib
import json
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from bots.bot import Clocks
from engine.games.catalogue import start_of
from engine.games.interface import Child, History, Position

DOCUMENT = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
TUTORIAL = DOCUMENT.partition("\n## A tutorial of an afternoon\n")[2].partition("\n## ")[0]
FILES = {
    block.split('"""')[1].partition(":")[0]: block
    for block in re.findall(r"^```python\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
}

Choose = Callable[[Position, Clocks], str | Child]

MOVE_LIMIT = 200
OPENING_PLIES = 2
GAME = "mnk", "5 6 4"
"""A smaller board than the tutorial's: a search takes a third of the time."""


@pytest.fixture
def tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Put the files of the tutorial into a folder, and return what imports them there."""
    for name, source in FILES.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ARENA_GAME", GAME[0])
    monkeypatch.setenv("ARENA_PARAMS", GAME[1])
    yield lambda name: importlib.import_module(name)
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)


def points(start: Position, one: Choose, other: Choose, games: int) -> float:
    """Play pairs of games from random openings; return the points of one bot."""
    total = 0.0
    for number in range(games):
        chance = Random(number // 2)
        history = History.begin(start)
        for _ in range(OPENING_PLIES):
            history = history.after(chance.choice(list(history.position.children())).move)
        sides = (one, other) if number % 2 == 0 else (other, one)
        while (outcome := history.outcome(MOVE_LIMIT)) is None:
            chosen = sides[history.position.turn](history.position, Clocks(10**9, 10**9, 0))
            history = history.after(chosen.move if isinstance(chosen, Child) else chosen)
        total += 0.5 if outcome.winner is None else float(sides[outcome.winner] is one)
    return total


def test_the_tutorial_has_these_files() -> None:
    assert list(FILES) == ["guess.py", "greedy.py", "search.py", "timed.py", "learn.py", "learned.py"]


@pytest.mark.parametrize(
    ("game", "parameters"), [("mnk", "6 6 4"), ("morris", ""), pytest.param("gipf", "3 3 9 9", marks=pytest.mark.slow)]
)
def test_a_greedy_bot_beats_random_moves(tutorial: Callable[[str], ModuleType], game: str, parameters: str) -> None:
    guess, greedy = tutorial("guess"), tutorial("greedy")
    guess.choice.__self__.seed(1)
    assert points(start_of(game, parameters), greedy.choose, guess.choose, 4) >= 3.5


@pytest.mark.slow
def test_a_bot_that_looks_at_answers_beats_a_greedy_one(tutorial: Callable[[str], ModuleType]) -> None:
    greedy, search = tutorial("greedy"), tutorial("search")
    assert points(start_of(*GAME), search.choose, greedy.choose, 4) >= 3


@pytest.mark.slow
def test_a_bot_that_looks_at_its_clock_plays_within_it(tutorial: Callable[[str], ModuleType]) -> None:
    timed, start = tutorial("timed"), start_of(*GAME)
    assert timed.choose(start, Clocks(1, 1, 0)) in {move for child in start.children() for move in (child, child.move)}


@pytest.mark.slow
def test_a_bot_that_has_learned_beats_one_that_guesses(
    tutorial: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    few = FILES["learn.py"].replace("GAMES, MOVES, TRIED, ROUNDS, RATE = 150", "GAMES, MOVES, TRIED, ROUNDS, RATE = 8")
    (tmp_path / "learn.py").write_text(few, encoding="utf-8")
    runpy.run_path("learn.py", run_name="__main__")
    search, learned = tutorial("search"), tutorial("learned")
    assert json.loads((tmp_path / "weights.json").read_text()) == learned.WEIGHTS
    assert points(start_of(*GAME), learned.choose, search.choose, 2) >= 1.5
