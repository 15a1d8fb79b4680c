"""Solving layer after layer, from the smallest on, up to the one that a position lies in."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import cast

from engine.compiling.binding import Numbers, zeros
from engine.games.interface import Kernel, State
from engine.search.memory import KnownLayers
from engine.solve.layered.pair import PLACE_BYTES, LayerPair, OutOfMemory, Solved, layer_rules
from engine.solve.layered.store import Figures, LayerStore, Name
from engine.solve.reachable import Judgement


class Layers:
    """Layers of one game, up to a largest one. Only for kernels that have ``layers``."""

    method = "layers"
    """What solving by them is called."""

    def __init__(
        self, kernel: Kernel, largest: Name, *, memory: int, directory: Path | None = None, threads: int = 1
    ) -> None:
        """Begin with what is in a directory, if one is given, and take at most ``memory`` bytes beside its files.

        Raises OutOfMemory where it is clear from the beginning that these are too few without a directory, and OSError
        where the directory cannot be read and written.
        """
        self._kernel = kernel
        self._threads = threads
        self._rules = rules = layer_rules(kernel)
        every = range(max(largest) + 1)
        self._sizes = [[int(rules.places(mine, theirs, rules.index)) for theirs in every] for mine in every]
        self._memory = memory
        if directory is None:
            self._memory -= self.places(largest)
            if self._memory < self._places_of(largest) * PLACE_BYTES:
                raise OutOfMemory("all layers together take more memory than is allowed")
        self._store = LayerStore(self._kernel, self._sizes, directory)

    def places(self, largest: Name) -> int:
        """Return how many places there are in a layer and all below it: no less than there are positions."""
        return sum(map(self._places_of, needed(largest)))

    def warm_up(self) -> None:
        """Have everything compiled that solving calls, or load what was compiled before."""
        self._pair((0, 0), lambda: False).solve()

    def missing(self, largest: Name) -> list[Name]:
        """List the layers to solve before the value of every position of one is known, in the order to solve them in.

        Of two that belong together only one is named. A layer that is there needs no others.
        """
        if self._store.is_there(largest):
            return []
        return [pair for pair in needed(largest) if not all(self._store.is_there(name) for name in (pair, pair[::-1]))]

    def differing(self) -> list[Name]:
        """List the layers whose values differ from their checksums; from then on they are there all the same."""
        return self._store.differing()

    def longest(self, name: Name) -> int:
        """Return the plies of the longest game of a layer; 0 also where that is not told."""
        figures = self._store.figures(name)
        return 0 if figures is None else figures.longest

    def values(self, name: Name) -> bytes:
        """Return all values of a layer that is there, as `engine.solve.layered.values` has them."""
        return self._store.layer(name)

    def byte_of(self, name: Name, place: int) -> int:
        """Return where the value of a place of a layer lies in the file."""
        return self._store.byte_of(name, place)

    def solve(self, pair: Name, late: Callable[[], bool], clock: Callable[[], float] = lambda: 0.0) -> None:
        """Solve a layer and the one that belongs to it, all smaller ones being there.

        Raises OutOfTime soon after ``late()`` says so, OutOfMemory, OverflowError for games that are too long, and
        OSError where a layer cannot be written; what was solved before stays so. ``clock`` gives seconds from any
        beginning.
        """
        began = clock()
        for solved in self._pair(pair, late).solve():
            self._store.put(solved.name, solved.values, _figures(solved, clock() - began))

    def fill(self, values: bytes) -> None:
        """Take the values of all layers, as `known` has them, in the place of solving; for layers in memory."""
        self._store.fill(values)

    def total(self, largest: Name) -> tuple[int, float]:
        """Return how many positions a layer and all below it have, and the seconds that they took, as far as solved."""
        positions, seconds = 0, 0.0
        for pair in needed(largest):
            figures = [known for name in {pair, pair[::-1]} if (known := self._store.figures(name)) is not None]
            positions += sum(known.positions for known in figures)
            seconds += max((known.seconds for known in figures), default=0.0)
        return positions, seconds

    def judgement(self, state: State) -> Judgement | None:
        """Return what is known of a position, None where its layer is not solved."""
        name = layer_of(self._kernel._replace(state=state))
        if not self._store.is_there(name):
            return None
        rules = self._rules
        value = self._store.value(name, int(rules.place_in_layer(state, rules.index)))
        if value == 0:
            return Judgement(0, 0)
        return Judgement(-1 if value & 1 else 1, value - 1)

    def known(self) -> KnownLayers:
        """Return the layers that are there, as a search looks positions up in them."""
        store, rules = self._store, self._rules
        offsets = zeros("q", store.width**2)
        for mine, theirs in product(range(store.width), repeat=2):
            at = mine * store.width + theirs
            offsets[at] = store.offsets[at] if store.is_there((mine, theirs)) else -1
        return KnownLayers(cast(Numbers, memoryview(store.values)), offsets, store.width, rules.index)

    def _places_of(self, pair: Name) -> int:
        """Return how many places a layer has, together with the one that belongs to it."""
        return sum(self._sizes[mine][theirs] for mine, theirs in {pair, pair[::-1]})

    def _pair(self, name: Name, late: Callable[[], bool]) -> LayerPair:
        return LayerPair(
            self._kernel, name, self._sizes, self._store, memory=self._memory, threads=self._threads, late=late
        )


def layer_of(kernel: Kernel) -> Name:
    """Return the layer that the position of a kernel lies in."""
    mine, theirs = layer_rules(kernel).layer_of(kernel.state)
    return int(mine), int(theirs)


def needed(largest: Name) -> list[Name]:
    """List the layers that games from one can come to, smaller ones first, one of each two that belong together."""
    mine, theirs = largest
    names = {(max(m, o), min(m, o)) for m in range(mine + 1) for o in range(theirs + 1)}
    return sorted(names, key=lambda name: (sum(name), name))


def _figures(solved: Solved, seconds: float) -> Figures:
    """Sum a layer up."""
    won, lost = sum(solved.counts[2::2]), sum(solved.counts[1::2])
    longest = max((value - 1 for value, count in enumerate(solved.counts) if value > 0 and count > 0), default=0)
    return Figures(solved.positions, int(won), int(lost), longest, solved.edges, seconds)
