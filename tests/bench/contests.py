"""Contests of instant bots, through everything that a contest has, beside a bare loop that plays the same games.

The bots choose by a hash of their name and the moves so far, and the loop does the same. They are in C where there is a
compiler: what is measured then is the server, and the start of two processes a game.
"""

import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from unittest import mock

import trio
from rich.console import Console

from engine.clock import TimeControl
from engine.commands.game_files import opened_to_append
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import moves
from server.commands.match.players import MatchPlayer
from server.commands.match.run import FILE as MATCH_FILE
from server.commands.match.run import MatchFiles
from server.commands.match.run import hold as hold_match
from server.commands.match.setup import drawn_openings, make_setup
from server.commands.run_contest import ContestOptions, hold
from server.config.settings import Settings
from server.contest import contest_file
from server.contest.definition import Definition, Sandbox
from server.contest.fixtures import Finished, Fixture
from server.contest.hosts.arena_host import ArenaGame
from server.contest.hosts.host import GameTask
from server.contest.hosts.seating import GameSeating
from server.contest.programs.sandbox.choice import sandbox_obstacle
from server.contest.runtime.runner import Runner
from server.contest.store.store import FILE, Store
from server.ops.logs import configure
from tests.bench.instant import BASIS, hashed
from tests.server.contest.test_ratings import covered

FOLDER = Path(__file__).parent

CONTEST = """
name = "Instant bots"
time = { budget = 60_000 }
games = [{ game = "mnk", params = "5 5 4", openings = { plies = 2 } }]
stages = [{ format = "round-robin", pairs = PAIRS }]
"""

PAIRS = 10

ENTRANTS = 6

TURNS, TURN_PAIRS = 6, 2
"""Contests without and with sandboxes are played so many times in turns, each so long."""

TURN_SECONDS = 60.0
"""No other turn begins after so long: on a busy machine there are fewer."""

LOOPS = 5
"""The fastest of so many passes through the bare loop counts."""

COVERED = 300
"""Simulated contests for the coverage of the intervals, to see that nothing is broken; docs/contests.md has a table."""


