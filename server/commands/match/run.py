"""Holds a match: where its games are played, its live table, Ctrl-C, and its files.

The file of results lets a match continue after Ctrl-C, a crash or a kill. It has JSON lines: first the `Setting`, on
which every game depends, then a `PlayedGame` a line in the order in which games ended. A line is written in one piece;
a line that is half written is ignored.
"""

import os
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from engine.commands.game_files import GameFile
from engine.duel.game_file import GameFormat
from engine.wire.words import number_of
from server.arena.arena import Arena
from server.commands.match.games import GameOver, MatchGames
from server.commands.match.output import Progress, is_complete, progress_line, table
from server.commands.match.setup import MatchSetup, Setting
from server.commands.match.tally import PlayedGame, Tally
from server.config.process_settings import stop_signals
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.dask_cluster import ClusterHost, dask_cluster
from server.contest.hosts.game_worker import CONTEST, private_arena
from server.contest.hosts.host import Host
from server.contest.hosts.precompile import precompile_bots
from server.contest.programs.sandbox.choice import contest_obstacle
from server.contest.store.folders import errors_of
from server.ops.program_version import program
from server.storage.disk import SUFFIX, DataFolders

FILE = GameFormat(msgspec.json.Decoder(Setting), msgspec.json.Decoder(PlayedGame), "match", "game", least=1)
"""The file of results."""

QUIET_SECONDS = 2.0
"""Time of compiling after which it is told why no game has begun."""

DRAW_SECONDS = 0.25
"""Time between two drawings of the table in a terminal."""

DRAW_SHARE = 20.0
"""Ratio of that time to the duration of the last drawing, which grows with the number of games."""

LINE_SECONDS = 10.0
"""Time between two lines of progress where the output is no terminal."""


class MatchFiles(NamedTuple):
    """Where a match keeps what it comes to."""

    results: GameFile[Setting, PlayedGame]
    records: Path | None
    """The folder of the records of its games; None: they are not kept."""


class MatchEnd(NamedTuple):
    """How a match has ended."""

    progress: Progress
    interrupted: bool
    """Ctrl-C, SIGTERM or SIGHUP has ended it."""


async def hold(setup: MatchSetup, files: MatchFiles, concurrency: int, dask: str, console: Console) -> MatchEnd:
    """Play what is left of a match, show its table, and return how it has ended.

    ``concurrency`` games are played at a time; 0 for as many as the cluster at the address ``dask`` has room for.
    Raises `engine.commands.program.Rejected`, OSError, and exception groups of OSError, of
    `server.commands.match.games.CannotPlay` and of `server.contest.formats.openings.BadOpening`.
    """
    holding = _Holding(setup, files, console)
    holding.resume()
    if is_complete(holding.progress):
        return MatchEnd(holding.progress, False)
    interrupted = False
    async with trio.open_nursery() as nursery:

        async def heed_signals(*, task_status: trio.TaskStatus[None]) -> None:
            nonlocal interrupted
            with trio.open_signal_receiver(*stop_signals()) as signals:
                task_status.started()
                async for _ in signals:
                    interrupted = True
                    nursery.cancel_scope.cancel()

        await nursery.start(heed_signals)
        await holding.run(concurrency, dask)
        nursery.cancel_scope.cancel()
    return MatchEnd(holding.progress, interrupted)


async def _precompile(setup: MatchSetup, tell: Callable[[str], None]) -> None:
    """Compile what built-in bots need; say so where it takes a while."""
    async with trio.open_nursery() as nursery:

        async def say() -> None:
            await trio.sleep(QUIET_SECONDS)
            tell("the search of the built-in bot is compiled for this game, once: that takes some seconds")

        nursery.start_soon(say)
        await precompile_bots(setup.definition, beside_games=False)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _host(
    setup: MatchSetup, arena: Arena, dask: str, here: Host
) -> AsyncIterator[tuple[Host, Callable[[], int]]]:
    """Give the host of the games, and how many it can play at a time, where that is for it to say."""
    if not dask:
        yield here, lambda: 1
        return
    cluster = dask_cluster(dask, setup.definition)
    async with trio.open_nursery() as nursery:
        await nursery.start(cluster.run)
        yield ClusterHost(arena, cluster), lambda: cluster.games
        nursery.cancel_scope.cancel()


