"""``arena-server contest`` as a process: stopped, killed, and asked for nonsense.

With ARENA_CAMPAIGN=1 it is killed a hundred times.
"""

import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from bots.bot import Bot, Clocks
from bots.client import connection
from bots.client.connection import Address
from bots.client.errors import ArenaError
from bots.client.session import Session
from engine.games.interface import ANNULLED, Position
from engine.match import verification
from engine.wire import messages as m
from server.commands.run_contest import STOPPED
from server.config.tokens import hashed
from server.contest import contest_file
from server.contest.fixtures import GameResult, counted_games
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.storage.database import BadStore
from tests.server.conftest import Run
from tests.server.contest.runtime.bots import DICE, SANDBOX, choose_by_seed, games_by_seed, read_definition
from tests.server.machines import Machines
from tests.server.process import RunningProgram, free_port, wait_until
from tests.waiting import BUILD_SECONDS, WAIT_SECONDS

KILLS, ROUNDS, PROGRAMS_KILLED = (100, 2, 2) if os.environ.get("ARENA_CAMPAIGN") else (1, 1, 1)


def entrants(programs: int, connecting: int) -> str:
    lines = [f"[[entrants]]\nname = 'p{n}'\ncommand = ['{sys.executable}', '{DICE}']\n" for n in range(programs)]
    return "".join(lines + [f"[[entrants]]\nname = 'c{n}'\n" for n in range(connecting)])


def contest(folder: Path, text: str) -> Path:
    path = folder / "contest.toml"
    path.write_text(text, encoding="utf-8")
    return path


class Command(RunningProgram):
    """A running ``arena-server contest``."""

    def __init__(self, file: Path, data: Path, *options: str) -> None:
        super().__init__("server", "contest", str(file), "--data", str(data), *options, stderr=subprocess.STDOUT)


def hold(file: Path, data: Path, *options: str) -> tuple[int, str]:
    with Command(file, data, "--port", "0", *options) as command:
        return command.end()[:2]


def kept(data: Path) -> list[GameResult]:
    """Return the games in the store, none of a contest that was not opened yet."""
    try:
        with closing(Store(data / FILE)) as store:
            return store.games(1)
    except BadStore:
        return []


def wait_for(data: Path, games: int) -> None:
    wait_until(lambda: len(kept(data)) >= games, 0.1, BUILD_SECONDS)


def results(games: list[GameResult]) -> dict[object, object]:
    return {game.fixture: (game.winner, game.termination, game.plies) for game in counted_games(games)}


PROGRAMS = (
    SANDBOX
    + """
name = "Programs"
seed = 4
time = { budget = 60_000 }
games = [{ game = "mnk", params = "4 4 3", openings = { plies = 1, number = 4 } }]
stages = [{ format = "round-robin" }]
"""
)


@pytest.mark.slow
def test_a_contest_of_programs_is_reported_with_all_its_records(tmp_path: Path, run: Run) -> None:
    dice = [sys.executable, str(DICE)]
    entrants_ = entrants(1, 0) + "".join(
        f"[[entrants]]\nname = '{name}'\ncommand = {command}\ntoken = '{hashed(name)}'\n"
        for name, command in [("crash", dice), ("wrong", dice), ("nobody", ["sh", "-c", "exit 1"])]
    )
    file, data = contest(tmp_path, PROGRAMS.replace("round-robin", "gauntlet") + entrants_), tmp_path / "data"
    assert run("contest", str(file), "--data", str(data), "--port", "0").status == 0
    folder = folder_of(data, 1)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert (report["state"], report["done"]) == ("over", 6)
    reasons = {(loss["name"], loss["cause"]) for loss in report["losses"]}
    assert reasons >= {("crash", "crashed"), ("wrong", "bad_move"), ("nobody", "crashed")}
    logs = {folder / loss["log"] for loss in report["losses"] if loss["name"] == "crash" and loss["log"]}
    assert logs and all("I cannot go on" in log.read_text(encoding="utf-8") for log in logs)
    for game in report["games"]:
        if game["match"] is not None:
            text = (folder / game["record"]).read_text(encoding="utf-8")
            assert verification.verify(text).reason == game["reason"]
    again = run("contest", str(file), "--data", str(data))
    assert again.status == 0
    assert again.out[-1].partition("; ")[2] == snapshot(
        "nothing was played. To play again, give it another name in its file, or a new --data."
    )
    verified = run("contest", str(file), "--data", str(data), "--verify")
    assert verified.status == 0 and verified.out[-1] in report["notes"]


