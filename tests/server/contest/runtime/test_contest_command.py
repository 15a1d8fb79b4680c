"""``arena-server contest`` as a process: stopped, killed, and asked for nonsense.

With ARENA_CAMPAIGN=1 it is killed a hundred times.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bots.bot import Bot, Clocks
from bots.client import connection
from bots.client.connection import Address
from bots.client.errors import ArenaError
from bots.client.session import Session
from engine.games.interface import ANNULLED, Position
from engine.match import verification
from engine.wire import messages as m
from server.config.tokens import hashed
from server.contest import contest_file
from server.contest.fixtures import GameResult, counted_games
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.storage.database import BadStore
from tests.server.conftest import Run
from tests.server.contest.runtime.bots import DICE, SANDBOX, choose_by_seed
from tests.server.machines import Machines
from tests.server.process import free_port, wait_until
from tests.waiting import BUILD_SECONDS

KILLS, ROUNDS = (100, 2) if os.environ.get("ARENA_CAMPAIGN") else (3, 1)


def entrants(programs: int, connecting: int) -> str:
    lines = [f"[[entrants]]\nname = 'p{n}'\ncommand = ['{sys.executable}', '{DICE}']\n" for n in range(programs)]
    return "".join(lines + [f"[[entrants]]\nname = 'c{n}'\n" for n in range(connecting)])


def contest(folder: Path, text: str) -> Path:
    path = folder / "contest.toml"
    path.write_text(text, encoding="utf-8")
    return path


class Command:
    """A running ``arena-server contest``; it ends with its ``with``."""

    def __init__(self, file: Path, data: Path, *options: str) -> None:
        words = [sys.executable, "-P", "-m", "server", "contest", str(file), "--data", str(data), *options]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> tuple[int, str]:
        """Wait for its end; return its exit status and what it has said."""
        said, _ = self.process.communicate(timeout=BUILD_SECONDS)
        return self.process.returncode, said


def run(file: Path, data: Path, *options: str) -> tuple[int, str]:
    with Command(file, data, "--port", "0", *options) as command:
        return command.end()


def kept(data: Path) -> list[GameResult]:
    """Return the games in the store, none of a contest that was not opened yet."""
    try:
        with closing(Store(data / FILE)) as store:
            return store.games(1)
    except BadStore:
        return []


def wait_for(data: Path, games: int) -> None:
    wait_until(lambda: len(kept(data)) >= games)


def results(games: list[GameResult]) -> dict[object, object]:
    return {game.fixture: (game.winner, game.termination, game.plies) for game in counted_games(games)}


PROGRAMS = (
    SANDBOX
    + """
name = "Programs"
seed = 4
time = { budget = 60_000 }
games = [{ game = "mnk", params = "4 4 3", openings = { plies = 1 } }]
stages = [{ format = "round-robin" }]
"""
)


@pytest.mark.slow
def test_a_contest_of_programs_is_reported_with_all_its_records(tmp_path: Path) -> None:
    entrants_ = entrants(2, 0) + "".join(
        f"[[entrants]]\nname = '{name}'\ncommand = {command}\ntoken = '{hashed(name)}'\n"
        for name, command in [
            ("crash", [sys.executable, str(DICE)]),
            ("wrong", [sys.executable, str(DICE)]),
            ("nobody", ["sh", "-c", "exit 1"]),
        ]
    )
    status, said = run(contest(tmp_path, PROGRAMS + entrants_), tmp_path / "data")
    assert status == 0 and "over: " in said, said
    report = json.loads((folder_of(tmp_path / "data", 1) / "report.json").read_text(encoding="utf-8"))
    assert (report["state"], report["done"]) == ("over", 20)
    reasons = {(loss["name"], loss["cause"]) for loss in report["losses"]}
    assert {
        ("crash", "crashed"),
        ("wrong", "bad_move"),
        ("nobody", "crashed"),
    } <= reasons
    data = tmp_path / "data"
    logs = {folder_of(data, 1) / loss["log"] for loss in report["losses"] if loss["name"] == "crash" and loss["log"]}
    assert logs and all("I cannot go on" in log.read_text(encoding="utf-8") for log in logs)
    for game in report["games"]:
        if game["match"] is not None:
            text = (folder_of(tmp_path / "data", 1) / game["record"]).read_text(encoding="utf-8")
            assert verification.verify(text).reason == game["reason"]
    again, said = run(contest(tmp_path, PROGRAMS + entrants_), tmp_path / "data")
    assert again == 0 and "over: " in said, "of a contest that is over the result is shown again"
    assert "nothing was played. To play again, give it another name in its file, or a new --data" in said
    again, said = run(tmp_path / "contest.toml", tmp_path / "data", "--verify")
    assert again == 0 and said.splitlines()[-1].startswith("verified: "), said
    assert said.splitlines()[-1] in report["notes"]


@pytest.mark.slow
def test_a_server_that_uses_the_directory_holds_the_contest_of_another_command(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    waits = contest(first, PROGRAMS.replace('"Programs"', '"Waits"') + entrants(0, 2))
    with Command(waits, data, "--port", "0", "--verbose") as holder:
        wait_for_line(holder, "listening on")
        status, said = run(contest(second, PROGRAMS + entrants(2, 0)), data)
        assert status == 0 and "plays the contest" in said and "over: " in said.splitlines()[-1]
    with closing(Store(data / FILE)) as store:
        assert len(counted_games(store.games(2))) == 2


def wait_for_line(command: Command, words: str) -> list[str]:
    """Return all lines up to the first line with these words."""
    assert command.process.stdout is not None
    lines: list[str] = []
    while not lines or words not in lines[-1]:
        lines.append(command.process.stdout.readline())
        assert lines[-1], "it has ended"
    return lines


def test_the_file_of_a_kept_contest_is_printed_as_it_was(tmp_path: Path, run: Run) -> None:
    text = (
        "# Über alles\nname = 'Autumn'\ntime = { budget = 1000 }\nentrants = [{ name = 'ann' }, { name = 'bob' }]\n"
        "games = [{ game = 'mnk', params = '3 3 3' }]\nstages = [{ format = 'round-robin' }]\n"
    )
    data = tmp_path / "data"
    data.mkdir()
    with closing(Store(data / FILE)) as store:
        store.open_contest(text, contest_file.read(text, str), datetime.now(UTC))
    assert run("contest", "file", "Autumn", "--data", str(data)).out == text.splitlines()
    found = run("contest", "file", "Winter", "--data", str(data)).fault
    assert found == "there is no contest 'Winter'; there is Autumn"
    nowhere = tmp_path / "nowhere"
    found = run("contest", "file", "Autumn", "--data", str(nowhere)).fault
    assert str(nowhere) in found and not nowhere.exists()


class Seeded(Bot):
    """Plays by its name and what was played so far."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, position: Position, clocks: Clocks) -> str:
        told = ["", *self.history.start.text().splitlines(), *self.history.moves]
        return choose_by_seed(self.name, told, tuple(position.legal_moves))


