"""One depth after the other: the window in which a position is searched, and other threads that search it as well."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from engine.compiling.binding import Numbers, copy_of, zeros
from engine.games.interface import Kernel, State
from engine.search.alphabeta import AlphaBeta
from engine.search.capabilities import INFINITY, KINDS, is_open
from engine.search.memory import (
    BUDGET,
    CELLS,
    EXCLUDED,
    NODES,
    PARALLEL,
    PLACES,
    ROOT_SCORE,
    SEARCHING_SLOTS,
    STOPPED,
    WIDTH,
    KnownLayers,
    Memory,
)

ASPIRING = 4
"""From this depth on a search begins with a window around the score of the depth before."""

MAX_THREADS = 256
"""As many as a search may run in."""

Line = tuple[int, ...]


class Deepened(NamedTuple):
    """What the search of a position to one depth has found."""

    depth: int
    score: int | None
    """None where it was stopped, or out of room."""
    line: Line
    """The best line as far as it is known, each move as the number of a child; empty where none is."""
    line_score: int
    """The score of that line in this depth, -INFINITY without one."""


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
        searching=zeros("q", SEARCHING_SLOTS),
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
    memory.cells[ROOT_SCORE] = -INFINITY

    def found(score: int | None) -> Deepened:
        return Deepened(depth, score, line, int(memory.cells[ROOT_SCORE]) if line else -INFINITY)

    while True:
        memory.variation[0] = 0
        try:
            score = int(search.search(state, depth, low, high, 0, 0, memory))
        except OverflowError:
            return found(None)
        # a search that was stopped, or lies below its window, may know no line; one above its window knows a good one
        line = tuple(int(number) for number in memory.variation[1 : 1 + memory.variation[0]]) or line
        if memory.cells[STOPPED]:
            return found(None)
        if low < score < high:
            return found(score)
        if score <= low:
            low = -INFINITY
        else:
            high = INFINITY


def has_to_end(memory: Memory) -> bool:
    """Tell whether a search that was stopped is over: it was told to end, or has used up its nodes."""
    return bool(memory.stop[0] != 0 or memory.cells[NODES] >= memory.cells[BUDGET])


class HelperThreads:
    """Threads that search the same position at the same time, to the same depth.

    They share the table and what each searches at present, and so divide the work among them (see
    `engine.search.alphabeta`). Who is done with a depth first has found its result for all. Compiled code only:
    interpreted code would take turns.
    """

    def __init__(self, kernel: Kernel, search: AlphaBeta, count: int) -> None:
        """Make ready so many threads beside the caller's own."""
        self._search = search
        self._kernel = kernel
        self._memories = [memory_for(kernel, zeros("q", 0)) for _ in range(count)]
        self._forget()

    def _forget(self) -> None:
        self._goal: tuple[int, int | None] = 1, None
        """The depth that the caller searches to, and the score that it expects."""
        self._depths = [0] * len(self._memories)
        self._finished: Deepened | None = None
        self._unfinished: list[Deepened] = []

    @property
    def nodes(self) -> int:
        """Positions that the threads have looked at in this search."""
        return sum(int(memory.cells[NODES]) for memory in self._memories)

    @contextmanager
    def at_work(self, state: State, memory: Memory, depth: int, *, interrupt: bool) -> Iterator[None]:
        """Search a position to a depth along with the caller, whose memory this is, until the end of the context.

        ``interrupt`` allows them to stop the caller's search of a depth when they are done with it (`take_finished`).
        """
        self._forget()
        cells = memory.cells
        cells[PARALLEL] = 1 if self._memories else 0
        # what an earlier search left behind where it ran out of room
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
                known=memory.known,
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

    def aim(self, depth: int, expected: int | None) -> None:
        """Let the threads search to this depth, too, now that the caller begins with it."""
        self._goal = depth, expected
        for memory, at in zip(self._memories, self._depths, strict=True):
            if at < depth:
                memory.cells[STOPPED] = 1

    def take_finished(self, depth: int, memory: Memory) -> Deepened | None:
        """Return what a thread has found that was done with a depth before the caller; then the caller may go on."""
        finished = self._finished
        if finished is None or finished.depth != depth:
            return None
        memory.cells[STOPPED] = 0
        return finished

    def best_line(self, own: Deepened) -> Line:
        """Return the best line that is known of a depth in which all were stopped; empty where none is."""
        deepest = [other for other in self._unfinished if other.depth >= own.depth and other.line]
        return max([own, *deepest], key=lambda found: found.line_score).line

    def _help(self, number: int, state: State, last: int, memory: Memory, caller: Numbers | None) -> None:
        depth, expected = 1, None
        while depth <= last:
            goal, score = self._goal
            if goal >= depth:
                depth, expected = goal, score
            self._depths[number] = depth
            found = deepen(self._search, state, depth, memory, expected)
            if found.score is not None:
                expected = found.score
                if caller is not None and self._goal[0] == depth:
                    self._finished = found
                    caller[STOPPED] = 1
                depth += 1
            elif memory.cells[STOPPED] and not has_to_end(memory):
                memory.cells[STOPPED] = 0  # the caller has gone on to the next depth
            else:
                self._unfinished.append(found)
                return
