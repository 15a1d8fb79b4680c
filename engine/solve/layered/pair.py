"""A layer and the one that its moves lead to, solved together as `engine.solve.layered.values` says, with threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any, NamedTuple

from engine.compiling.binding import Numbers, zeros
from engine.games.interface import Kernel, LayerRules
from engine.search.binding import bind, copy_of
from engine.solve.layered.store import LayerStore, Name
from engine.solve.layered.values import EDGES, ENTRY_POINTS, LAST, LONGEST, PLACE, POSITIONS, Layer

SURVEYED_AT_A_TIME = 1 << 17
"""Places that a thread surveys between two looks at the clock."""

JUDGED_AT_A_TIME = 1 << 22
"""Places that are gone through between two looks at the clock."""

ARENA_PLACES = 1 << 12
"""Room for the ways to collect rows after one push."""

LISTED_MOVES = 1 << 12
"""Room for the moves of one position."""

ORIGINS = 1 << 10
"""Room for the ways back from one position."""

HIGHEST_SURVEYED = 2
"""The highest value that a survey gives to positions itself."""

EDGES_AT_A_TIME = 1 << 17
"""Room for the edges that a survey notes before they are put away."""

PLACE_BYTES = 1 + 1 + 2 + 4
"""What a place of a layer takes while it is solved."""

PAIR_BYTES = 8
EDGE_BYTES = PAIR_BYTES + 4
"""What an edge takes: as a pair at first, and among those to the same place."""


class OutOfTime(Exception):
    """The deadline has come. ``str(error)`` is a clause for people, as that of the next one is."""


class OutOfMemory(Exception):
    """More memory is needed than the limit."""


class Solved(NamedTuple):
    """A layer that is solved."""

    name: Name
    values: Numbers
    """See `engine.solve.layered.values`."""
    positions: int
    edges: int
    counts: Numbers
    """How many places have each value."""


def layer_rules(kernel: Kernel) -> LayerRules:
    """Return the rules of a kernel with what layers need; only for games that have them."""
    assert kernel.rules.layers is not None
    return kernel.rules.layers()


class LayerPair:
    """Layers (m, o) and (o, m), or one where the numbers are equal."""

    def __init__(
        self,
        kernel: Kernel,
        name: Name,
        sizes: Sequence[Sequence[int]],
        store: LayerStore,
        *,
        memory: int,
        threads: int,
        late: Callable[[], bool],
    ) -> None:
        """Make room for both layers; the smaller ones are taken from the store.

        Raises OutOfMemory where more than ``memory`` bytes are needed.
        """
        self._rules = layer_rules(kernel)
        self._kernel = kernel._replace(rules=self._rules)
        bound = bind(ENTRY_POINTS, self._kernel)
        self._look, self._count_edges, self._add_up, self._fill_in, self._return, self._tell = bound
        self._store = store
        self._memory = memory
        self._late = late
        self._threads = threads
        self._names = list(dict.fromkeys((name, name[::-1])))
        self._take(sum(sizes[mine][theirs] for mine, theirs in self._names) * PLACE_BYTES)
        self._layers = [self._layer(sizes[mine][theirs]) for mine, theirs in self._names]

    def solve(self) -> list[Solved]:
        """Return both layers solved, or the one.

        Raises OutOfTime, OutOfMemory, and OverflowError as the functions do.
        """
        pool = ThreadPoolExecutor(self._threads)
        try:
            surveys = [self._survey(pool, number) for number in range(len(self._names))]
            self._judge(pool, max(last for _, _, last in surveys))
        finally:
            pool.shutdown(cancel_futures=True)
        solved = []
        for name, layer, (positions, edges, _) in zip(self._names, self._layers, surveys, strict=True):
            counts = zeros("q", LONGEST + 2)
            self._tell(layer.values, counts)
            solved.append(Solved(name, layer.values, positions, edges, counts))
        return solved

    def _layer(self, places: int) -> Layer:
        typecodes = (("B", places), ("B", places), ("h", places), ("I", places + 1), ("i", 0))
        return Layer(*(zeros(typecode, count) for typecode, count in typecodes))

    def _take(self, size: int) -> None:
        """Account for memory."""
        self._memory -= size
        if self._memory < 0:
            raise OutOfMemory("it takes more memory than is allowed")

    def _survey(self, pool: ThreadPoolExecutor, number: int) -> tuple[int, int, int]:
        """Survey a layer, and note its edges with the other one; return its positions, edges and highest exit."""
        target = self._layers[-1 - number]
        begins = range(0, len(self._layers[number].values), SURVEYED_AT_A_TIME)
        positions = edges = last = 0
        kept = []
        for portions, tally in pool.map(lambda begin: self._survey_from(begin, number), begins):
            self._take(int(tally[EDGES]) * EDGE_BYTES)
            positions += int(tally[POSITIONS])
            edges += int(tally[EDGES])
            last = max(last, int(tally[LAST]))
            kept += portions
        for pairs in kept:
            self._count_edges(pairs, len(pairs) // 2, target.starts)
        self._add_up(target.starts)
        parents = zeros("i", edges)
        while kept:
            pairs = kept.pop()
            self._fill_in(pairs, len(pairs) // 2, target.starts, parents)
        self._take(-edges * PAIR_BYTES)
        self._layers[-1 - number] = target._replace(parents=parents)
        return positions, edges, last

    def _survey_from(self, begin: int, number: int) -> tuple[list[Any], Any]:
        """Survey a portion of a layer; return its edges, in portions, and counters."""
        kernel, name, layer, store = self._kernel, self._names[number], self._layers[number], self._store
        arena, found = kernel.arena(ARENA_PLACES), zeros("q", LISTED_MOVES * self._rules.LISTED)
        pairs = zeros("i", EDGES_AT_A_TIME * 2)
        index, width = self._rules.index, store.width
        tally = zeros("q", 4)
        end = min(begin + SURVEYED_AT_A_TIME, len(layer.values))
        tally[PLACE] = begin
        edges = 0
        portions = []
        while tally[PLACE] < end:
            if self._late():
                raise OutOfTime("the time is over")
            tally[EDGES] = 0
            self._look(end, *name, index, arena, found, store.values, store.offsets, width, layer, pairs, tally)
            portions.append(copy_of(pairs[: 2 * tally[EDGES]]))
            edges += int(tally[EDGES])
        tally[EDGES] = edges
        return portions, tally

    def _judge(self, pool: ThreadPoolExecutor, last: int) -> None:
        """Go back from what is won or lost, ply by ply; ``last`` is the highest value of an exit."""
        numbers_of_layers = range(len(self._layers))
        value, found = 0, 1
        while found > 0 or value <= max(last, HIGHEST_SURVEYED):
            value += 1
            found = sum(pool.map(self._go_back, numbers_of_layers, repeat(value)))

    def _go_back(self, number: int, value: int) -> int:
        """Go back from the positions of a layer that have a value; return how many they are."""
        name, layer, origins = self._names[number], self._layers[number], self._layers[-1 - number]
        found = zeros("q", ORIGINS * 2)
        index = self._rules.index
        return sum(
            self._return(value, begin, end, *name, layer, origins, index, found) for begin, end in self._portions(layer)
        )

    def _portions(self, layer: Layer) -> Iterator[tuple[int, int]]:
        """Yield beginning and end of portions of a layer's places, while it is not late."""
        for begin in range(0, len(layer.values), JUDGED_AT_A_TIME):
            if self._late():
                raise OutOfTime("the time is over")
            yield begin, min(begin + JUDGED_AT_A_TIME, len(layer.values))
