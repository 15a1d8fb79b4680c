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
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest import mock

import trio
from rich.console import Console

from engine.catalogue import GAMES
from engine.game import moves
from engine.history import History
from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.fixtures import Finished
from server.logs import configure
from server.organise.holding import Asked, hold
from server.organise.runner import Runner
from server.organise.sealing import hindrance
from server.organise.seats import Seats
from server.organise.store import FILE, Store
from server.settings import Settings
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

TURNS, TURN_PAIRS = 4, 2
"""Contests without and with sandboxes are played so many times in turns, each so long."""

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


def _sandboxes(folder: Path, command: list[str]) -> None:
    """Print how many games a minute a contest has with sandboxes, beside one without, played in turns."""
    if why := hindrance():
        print(f"  {why}")
        return
    rates: dict[str, list[float]] = {"none": [], "sealed": []}
    for turn in range(TURNS):
        for sandbox, found in rates.items():
            definition = _definition(command, TURN_PAIRS, sandbox)
            data = folder / f"{sandbox}{turn}"
            asked = Asked(CONTEST, definition, Settings(data=data, port=0))
            began = perf_counter()
            with (folder / "log").open("w") as log:
                trio.run(hold, asked, Console(file=log))
            seconds = perf_counter() - began
            with closing(Store(data / FILE)) as store:
                found.append(60 * len(store.games(1)) / seconds)
    ratios = [sealed / none for sealed, none in zip(rates["sealed"], rates["none"], strict=True)]
    told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(
        f"  sealed    {statistics.median(rates['sealed']):9.0f} games/min, without sandboxes "
        f"{statistics.median(rates['none']):.0f}: {statistics.median(ratios):.2f} times as many ({told})"
    )


def _contest(folder: Path, command: list[str]) -> None:
    """Hold the contest, play its games in a loop, and print what both came to."""
    definition = _definition(command, PAIRS, "none" if hindrance() else "sealed")
    asked = Asked(CONTEST, definition, Settings(data=folder / "data", port=0))
    before, began = _processor_seconds(), perf_counter()
    with _Timed(Seats, "seated") as seated, _Timed(Runner, "_play") as whole, (folder / "log").open("w") as log:
        trio.run(hold, asked, Console(file=log))
    seconds = perf_counter() - began
    server, programs = (after - then for after, then in zip(_processor_seconds(), before, strict=True))
    with closing(Store(folder / "data" / FILE)) as store:
        games = store.games(1)
    loops = []
    for _ in range(LOOPS):
        began = perf_counter()
        same = all(_plays_alike(game, game.fixture.position(definition)) for game in games)
        loops.append(perf_counter() - began)
        assert same, "the loop comes to other games than the contest"
    count = len(games)
    print(f"  contest   {60 * count / seconds:9.0f} games/min ({count} games, {seconds:.1f} s, {os.cpu_count()} cores)")
    ratio = seconds / min(loops)
    print(f"  bare loop {60 * count / min(loops):9.0f} games/min (one process), {ratio:.0f} times as many")
    share = 100 * seated.seconds / whole.seconds
    print(f"  a game: {1000 * whole.seconds / count:.0f} ms, {share:.0f} % of it until both programs are there")
    print(f"  processor time a game: server {1000 * server / count:.1f} ms, programs {1000 * programs / count:.1f} ms")


class _Timed:
    """Adds up how long the calls of a method take, while it is entered."""

    def __init__(self, of: type, name: str) -> None:
        self.seconds = 0.0
        original = getattr(of, name)

        async def timed(*arguments: Any) -> Any:
            began = perf_counter()
            try:
                return await original(*arguments)
            finally:
                self.seconds += perf_counter() - began

        self._patch = mock.patch.object(of, name, timed)

    def __enter__(self) -> "_Timed":
        self._patch.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._patch.stop()


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