def run() -> None:
    """Print the figures."""
    configure(quiet=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command, language = _bot(folder)
        print(f"contests: {ENTRANTS} instant bots in {language}, mnk 5 5 4, two processes a game", flush=True)
        _contest(folder, command)
        _sandboxes(folder, command)
        _matches(folder, command)
    parts = covered(6, 1, 200, 30, -0.5, None, COVERED)
    doubt = 1.96 * statistics.stdev(parts) / math.sqrt(COVERED)
    held = f"{100 * statistics.mean(parts):.1f} % +- {100 * doubt:.1f}"
    print(f"  intervals of 95 % hold the truth in {held}, over {COVERED} simulated contests of 6 entrants")


def _bot(folder: Path) -> tuple[list[str], str]:
    """Return the command of a bot, and its language."""
    compiler = shutil.which("cc")
    if compiler is None:
        return [sys.executable, "-S", str(FOLDER / "instant.py")], "Python"
    subprocess.run([compiler, "-O2", "-o", folder / "bot", FOLDER / "instant.c"], check=True)
    return [str(folder / "bot")], "C"


def _definition(command: list[str], pairs: int, sandbox: str) -> Definition:
    entrants = "".join(f"[[entrants]]\nname = 'bot{number}'\ncommand = {command}\n" for number in range(ENTRANTS))
    text = f'sandbox = "{sandbox}"\n' + CONTEST.replace("PAIRS", str(pairs)) + entrants
    return contest_file.read(text, lambda name: "")


class _Held(NamedTuple):
    """A contest that was held."""

    games: list[Finished]
    seconds: float
    """In all, with its opening, report and verification."""
    stages: "_Stages"
    server: float
    """Processor time of the server, in seconds."""
    programs: float
    """Of all that it has started and that has ended, as far as the system tells: of sealed programs it tells little."""

    @property
    def rate(self) -> float:
        """Return the games a minute, from the beginning of the first one until the result of the last is kept."""
        return 60 * len(self.games) / self.stages.seconds


def _held(definition: Definition, data: Path) -> _Held:
    """Hold a contest."""
    asked = ContestOptions(CONTEST, definition, Settings(data=data, port=0))
    before, began = _processor_seconds(), perf_counter()
    with _Stages() as stages, data.with_suffix(".log").open("w") as log:
        trio.run(hold, asked, Console(file=log))
    seconds = perf_counter() - began
    server, programs = (after - then for after, then in zip(_processor_seconds(), before, strict=True))
    with closing(Store(data / FILE)) as store:
        return _Held(store.games(1), seconds, stages, server, programs)


def _sandboxes(folder: Path, command: list[str]) -> None:
    """Print how many games a minute a contest has with sandboxes, beside one without, played in turns."""
    if why := sandbox_obstacle():
        print(f"  {why}")
        return
    held: dict[str, list[_Held]] = {"none": [], "sealed": []}
    began = perf_counter()
    for turn in range(TURNS):
        if turn and perf_counter() - began > TURN_SECONDS:
            break
        for sandbox, found in held.items():
            definition = _definition(command, TURN_PAIRS, sandbox)
            found.append(_held(definition, folder / f"{sandbox}{turn}"))
    none, sealed = held.values()
    ratios = sorted(one.rate / other.rate for one, other in zip(sealed, none, strict=True))
    told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(
        f"  sealed    {statistics.median(one.rate for one in sealed):9.0f} games/min while they are played, without "
        f"sandboxes {statistics.median(one.rate for one in none):.0f}: {statistics.median(ratios):.2f} times as many "
        f"({told})"
    )
    print("  where the time of a game goes, medians in ms; what stands apart goes on beside the next game")
    print(f"    {'':52}{'no sandbox':>12}{'sealed':>12}")
    for name in none[0].stages.medians():
        figures = (statistics.median(one.stages.medians()[name] for one in found) for found in (none, sealed))
        print(f"    {name:52}" + "".join(f"{1000 * figure:12.1f}" for figure in figures))
    figures = (statistics.median(one.server / len(one.games) for one in found) for found in (none, sealed))
    print(
        f"    {'processor time of the server, report included':52}" + "".join(f"{1000 * one:12.1f}" for one in figures)
    )


def _matches(folder: Path, command: list[str]) -> None:
    """Print how many games a minute ``arena-bot match`` plays, beside a contest of the same games, played in turns."""
    contests, matches = [], []
    began = perf_counter()
    for turn in range(TURNS):
        if turn and perf_counter() - began > TURN_SECONDS:
            break
        held = _held(_definition(command, TURN_PAIRS, "none"), folder / f"beside{turn}")
        contests.append(60 * len(held.games) / held.seconds)
        matches.append(_match(command, len(held.games), folder / f"match{turn}.log"))
    ratios = sorted(one / other for one, other in zip(matches, contests, strict=True))
    told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(
        f"  match     {statistics.median(matches):9.0f} games/min in all, a game a core, where a contest of the same "
        f"games has {statistics.median(contests):.0f}: {statistics.median(ratios):.2f} times as many ({told})"
    )


def _match(command: list[str], games: int, log: Path) -> float:
    """Play a match of instant bots without sandboxes, and return its games a minute, from beginning to end."""
    players = [MatchPlayer(f"bot{number}", tuple(command), "", "") for number in range(ENTRANTS)]
    of_two = games // (ENTRANTS * (ENTRANTS - 1) // 2)
    cores = os.cpu_count() or 1
    setup = make_setup(
        players, "mnk", ["5 5 4"], TimeControl.of_milliseconds(60_000),
        lambda parameters: drawn_openings(GAMES["mnk"], parameters, 2, 0), "",
        games=of_two, concurrency=cores, move_limit=1000, start_seconds=60, sandbox=Sandbox.NONE,
        test=None, folder=str(log.parent),
    )  # fmt: skip
    began = perf_counter()
    with opened_to_append(None, "", MATCH_FILE) as results, log.open("w") as file:
        end = trio.run(hold_match, setup, MatchFiles(results, None), cores, "", Console(file=file))
    assert end.progress.tally.count == games and not any(row.faults for row in end.progress.tally.rows())
    return 60 * games / (perf_counter() - began)


def _contest(folder: Path, command: list[str]) -> None:
    """Hold the contest, play its games in a loop, and print what both came to."""
    definition = _definition(command, PAIRS, "none" if sandbox_obstacle() else "sealed")
    held = _held(definition, folder / "data")
    games, count = held.games, len(held.games)
    loops = []
    for _ in range(LOOPS):
        began = perf_counter()
        same = all(_plays_alike(game, game.fixture.position(definition)) for game in games)
        loops.append(perf_counter() - began)
        assert same, "the loop comes to other games than the contest"
    print(
        f"  contest   {60 * count / held.seconds:9.0f} games/min ({count} games, {held.seconds:.1f} s, "
        f"{os.cpu_count()} cores), {held.rate:.0f} while they are played"
    )
    ratio = held.seconds / min(loops)
    print(f"  bare loop {60 * count / min(loops):9.0f} games/min (one process), {ratio:.0f} times as many")
    server, programs = (1000 * seconds / count for seconds in (held.server, held.programs))
    print(f"  processor time a game: server {server:.1f} ms, programs that it was told of {programs:.1f} ms")
    first, last = held.stages.server_seconds()
    print(
        f"  of the server while games are played: first third {1000 * first:.1f} ms a game, last {1000 * last:.1f} ms"
    )


def _seated(_stack: object, task: GameTask, _started: object) -> Fixture:
    return task.fixture


def _kept(over: Finished, _game: object) -> Fixture:
    return over.fixture


class _Stages:
    """Stamps what happens to each game of a contest, while it is entered."""

    STAGES = (
        ("its beginning is in the database", "play", "seated"),
        ("both programs are there", "seated", "there"),
        ("its last move", "begun", "over"),
        ("its cores are left to the next game", "over", "ended"),
        ("the next game begins", "ended", "next"),
        ("  apart: from its last move until its result is kept", "over", "kept"),
        ("  apart: from its result until all is done", "kept", "left"),
    )

    def __init__(self) -> None:
        self._stamps: dict[Fixture, dict[str, float]] = {}
        self._processor: list[float] = []
        self._patches = [
            mock.patch.object(Runner, "_play", self._around(Runner._play, lambda fixture: fixture, "play", "left")),
            mock.patch.object(GameSeating, "seated", self._around(GameSeating.seated, _seated, "seated", "there")),
            mock.patch.object(ArenaGame, "result", self._result(ArenaGame.result)),
            mock.patch.object(
                Runner, "_keep", self._around(Runner._keep, lambda over, _: over.fixture, "keep", "kept")
            ),
            mock.patch.object(Runner, "_leave_cores", self._ended(Runner._leave_cores)),
        ]

    def _around(self, original: Any, fixture_of: Callable[..., Fixture], before: str, after: str) -> Any:
        """Return a method that stamps its beginning and its end, for the fixture that its arguments are about."""

        async def stamped(runner: Any, *arguments: Any) -> Any:
            fixture = fixture_of(*arguments)
            self._stamp(fixture, before)
            try:
                return await original(runner, *arguments)
            finally:
                self._stamp(fixture, after)

        return stamped

    def _result(self, original: Any) -> Any:
        """Return a method that stamps from the beginning of a match to its end."""

        async def stamped(game: ArenaGame) -> Finished:
            begun = perf_counter()
            over: Finished = await original(game)
            self._stamps.setdefault(over.fixture, {})["begun"] = begun
            self._stamp(over.fixture, "over")
            return over

        return stamped

    def _ended(self, original: Any) -> Any:
        def stamped(runner: Runner, fixture: Fixture) -> None:
            self._stamps[fixture].setdefault("ended", perf_counter())
            original(runner, fixture)

        return stamped

    def _stamp(self, fixture: Fixture, what: str) -> None:
        if what == "play":
            now = perf_counter()
            self._processor.append(_processor_seconds()[0])
            ended = [stamps for stamps in self._stamps.values() if "ended" in stamps and "next" not in stamps]
            for stamps in ended[:1]:  # it has its cores
                stamps["next"] = now
        self._stamps.setdefault(fixture, {})[what] = perf_counter()

    @property
    def seconds(self) -> float:
        """Return how long games were played."""
        stamps = self._stamps.values()
        return max(one["left"] for one in stamps) - min(one["play"] for one in stamps)

    def medians(self) -> dict[str, float]:
        """Return for each stage how many seconds it takes."""
        found = {}
        for name, before, after in self.STAGES:
            both = [one[after] - one[before] for one in self._stamps.values() if before in one and after in one]
            found[name] = statistics.median(both)
        return found

    def server_seconds(self) -> tuple[float, float]:
        """Return the processor time that the server takes for a game, in the first and in the last third of them."""
        third = len(self._processor) // 3
        spans = (self._processor[: third + 1], self._processor[-third - 1 :])
        first, last = ((span[-1] - span[0]) / third for span in spans)
        return first, last

    def __enter__(self) -> "_Stages":
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *error: object) -> None:
        for patch in self._patches:
            patch.stop()


def _plays_alike(game: Finished, opening: str) -> bool:
    """Play the game of two bots, and tell whether it ends as it did in the contest."""
    history = History.begin(GAMES["mnk"].read(opening))
    told = [hashed(BASIS, name) for name in game.fixture.players]
    while (outcome := history.verdict(1000)) is None:
        legal = moves(history.position)
        move = legal[told[history.position.turn] % len(legal)]
        history = history.after(move)
        told = [hashed(value, move) for value in told]
    return (outcome.winner, history.plies) == (game.winner, game.plies)


def _processor_seconds() -> tuple[float, float]:
    """Return the processor time of this process, and that of those that it has started and that have ended."""
    mine, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return mine.ru_utime + mine.ru_stime, others.ru_utime + others.ru_stime
