"""The searches that settle who wins however long it takes, one for each kind of game, behind one interface."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.games.interface import DRAWN, LOST, WON, Kernel
from engine.solve.layered.solver import Layers, OutOfMemory, OutOfTime, layer_of
from engine.solve.proof_number.acyclic import Prover
from engine.solve.proof_number.cyclic import CyclicProver

SLICE_COMPILED, SLICE_INTERPRETED = 1 << 14, 1 << 8
"""Nodes between two looks at the clock, some tenths of a second."""

PROOF_PORTIONS = 8
"""Compiled nodes of a proof in a game that ends, for each node of the other searches: the proof finds most wins."""

NODE_COST = 4
"""Nodes of the other searches that take as long as one node of a proof in a game that can go on for ever."""

LAYERED_FROM = 1 << 17
"""Nodes before layers are solved. Fewer take no longer than compiling the functions of layers, some seconds."""

PLACES_PER_NODE = 1 << 5
"""Places of layers that are solved about as fast as a node is searched."""

PROOF_SHARE = 3
"""The table of a proof takes one part in three of the memory where layers take the rest."""

SIGNS = {LOST: -1, DRAWN: 0, WON: 1}
"""Values of `Settled` by verdicts of perfect play."""


class Settled(NamedTuple):
    """Result of a search that settles a position."""

    value: int | None = None
    """For the side to move: 1 won, -1 lost, 0 drawn, None while it is unknown."""
    within: int | None = None
    """A number of plies that suffices for the win, where one is known."""
    is_exact: bool = False
    """Whether no smaller number of plies suffices."""
    nodes: int = 0
    """Positions that the search expanded."""
    positions: int = 0
    """Positions of all solved layers."""


class SolverBackend(Protocol):
    """A search that goes on in portions."""

    method: str
    """The name of the method."""

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for a portion of positions, until ``late()`` at most."""

    @property
    def used(self) -> int:
        """The part of all portions that was used up."""

    def settled(self) -> Settled:
        """Return the result so far."""

    def warm_up(self) -> None:
        """Compile all functions of the search, and spoil the search."""


def backends(kernel: Kernel, memory: int, *, as_compiled: bool = False) -> list[SolverBackend]:
    """Begin the searches that fit the game, within so many bytes.

    With ``as_compiled`` interpreted code does the same as compiled code, up to LAYERED_FROM nodes.
    """
    as_compiled = as_compiled or kernel.compiled
    if kernel.rules.plies_left is not None:
        return [AcyclicProof(kernel, memory, as_compiled)]
    if not kernel.compiled or kernel.rules.layers is None:
        return [CyclicProof(kernel, memory, as_compiled)]
    proof = memory // PROOF_SHARE
    return [CyclicProof(kernel, proof, as_compiled), LayeredBackend(kernel, memory - proof)]


class AcyclicProof:
    """Exhaustive and proof-number search, for games that end."""

    method = "proof"

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes."""
        self._state = kernel.state
        self._prover = Prover(kernel, memory=memory)
        self._slice = 2 * (SLICE_COMPILED if as_compiled else SLICE_INTERPRETED)
        self._weight = PROOF_PORTIONS if as_compiled else 1
        self._value: int | None = None

    @property
    def used(self) -> int:
        """Nodes, divided by their weight."""
        return self._prover.nodes // self._weight

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search so many more nodes, times their weight."""
        until = self._prover.nodes + portion * self._weight
        while self._value is None and self._prover.nodes < until and not late():
            value = self._prover.value(self._state, min(self._slice, until - self._prover.nodes))
            if value is not None:
                self._value = SIGNS[value]

    def settled(self) -> Settled:
        """Return the result so far."""
        return Settled(self._value, nodes=self._prover.nodes)

    def warm_up(self) -> None:
        """Compile all functions of the search."""
        self._prover.warm_up()


class CyclicProof:
    """Proof-number search, for games that can go on for ever."""

    method = "proof"

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes."""
        self.prover = CyclicProver(kernel, memory=memory)
        self._slice = SLICE_COMPILED if as_compiled else SLICE_INTERPRETED

    @property
    def used(self) -> int:
        """Nodes, times their cost."""
        return self.prover.nodes * NODE_COST

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for so many more positions."""
        prover = self.prover
        until = prover.nodes + portion // NODE_COST
        while prover.value is None and not prover.hopeless and prover.nodes < until and not late():
            prover.search(min(self._slice, until - prover.nodes))

    def settled(self) -> Settled:
        """Return the result so far."""
        value = self.prover.value
        return Settled(None if value is None else SIGNS[value], self.prover.within, nodes=self.prover.nodes)

    def warm_up(self) -> None:
        """Compile all functions of the search."""
        self.prover.warm_up()


class LayeredBackend:
    """Every position of all layers, for games in layers; it waits until the other searches have taken as long."""

    method = "layers"

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes."""
        self._kernel = kernel
        self._memory = memory
        self._name = layer_of(kernel)
        self._waited = 0
        self._layers: Layers | None = None
        self._has_failed = False

    @property
    def used(self) -> int:
        """Positions of the solved layers."""
        return 0 if self._layers is None else self._layers.total(self._name)

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Solve layers with so many positions or more; a layer is given up when it is late."""
        is_early = self._waited < LAYERED_FROM
        self._waited += portion
        if is_early or self._has_failed:
            return
        try:
            if self._layers is None:
                self._layers = Layers(self._kernel, self._name, memory=self._memory)
            if self._waited * PLACES_PER_NODE < self._layers.places(self._name):
                return
            until = self.used + portion
            for pair in self._layers.missing(self._name):
                if self.used >= until or late():
                    return
                self._layers.solve(pair, late)
        except OutOfTime:
            return
        except (OutOfMemory, OverflowError):
            self._has_failed = True

    def settled(self) -> Settled:
        """Return the result so far."""
        judgement = None if self._layers is None else self._layers.judgement(self._kernel.state)
        if judgement is None:
            return Settled(positions=self.used)
        return Settled(judgement.result, judgement.plies if judgement.result else None, True, positions=self.used)

    def warm_up(self) -> None:
        """Compile nothing: most positions are settled before layers are solved."""
