"""The reference player: the engine's alpha-beta search, and its arithmetic of time."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from bots.bot import Bot, Clocks
from bots.client.precompile import Precompilation, start_of
from engine.games.interface import Kernel, Position
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import TABLE_MEGABYTES, PlayedKeys, Searcher, SearchLimits, SearchResult, Stop, warm_up
from engine.search.time_management import OVERHEAD_MS, allocate_time
from engine.wire.messages import Match

INTERPRETED_MEGABYTES = 4
"""Table of an interpreted search, which does not see more positions than that in a game."""

WAIT_PART = 0.1
"""The part of the budget for which to wait, before READY, for code that is being compiled."""

EXERCISE_MS, EXERCISES = 100, 10
"""Thinking before the first match, until it gets no faster: memory is slow when it is touched for the first time."""

FASTER = 1.2
"""What counts as faster, as a part of the rate before."""

TELLING_MS = 1.0
"""A search that takes less says that the next one will be as fast at least, and no more."""

MIN_NODES = 1000
"""No search is held to less: a ply or two, a fraction of a millisecond where it is compiled."""

MIN_MS = 0.01
"""No search takes less."""

LONG_MS = 300.0
"""Longest that Ctrl-C may go unheard."""

HURRY_MS = 2.0
"""An interpreted search of less is not worth what it takes to begin it: the first legal move is played."""

OVERHEADS = 8
"""Moves whose overhead is remembered. One of them may have been an accident: the second largest counts."""


class AlphaBetaBot(Bot):
    """Searches as deep as the clock allows.

    Call `warm` before logging in: it compiles the search, which takes seconds where that was never done. A match
    of another variant does not wait for the compiler: the search is interpreted until it is done.

    The limit of time is turned into one of nodes as well: a timer may wake some milliseconds late, which is much
    where a whole game takes a second.
    """

    def __init__(
        self,
        *,
        most_ms: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        megabytes: float = TABLE_MEGABYTES,
        threads: int = 1,
    ) -> None:
        """Take bounds of time, depth and nodes for a move; the clock of the match is kept to in any case.

        More than one thread is for players on machines of their own: on one that is shared they steal from the others.
        """
        self._most_ms = most_ms
        self._depth = depth or MAX_DEPTH
        self._nodes = nodes
        self._megabytes = megabytes
        self._threads = threads
        self._warming = Precompilation(warm_up)
        self._searcher: Searcher | None = None
        self._thinks_for: object = None
        self._compiled = False
        self._overheads: deque[float] = deque(maxlen=OVERHEADS)
        self._before: tuple[Clocks, float] | None = None
        """What the clocks showed at the last move, and the milliseconds that were thought about it."""
        self._nodes_per_ms = 0.0
        self._keys = PlayedKeys()

    def warm(self, game: str, parameters: str = "") -> None:
        """Compile, or load what was compiled before; raises `engine.games.interface.BadParameters`."""
        position = start_of(game, parameters)
        self._warming.now(position)
        self._exercise(position)

    def _exercise(self, position: Position) -> None:
        searcher = self._thinker_for(self._warming.kernel(position))
        rate = 0.0
        for _ in range(EXERCISES):
            thought = searcher.think(position, (), SearchLimits(hard_ms=EXERCISE_MS), clock=perf_counter)
            before, rate = rate, thought.nodes / thought.seconds
            if rate < FASTER * before:
                break
        self._nodes_per_ms = rate / 1000

    def prepare(self, match: Match) -> None:
        """Begin to compile what a variant needs that was not thought of before, and wait for a part of the budget."""
        self._before = None
        position = self.history.position
        self._warming.beside(position)
        self._warming.wait(position, match.budget / 1000 * WAIT_PART)
        self._thinker_for(self._warming.kernel(position))

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Think for the time that the clock allows."""
        began = perf_counter()
        searcher = self._thinker_for(self._warming.kernel(position))
        earlier = self._keys.before(self.history)
        self._learn_overhead(clocks)
        limits = self._limits(position, clocks, began)
        if not self._compiled and limits.hard_ms is not None and limits.hard_ms < HURRY_MS:
            self._before = None
            return next(position.successors()).move
        thought = _interruptible(searcher, position, earlier, limits)
        thought_ms = thought.seconds * 1000
        rate = thought.nodes / max(thought_ms, MIN_MS)
        if thought_ms >= TELLING_MS or rate > self._nodes_per_ms:
            self._nodes_per_ms = rate
        self._before = (clocks, min(thought_ms, limits.hard_ms or thought_ms))
        return thought.move

    def _learn_overhead(self, clocks: Clocks) -> None:
        """Compare what the last move was charged with what was meant for thinking about it."""
        if self._before is not None:
            before, thought_ms = self._before
            self._overheads.append(before.mine_ms + clocks.increment_ms - clocks.mine_ms - thought_ms)

    def _limits(self, position: Position, clocks: Clocks, began: float) -> SearchLimits:
        """Return what the search of a move may take."""
        usual = sorted(self._overheads)[-2] if len(self._overheads) > 1 else OVERHEAD_MS
        left = clocks.mine_ms - (perf_counter() - began) * 1000
        time = allocate_time(
            left,
            clocks.increment_ms,
            position.plies_ahead,
            overhead_ms=max(OVERHEAD_MS, usual),
        )
        hard = min(time.hard_ms, self._most_ms or time.hard_ms)
        nodes = [self._nodes] if self._nodes else []
        if self._nodes_per_ms:
            nodes.append(max(MIN_NODES, int(hard * self._nodes_per_ms)))
        return SearchLimits(self._depth, min(nodes, default=None), min(hard, time.soft_ms), hard)

    def _thinker_for(self, kernel: Kernel) -> Searcher:
        if self._searcher is None or self._thinks_for is not kernel.rules:
            megabytes = self._megabytes if kernel.compiled else min(self._megabytes, INTERPRETED_MEGABYTES)
            self._searcher = Searcher(kernel, megabytes=megabytes, threads=self._threads)
            self._thinks_for = kernel.rules
            self._compiled = kernel.compiled
            self._nodes_per_ms = 0.0
        return self._searcher


def _interruptible(searcher: Searcher, position: Position, earlier: list[int], limits: SearchLimits) -> SearchResult:
    """Think; when that may take long, beside a thread that hears Ctrl-C, as compiled code does not."""
    if limits.hard_ms is not None and limits.hard_ms < LONG_MS:
        return searcher.think(position, earlier, limits, clock=perf_counter)
    stop = Stop()
    with ThreadPoolExecutor(1) as pool:
        thought = pool.submit(searcher.think, position, earlier, limits, clock=perf_counter, stop=stop)
        try:
            return thought.result()
        except BaseException:
            stop.set()
            raise
