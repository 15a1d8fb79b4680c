"""Contests of honest entrants with hostile ones: the honest ones play what they play without them."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.interface import Termination
from engine.match import verification
from server.contest import contest_file
from server.contest.fixtures import GameResult, counted_games
from server.contest.plan import plan
from server.contest.store.folders import folder_of
from tests.server.contest.runtime.bots import DICE, final_table, game_by_seed
from tests.server.contest.runtime.test_contest_command import Command, kept
from tests.server.contest.runtime.test_sandbox import with_word
from tests.server.process import free_port

ATTACKER = Path(__file__).with_name("attacker.py")
HONEST = ("honest1", "honest2")

# a program that spins has a second of processor time, the least, and a minute to get it in: on a busy machine, too, it
# ends by the former. The first entrant, who is honest, meets each other one
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

LOSE = {"eats": Termination.OUT_OF_MEMORY}
"""Attacks that lose the game, and how. test_sandbox.py has the other bounds and system calls."""
if os.environ.get("ARENA_CAMPAIGN"):
    LOSE |= {"spins": Termination.OUT_OF_CPU_TIME, "exits": Termination.CRASHED, "aborts": Termination.CRASHED}

HIDDEN: dict[str, list[dict[str, object]]] = {
    "pretends": [{"pretended": ["WELCOME", "hidden"]}],
    "reads": [{"tokens": 0, "ssh": "FileNotFoundError", "records": "FileNotFoundError", "secret": None}],
    "edits": [{"database": "OperationalError", "record": "FileNotFoundError"}],
    "overwrites": [{"rival": "FileNotFoundError", "own": "OSError"}],
    "fills": [{"scratch": [8, "OSError"], "shared": [16, "OSError"], "own": [0, "OSError"]}],
    "kills": [{"killed": 0}],
    "forks": [],
}
"""Attacks of the program ``hidden``, which plays on after them, and what they get in a sandbox."""


class Held:
    """A contest that was held."""

    def __init__(
        self, folder: Path, honest: tuple[str, ...], hostile: tuple[str, ...], sandbox: str, patch: pytest.MonkeyPatch
    ) -> None:
        """Hold it; each entrant has a folder of its own, with a copy of its program."""
        self.data = folder / "data"
        home = folder / "home"
        (home / ".ssh").mkdir(parents=True)
        (home / ".ssh" / "id").write_text("secret")
        self.port = free_port()
        text = f'sandbox = "{sandbox}"\n' + CONTEST
        for name in honest + hostile:
            (folder / name).mkdir()
            shutil.copy(DICE if name in honest else ATTACKER, folder / name / "bot.py")
            shutil.copy(DICE, folder / name)
            command = [sys.executable, "bot.py"]
            if name in hostile:
                command += [str(home), str(self.data), str(folder / "honest1" / "bot.py"), str(self.port)]
            text += f"[[entrants]]\nname = '{name}'\ncommand = {command}\nfolder = '{name}'\n"
        self.definition = contest_file.read(text, str)
        file = folder / "contest.toml"
        file.write_text(text, encoding="utf-8")
        patch.setenv("ARENA_SECRET", "of the server")
        with Command(file, self.data, "--port", str(self.port)) as command_line:
            status, said, _ = command_line.end()
        assert status == 0, said
        self.games = counted_games(kept(self.data))
        self.table = [row.name for row in final_table(self.definition, self.games)]
        """Names by places."""

    def among(self, names: tuple[str, ...]) -> dict[object, object]:
        """Return the games between some of them, move by move."""
        return {
            game.fixture.players: (game.winner, game.termination, self.moves(game))
            for game in self.games
            if set(game.fixture.players) <= set(names)
        }

    def moves(self, game: GameResult) -> list[str]:
        record = self.data / "records" / f"{game.match}.txt"
        return list(verification.verify(record.read_text(encoding="utf-8")).history.moves)

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
@pytest.mark.usefixtures("needs_sandbox")
def test_honest_entrants_play_with_hostile_ones_what_they_play_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Held(tmp_path, HONEST, (*LOSE, "floods", "hidden"), "sealed", monkeypatch)
    alone = replace(together.definition, entrants=together.definition.entrants[: len(HONEST)])
    games = [game_by_seed(alone, fixture) for fixture in plan(alone, []).due]
    expected = {one.fixture.players: (one.winner, one.termination, [*moves]) for one, moves in games}
    assert together.among(HONEST) == expected and len(expected) == 2
    table = final_table(alone, [one for one, _ in games])
    assert [name for name in together.table if name in HONEST] == [row.name for row in table]
    for name, termination in LOSE.items():
        assert together.told(name) == [{"tried": name}] * 2, name
        assert together.ended(name) == {termination}, name
    assert together.told("floods") == [{"tried": "floods"}] * 2
    assert together.told("hidden") == [line for name, got in HIDDEN.items() for line in ({"tried": name}, *got)] * 2
    assert not together.ended("hidden") & {"time", "crashed"}
    assert together.ended(HONEST[0]) | together.ended(HONEST[1]) <= {"line"}, "the honest lose on the board alone"
    assert with_word(f"stays-{together.port}") == []


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="environments of others can be read on Linux")
def test_the_same_attacks_succeed_without_a_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(tmp_path, HONEST[:1], ("open",), "none", monkeypatch)
    reads, overwrites, kills = held.told("open")[1:6:2]
    assert (reads["ssh"], reads["secret"], overwrites["rival"]) == ("secret", "of the server", 8)
    assert reads["tokens"] >= 1 and kills["killed"]
    assert Termination.CRASHED in held.ended(HONEST[0])