class _Holding:
    """A match while its games are played."""

    def __init__(self, setup: MatchSetup, files: MatchFiles, console: Console) -> None:
        self._setup = setup
        self._files = files
        self._console = console
        self._tally = Tally(setup.names, setup.test)
        self._known: set[int] = set()
        """Games that were over before the beginning."""
        self._started: set[str] = set()
        """Players who have played in them."""
        self._count = 0
        """Games that are over since the beginning."""
        self._began: float | None = None
        """When the first of them could begin."""
        self._running: Callable[[], int] = lambda: 0

    def resume(self) -> None:
        """Count the games of the file of results."""
        for game in self._files.results.resume(self._setup.setting):
            if game.number > len(self._setup.fixtures):
                continue
            self._tally.add(game)
            self._known.add(game.number)
            self._started.update(game.players if game.plies else ())
        if self._known:
            self._say(f"going on after {number_of(len(self._known), 'game')}")

    @property
    def progress(self) -> Progress:
        """How far the match has come."""
        minutes = 0.0 if self._began is None else (trio.current_time() - self._began) / 60
        rate = self._count / minutes if minutes > 0 else 0.0
        return Progress(self._tally, len(self._setup.fixtures), self._running(), rate)

    async def run(self, concurrency: int, dask: str) -> None:
        """Play all games that are not over, until the test ends the match."""
        if not dask:
            if why := await trio.to_thread.run_sync(contest_obstacle, self._setup.definition):
                raise OSError(why)
            await _precompile(self._setup, self._say)
        numbers = (number for number in range(1, len(self._setup.fixtures) + 1) if number not in self._known)
        with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
            data = Path(folder)
            async with (
                private_arena(data, program()) as (arena, _, seats),
                _host(self._setup, arena, dask, ArenaHost(arena, seats)) as (host, room),
                trio.open_nursery() as nursery,
            ):
                games = MatchGames(self._setup, host, data, (lambda: concurrency) if concurrency else room)
                games.started = self._started
                self._running, self._began = (lambda: games.running), trio.current_time()
                nursery.start_soon(self._show)
                nursery.start_soon(games.tell_awaited, self._say)
                await games.play(numbers, partial(self._keep, data))
                nursery.cancel_scope.cancel()

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    async def _show(self) -> None:
        """Show the table in a terminal, and elsewhere a line now and then."""
        test = self._setup.test
        if self._console.is_terminal:
            with Live(console=self._console, auto_refresh=False, transient=True) as live:
                while True:
                    began = trio.current_time()
                    live.update(Text("\n".join(table(self.progress, test))), refresh=True)
                    await trio.sleep(max(DRAW_SECONDS, DRAW_SHARE * (trio.current_time() - began)))
        told = 0
        while True:
            await trio.sleep(LINE_SECONDS)
            if self._count > told:
                told = self._count
                self._say(progress_line(self.progress, test))

    def _keep(self, data: Path, over: GameOver) -> bool:
        """Keep a game with its record, and tell whether the match goes on."""
        self._keep_record(data, over)
        self._files.results.keep(over.game)
        self._tally.add(over.game)
        self._count += 1
        return not is_complete(self.progress)

    def _keep_record(self, data: Path, over: GameOver) -> None:
        """Move the record and the output on stderr of a game to the folder of records, or delete them."""
        logs = {name: errors_of(data, CONTEST, over.match, name) for name in over.game.players}
        kept = {DataFolders(data).record(over.match): f"{over.game.number}{SUFFIX}"}
        kept |= {path: f"{over.game.number}-{name}.log" for name, path in logs.items()}
        for path, name in kept.items():
            if not path.exists():
                continue
            if self._files.records is not None:
                place = self._files.records / name
                new = place.with_name(f"{name}.new")
                new.write_bytes(path.read_bytes())
                os.replace(new, place)
            path.unlink()
