"""The search of a move in a game, with compiled code as soon as it is ready (`engine.games.kernels`).

Interpreted and compiled search are the same, node for node. When compiled code becomes ready, an interpreted search is
stopped and starts again, which loses little: compiled code is some hundred times as fast. `with_best_kernel` does the
same with work of many searches, for example a game.

In a position of a tablebase, the move with the shortest win or the longest loss is played. In a draw, a search chooses
among the moves that hold the draw.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, TypeVar

from engine.games.interface import History, Kernel, Position
from engine.games.kernels import KernelSource
from engine.levels import MAX_LEVEL
from engine.search.alphabeta import SEARCHING
from engine.search.capabilities import DRAW
from engine.search.memory import MAX_DEPTH, TablebaseLayers
from engine.search.searcher import (
    LEVEL_TABLE_MEGABYTES,
    NO_LIMITS,
    HistoryKeys,
    Searcher,
    SearchLimits,
    SearchResult,
    Stop,
)

Clock = Callable[[], float]
"""Returns seconds since any fixed time."""

START_NODES = 1000
"""Nodes of interpreted search before a compile process starts: some hundredths of a second."""

POLL_NODES = 100
"""Nodes of interpreted search between two checks for compiled code."""

Result = TypeVar("Result")


class Tablebase(Protocol):
    """Exact values of positions (`engine.solve.tablebase`)."""

    def start(self) -> None:
        """Start to compute missing values in the background; returns at once."""

    def probe(self, position: Position, earlier: Collection[int] = ()) -> Sequence[SearchResult]:
        """Return every move with its exact score, the best one first. Empty if the scores are not known.

        ``earlier`` is that of `Searcher.think`.
        """

    def results(self, position: Position, lines: int, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return at most ``lines`` of the best moves with lines of perfect play. Empty if they are not known."""

    def known_layers(self) -> TablebaseLayers | None:
        """Return the layers for a compiled search: another object when there are more layers.

        None if there are no layers, or no compiled search with a tablebase.
        """


class AdaptiveSearcher:
    """Searches positions of one variant as `Searcher` does, and changes to compiled code when it is ready."""

    def __init__(
        self,
        position: Position,
        *,
        megabytes: float | None = None,
        threads: int = 1,
        kernels: KernelSource | None = None,
        tablebase: Tablebase | None = None,
    ) -> None:
        """Make a searcher for the variant of a position. Only compiled search uses several threads.

        ``kernels`` supplies the search kernels of the position's board. The ``tablebase`` is probed before a search at
        the highest level.
        """
        self._megabytes = megabytes
        self._threads = threads
        self._position = position
        self._kernels = search_kernels(position) if kernels is None else kernels
        self._tablebase = tablebase
        self._known: TablebaseLayers | None = None
        self.is_compiled = False
        """Whether the next search begins with compiled code."""
        self._searcher = self._new_searcher()

    def start_compiling(self) -> None:
        """Start to compile in the background, or to compute the tablebase if compiled code is ready.

        Long searches also start it.
        """
        if not self.is_compiled:
            self._kernels.start()
        elif self._tablebase is not None:
            self._tablebase.start()

    def use_compiled_code(self) -> None:
        """Change to compiled code if it is ready. `think` also does."""
        if not self.is_compiled and self._kernels.is_ready():
            self._searcher = self._new_searcher()

    def wait_for_code(self, seconds: float) -> None:
        """Wait at most ``seconds`` for the compile process, and change to compiled code."""
        if not self.is_compiled:
            self._kernels.wait(seconds)
            self.use_compiled_code()

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
        """Return the best move within limits, as `Searcher.think` does. Each depth is reported once.

        A score of the tablebase has the depth MAX_DEPTH.
        """
        began = clock()
        self.use_compiled_code()
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
        """Return the moves of the tablebase. If there are none, give its layers to the search."""
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
        reported: set[tuple[int, int]] = set()

        def report_once(result: SearchResult) -> None:
            if report is not None and (result.depth, result.rank) not in reported:
                reported.add((result.depth, result.rank))
                report(result)

        if self.is_compiled:
            return self._searcher.think(position.kernel().state, earlier, limits, clock=clock, report=report, stop=stop)
        until = CompiledCodeStop(self._kernels, stop or Stop())
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
    """Return the best of the moves of a tablebase, which is the first one. Among draws a search chooses."""
    if known[0].score != DRAW:
        return known[0]._replace(seconds=seconds)
    holding = tuple(move.line[0] for move in known if move.score == DRAW)
    return search(limits._replace(moves=holding))._replace(score=DRAW, depth=MAX_DEPTH, is_known=True)


