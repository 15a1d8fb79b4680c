"""Contests of instant bots, through everything that a contest has, beside a bare loop that plays the same games.

The bots choose by a hash of their name and the moves so far, and the loop does the same. They are in C where there is a
compiler: what is measured then is the server, and the start of two processes a game.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from unittest import mock

import trio
from rich.console import Console

from engine.games.catalogue import GAMES
from engine.games.interface import History
from server.commands.run_contest import hold
from server.config.settings import Settings
from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.programs.sandbox.seal import sandbox_obstacle
from server.contest.runtime.runner import Runner
from server.contest.store.store import FILE, Store
from server.ops.logs import configure
from tests.bench.instant import BASIS, hashed

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


def run() -> None:
    """Print the figures."""
    configure(quiet=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command, language = _bot(folder)
        print(f"contests: {ENTRANTS} instant bots in {language}, mnk 5 5 4, two processes a game", flush=True)
        _contest(folder, command)
        _sandboxes(folder, command)


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

    games: list[GameResult]
    seconds: float
    """In all, with its opening, report and verification."""
    playing: float
    """From the beginning of the first game until all of the last one is done."""
    server: float
    """Processor time of the server, in seconds."""
    programs: float
    """Processor time of programs that have ended, in seconds. The system reports little about sealed programs."""

    @property
    def rate(self) -> float:
        """Return the games a minute while games are played."""
        return 60 * len(self.games) / self.playing


def _held(definition: Definition, data: Path) -> _Held:
    """Hold a contest."""
    before, began = _processor_seconds(), perf_counter()
    with _stamps() as stamps, data.with_suffix(".log").open("w") as log:
        trio.run(hold, CONTEST, definition, Settings(data=data, port=0), "", Console(file=log))
    seconds = perf_counter() - began
    server, programs = (after - then for after, then in zip(_processor_seconds(), before, strict=True))
    with closing(Store(data / FILE)) as store:
        return _Held(store.games(1), seconds, max(stamps) - min(stamps), server, programs)


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


def _contest(folder: Path, command: list[str]) -> None:
    """Hold the contest, play its games in a loop, and print what both came to."""
    definition = _definition(command, PAIRS, "none" if sandbox_obstacle() else "sealed")
    held = _held(definition, folder / "data")
    games, count = held.games, len(held.games)
    loops = []
    for _ in range(LOOPS):
        began = perf_counter()
        same = all(_plays_alike(game, definition.position(game.fixture)) for game in games)
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


@contextmanager
def _stamps() -> Iterator[list[float]]:
    """List the moments at which games of contests begin, and at which all of them is done."""
    stamps: list[float] = []
    play: Any = Runner._play

    async def stamped(runner: Runner, *arguments: Any) -> None:
        stamps.append(perf_counter())
        await play(runner, *arguments)
        stamps.append(perf_counter())

    with mock.patch.object(Runner, "_play", stamped):
        yield stamps


def _plays_alike(game: GameResult, opening: str) -> bool:
    """Play the game of two bots, and tell whether it ends as it did in the contest."""
    history = History.begin(GAMES["mnk"].read(opening))
    told = [hashed(BASIS, name) for name in game.fixture.players]
    while (outcome := history.outcome(1000)) is None:
        legal = history.position.legal_moves
        move = legal[told[history.position.turn] % len(legal)]
        history = history.after(move)
        told = [hashed(value, move) for value in told]
    return (outcome.winner, history.plies) == (game.winner, game.plies)


def _processor_seconds() -> tuple[float, float]:
    """Return the processor time of this process, and that of those that it has started and that have ended."""
    mine, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return mine.ru_utime + mine.ru_stime, others.ru_utime + others.ru_stime