@pytest.mark.slow
def test_a_server_that_uses_the_directory_holds_the_contest_of_another_command_until_ctrl_c(
    tmp_path: Path, run: Run
) -> None:
    data = tmp_path / "data"
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    waits = contest(first, PROGRAMS.replace('"Programs"', '"Waits"') + entrants(0, 2))
    with Command(waits, data, "--port", "0", "--verbose") as holder:
        wait_for_line(holder, "listening on")
        assert run("contest", str(contest(second, PROGRAMS + entrants(2, 0))), "--data", str(data)).status == 0
        holder.process.send_signal(signal.SIGINT)
        status, said, _ = holder.end()
    assert status == STOPPED and "Traceback" not in said, said
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
    assert run("contest", "file", "Winter", "--data", str(data)).fault == snapshot(
        "there is no contest 'Winter'; there is Autumn"
    )
    nowhere = tmp_path / "nowhere"
    assert str(nowhere) in run("contest", "file", "Autumn", "--data", str(nowhere)).fault
    assert not nowhere.exists()


class Pace:
    """Lets bots make so many moves: with one fewer than a contest has, its server is killed before it can be over."""

    def __init__(self) -> None:
        self.made = 0
        self._limit = 0.0
        self._changed = threading.Condition()

    def allow(self, moves: float) -> None:
        """Let bots make so many moves since the beginning."""
        with self._changed:
            self._limit = moves
            self._changed.notify_all()

    def take(self) -> None:
        """Wait until another move may be made."""
        with self._changed:
            self._changed.wait_for(lambda: self.made < self._limit)
            self.made += 1
            self._changed.notify_all()

    def wait_until_made(self, moves: int) -> None:
        """Wait until so many moves were made."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.made >= moves, BUILD_SECONDS)


class Seeded(Bot):
    """Plays by its name and what was played so far."""

    def __init__(self, name: str, pace: Pace) -> None:
        self.name = name
        self._pace = pace

    def choose(self, position: Position, clocks: Clocks) -> str:
        self._pace.take()
        told = ["", *self.history.start.text().splitlines(), *self.history.moves]
        return choose_by_seed(self.name, told, tuple(position.legal_moves))


class Over(Exception):
    """The test is over, and bots connect no more."""


class Player(threading.Thread):
    """A bot that connects by itself, and comes back whatever becomes of the server."""

    def __init__(self, name: str, port: int, pace: Pace) -> None:
        super().__init__(name=name, daemon=True)
        self._where = Address("127.0.0.1", port)
        self._pace = pace

    def run(self) -> None:
        with suppress(Over):
            while True:
                bot, login, seek = Seeded(self.name, self._pace), m.Login(self.name), m.Seek("any")
                try:
                    Session(bot, self._where, login, seek, carry_on=True, report=lambda _: None).run(0)
                except ArenaError:
                    time.sleep(0.1)


CONNECTING = 2


@pytest.fixture
def players(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, Pace]]:
    """Let bots connect again and again to a port, until the test is over."""
    over, open_stream = threading.Event(), connection.open_stream

    def open_unless_over(*where: Any) -> Any:
        if over.is_set():
            raise Over
        return open_stream(*where)

    monkeypatch.setattr(connection, "PAUSES", (0.05, 0.1))
    monkeypatch.setattr(connection, "open_stream", open_unless_over)
    port, pace = free_port(), Pace()
    found = [Player(f"c{number}", port, pace) for number in range(CONNECTING)]
    for player in found:
        player.start()
    yield port, pace
    over.set()
    pace.allow(math.inf)
    for player in found:
        player.join(WAIT_SECONDS)
        assert not player.is_alive()


KILLED = (
    SANDBOX
    + """
