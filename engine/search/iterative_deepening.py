"""The search of a position to one depth: aspiration windows, and helper threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from engine.compiling.binding import Numbers, copy_of, zeros
from engine.games.interface import Kernel, State
from engine.search.alphabeta import AlphaBeta
from engine.search.capabilities import INFINITY, KINDS, is_open
from engine.search.memory import (
    ARENA_PLACES,
    CELLS,
    EXCLUDED,
    NODE_LIMIT,
    NODES,
    PARALLEL,
    PV_WIDTH,
    ROOT_SCORE,
    SEARCHING_SLOTS,
    STOPPED,
    Memory,
    TablebaseLayers,
)

MIN_ASPIRATION_DEPTH = 4
"""Smallest depth that begins with a window around the score of the depth before."""

MAX_THREADS = 256
"""Largest number of threads of a search."""

Line = tuple[int, ...]


class DepthResult(NamedTuple):
    """The result of the search of a position to one depth."""

    depth: int
    score: int | None
    """None if the search was stopped, or the arena was full."""
    line: Line
    """The best line so far, each move as the number of a child. May be empty."""
    line_score: int
    """The score of the line in this depth, -INFINITY if it is empty."""


def memory_for(kernel: Kernel, table: Numbers) -> Memory:
    """Make the memory of a search with a table. The caller replaces ``path`` and ``stop``."""
    return Memory(
        arena=kernel.arena(ARENA_PLACES),
        order=zeros("q", ARENA_PLACES),
        table=table,
        path=zeros("q", 0),
        pv=zeros("q", PV_WIDTH * PV_WIDTH),
        excluded=zeros("q", ARENA_PLACES),
        history=zeros("q", KINDS),
        cells=zeros("q", CELLS),
        tablebase=TablebaseLayers(zeros("B", 0), zeros("q", 0), 0, ()),
        searching=zeros("q", SEARCHING_SLOTS),
        stop=zeros("q", 1),
    )


def search_depth(search: AlphaBeta, state: State, depth: int, memory: Memory, expected: int | None) -> DepthResult:
    """Search a position to a depth, first with a window around an expected score (aspiration search, Gillogly 1978).

    The window is full without an expected score, and in games without a `Rules.MARGIN`.
    """
    margin = search.margin
    low, high = -INFINITY, INFINITY
    if expected is not None and margin > 0 and depth >= MIN_ASPIRATION_DEPTH and is_open(expected):
        low, high = expected - margin, expected + margin
    line: Line = ()
    memory.cells[ROOT_SCORE] = -INFINITY

    def result(score: int | None) -> DepthResult:
        return DepthResult(depth, score, line, int(memory.cells[ROOT_SCORE]) if line else -INFINITY)

    while True:
        memory.pv[0] = 0
        try:
            score = int(search.search(state, depth, low, high, 0, 0, memory))
        except OverflowError:
            return result(None)
        # after a stop, or a score below the window, there may be no new line
        line = tuple(int(number) for number in memory.pv[1 : 1 + memory.pv[0]]) or line
        if memory.cells[STOPPED]:
            return result(None)
        if low < score < high:
            return result(score)
        if score <= low:
            low = -INFINITY
        else:
            high = INFINITY


def limit_reached(memory: Memory) -> bool:
    """Tell whether a stop came from outside or from the node limit, not from the end of another thread's search."""
    return bool(memory.stop[0] != 0 or memory.cells[NODES] >= memory.cells[NODE_LIMIT])


class HelperThreads:
    """Threads that search the same position to the same depth as the caller.

    They share the transposition table and the list of positions that are being searched, and so divide the work
    (ABDADA, see `engine.search.alphabeta`). The first thread that completes a depth has the result for all. They need
    compiled code, which releases the interpreter lock.
    """

    def __init__(self, kernel: Kernel, search: AlphaBeta, count: int) -> None:
        """Prepare ``count`` threads in addition to the caller's."""
        self._search = search
        self._kernel = kernel
        self._memories = [memory_for(kernel, zeros("q", 0)) for _ in range(count)]
        self._reset()

    def _reset(self) -> None:
        self._goal: tuple[int, int | None] = 1, None
        """The present depth of the caller, and its expected score."""
        self._depths = [0] * len(self._memories)
        self._finished: DepthResult | None = None
        self._unfinished: list[DepthResult] = []

    @property
    def nodes(self) -> int:
        """Nodes of the threads in this search."""
        return sum(int(memory.cells[NODES]) for memory in self._memories)

    @contextmanager
    def searching_along(self, state: State, memory: Memory, depth: int, *, interrupt: bool) -> Iterator[None]:
        """Run the threads until the end of the context. ``memory`` is the caller's, ``depth`` the last depth.

        With ``interrupt``, a thread that completes a depth stops the caller's search of it (`finished_result`).
        """
        self._reset()
        cells = memory.cells
        cells[PARALLEL] = 1 if self._memories else 0
        # an earlier search that ran out of room may have left hashes
        cast(Any, memory.searching)[:] = zeros("q", SEARCHING_SLOTS)
        stop = zeros("q", 1)
        caller = cells if interrupt else None
        threads = []
        for number, own in enumerate(self._memories):
            for cell in range(CELLS):
                own.cells[cell] = cells[cell]
            own.cells[EXCLUDED] = 0
            shared = own._replace(
                table=memory.table,
                path=copy_of(memory.path),
                tablebase=memory.tablebase,
                searching=memory.searching,
                stop=stop,
            )
            arguments = (number, state, depth, shared, caller)
            threads.append(threading.Thread(target=self._help, args=arguments, daemon=True))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop[0] = 1
            for thread in threads:
                thread.join()

    def begin_depth(self, depth: int, expected: int | None) -> None:
        """Let the threads continue with a depth, now that the caller begins it."""
        self._goal = depth, expected
        for memory, at in zip(self._memories, self._depths, strict=True):
            if at < depth:
                memory.cells[STOPPED] = 1

    def finished_result(self, depth: int, memory: Memory) -> DepthResult | None:
        """Return the result of a thread that completed a depth before the caller, and clear the caller's stop."""
        finished = self._finished
        if finished is None or finished.depth != depth:
            return None
        memory.cells[STOPPED] = 0
        return finished

    def best_line(self, own: DepthResult) -> Line:
        """Return the best line of a depth in which all threads were stopped. May be empty."""
        deepest = [other for other in self._unfinished if other.depth >= own.depth and other.line]
        return max([own, *deepest], key=lambda result: result.line_score).line

    def _help(self, number: int, state: State, last: int, memory: Memory, caller: Numbers | None) -> None:
        depth, expected = 1, None
        while depth <= last:
            goal, score = self._goal
            if goal >= depth:
                depth, expected = goal, score
            self._depths[number] = depth
            result = search_depth(self._search, state, depth, memory, expected)
            if result.score is not None:
                expected = result.score
                if caller is not None and self._goal[0] == depth:
                    self._finished = result
                    caller[STOPPED] = 1
                depth += 1
            elif memory.cells[STOPPED] and not limit_reached(memory):
                memory.cells[STOPPED] = 0  # the caller has begun the next depth
            else:
                self._unfinished.append(result)
                return
