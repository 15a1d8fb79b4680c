"""What the search thinks of positions of a match, each within a number of nodes.

A position that is searched is searched to the end of a depth; of one that is not, nothing is said. Nothing is carried
over from one position to the next. So what is found depends on the position, on those that stood on the board before
it and on the number of nodes, and on nothing else: neither on the order, nor on the machine, nor on whether the search
is compiled.
"""

from collections.abc import Callable, Collection

from engine.games.interface import Kernel, Position
from engine.games.kernels import KernelSource
from engine.search.game_engine import Tablebase, perfect_result, search_kernels, with_best_kernel
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop

TABLE_MEGABYTES = 32
"""Of the search's table."""


class Evaluator:
    """Searches positions of one variant, one by one."""

    def __init__(
        self,
        position: Position,
        *,
        clock: Callable[[], float],
        compiling: Callable[[], None] = lambda: None,
        tablebase: Tablebase | None = None,
        kernels: KernelSource | None = None,
    ) -> None:
        """Make one for the variant of a position, which searches interpreted until compiled code is there.

        ``clock`` gives seconds from any beginning; ``compiling`` is told when another process is asked to compile. What
        a ``tablebase`` knows is not searched. ``kernels`` are those of the board for searching.
        """
        self._kernels = search_kernels(position, compiling=compiling) if kernels is None else kernels
        self._clock = clock
        self._tablebase = tablebase
        self.nodes = 0
        """Positions looked at so far, one at least for each that was searched."""

    @property
    def compiled(self) -> bool:
        """Tell whether the next search is compiled; else it is some hundred times as slow."""
        return self._kernels.is_ready()

    def start_compiling(self) -> None:
        """Have compiled code made, where it is not there: long searches begin with that by themselves."""
        self._kernels.start(urgent=True)

    def evaluate(self, position: Position, earlier: Collection[int], nodes: int) -> SearchResult | None:
        """Search a position in which the game goes on; return None where it has too many moves to look at.

        ``earlier`` holds the keys (`engine.search.searcher.key_of`) of the positions before it. Nodes that do not reach
        for one ply are exceeded.
        """

        def search(limits: SearchLimits) -> SearchResult:
            def think(kernel: Kernel, stop: Stop) -> SearchResult:
                searcher = Searcher(kernel, megabytes=TABLE_MEGABYTES)
                return searcher.think(position, earlier, limits, clock=self._clock, stop=stop)

            thought = with_best_kernel(self._kernels, position, think)
            self.nodes += max(1, thought.nodes)
            return thought

        limits = SearchLimits(nodes=nodes)
        known = () if self._tablebase is None else self._tablebase.probe(position, earlier)
        try:
            if known:
                return perfect_result(position, known, limits, search)
            thought = search(limits)
            if thought.score is None:
                thought = search(SearchLimits(depth=1))
        except OverflowError:
            self.nodes += 1
            return None
        return thought