class Player(threading.Thread):
    """A bot that connects by itself, and comes back whatever becomes of the server."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name=name, daemon=True)
        self.over = False
        self._where = Address("127.0.0.1", port)
        self._reports: list[str] = []

    def run(self) -> None:
        while not self.over:
            login, seek = m.Login(self.name), m.Seek("any")
            bot, report = Seeded(self.name), self._reports.append
            try:
                Session(bot, self._where, login, seek, carry_on=True, report=report).run(0)
            except ArenaError:
                time.sleep(0.1)


@pytest.fixture
def players(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, list[Player]]]:
    """Let two bots connect again and again to a port."""
    monkeypatch.setattr(connection, "PAUSES", (0.05, 0.1))
    port = free_port()
    found = [Player(f"c{number}", port) for number in range(3)]
    for player in found:
        player.start()
    yield port, found
    for player in found:
        player.over = True


KILLED = (
    SANDBOX
    + """
name = "Killed"
seed = 9
time = { budget = 600_000 }
games = [{ game = "gipf", params = "2 2 5 5", openings = { plies = 1 } }, { game = "mnk", params = "4 4 3" }]
stages = [{ format = "swiss", rounds = %d, pairs = %d }, { format = "round-robin", advance = 2, pairs = %d }]
"""
)


@pytest.mark.slow
def test_kills_at_random_moments_change_nothing_in_the_final_table(
    tmp_path: Path, players: tuple[int, list[Player]]
) -> None:
    port, _ = players
    chance = random.Random(20261121)
    pairs = max(1, KILLS // 4)
    file = contest(tmp_path, KILLED % (ROUNDS, pairs, pairs) + entrants(2, 3))
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    with Command(file, calm, "--port", str(port)) as command:
        status, said = command.end()
        assert status == 0, said
    seen: list[GameResult] = []
    for kill in range(KILLS):
        with Command(file, killed, "--port", str(port)) as command:
            # never so late that it could be over before it is killed
            wait_for(killed, len(kept(calm)) * kill // (KILLS + 2) + chance.randrange(2))
            time.sleep(chance.uniform(0, 0.2))
            assert command.process.poll() is None
            command.process.kill()
        games = kept(killed)
        assert games[: len(seen)] == seen, "what was kept stays"
        seen = games
    with Command(file, killed, "--port", str(port)) as command:
        status, said = command.end()
        assert status == 0, said
    games = kept(killed)
    print(
        f"{KILLS} kills, {len(games)} games, {len(games) - len(counted_games(games))} of them annulled and played again"
    )
    assert results(games) == results(kept(calm))
    assert len({game.match for game in games}) == len(games), "no match was counted twice"
    for game in games:
        summary = verification.verify((killed / "records" / f"{game.match}.txt").read_text(encoding="utf-8"))
        assert (summary.reason, summary.history.plies) == (game.termination, game.plies)
        assert (summary.result == "annulled") == (game.termination in ANNULLED)
    assert not any((killed / "damaged").iterdir())


@pytest.mark.slow
def test_a_contest_ends_like_a_local_one_though_a_worker_and_the_coordinator_are_killed(
    tmp_path: Path, machines: Machines
) -> None:
    file, here, there = contest(tmp_path, PROGRAMS + entrants(3, 0)), tmp_path / "here", tmp_path / "there"
    assert run(file, here)[0] == 0
    options = ("--port", "0", "--dask", machines.address)
    with Command(file, there, *options):
        wait_for(there, 1)
    with Command(file, there, *options) as command:
        wait_for(there, 3)
        machines.kill_worker()
        status, said = command.end()
    assert status == 0, said
    assert "has 2 workers, and room for 2 games at a time" in said
    games = kept(there)
    assert len(games) == 6
    assert results(games) == results(kept(here))
    for game in games:
        assert verification.verify((there / "records" / f"{game.match}.txt").read_text()).history.plies == game.plies
    assert len(list((there / "records").iterdir())) == 6
