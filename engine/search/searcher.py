"""Thinking about a move: iterative deepening within limits of depth, nodes and time.

A `Searcher` owns what the search of `engine.search.alphabeta` works on, and keeps its table from move to move. The
search runs in the thread that calls, and polls at every node a number that a timer sets at the hard limit of time:
compiled code can read no clock, and lets other threads run meanwhile. Interpreted code holds the interpreter for
some milliseconds at a time, so there the number that is polled is the clock itself.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

from engine.compiling.binding import zeros
from engine.games.history import History
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, WIN, Kernel, Position, State
from engine.levels import MAX_LEVEL, draw
from engine.search.alphabeta import bind, with_layers
from engine.search.iterative_deepening import (
    Deepened,
    HelperThreads,
    Line,
    deepen,
    has_to_end,
    memory_for,
)
from engine.search.memory import (
    BUCKET_WORDS,
    BUDGET,
    EXCLUDED,
    GENERATION,
    GENERATION_MASK,
    MAX_DEPTH,
    NODES,
    NOWHERE,
    ROOM,
    SELECTIVE,
    STOPPED,
    KnownLayers,
    Memory,
    slot_of,
)

TABLE_MEGABYTES = 64
"""Size of a searcher's table, unless it is told another: 4 million positions, some seconds' worth. Interpreted search
has the same, so that it finds the same; what it never writes to takes no memory."""

LEVEL_TABLE_MEGABYTES = 4
"""Size of the table of a search below the highest level, on every machine alike."""

MIN_PATH = 256
"""Slots of the set of positions that would repeat; it is never more than a quarter full."""

NO_BUDGET = 1 << 62
"""Nodes allowed to a search without a limit of nodes."""


class SearchLimits(NamedTuple):
    """When to stop thinking: as soon as any of these is reached."""

    depth: int = MAX_DEPTH
    """Plies, 1 to MAX_DEPTH."""
    nodes: int | None = None
    """Positions looked at; the children of the last one may go beyond it."""
    soft_ms: float | None = None
    """Milliseconds after which no new depth is begun."""
    hard_ms: float | None = None
    """Milliseconds after which the search ends where it stands."""
    lines: int = 1
    """How many of the best moves to look at, each with its best line."""
    exact: bool = False
    """Whether to search every move to the full depth. Without it late moves are looked at less deeply, which plays
    stronger in the same time, but need not find the shortest win."""
    level: int = MAX_LEVEL
    """The strength, 1 to `MAX_LEVEL` of `engine.levels`. Below the highest one a move depends on the game so far and
    the seed alone, if no limit of time ends the search: one thread searches, and nothing is remembered."""
    seed: int = 0
    """Of what is random at such a level; another one plays another game."""
    moves: tuple[int, ...] = ()
    """The moves to choose from, each as the number of a child; all when empty."""


NO_LIMITS = SearchLimits()
"""Think until there is nothing more to find out, or until somebody stops it."""


class Stop:
    """What ends a search from any thread, at once and for good. Each thought takes a new one."""

    def __init__(self) -> None:
        self.cell = zeros("q", 1)

    def set(self) -> None:
        """End the search, or keep it from beginning."""
        self.cell[0] = 1

    def is_set(self) -> bool:
        """Tell whether the search has to end: what interpreted search asks at every node."""
        return bool(self.cell[0])


class SearchResult(NamedTuple):
    """What a search has found. Moves are numbers of children; texts of them are made for a position at the edge."""

    line: Line
    """The best line, each move as the number of a child in the kernel's order of generation. It has one move at least,
    the first one where nothing is known."""
    score: int | None
    """The value for the side to move: a piece of GIPF is worth 100, see also `plies_to_end`. None where depth is 0."""
    depth: int
    """Plies that were searched to the end; the line may come from the next one. 0 where the search was cut off before
    its first ply was looked through: then nothing is known of the position, not even that it is level."""
    nodes: int
    """Positions looked at, those of the depth that was cut off included."""
    seconds: float
    """How long it took."""
    rank: int = 1
    """1 for the best move, 2 for the next one, and so on."""
    is_known: bool = False
    """Whether the score is exact, from a tablebase."""

    @property
    def plies_to_end(self) -> int | None:
        """After how many plies the side to move has won, or lost if negative; None where neither is proven."""
        if self.score is None or abs(self.score) <= EVALUATION_LIMIT:
            return None
        return WIN - self.score if self.score > 0 else -WIN - self.score

    def move(self, position: Position) -> str:
        """Return the best move in the position that was searched, in canonical text."""
        return self._replace(line=self.line[:1]).pv(position)[0]

    def pv(self, position: Position) -> list[str]:
        """Return the best line from the position that was searched, in canonical text. That takes a while."""
        texts = []
        for number in self.line:
            text, position = position.move_to(kernel_after(position.kernel(compile=False), number).state)
            texts.append(text)
        return texts


def kernel_after(kernel: Kernel, number: int) -> Kernel:
    """Return the kernel of the position that a move leads to, by its number in the order of generation."""
    arena = kernel.arena(ROOM)
    kernel.rules.children(kernel.state, arena, 0)
    return kernel._replace(state=kernel.rules.load(arena, number))


def search_interruptibly(search: Callable[[Stop], SearchResult]) -> SearchResult:
    """Search so that Ctrl-C can interrupt it: in a thread, since compiled code does not react to Ctrl-C.

    Whatever ends the wait stops the search.
    """
    stop = Stop()
    with ThreadPoolExecutor(1) as pool:
        try:  # also around the start of the thread, which would be waited for
            return pool.submit(search, stop).result()
        except BaseException:
            stop.set()
            raise


class Searcher:
    """Thinks about positions of one variant of a game, one at a time, and remembers what it found.

    The table serves as long as the game goes on; `think` clears it by itself when earlier positions are missing.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        megabytes: float | None = None,
        threads: int = 1,
        known: KnownLayers | None = None,
    ) -> None:
        """Make a searcher for the variant of a kernel, compiled where the kernel is; its table takes the memory.

        ``known`` are layers of the variant in which it looks positions up.

        More than one thread searches faster where there are idle cores, but not the same way again. Interpreted code
        runs in one, whatever is asked for.
        """
        if megabytes is None:
            megabytes = TABLE_MEGABYTES
        self._search = bind(kernel if known is None else with_layers(kernel))
        buckets = 1
        while buckets * 2 * BUCKET_WORDS * 8 <= megabytes * (1 << 20):
            buckets *= 2
        self._memory = memory_for(kernel, zeros("q", buckets * BUCKET_WORDS))
        if known is not None:
            self._memory = self._memory._replace(known=known)
        self._threads = threads if kernel.compiled else 1
        self._crew = HelperThreads(kernel, self._search, self._threads - 1)
        self._kernel = kernel
        self._stood: frozenset[int] = frozenset()

    def think(
        self,
        state: State,
        earlier: Collection[int] = (),
        limits: SearchLimits = NO_LIMITS,
        *,
        clock: Callable[[], float],
        report: Callable[[SearchResult], None] | None = None,
        stop: Stop | None = None,
    ) -> SearchResult:
        """Return the best move found within limits, and what is known of it.

        The state is that of a position of the kernel's variant, compiled if the kernel is.

        The score is that of the last depth which was searched to its end, never of one that was cut off; where even
        the first was, by the time, the nodes or the stop, the thought has depth 0 and no score. A limit of depth alone
        cuts nothing off, but where there are too many children for the arena. Without limits of time and with one
        thread the same is found each time.

        ``earlier`` holds the keys, as of `key_of`, of the positions that stood on the board before; to repeat one
        counts as a draw. ``clock`` gives seconds from any beginning; ``report`` is told after each depth.
        Raises ValueError for a finished game.
        """
        began = clock()
        if self._kernel.rules.verdict(state) != UNDECIDED:
            raise ValueError("the game is over: there is no move to think about")
        if not 1 <= limits.depth <= MAX_DEPTH:
            raise ValueError(f"the depth is {limits.depth}, but it has to be 1 to {MAX_DEPTH}")
        if limits.level < MAX_LEVEL:
            return self._think_at_level(state, earlier, limits, clock, report, stop)
        deadline = None if limits.hard_ms is None else began + limits.hard_ms / 1000
        memory = self._prepare(state, earlier, limits)
        left_out: list[int] = []
        if limits.moves:
            left_out = [number for number in range(self._children(state)) if number not in limits.moves]
        lines = 1 if limits.lines == 1 else min(limits.lines, self._children(state) - len(left_out))

        def thought(line: Line, score: int | None, depth: int, rank: int = 1) -> SearchResult:
            nodes = int(memory.cells[NODES]) + self._crew.nodes
            return SearchResult(line, score, depth, nodes, clock() - began, rank)

        latest = thought(limits.moves[:1] or (0,), None, 0)
        before: list[SearchResult] = []
        cut_off: Deepened | None = None
        with _polled(self._kernel.compiled, stop or Stop(), clock, deadline) as polled:
            memory = memory._replace(stop=polled)
            alike = lines == 1 and not left_out  # then others search the very same
            with self._crew.at_work(state, memory, limits.depth, interrupt=alike):
                for depth in range(1, limits.depth + 1):
                    found: list[SearchResult] = []
                    for rank in range(1, lines + 1):
                        expected = before[rank - 1].score if rank <= len(before) else None
                        if rank == 1:
                            self._crew.aim(depth, expected)
                        deepened = self._deepen(state, depth, memory, expected, left_out, found)
                        if deepened.score is None:
                            if rank == 1:
                                cut_off = deepened
                            break
                        found.append(thought(deepened.line, deepened.score, depth, rank))
                        latest = found[0]
                        if report is not None:
                            report(found[-1])
                    if len(found) < lines:
                        break
                    before = found
                    ends = [other.plies_to_end for other in found]
                    if all(plies is not None and abs(plies) <= depth for plies in ends):
                        break
                    if limits.soft_ms is not None and (clock() - began) * 1000 >= limits.soft_ms:
                        break
        if cut_off is not None:
            # what the unfinished depth has found is no worse: it began with the last one's best
            line = self._crew.best_line(cut_off) if alike else cut_off.line
            latest = thought(line or latest.line, latest.score, latest.depth)
        return latest

    def _think_at_level(
        self,
        state: State,
        earlier: Collection[int],
        limits: SearchLimits,
        clock: Callable[[], float],
        report: Callable[[SearchResult], None] | None,
        stop: Stop | None,
    ) -> SearchResult:
        """Think as `engine.levels` allows at the level of the limits, of which a soft one of time has no effect."""
        nodes, random = draw(limits.level, limits.seed, int(self._kernel.rules.hash_of(state)), len(earlier))
        if random is not None:
            return SearchResult((random % self._children(state),), None, 0, 0, 0.0)
        nodes = nodes if limits.nodes is None else min(nodes, limits.nodes)
        own = limits._replace(level=MAX_LEVEL, nodes=nodes, soft_ms=None)
        fresh = Searcher(self._kernel, megabytes=LEVEL_TABLE_MEGABYTES)
        return fresh.think(state, earlier, own, clock=clock, report=report, stop=stop)

    def _children(self, state: State) -> int:
        """Return how many positions moves lead to, or as many as there is room for."""
        try:
            return int(self._kernel.rules.children(state, self._memory.arena, 0))
        except OverflowError:
            return ROOM

    def _prepare(self, state: State, earlier: Collection[int], limits: SearchLimits) -> Memory:
        """Make everything ready for a search from a position."""
        stood = frozenset(earlier) | {int(self._kernel.rules.hash_of(state))}
        memory = self._memory
        if not self._stood <= stood:
            memory = memory._replace(table=zeros("q", len(memory.table)))
        self._stood = stood
        slots = MIN_PATH
        while slots < 4 * (len(stood) + MAX_DEPTH):
            slots *= 2
        path = zeros("q", 2 * slots)
        for key in stood:
            slot = slot_of(path, key)
            path[2 * slot] = key + 1
            path[2 * slot + 1] = NOWHERE
        cells = memory.cells
        cells[NODES] = cells[STOPPED] = 0
        cells[BUDGET] = NO_BUDGET if limits.nodes is None else max(1, limits.nodes // self._threads)
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
        left_out: list[int],
        better: list[SearchResult],
    ) -> Deepened:
        """Search to a depth, without some moves and those of better lines."""
        barred = [*left_out, *(thought.line[0] for thought in better)]
        memory.cells[EXCLUDED] = len(barred)
        for number in barred:
            memory.barred[number] = 1
        try:
            while True:
                found = deepen(self._search, state, depth, memory, expected)
                if found.score is not None or not memory.cells[STOPPED]:
                    return found
                finished = self._crew.take_finished(depth, memory)
                if finished is not None or has_to_end(memory):
                    return finished or found
                # a helper was done with the depth before, just when this thread was
                memory.cells[STOPPED] = 0
        finally:
            for number in barred:
                memory.barred[number] = 0