name = "Killed"
seed = 9
time = { budget = 600_000 }
games = [{ game = "gipf", params = "2 2 5 5", openings = { plies = 1, number = 4 } }, { game = "mnk", params = "4 4 3" }]
stages = [{ format = "swiss", rounds = %d, pairs = %d }, { format = "round-robin", advance = 2, pairs = %d }]
"""
)


@pytest.mark.slow
def test_kills_at_random_moments_change_nothing_in_the_final_table(
    tmp_path: Path, run: Run, players: tuple[int, Pace]
) -> None:
    """The last server runs within this process."""
    port, pace = players
    chance = random.Random(20261121)
    pairs = max(1, KILLS // 4)
    file = contest(tmp_path, KILLED % (ROUNDS, pairs, pairs) + entrants(PROGRAMS_KILLED, CONNECTING))
    killed = tmp_path / "killed"
    definition = read_definition(file.read_text(encoding="utf-8"))
    expected = games_by_seed(definition)
    programs = {entrant.name for entrant in definition.entrants if entrant.command}
    moves = sum(game.plies if programs.isdisjoint(game.fixture.players) else game.plies // 2 for game in expected)
    seen: list[GameResult] = []
    for kill in range(1, KILLS + 1):
        limit = (moves - 1) * kill // KILLS
        moment = chance.randint(pace.made + 1, limit)
        pace.allow(limit)
        with Command(file, killed, "--port", str(port)) as command:
            pace.wait_until_made(moment)
            time.sleep(chance.uniform(0, 0.2))
            assert command.process.poll() is None
            command.process.kill()
        games = kept(killed)
        assert games[: len(seen)] == seen, "what was kept stays"
        seen = games
    pace.allow(math.inf)
    assert run("contest", str(file), "--data", str(killed), "--port", str(port)).status == 0
    games = kept(killed)
    assert results(games) == results(expected)
    assert len({game.match for game in games}) == len(games), "no match was counted twice"
    for game in games:
        summary = verification.verify((killed / "records" / f"{game.match}.txt").read_text(encoding="utf-8"))
        assert (summary.reason, summary.history.plies) == (game.termination, game.plies)
        assert (summary.result == "annulled") == (game.termination in ANNULLED)
    assert not any((killed / "damaged").iterdir())


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("and_coordinator", [False, pytest.param(True, marks=pytest.mark.campaign)])
def test_a_contest_ends_like_a_local_one_though_a_worker_and_the_coordinator_are_killed(
    tmp_path: Path, machines: Machines, and_coordinator: bool
) -> None:
    """The program p0 makes no move before the worker is killed: the contest cannot be over then."""
    own, there = tmp_path / "own", tmp_path / "there"
    own.mkdir()
    (own / "hold").touch()
    text = 'sandbox = "none"\n' + PROGRAMS.removeprefix(SANDBOX) + entrants(3, 0)
    file = contest(tmp_path, text.replace("name = 'p0'", "name = 'p0'\nfolder = 'own'"))
    options = ("--port", "0", "--dask", machines.address)
    if and_coordinator:
        with Command(file, there, *options):
            wait_for(there, 1)
    with Command(file, there, *options) as command:
        wait_until(
            lambda: (own / "held").exists() and (own / "held").read_text() == str(machines.last), 0.05, BUILD_SECONDS
        )
        machines.kill_last()
        (own / "hold").unlink()
        status, said, _ = command.end()
    assert status == 0, said
    games = kept(there)
    assert results(games) == results(games_by_seed(read_definition(text)))
    for game in games:
        assert verification.verify((there / "records" / f"{game.match}.txt").read_text()).history.plies == game.plies
    assert len(list((there / "records").iterdir())) == len(games) == 6
