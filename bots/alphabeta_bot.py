"""The reference bot: the engine's alpha-beta search with time management."""

from collections import deque
from time import perf_counter

from bots.bot import Bot, Clocks
from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.levels import LEVELS, MAX_LEVEL
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import (
    TABLE_MEGABYTES,
    AdaptiveSearcher,
    GameEngine,
    SearchLimits,
    SearchResult,
    search_interruptibly,
)
from engine.search.time_management import OVERHEAD_MS, allocate_time
from engine.solve.tablebase import tablebase_of
from engine.wire.messages import Match
from engine.wire.words import number_of

COMPILE_WAIT_SHARE = 0.1
"""Share of the budget for which a level that looks at many positions waits, before READY, for code that is compiled."""

INTERPRETED_NODES = 3000
"""A level that looks at no more for a move does so interpreted in some tenths of a second."""

MIN_MEASURED_MS = 1.0
"""A shorter search gives only a lower bound of the speed."""

MIN_NODES = 1000
"""Lowest node limit: a ply or two, a fraction of a millisecond if compiled."""

MIN_SEARCH_MS = 0.01
"""Lower bound of a search time, against division by zero."""

MAX_UNINTERRUPTIBLE_MS = 300.0
"""Longest search without a thread that reacts to Ctrl-C."""

MIN_INTERPRETED_MS = 2.0
"""Shortest time for an interpreted search: with less, the first legal move is played."""

MIN_NOTED_MS, MIN_PV_MS = 5.0, 100.0
"""Shortest search of which something is noted, and the principal variation with it: to send a note takes some tens of
microseconds, to put a long line into words two milliseconds."""

MAX_OVERHEADS = 8
"""Moves whose overhead is remembered; the second largest counts, in case one was an accident."""


class AlphaBetaBot(Bot):
    """Searches as deep as the clock allows.

    Call `warm` before logging in: it loads the search, or has another process compile it where that was never done.
    Nobody waits for that process: the search is interpreted until it is done.

    The limit of time is turned into one of nodes as well: a timer may wake some milliseconds late, which is much
    where a whole game takes a second.
    """

    def __init__(
        self,
        *,
        nodes: int | None = None,
        threads: int = 1,
        level: int = MAX_LEVEL,
        tablebase: bool = True,
    ) -> None:
        """Take a bound of the nodes for a move; the clock of the match is kept to in any case.

        At a ``level`` below the highest one (`engine.levels`) the number of the match is the seed: the same moves in
        a match of the same number are answered by the same moves, unless the clock ends a search.

        Where there is a ``tablebase`` of the variant, the highest level plays perfectly by it.

        More than one thread is for players on machines of their own: on one that is shared they steal from the others.
        """
        self._nodes = nodes
        self._level = level
        self._seed = 0
        books = tablebase_of if tablebase and level == MAX_LEVEL else lambda position: None
        self._engine = GameEngine(TABLE_MEGABYTES, books, threads)
        self._searcher: AdaptiveSearcher | None = None
        """The searcher of `_nodes_per_ms`."""
        self._overheads: deque[float] = deque(maxlen=MAX_OVERHEADS)
        self._last_move: tuple[Clocks, float] | None = None
        """Clocks at the last move, and the time of its search in milliseconds."""
        self._nodes_per_ms = 0.0

    def warm(self, game: str, parameters: str = "") -> None:
        """Load the search, or begin to compile it; raises `engine.games.interface.BadParameters`."""
        self._engine.searcher(start_of(game, parameters)).start_compiling()

    def prepare(self, match: Match) -> None:
        """Start to compile the search of a new variant.

        Only a level waits for it, so that it has its positions from its first move on: what the clock bounds alone does
        better to begin.
        """
        self._last_move = None
        self._seed = match.match
        searcher = self._engine.searcher(self.history.position)
        searcher.start_compiling()
        if self._level < MAX_LEVEL and LEVELS[self._level - 1].nodes > INTERPRETED_NODES:
            searcher.wait_for_code(match.budget / 1000 * COMPILE_WAIT_SHARE)

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Search for the time that the clock allows."""
        began = perf_counter()
        searcher = self._engine.searcher(position)
        if searcher is not self._searcher:  # another variant
            self._searcher, self._nodes_per_ms = searcher, 0.0
        searcher.use_compiled_code()
        played_keys = self._engine.earlier(self.history)
        self._learn_overhead(clocks)
        limits = self._limits(position, clocks, began, searcher.is_compiled)
        if not searcher.is_compiled and limits.hard_ms is not None and limits.hard_ms < MIN_INTERPRETED_MS:
            self._last_move = (clocks, 0.0)
            if self._overheads:  # else a machine that was busy for a moment counts as a slow one for ever
                self._overheads.remove(max(self._overheads))
            return next(position.children()).move
        was_compiled = searcher.is_compiled
        if limits.hard_ms is not None and limits.hard_ms < MAX_UNINTERRUPTIBLE_MS:
            result = searcher.think(position, played_keys, limits, clock=perf_counter)
        else:
            think = searcher.think
            result = search_interruptibly(
                lambda stop: think(position, played_keys, limits, clock=perf_counter, stop=stop)
            )
        search_ms = result.seconds * 1000
        rate = result.nodes / max(search_ms, MIN_SEARCH_MS)
        if was_compiled and not result.is_known and (search_ms >= MIN_MEASURED_MS or rate > self._nodes_per_ms):
            self._nodes_per_ms = rate
        self._last_move = (clocks, min(search_ms, limits.hard_ms or search_ms))
        if search_ms >= MIN_NOTED_MS:
            self._note_result(position, result, search_ms)
        return result.move(position)

    def _note_result(self, position: Position, result: SearchResult, search_ms: float) -> None:
        """Note what a search has found."""
        plies = result.plies_to_end
        length = "" if plies is None else number_of(abs(plies), "ply", "plies")
        self.note(
            score=result.score if plies is None else None,
            depth=result.depth,
            nodes=result.nodes,
            pv=result.pv(position) if search_ms >= MIN_PV_MS else (),
            text="" if plies is None else f"{'wins' if plies > 0 else 'loses'} in {length}",
        )

    def _learn_overhead(self, clocks: Clocks) -> None:
        """Note the overhead of the last move: charged time minus search time."""
        if self._last_move is not None:
            before, search_ms = self._last_move
            self._overheads.append(before.mine_ms + clocks.increment_ms - clocks.mine_ms - search_ms)

    def _limits(self, position: Position, clocks: Clocks, began: float, is_compiled: bool) -> SearchLimits:
        """Return the limits of the search of a move. Interpreted, it keeps to the time by itself."""
        usual = sorted(self._overheads)[-2] if len(self._overheads) > 1 else OVERHEAD_MS
        time = allocate_time(
            clocks.mine_ms - (perf_counter() - began) * 1000,
            clocks.increment_ms,
            position.plies_ahead,
            overhead_ms=max(OVERHEAD_MS, usual),
        )
        hard = time.hard_ms
        nodes = [self._nodes] if self._nodes else []
        # a rate that was measured depends on the machine
        if is_compiled and self._nodes_per_ms and self._level == MAX_LEVEL:
            nodes.append(max(MIN_NODES, int(hard * self._nodes_per_ms)))
        limits = SearchLimits(MAX_DEPTH, min(nodes, default=None), min(hard, time.soft_ms), hard)
        return limits._replace(level=self._level, seed=self._seed)