def search_kernels(position: Position, **options: Any) -> KernelSource:
    """Return the search kernels of a position's board. Costs are nodes."""
    return KernelSource(position, SEARCHING, **{"compile_from": START_NODES, **options})


class CompiledCodeStop(Stop):
    """Stops an interpreted search when compiled code is ready, or when another stop is set."""

    def __init__(self, kernels: KernelSource, other: Stop) -> None:
        super().__init__()
        self._kernels = kernels
        self._other = other
        self._nodes = 0
        self.is_interrupted = False
        """Whether compiled code stopped the search."""

    def is_set(self) -> bool:
        """Tell whether the search has to end. Called at every node."""
        self._nodes += 1
        if self._nodes % POLL_NODES == 0:
            self.is_interrupted = self.is_interrupted or self._kernels.spend(POLL_NODES)
        return self.is_interrupted or self._other.is_set()


def with_best_kernel(kernels: KernelSource, position: Position, work: Callable[[Kernel, Stop], Result]) -> Result:
    """Call ``work`` with a kernel of a position and a stop for its searches, and return its result.

    Interpreted work is stopped when compiled code is ready, and starts again. So it must have no side effects, and must
    end soon after its searches were stopped.
    """
    if not kernels.is_ready():
        until = CompiledCodeStop(kernels, Stop())
        done = work(position.kernel(compile=False), until)
        if not until.is_interrupted:
            return done
    return work(position.kernel(), Stop())


def best_move(position: Position, *, nodes: int = 1000) -> str:
    """Return the best move of a search of ``nodes`` positions, in canonical text.

    The result is the same every time and on every machine, and always a legal move. The search knows no earlier
    positions of the game; `GameEngine` considers repetitions and limits of time. Raises ValueError for a finished game,
    and if ``nodes`` is less than 1.
    """
    if nodes < 1:
        raise ValueError(f"nodes is the number of positions to search, at least 1; not {nodes}")
    searcher = AdaptiveSearcher(position, megabytes=LEVEL_TABLE_MEGABYTES)
    return searcher.think(position, (), SearchLimits(nodes=nodes), clock=lambda: 0.0).move(position)


class GameEngine:
    """Searches moves in games of any variant, one at a time. It has a new table for each change of the variant."""

    def __init__(
        self,
        megabytes: float | None = None,
        tablebase_of: Callable[[Position], Tablebase | None] = lambda position: None,
        threads: int = 1,
    ) -> None:
        """Make an engine with a table of ``megabytes``. ``tablebase_of`` returns the tablebase of a variant."""
        self._megabytes = megabytes
        self._threads = threads
        self._tablebase_of = tablebase_of
        self._variant = "", ""
        self._searcher: AdaptiveSearcher | None = None
        self.tablebase: Tablebase | None = None
        """The tablebase of the present variant, if it has one."""
        self._keys = HistoryKeys()

    def searcher(self, position: Position) -> AdaptiveSearcher:
        """Return the searcher of a position's variant, a new one if the variant changes."""
        variant = position.game.name, position.parameters
        if self._searcher is None or variant != self._variant:
            self._variant = variant
            self.tablebase = self._tablebase_of(position)
            self._searcher = AdaptiveSearcher(
                position, megabytes=self._megabytes, threads=self._threads, tablebase=self.tablebase
            )
            self._searcher.start_compiling()
        return self._searcher

    def earlier(self, history: History) -> list[int]:
        """Return the keys of the positions of a game before the present one."""
        return self._keys.before(history)

    def think(
        self, history: History, seconds: float, *, level: int = MAX_LEVEL, clock: Clock, stop: Stop | None = None
    ) -> SearchResult:
        """Return the best move found in ``seconds``. The search ends sooner if there is one move or a proven result.

        Below the highest ``level`` of `engine.levels`, the same game has the same moves if the time suffices. A
        repeated position counts as a draw. Raises ValueError for a game that is over on the board.
        """
        position = history.position
        searcher = self.searcher(position)
        children = position.children()
        next(children, None)
        if next(children, None) is None:
            return searcher.think(position, (), SearchLimits(depth=1), clock=clock, stop=stop)
        limits = SearchLimits(hard_ms=seconds * 1000, level=level)
        return searcher.think(position, self.earlier(history), limits, clock=clock, stop=stop)
