"""Advice on the move in a game, with the best kernel there is (`engine.games.kernels`).

Interpreted and compiled search find the same, node for node. So a search that is interrupted because compiled code is
there begins again, which loses little: it is some hundred times as fast. `with_best_kernel` does the same with work of
many searches, a game for example.

Where a tablebase knows a position, a win is played at once in the fewest moves, and a loss is put off for the longest.
Of a draw it tells the moves that hold it; which of these is hardest to meet is still looked for by searching.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, TypeVar

from engine.games.history import History
from engine.games.interface import Kernel, Position
from engine.games.kernels import KernelSource
from engine.levels import MAX_LEVEL
from engine.search.alphabeta import SEARCHING
from engine.search.capabilities import DRAW
from engine.search.memory import MAX_DEPTH, KnownLayers
from engine.search.searcher import (
    LEVEL_TABLE_MEGABYTES,
    NO_LIMITS,
    PlayedKeys,
    Searcher,
    SearchLimits,
    SearchResult,
    Stop,
)

Clock = Callable[[], float]
"""Gives seconds from any beginning."""

START_NODES = 1000
"""Nodes of interpreted search after which a process is started that compiles: some hundredths of a second."""

NODES_A_LOOK = 100
"""Nodes of interpreted search between two looks at whether compiled code is there."""

Done = TypeVar("Done")


class Tablebase(Protocol):
    """Exact values of positions, as far as they are there: `engine.solve.tablebase`."""

    def start(self) -> None:
        """Have what is missing made beside other work; returns at once."""

    def probe(self, position: Position, earlier: Collection[int] = ()) -> Sequence[SearchResult]:
        """Return every move with its exact score, the best one first, none where they are not known.

        ``earlier`` is that of `Searcher.think`.
        """

    def results(self, position: Position, lines: int, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return at most ``lines`` of the best moves with lines of perfect play, none where they are not known."""

    def known_layers(self) -> KnownLayers | None:
        """Return what a compiled search of what is not known itself may look up; another one when there is more.

        None where there is nothing, or no code for such a search yet.
        """


class AdaptiveSearcher:
    """Thinks about positions of one variant as `Searcher` does, and remembers what it found in the same way."""

    def __init__(
        self,
        position: Position,
        *,
        megabytes: float | None = None,
        threads: int = 1,
        kernels: KernelSource | None = None,
        tablebase: Tablebase | None = None,
    ) -> None:
        """Make one for the variant of a position. Only compiled search makes use of threads.

        ``kernels`` are those of the position's board for searching. A ``tablebase`` is asked before a search at the
        highest level of strength.
        """
        self._megabytes = megabytes
        self._threads = threads
        self._position = position
        self._kernels = search_kernels(position) if kernels is None else kernels
        self._tablebase = tablebase
        self._known: KnownLayers | None = None
        self.is_compiled = False
        """Whether the next thought is compiled from its beginning."""
        self._searcher = self._new_searcher()

    def start_compiling(self) -> None:
        """Have compiled code made, where it is not there: long thoughts begin with that by themselves.

        Where it is there, have the tablebase made.
        """
        if not self.is_compiled:
            self._kernels.start()
        elif self._tablebase is not None:
            self._tablebase.start()

    def look_for_code(self) -> None:
        """Go over to compiled code, if it is there by now; thoughts do that by themselves."""
        if not self.is_compiled and self._kernels.is_ready():
            self._searcher = self._new_searcher()

    def wait_for_code(self, seconds: float) -> None:
        """Wait for code that is being made, so many seconds at most, and go over to it."""
        if not self.is_compiled:
            self._kernels.wait(seconds)
            self.look_for_code()

    def think(
        self,
        position: Position,
        earlier: Collection[int] = (),
        limits: SearchLimits = NO_LIMITS,
        *,
        clock: Callable[[], float],
        report: Callable[[SearchResult], None] | None = None,
        stop: Stop | None = None,
    ) -> SearchResult:
        """Return the best move found within limits, as `Searcher.think` does; each depth is reported once.

        A score of the tablebase is reported and returned as it is, with the largest depth.
        """
        began = clock()
        self.look_for_code()
        known = self._probe(position, earlier, limits)
        if not known:
            return self._search(position, earlier, limits, clock, report, stop)

        def search(limits: SearchLimits) -> SearchResult:
            return self._search(position, earlier, limits, clock, None, stop)

        result = perfect_result(known, limits, search, clock() - began)
        if report is not None:
            report(result)
        return result

    def _probe(self, position: Position, earlier: Collection[int], limits: SearchLimits) -> Sequence[SearchResult]:
        """Return what the tablebase knows; where that is nothing, let the search look up what it comes to."""
        if self._tablebase is None or limits.level < MAX_LEVEL:
            return ()
        known = self._tablebase.probe(position, earlier)
        if self.is_compiled:
            self._tablebase.start()
            if not known and (layers := self._tablebase.known_layers()) is not self._known:
                self._known = layers
                self._searcher = self._new_searcher()
        return known

    def _search(
        self,
        position: Position,
        earlier: Collection[int],
        limits: SearchLimits,
        clock: Clock,
        report: Callable[[SearchResult], None] | None,
        stop: Stop | None,
    ) -> SearchResult:
        began = clock()
        told: set[tuple[int, int]] = set()

        def report_once(result: SearchResult) -> None:
            if report is not None and (result.depth, result.rank) not in told:
                told.add((result.depth, result.rank))
                report(result)

        if self.is_compiled:
            return self._searcher.think(position.kernel().state, earlier, limits, clock=clock, report=report, stop=stop)
        until = UntilReady(self._kernels, stop or Stop())
        state = position.kernel(compile=False).state
        first = self._searcher.think(state, earlier, limits, clock=clock, report=report_once, stop=until)
        if not until.is_interrupted:
            return first
        self._searcher = self._new_searcher()
        gone = (clock() - began) * 1000
        left = limits._replace(
            soft_ms=None if limits.soft_ms is None else max(0.0, limits.soft_ms - gone),
            hard_ms=None if limits.hard_ms is None else max(0.0, limits.hard_ms - gone),
        )
        state = position.kernel().state
        second = self._searcher.think(state, earlier, left, clock=clock, report=report_once, stop=stop)
        return second if second.depth >= first.depth else first

    def _new_searcher(self) -> Searcher:
        self.is_compiled = self._kernels.is_ready()
        kernel = self._position.kernel(compile=self.is_compiled)
        return Searcher(kernel, megabytes=self._megabytes, threads=self._threads, known=self._known)


