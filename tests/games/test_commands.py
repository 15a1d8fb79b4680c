"""The command line serves every game alike, also when what it compiled before is loaded from the disk.

With ARENA_CAMPAIGN=1 all games are compiled.
"""

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random

import pytest

from engine.games.interface import Game
from engine.shell import SHELLS, find
from tests.games.cases import EVERY_GAME, named, random_game
from tests.waiting import WAIT_SECONDS

pytestmark = pytest.mark.slow

COMPILED_BEFORE = 2
"""So many times each command is run: the second one loads what the first has compiled, which once crashed."""


COMPILED = ("gipf",)
"""Games whose commands are tried compiled, the others interpreted: compiling one takes a quarter of a minute."""

SHARED = {"gipf": "3 3 9 9", "mnk": "5 5 4"}
"""Variants that are tried in place of the usual ones: what other tests compile, too, and what is quick interpreted."""

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))


def engine(*arguments: str, given: str = "", compiled: bool = True) -> list[str]:
    """Run ``arena-engine`` with the game of stones in its catalogue; return what it printed."""
    command = [sys.executable, "-m", "tests.games.stones", "engine", *arguments]
    environment = None if compiled else {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False, env=environment
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.splitlines()


def later(game: Game) -> str:
    """Return the text of a position some plies into a game that goes on."""
    played = random_game(game, SHARED.get(game.name, game.default_parameters), Random(9), most=4)
    return [position for position in played if position.outcome is None][-1].text()


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_perft_solve_and_analyse(game: Game, tmp_path: Path) -> None:
    file = tmp_path / "position.txt"
    file.write_text(later(game), encoding="utf-8")
    position = game.read(file.read_text(encoding="utf-8"))
    compiled = CAMPAIGN or game.name in COMPILED
    run = partial(engine, compiled=compiled)
    for _ in range(COMPILED_BEFORE if compiled else 1):
        lines = run("perft", game.name, "--position", str(file), "--depth", "2", "--divide")
        assert re.fullmatch(rf"perft 1 {len(position.legal_moves)} \d+\.\d+ \d+", lines[0])
        assert [line.split(" ", 2)[2] for line in lines[2:]] == position.legal_moves
        lines = run("solve", game.name, "--position", "-", "--time", "0.5", given=position.text())
        assert re.fullmatch("result (first|second|draw|unknown)", lines[0])
        lines = run("analyse", game.name, "--position", str(file), "--depth", "4", "--json")
        found = [json.loads(line) for line in lines]
        assert [line["depth"] for line in found] == list(range(1, len(found) + 1))
        assert found[-1]["pv"][0] in position.legal_moves
        assert {"depth", "score", "nodes", "seconds", "pv"} <= found[-1].keys()


@pytest.mark.parametrize("name", SHELLS)
def test_shells_end_with_their_input(name: str) -> None:
    assert engine("shell", name) == []
    assert callable(find(name))
