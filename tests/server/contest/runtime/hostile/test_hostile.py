"""Contests of honest entrants with hostile ones: the honest ones play what they play without them."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.games.interface import Termination
from engine.match import verification
from server.contest.fixtures import counted_games
from server.contest.programs.sandbox.seal import sandbox_obstacle
from server.contest.store.folders import folder_of
from tests.server.contest.runtime.bots import DICE, game_by_seed, read_definition
from tests.server.contest.runtime.test_contest_command import Command, kept
from tests.server.contest.runtime.test_sandbox import with_word
from tests.server.process import free_port

ATTACKER = Path(__file__).with_name("attacker.py")
HONEST = ("honest1", "honest2")

# who spins has a second of processor time, and a minute to get it in: on a busy machine, too, it ends by the one. The
# first entrant, who is honest, meets each other one
CONTEST = """
name = "Honest and hostile"
seed = 11
time = { budget = 60_000 }
time-losses = 1
games = [{ game = "mnk", params = "4 4 3" }]
stages = [{ format = "gauntlet" }]
[bounds]
memory = 64
processes = 40
scratch = 8
file-size = 32
cpu-seconds = 1
"""

LOSE = {
    "spins": Termination.OUT_OF_CPU_TIME,
    "eats": Termination.OUT_OF_MEMORY,
}
"""Attacks that lose the game, and how. test_sandbox.py has the other bounds and system calls."""

PLAY_ON: dict[str, list[dict[str, object]]] = {
    "meddles": [
        {"kills": 0},
        {"tokens": 0, "ssh": "FileNotFoundError", "records": "FileNotFoundError", "secret": None},
        {"database": "OperationalError", "record": "FileNotFoundError"},
        {"rival": "FileNotFoundError", "own": "OSError"},
        {"scratch": [8, "OSError"], "shared": [16, "OSError"], "own": [0, "OSError"]},
    ],
    "forks": [{"forked": True}],
    "floods": [{"floods": True}],
    "pretends": [{"pretended": ["WELCOME", "pretends"]}],
}
"""Attacks after which the program plays on, and what they get in a sandbox."""


class Held:
    """A contest that was held."""

    def __init__(
        self, folder: Path, honest: tuple[str, ...], hostile: tuple[str, ...], rules: str, patch: pytest.MonkeyPatch
    ) -> None:
        """Hold it; each entrant has a folder of its own, with a copy of its program."""
        self.data = folder / "data"
        home = folder / "home"
        (home / ".ssh").mkdir(parents=True)
        (home / ".ssh" / "id").write_text("secret")
        self.port = free_port()
        text = rules + CONTEST
        for name in honest + hostile:
            source = DICE if name in honest else ATTACKER
            (folder / name).mkdir()
            shutil.copy(source, folder / name / "bot.py")
            shutil.copy(DICE, folder / name)
            command = [sys.executable, "bot.py"]
            if name in hostile:
                rival = folder / "honest1" / "bot.py"
                command += [str(home), str(self.data), str(rival), str(self.port)]
            text += f"[[entrants]]\nname = '{name}'\ncommand = {command}\nfolder = '{name}'\n"
        self.definition = read_definition(text)
        file = folder / "contest.toml"
        file.write_text(text, encoding="utf-8")
        patch.setenv("ARENA_SECRET", "of the server")
        with Command(file, self.data, "--port", str(self.port)) as command_line:
            status, said = command_line.end()
        assert status == 0, said
        self.games = counted_games(kept(self.data))

    def told(self, name: str) -> list[dict[str, Any]]:
        """Return what an attacker tried, and got, game by game."""
        found = []
        for path in sorted((folder_of(self.data, 1) / "programs").glob(f"*-{name}.txt")):
            lines = path.read_text(errors="replace").splitlines()
            found += [json.loads(line.partition("ATTACK ")[2]) for line in lines if "ATTACK " in line]
        return found

    def ended(self, name: str) -> set[str]:
        """Return how the games ended that an entrant has played and lost."""
        return {
            str(game.termination)
            for game in self.games
            if game.played and name in game.fixture.players and game.winner == 1 - game.fixture.players.index(name)
        }


@pytest.mark.slow("waits")
@pytest.mark.skipif(bool(sandbox_obstacle()), reason=sandbox_obstacle())
def test_honest_entrants_play_with_hostile_ones_what_they_play_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(tmp_path, HONEST, (*LOSE, *PLAY_ON), "", monkeypatch)
    among_honest = [game for game in held.games if set(game.fixture.players) == set(HONEST)]
    assert len(among_honest) == 2
    for game in among_honest:
        text = (held.data / "records" / f"{game.match}.txt").read_text(encoding="utf-8")
        assert verification.verify(text).history.moves == game_by_seed(held.definition, game.fixture)[1]
    for name, termination in LOSE.items():
        assert held.told(name), f"{name} was tried"
        assert held.ended(name) == {termination}, name
    for name, got in PLAY_ON.items():
        told = held.told(name)
        assert told, f"{name} was tried"
        assert told == got * (len(told) // len(got)), name
        if name != "floods":
            assert not held.ended(name) & {"time", "crashed"}, name
    honest_losses = {reason for name in HONEST for reason in held.ended(name)}
    assert honest_losses <= {"line"}, "nobody who is honest has lost but on the board"
    assert with_word(f"stays-{held.port}") == []


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="environments of others can be read on Linux")
def test_the_same_attacks_succeed_without_a_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first game disqualifies the honest entrant, and is the only one that is played."""
    rules = 'sandbox = "none"\ngames-at-once = 1'
    held = Held(tmp_path, HONEST[:1], ("robs",), rules, monkeypatch)
    reads, overwrites, kills = held.told("robs")
    assert reads == {"tokens": 1, "ssh": "secret", "records": 1, "secret": "of the server"}
    assert (overwrites, kills) == ({"rival": 8, "own": 8}, {"kills": 1})
    assert held.ended(HONEST[0]) == {Termination.CRASHED}
