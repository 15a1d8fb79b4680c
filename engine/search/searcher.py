"""The search of a move: iterative deepening within limits of depth, nodes and time.

A `Searcher` owns the memory of `engine.search.alphabeta`, and keeps its table from move to move. The search runs in the
caller's thread and polls a number at every node. Compiled code cannot read a clock, so a timer sets this number at the
hard limit of time. Interpreted code holds the interpreter lock for some milliseconds, so it polls the clock itself.

An `AdaptiveSearcher` uses compiled code as soon as it is ready (`engine.games.kernels`). Interpreted and compiled
search are the same, node for node. When compiled code becomes ready, an interpreted search is stopped and starts again,
which loses little: compiled code is some hundred times as fast. `with_best_kernel` does the same with work of many
searches, for example a game.

In a position of a tablebase, the move with the shortest win or the longest loss is played. In a draw, a search chooses
among the moves that hold the draw.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeVar

from engine.compiling.binding import zeros
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, WIN, History, Kernel, Position, State
from engine.games.kernels import KernelSource
from engine.levels import MAX_LEVEL, level_limits
from engine.search.alphabeta import SEARCHING, bind, with_layers
from engine.search.capabilities import DRAW
from engine.search.iterative_deepening import (
    DepthResult,
    HelperThreads,
    Line,
    limit_reached,
    memory_for,
    search_depth,
)
from engine.search.memory import (
    BUCKET_WORDS,
    EXCLUDED,
    GENERATION,
    GENERATION_MASK,
    MAX_CHILDREN,
    MAX_DEPTH,
    NODE_LIMIT,
    NODES,
    OFF_PATH,
    SELECTIVE,
    STOPPED,
    Memory,
    TablebaseLayers,
    slot_of,
)

Clock = Callable[[], float]
"""Returns seconds since any fixed time."""

TABLE_MEGABYTES = 64
"""Default size of the table: 4 million positions, a search of some seconds. Interpreted search has the same size, so
that it has the same results; unused pages take no memory."""

LEVEL_TABLE_MEGABYTES = 4
"""Size of the table below the highest level, the same on every machine."""

MIN_PATH = 256
"""Least slots of `Memory.path`, which is never more than a quarter full."""

NO_NODE_LIMIT = 1 << 62
"""Node limit of a search without one."""


class SearchLimits(NamedTuple):
    """The limits of a search. It ends as soon as one of them is reached."""

    depth: int = MAX_DEPTH
    """Plies, 1 to MAX_DEPTH."""
    nodes: int | None = None
    """Number of nodes. The children of the last node may exceed it."""
    soft_ms: float | None = None
    """Milliseconds after which no new depth begins."""
    hard_ms: float | None = None
    """Milliseconds after which the search is stopped."""
    lines: int = 1
    """Number of best moves to search, each with its best line."""
    exact: bool = False
    """Whether to search every move to the full depth. The default prunes and reduces, which plays stronger in the same
    time but may miss the shortest win."""
    level: int = MAX_LEVEL
    """The strength, 1 to `MAX_LEVEL` of `engine.levels`. A lower level has one thread and a new table for each move.
    Its moves depend only on the game so far and the seed, unless a limit of time stops the search."""
    seed: int = 0
    """Seed of the random choices of a lower level."""
    moves: tuple[int, ...] = ()
    """The moves to choose from, each as the number of a child; all moves if empty."""


NO_LIMITS = SearchLimits()
"""Search until the result is proven, the depth is MAX_DEPTH, or the search is stopped."""


class Stop:
    """Stops a search from any thread. Each search takes a new one."""

    def __init__(self) -> None:
        self.cell = zeros("q", 1)

    def set(self) -> None:
        """Stop the search, also before it begins."""
        self.cell[0] = 1

    def is_set(self) -> bool:
        """Tell whether the search has to end. Interpreted search asks at every node."""
        return bool(self.cell[0])


class SearchResult(NamedTuple):
    """The result of a search. Its moves are numbers of children, which `pv` writes as text."""

    line: Line
    """The best line, each move as the number of a child in the kernel's order of generation. It has at least one move:
    the first allowed one if no depth was completed."""
    score: int | None
    """The value for the side to move; a piece of GIPF is worth 100 (see `plies_to_end`). None if the depth is 0."""
    depth: int
    """Depth of the last completed search; the line may come from the next depth. 0 if no depth was completed."""
    nodes: int
    """Nodes of all depths, also of an incomplete one."""
    seconds: float
    """Duration of the search."""
    rank: int = 1
    """1 for the best move, 2 for the next one, and so on."""
    is_known: bool = False
    """Whether the score is exact, from a tablebase."""

    @property
    def plies_to_end(self) -> int | None:
        """The plies to a proven win, or to a proven loss if negative; None if neither is proven."""
        if self.score is None or abs(self.score) <= EVALUATION_LIMIT:
            return None
        return WIN - self.score if self.score > 0 else -WIN - self.score

    def move(self, position: Position) -> str:
        """Return the best move in the position that was searched, in canonical text."""
        return self._replace(line=self.line[:1]).pv(position)[0]

    def pv(self, position: Position) -> list[str]:
        """Return the best line from the position that was searched, in canonical text. Generates all moves of each."""
        texts = []
        for number in self.line:
            text, position = position.move_to(kernel_after(position.kernel(compile=False), number).state)
            texts.append(text)
        return texts


def kernel_after(kernel: Kernel, number: int) -> Kernel:
    """Return the kernel of the position after a move, which is given as the number of a child."""
    arena = kernel.arena(MAX_CHILDREN)
    kernel.rules.children(kernel.state, arena, 0)
    return kernel._replace(state=kernel.rules.load(arena, number))


def search_interruptibly(search: Callable[[Stop], SearchResult]) -> SearchResult:
    """Run a search in a thread, so that Ctrl-C stops it: compiled code does not react to Ctrl-C."""
    from concurrent.futures import ThreadPoolExecutor  # takes 10 ms, which a shell needs for its first answers

    stop = Stop()
    with ThreadPoolExecutor(1) as pool:
        try:  # includes the start of the thread: the pool waits for it
            return pool.submit(search, stop).result()
        except BaseException:
            stop.set()
            raise


class Searcher:
    """Searches positions of one variant, one at a time, and keeps its transposition table.

    `think` clears the table when a new game begins: some positions of the last game are no longer among the earlier
    ones.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        megabytes: float | None = None,
        threads: int = 1,
        known: TablebaseLayers | None = None,
    ) -> None:
        """Make a searcher for the variant of a kernel, compiled if the kernel is.

        ``megabytes`` is the size of the table, and ``known`` has layers of a tablebase.

        Several threads search faster on idle cores, but their searches cannot be reproduced. Interpreted code uses one
        thread.
        """
        if megabytes is None:
            megabytes = TABLE_MEGABYTES
        self._search = bind(kernel if known is None else with_layers(kernel))
        buckets = 1
        while buckets * 2 * BUCKET_WORDS * 8 <= megabytes * (1 << 20):
            buckets *= 2
        self._memory = memory_for(kernel, zeros("q", buckets * BUCKET_WORDS))
        if known is not None:
            self._memory = self._memory._replace(tablebase=known)
        self._threads = threads if kernel.compiled else 1
        self._helpers = HelperThreads(kernel, self._search, self._threads - 1)
        self._kernel = kernel
        self._game_keys: frozenset[int] = frozenset()

    def think(
        self,
        state: State,
        earlier: Collection[int] = (),
        limits: SearchLimits = NO_LIMITS,
        *,
        clock: Clock,
        report: Callable[[SearchResult], None] | None = None,
        stop: Stop | None = None,
    ) -> SearchResult:
        """Return the best move within limits.

        ``state`` belongs to the kernel's variant, and is compiled if the kernel is. ``earlier`` has the keys (`key_of`)
        of the positions before it; a repetition of one counts as a draw. ``clock`` returns seconds. ``report`` is
        called for each line of each completed depth. Raises ValueError for a finished game.

        The score belongs to the last completed depth. If the first depth was stopped, or too large for the arena, the
        result has depth 0 and no score. Without limits of time and with one thread, the result is always the same.
        """
        began = clock()
        if self._kernel.rules.verdict(state) != UNDECIDED:
            raise ValueError("the game is over: there is no move to search")
        if not 1 <= limits.depth <= MAX_DEPTH:
            raise ValueError(f"the depth is {limits.depth}, but it has to be 1 to {MAX_DEPTH}")
        if limits.level < MAX_LEVEL:
            return self._think_at_level(state, earlier, limits, clock, report, stop)
        deadline = None if limits.hard_ms is None else began + limits.hard_ms / 1000
        memory = self._prepare(state, earlier, limits)
        excluded: list[int] = []
        if limits.moves:
            excluded = [number for number in range(self._children(state)) if number not in limits.moves]
        lines = 1 if limits.lines == 1 else min(limits.lines, self._children(state) - len(excluded))

        def result(line: Line, score: int | None, depth: int, rank: int = 1) -> SearchResult:
            nodes = int(memory.cells[NODES]) + self._helpers.nodes
            return SearchResult(line, score, depth, nodes, clock() - began, rank)

        best = result(limits.moves[:1] or (0,), None, 0)
        last: list[SearchResult] = []
        incomplete: DepthResult | None = None
        with _stop_poll(self._kernel.compiled, stop or Stop(), clock, deadline) as polled:
            memory = memory._replace(stop=polled)
            is_same = lines == 1 and not excluded  # other threads search all moves of the root
            with self._helpers.searching_along(state, memory, limits.depth, interrupt=is_same):
                for depth in range(1, limits.depth + 1):
                    found: list[SearchResult] = []
                    for rank in range(1, lines + 1):
                        expected = last[rank - 1].score if rank <= len(last) else None
                        if rank == 1:
                            self._helpers.begin_depth(depth, expected)
                        depth_result = self._deepen(state, depth, memory, expected, excluded, found)
                        if depth_result.score is None:
                            if rank == 1:
                                incomplete = depth_result
                            break
                        found.append(result(depth_result.line, depth_result.score, depth, rank))
                        best = found[0]
                        if report is not None:
                            report(found[-1])
                    if len(found) < lines:
                        break
                    last = found
                    ends = [other.plies_to_end for other in found]
                    if all(plies is not None and abs(plies) <= depth for plies in ends):
                        break
                    if limits.soft_ms is not None and (clock() - began) * 1000 >= limits.soft_ms:
                        break
        if incomplete is not None:
            # its line is no worse: the depth began with the best move of the depth before
            line = self._helpers.best_line(incomplete) if is_same else incomplete.line
            best = result(line or best.line, best.score, best.depth)
        return best

    def _think_at_level(
        self,
        state: State,
        earlier: Collection[int],
        limits: SearchLimits,
        clock: Clock,
        report: Callable[[SearchResult], None] | None,
        stop: Stop | None,
    ) -> SearchResult:
        """Search at a level of `engine.levels`, or play a random move. A soft limit of time has no effect."""
        nodes, random = level_limits(limits.level, limits.seed, int(self._kernel.rules.hash_of(state)), len(earlier))
        if random is not None:
            return SearchResult((random % self._children(state),), None, 0, 0, 0.0)
        nodes = nodes if limits.nodes is None else min(nodes, limits.nodes)
        own = limits._replace(level=MAX_LEVEL, nodes=nodes, soft_ms=None)
        fresh = Searcher(self._kernel, megabytes=LEVEL_TABLE_MEGABYTES)
        return fresh.think(state, earlier, own, clock=clock, report=report, stop=stop)

    def _children(self, state: State) -> int:
        """Return the number of children, or MAX_CHILDREN if there are more than the arena has places."""
        try:
            return int(self._kernel.rules.children(state, self._memory.arena, 0))
        except OverflowError:
            return MAX_CHILDREN

    def _prepare(self, state: State, earlier: Collection[int], limits: SearchLimits) -> Memory:
        """Prepare the memory for a search from a position."""
        game_keys = frozenset(earlier) | {int(self._kernel.rules.hash_of(state))}
        memory = self._memory
        if not self._game_keys <= game_keys:
            memory = memory._replace(table=zeros("q", len(memory.table)))
        self._game_keys = game_keys
        slots = MIN_PATH
        while slots < 4 * (len(game_keys) + MAX_DEPTH):
            slots *= 2
        path = zeros("q", 2 * slots)
        for key in game_keys:
            slot = slot_of(path, key)
            path[2 * slot] = key + 1
            path[2 * slot + 1] = OFF_PATH
        cells = memory.cells
        cells[NODES] = cells[STOPPED] = 0
        cells[NODE_LIMIT] = NO_NODE_LIMIT if limits.nodes is None else max(1, limits.nodes // self._threads)
        cells[GENERATION] = (cells[GENERATION] + 1) & GENERATION_MASK
        cells[SELECTIVE] = 0 if limits.exact else 1
        self._memory = memory._replace(path=path)
        return self._memory

    def _deepen(
        self,
        state: State,
        depth: int,
        memory: Memory,
        expected: int | None,
        excluded: list[int],
        better: list[SearchResult],
    ) -> DepthResult:
        """Search to a depth, without excluded moves and without those of better lines."""
        unsearched = [*excluded, *(result.line[0] for result in better)]
        memory.cells[EXCLUDED] = len(unsearched)
        for number in unsearched:
            memory.excluded[number] = 1
        try:
            while True:
                found = search_depth(self._search, state, depth, memory, expected)
                if found.score is not None or not memory.cells[STOPPED]:
                    return found
                finished = self._helpers.finished_result(depth, memory)
                if finished is not None or limit_reached(memory):
                    return finished or found
                # a helper completed the depth before at the same time as this thread
                memory.cells[STOPPED] = 0
        finally:
            for number in unsearched:
                memory.excluded[number] = 0


@contextmanager
def _stop_poll(compiled: bool, stop: Stop, clock: Clock, deadline: float | None) -> Iterator[Any]:
    """Yield the number that a search polls: other than 0 after a stop, or after the deadline."""
    if not compiled:
        yield _StopPoll(stop, clock, deadline)
        return
    timer = None if deadline is None else threading.Timer(max(0.0, deadline - clock()), stop.set)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield stop.cell
    finally:
        if timer is not None:
            timer.cancel()


class _StopPoll:
    """The number that an interpreted search polls."""

    def __init__(self, stop: Stop, clock: Clock, deadline: float | None) -> None:
        self._stop = stop
        self._clock = clock
        self._deadline = deadline

    def __getitem__(self, _at: int) -> int:
        return 1 if (self._deadline is not None and self._clock() >= self._deadline) or self._stop.is_set() else 0


class HistoryKeys:
    """Computes the keys of the positions of a game, each once."""

    def __init__(self) -> None:
        self._played: History | None = None
        self._keys: list[int] = []

    def before(self, history: History) -> list[int]:
        """Return the keys of the positions before the present one."""
        known = self._played
        if known is None or known.start != history.start or known.moves != history.moves[: known.plies]:
            known = History.begin(history.start)
            self._keys = []
        for move in history.moves[known.plies :]:
            self._keys.append(key_of(known.position))
            known = known.after(move)
        self._played = known
        return self._keys


def key_of(position: Position) -> int:
    """Return the key of an earlier position for `Searcher.think`. Needs no compiled code."""
    kernel = position.kernel(compile=False)
    return int(kernel.rules.hash_of(kernel.state))


def warm_up(position: Position, known: TablebaseLayers | None = None) -> None:
    """Compile the search of a position, or load it from the cache.

    Compiling takes seconds, in which no limit of time is kept. ``known`` has layers of a tablebase.
    """
    kernel = position.kernel()
    searcher = Searcher(kernel, megabytes=0, known=known)
    searcher.think(kernel.state, limits=SearchLimits(depth=2, lines=2), clock=lambda: 0.0)


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
        clock: Clock,
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