@contextmanager
def _polled(compiled: bool, stop: Stop, clock: Callable[[], float], deadline: float | None) -> Iterator[Any]:
    """Give what a search polls: other than 0 when it is stopped, or when its deadline has passed."""
    if not compiled:
        yield _Watch(stop, clock, deadline)
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


class _Watch:
    """The number that an interpreted search polls."""

    def __init__(self, stop: Stop, clock: Callable[[], float], deadline: float | None) -> None:
        self._stop = stop
        self._clock = clock
        self._deadline = deadline

    def __getitem__(self, _at: int) -> int:
        over = self._deadline is not None and self._clock() >= self._deadline
        return 1 if over or self._stop.is_set() else 0


class PlayedKeys:
    """The keys by which a search knows the positions of a game, found once for each position."""

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
    """Return what `Searcher.think` knows an earlier position by. Needs nothing compiled."""
    kernel = position.kernel(compile=False)
    return int(kernel.rules.hash_of(kernel.state))


def warm_up(position: Position, known: KnownLayers | None = None) -> None:
    """Compile, or load from the cache, all that thinking about a position and its children needs.

    Takes seconds where nothing is compiled yet. Until it has been done, no limit of time can be kept. ``known`` are
    layers that the search looks positions up in.
    """
    kernel = position.kernel()
    searcher = Searcher(kernel, megabytes=0, known=known)
    searcher.think(kernel.state, limits=SearchLimits(depth=2, lines=2), clock=lambda: 0.0)
