"""One depth after the other: the window in which a position is searched, and other threads that search it as well."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from engine.compiling.binding import Numbers, zeros
from engine.games.interface import Kernel, State
from engine.search.alphabeta import AlphaBeta
from engine.search.binding import copy_of
from engine.search.capabilities import KINDS
from engine.search.memory import CELLS, NODES, PLACES, STOPPED, WIDTH, KnownLayers, Memory
from engine.search.scores import INFINITY, is_open

ASPIRING = 4
"""From this depth on a search begins with a window around the score of the depth before."""

MAX_THREADS = 256
"""As many as a search may run in."""

Line = tuple[int, ...]


class Deepened(NamedTuple):
    """What the search of a position to one depth has found."""

    score: int | None
    """None where it was stopped, or out of room."""
    line: Line
    """The best line as far as it is known, each move as the number of a child; empty where none is."""


def memory_for(kernel: Kernel, table: Numbers) -> Memory:
    """Make what a search of a kernel's positions works on, around a table; path and stop are up to the caller."""
    return Memory(
        arena=kernel.arena(PLACES),
        order=zeros("q", PLACES),
        table=table,
        path=zeros("q", 0),
        variation=zeros("q", WIDTH * WIDTH),
        barred=zeros("q", PLACES),
        history=zeros("q", KINDS),
        cells=zeros("q", CELLS),
        known=KnownLayers(zeros("B", 0), zeros("q", 0), 0, ()),
        stop=zeros("q", 1),
    )


def deepen(search: AlphaBeta, state: State, depth: int, memory: Memory, expected: int | None) -> Deepened:
    """Search a position to a depth, first with a window around the score that is expected (aspiration search).

    ``search`` is the binding of `engine.search.alphabeta`. Without an expectation the window is a whole one, as it is
    in games that do not tell how much a move changes. Source: Gillogly 1978.
    """
    margin = search.margin
    low, high = -INFINITY, INFINITY
    if expected is not None and margin > 0 and depth >= ASPIRING and is_open(expected):
        low, high = expected - margin, expected + margin
    line: Line = ()
    while True:
        memory.variation[0] = 0
        try:
            score = int(search.search(state, depth, low, high, 0, 0, memory))
        except OverflowError:
            return Deepened(None, line)
        # a search that was stopped, or lies below its window, may know no line; one above its window knows a good one
        line = tuple(int(number) for number in memory.variation[1 : 1 + memory.variation[0]]) or line
        if memory.cells[STOPPED]:
            return Deepened(None, line)
        if low < score < high:
            return Deepened(score, line)
        if score <= low:
            low = -INFINITY
        else:
            high = INFINITY


class HelperThreads:
    """Threads that search the same position at the same time and share what they find in the table (lazy SMP).

    They begin with different depths, so that each soon finds itself where the others have not been. Compiled code
    only: interpreted code would take turns. Source: the parallel search of Stockfish since 2016, after T. Romstad.
    """

    def __init__(self, kernel: Kernel, search: AlphaBeta, count: int) -> None:
        """Make ready so many threads beside the caller's own."""
        self._search = search
        self._kernel = kernel
        self._memories = [memory_for(kernel, zeros("q", 0)) for _ in range(count)]

    @property
    def nodes(self) -> int:
        """Positions that the threads have looked at in this search."""
        return sum(int(memory.cells[NODES]) for memory in self._memories)

    @contextmanager
    def at_work(self, state: State, memory: Memory, depth: int) -> Iterator[None]:
        """Search a position to a depth along with the caller, whose memory this is, until the end of the context."""
        stop = zeros("q", 1)
        threads = []
        for number, own in enumerate(self._memories):
            for cell in range(CELLS):
                own.cells[cell] = memory.cells[cell]
            shared = own._replace(table=memory.table, path=copy_of(memory.path), known=memory.known, stop=stop)
            arguments = (state, 1 + (number + 1) % 2, depth, shared)
            threads.append(threading.Thread(target=self._help, args=arguments, daemon=True))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop[0] = 1
            for thread in threads:
                thread.join()

    def _help(self, state: State, first: int, last: int, memory: Memory) -> None:
        expected: int | None = None
        for depth in range(first, last + 1):
            expected = deepen(self._search, state, depth, memory, expected).score
            if expected is None:
                return