def perfect_result(
    known: Sequence[SearchResult],
    limits: SearchLimits,
    search: Callable[[SearchLimits], SearchResult],
    seconds: float = 0.0,
) -> SearchResult:
    """Return what is known of the best move, the first of all known ones; among draws a search chooses."""
    if known[0].score != DRAW:
        return known[0]._replace(seconds=seconds)
    holding = tuple(move.line[0] for move in known if move.score == DRAW)
    return search(limits._replace(moves=holding))._replace(score=DRAW, depth=MAX_DEPTH, is_known=True)


def search_kernels(position: Position, **options: Any) -> KernelSource:
    """Return the kernels of a position's board for searching; costs are nodes."""
    return KernelSource(position, SEARCHING, **{"compile_from": START_NODES, **options})


class UntilReady(Stop):
    """What ends an interpreted search when compiled code is there, or when another stop does."""

    def __init__(self, kernels: KernelSource, other: Stop) -> None:
        """Take the kernels of the search, and the other stop."""
        super().__init__()
        self._kernels = kernels
        self._other = other
        self._nodes = 0
        self.is_interrupted = False
        """Whether the search was ended because of the code."""

    def is_set(self) -> bool:
        """Tell whether the search has to end; asked at every node."""
        self._nodes += 1
        if self._nodes % NODES_A_LOOK == 0:
            self.is_interrupted = self.is_interrupted or self._kernels.spend(NODES_A_LOOK)
        return self.is_interrupted or self._other.is_set()


def with_best_kernel(kernels: KernelSource, position: Position, work: Callable[[Kernel, Stop], Done]) -> Done:
    """Return what work returns, given a kernel of a position and a stop for all of its searches.

    Interpreted work is stopped when compiled code is there, and begun again: it must not change anything that outlives
    it, and has to end soon when its searches are stopped.
    """
    if not kernels.is_ready():
        until = UntilReady(kernels, Stop())
        done = work(position.kernel(compile=False), until)
        if not until.is_interrupted:
            return done
    return work(position.kernel(), Stop())


def best_move(position: Position, *, nodes: int = 1000) -> str:
    """Return the move that a search finds best which looks at so many positions, in canonical text.

    A position has the same best move every time and on every machine. It is legal also where so few positions tell
    nothing. What stood on the board before is not known here: `GameEngine` minds repetitions, and keeps to times.
    Raises ValueError for a game that is over, and for less than one position.
    """
    if nodes < 1:
        raise ValueError(f"nodes is how many positions to look at, 1 or more; not {nodes}")
    searcher = AdaptiveSearcher(position, megabytes=LEVEL_TABLE_MEGABYTES)
    return searcher.think(position, (), SearchLimits(nodes=nodes), clock=lambda: 0.0).move(position)


class GameEngine:
    """Thinks about games of any variant, one at a time. Its table serves as long as the variant stays the same."""

    def __init__(
        self,
        megabytes: float | None = None,
        tablebase_of: Callable[[Position], Tablebase | None] = lambda position: None,
    ) -> None:
        """Take the size of the table, the usual one where none is given, and what knows the tablebase of a variant."""
        self._megabytes = megabytes
        self._tablebase_of = tablebase_of
        self._variant = "", ""
        self._searcher: AdaptiveSearcher | None = None
        self.tablebase: Tablebase | None = None
        """That of the variant, where it has one."""
        self._keys = PlayedKeys()

    def searcher(self, position: Position) -> AdaptiveSearcher:
        """Return the searcher of a position's variant: a new one when the variant changes."""
        variant = position.game.name, position.parameters
        if self._searcher is None or variant != self._variant:
            self._variant = variant
            self.tablebase = self._tablebase_of(position)
            self._searcher = AdaptiveSearcher(position, megabytes=self._megabytes, tablebase=self.tablebase)
            self._searcher.start_compiling()
        return self._searcher

    def earlier(self, history: History) -> list[int]:
        """Return the keys of the positions before the present one of a game."""
        return self._keys.before(history)

    def think(
        self, history: History, seconds: float, *, level: int = MAX_LEVEL, clock: Clock, stop: Stop | None = None
    ) -> SearchResult:
        """Return the best move found in so many seconds, or sooner where there is but one or no more to find out.

        ``level`` is one of `engine.levels`: below the highest one the same game has the same moves, as long as the
        time suffices. A position that stood on the board before counts as a draw. Raises ValueError for a game that is
        over on the board.
        """
        position = history.position
        searcher = self.searcher(position)
        children = position.children()
        next(children, None)
        if next(children, None) is None:
            return searcher.think(position, (), SearchLimits(depth=1), clock=clock, stop=stop)
        limits = SearchLimits(hard_ms=seconds * 1000, level=level)
        return searcher.think(position, self.earlier(history), limits, clock=clock, stop=stop)
