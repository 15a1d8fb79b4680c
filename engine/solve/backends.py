"""The searches that settle who wins however long it takes, one for each kind of game, behind one interface."""

from collections.abc import Callable
from contextlib import suppress

from engine.games.interface import Kernel
from engine.solve.backend_interface import SIGNS, Settled, SolverBackend
from engine.solve.layered.pair import OutOfMemory, OutOfTime
from engine.solve.layered.solver import Layers, layer_of
from engine.solve.proof_number.acyclic import Prover
from engine.solve.reachable import Judgement, ReachableSet

SLICE_COMPILED, SLICE_INTERPRETED = 1 << 15, 1 << 9
"""The clock is looked at after so many positions, which take some tenths of a second."""

PROOF_PORTIONS = 8
"""For a node of other searches a compiled proof-number search has so many: it is what finds most wins and all draws."""

LAYERED_FROM = 1 << 18
"""A set of positions that closes below this takes no longer than compiling what the layers need: some seconds."""

PLACES_PER_POSITION = 1 << 3
"""Layers with so many places for a position of a set take about as long as the set has taken so far."""


def settling(kernel: Kernel, memory: int, *, as_compiled: bool = False) -> SolverBackend:
    """Begin to settle the position of a kernel, with the search that fits the game.

    With ``as_compiled`` interpreted code does the same as compiled code, up to LAYERED_FROM positions.
    """
    as_compiled = as_compiled or kernel.compiled
    if kernel.rules.plies_left is not None:
        return Proof(kernel, memory, as_compiled)
    if kernel.compiled and kernel.rules.layers is not None:
        return RetrogradeBackend(kernel, memory)
    return ReachableSetBackend(kernel, memory, as_compiled)


class ReachableSetBackend:
    """For games that can go on for ever: every position that can be reached, judged backwards."""

    method = "retrograde analysis"

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes."""
        self._set = ReachableSet(kernel, memory=memory)
        self._judgement: Judgement | None = None
        self._judged = 0
        self._slice = SLICE_COMPILED if as_compiled else SLICE_INTERPRETED

    @property
    def used(self) -> int:
        """Positions whose moves are recorded."""
        return self._set.expanded

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Collect so many more positions, and judge them when it is worth it."""
        reachable = self._set
        until = reachable.expanded + portion
        while reachable.expanded < until and not (reachable.closed or reachable.full or late()):
            reachable.grow(min(self._slice, until - reachable.expanded))
        if reachable.closed or reachable.full or reachable.expanded >= 2 * self._judged:
            if reachable.expanded > self._judged:
                self._judgement = reachable.judge(lambda: not late())
            self._judged = reachable.expanded

    def settled(self) -> Settled:
        """Say what is known."""
        value, within = None, None
        if self._judgement is not None:
            value = self._judgement.result
            within = self._judgement.plies if value != 0 else None
        reachable = self._set
        return Settled(value, within, 0, reachable.positions, reachable.closed, reachable.full)

    def warm_up(self) -> None:
        """Have everything compiled."""
        self._set.warm_up()


class RetrogradeBackend:
    """For games in layers: a collection while it is small, then all layers, where the memory is enough for them."""

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes."""
        self._kernel = kernel
        self._memory = memory
        self._search: ReachableSetBackend | LayeredBackend = ReachableSetBackend(kernel, memory, True)
        self.method: str = self._search.method

    @property
    def used(self) -> int:
        """Positions whose moves are made by that search."""
        return self._search.used

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search on, and look whether it is time for the layers."""
        self._search.search(portion, late)
        settled = self._search.settled()
        small = settled.positions < LAYERED_FROM and not settled.full
        if isinstance(self._search, LayeredBackend) or settled.value is not None or small:
            return
        with suppress(OutOfMemory):
            layers = LayeredBackend(self._kernel, self._memory)
            if settled.full or settled.positions >= layers.places // PLACES_PER_POSITION:
                self._search = layers
                self.method = layers.method

    def settled(self) -> Settled:
        """Say what is known."""
        return self._search.settled()

    def warm_up(self) -> None:
        """Have compiled what every position needs; a position with many pieces waits some seconds for the rest."""
        self._search.warm_up()


class LayeredBackend:
    """For games in layers: every position of all layers that can be reached."""

    method = Layers.method

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes; raises as `Layers` does."""
        self._name = layer_of(kernel)
        self._state = kernel.state
        self._layers = Layers(kernel, self._name, memory=memory)
        self._open = self._layers.missing(self._name)
        self._full = False
        self.places = self._layers.places(self._name)

    @property
    def used(self) -> int:
        """Positions of the layers that are solved."""
        return self._layers.total(self._name)[0]

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Solve layers with so many positions or more; one is given up when it is late."""
        until = self.used + portion
        try:
            while self._open and self.used < until and not self._full and not late():
                self._layers.solve(self._open[0], late)
                self._open.pop(0)
        except OutOfTime:
            return
        except (OutOfMemory, OverflowError):
            self._full = True

    def settled(self) -> Settled:
        """Say what is known."""
        judgement = self._layers.judgement(self._state)
        positions = self._layers.total(self._name)[0]
        if judgement is None:
            return Settled(None, None, 0, positions, False, self._full)
        return Settled(judgement.result, judgement.plies if judgement.result else None, 0, positions, True, self._full)

    def warm_up(self) -> None:
        """Have everything compiled."""
        self._layers.warm_up()


class Proof:
    """For games that end: exhaustive and proof-number search."""

    method = "proof"

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes for the table."""
        self._state = kernel.state
        self._prover = Prover(kernel, memory=memory)
        self._slice = SLICE_COMPILED if as_compiled else SLICE_INTERPRETED
        self._weight = PROOF_PORTIONS if as_compiled else 1
        self._value: int | None = None

    @property
    def used(self) -> int:
        """Nodes, by their weight."""
        return self._prover.nodes // self._weight

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search so many more nodes, by their weight."""
        until = self._prover.nodes + portion * self._weight
        while self._value is None and self._prover.nodes < until and not late():
            value = self._prover.value(self._state, min(self._slice, until - self._prover.nodes))
            if value is not None:
                self._value = SIGNS[value]

    def settled(self) -> Settled:
        """Say what is known."""
        return Settled(self._value, None, self._prover.nodes, 0, False, False)

    def warm_up(self) -> None:
        """Have everything compiled."""
        self._prover.warm_up()
