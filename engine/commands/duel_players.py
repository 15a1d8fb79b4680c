"""The processes of a duel: each plays whole pairs of games, with a searcher for either side."""

import gc
import os
import signal
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from time import perf_counter
from typing import NamedTuple

from engine.duel import engine_config
from engine.duel.engine_config import EngineConfig, weigher
from engine.duel.games import Pair, Reply, Request, play_pair
from engine.duel.results import Contender, Setting
from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.games.kernels import broken_pipes_raised
from engine.levels import MAX_LEVEL
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import PlayedKeys, Searcher, SearchLimits

EXERCISE = SearchLimits(depth=2)
"""A search that compiles or loads all code that a side needs."""


class Task(NamedTuple):
    """A pair to be played."""

    number: int
    opening: tuple[str, ...]


class SearchPlayer:
    """Plays one side of a duel."""

    def __init__(self, contender: Contender, start: Position) -> None:
        """Take a side and the start of its games. Compiles the search, or loads it."""
        self.side = engine_config.read(contender.side)
        self._weigh = weigher(start, contender.weights)
        self._kernel = self._weigh(start).kernel()
        Searcher(self._kernel, megabytes=0).think(self._weigh(start), (), EXERCISE, clock=perf_counter)
        self._limits = _limits(self.side)
        self._game = -1

    def play(self, request: Request) -> Reply:
        """Search for a move."""
        if request.game != self._game:  # a game does not depend on the one before; this costs no side time
            self._game = request.game
            self._searcher = Searcher(self._kernel, megabytes=self.side.table, threads=self.side.threads or 1)
            self._keys = PlayedKeys()
        began = perf_counter()
        position = self._weigh(request.history.position)
        limits = self._limits._replace(seed=request.game)
        result = self._searcher.think(position, self._keys.before(request.history), limits, clock=perf_counter)
        move = result.move  # to write a move takes time, which counts
        return Reply(move, (perf_counter() - began) * 1000, result.nodes)


def _limits(side: EngineConfig) -> SearchLimits:
    return SearchLimits(
        side.depth or MAX_DEPTH, side.nodes, None, side.ms, exact=side.exact, level=side.level or MAX_LEVEL
    )


class Duellists(NamedTuple):
    """Both sides of a duel in one process."""

    setting: Setting
    start: Position
    players: tuple[SearchPlayer, SearchPlayer]

    @classmethod
    def of(cls, setting: Setting) -> "Duellists":
        """Make the sides of a duel ready to play."""
        start = start_of(setting.game, setting.parameters)
        return cls(setting, start, (SearchPlayer(setting.a, start), SearchPlayer(setting.b, start)))

    def play(self, task: Task) -> Pair:
        """Play a pair of games."""
        a, b = self.players
        return play_pair(task.number, self.start, task.opening, (a.play, b.play), self.setting.move_limit)


_duellists: Duellists
"""The sides of the duel that this process plays for; set when the process starts."""


def pairs(setting: Setting, tasks: Iterator[Task], jobs: int) -> Generator[Pair]:
    """Play pairs in so many processes, and yield them as they end, until there are no more tasks.

    Closing the iterator ends all processes at once. Raises ChildProcessError if one of them ends by itself.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn"), _get_ready, (setting,)) as pool:
        try:
            with broken_pipes_raised():  # for the threads of the pool as well, which begin here
                running: set[Future[Pair]] = {pool.submit(_play, task) for task in islice(tasks, jobs)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(_play, task) for task in islice(tasks, len(done))}
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            raise ChildProcessError("a process that plays games has ended") from None
        finally:
            for process in active_children():
                process.kill()


def _get_ready(setting: Setting) -> None:
    global _duellists
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the duel, and thereby its processes
    threading.Thread(target=_end_with_the_duel, daemon=True).start()
    _duellists = Duellists.of(setting)
    gc.collect()
    gc.freeze()  # loaded objects stay: the collector does not look at them while a clock runs


def _end_with_the_duel() -> None:
    duel = parent_process()
    assert duel is not None
    duel.join()
    os._exit(0)


def _play(task: Task) -> Pair:
    return _duellists.play(task)
