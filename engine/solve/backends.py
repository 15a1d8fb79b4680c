"""The searches that find out who wins, with one interface.

- `Proof`: exhaustive and proof-number search in games that end, proof-number search in other games.
- `LayeredBackend`: retrograde analysis of all positions, in games with layers.
"""

from collections.abc import Callable
from typing import TypeAlias

from engine.games.interface import DRAWN, LOST, WON, Kernel
from engine.solve.layers import ExactValue, Layers, OutOfMemory, OutOfTime, layer_of
from engine.solve.provers import CyclicProver, Prover

SLICE_COMPILED, SLICE_INTERPRETED = 1 << 14, 1 << 8
"""Nodes between two checks of the clock: some tenths of a second."""

PROOF_PORTIONS = 8
"""Compiled nodes of a proof in a game that ends, for each node of the other searches: the proof finds most wins."""

NODE_COST, EARLY_NODE_COST = 4, 64
"""Nodes of the other searches for each node of a proof in a game that can go on for ever. They take equal time. In
early interpreted portions there are more, since most wins are short."""

EARLY_PORTION = 1 << 13
"""Nodes of the last early portion: a second or two."""

LAYERED_FROM = 1 << 17
"""Nodes before layers are solved. They take about as long as compiling the functions of layers: some seconds."""

PLACES_PER_NODE = 1 << 5
"""Places of layers that are solved in about the time of a node."""

PROOF_SHARE = 3
"""If layers are solved, the table of the proof has a part of 1 / PROOF_SHARE of the memory."""

SIGNS = {LOST: -1, DRAWN: 0, WON: 1}
"""Values of verdicts."""


class Proof:
    """Exhaustive and proof-number search for games that end, proof-number search for games that can go on for ever."""

    is_exact = False
    """Whether `within` is the length of the game with perfect play."""
    positions = 0
    """Positions of the solved layers."""

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel. The table has at most ``memory`` bytes."""
        ends = kernel.rules.plies_left is not None
        self.prover = Prover(kernel, memory=memory) if ends else CyclicProver(kernel, memory=memory)
        self._slice = (SLICE_COMPILED if as_compiled else SLICE_INTERPRETED) * (2 if ends else 1)
        proof_portions, early_cost = (PROOF_PORTIONS, NODE_COST) if as_compiled else (1, EARLY_NODE_COST)
        # nodes for each node of the other searches
        self._early_rate: float = proof_portions if ends else 1 / early_cost
        self._rate: float = proof_portions if ends else 1 / NODE_COST
        self._used = 0.0

    @property
    def used(self) -> int:
        """Nodes so far, in nodes of the other searches."""
        return int(self._used)

    @property
    def nodes(self) -> int:
        """Expanded positions."""
        return self.prover.nodes

    @property
    def value(self) -> int | None:
        """The value for the side to move: 1 won, -1 lost, 0 drawn, None while it is not known."""
        return None if self.prover.value is None else SIGNS[self.prover.value]

    @property
    def within(self) -> int | None:
        """An upper bound of the plies to the win, if one is known."""
        return self.prover.within

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for the time of ``portion`` nodes of the other searches, or until ``late`` returns True."""
        prover, before = self.prover, self.prover.nodes
        rate = self._early_rate if portion <= EARLY_PORTION else self._rate
        until = before + int(portion * rate)
        while prover.value is None and not prover.is_exhausted and prover.nodes < until and not late():
            prover.search(min(self._slice, until - prover.nodes))
        self._used += (prover.nodes - before) / rate

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move (``mover``), or the other side, is proven unable to win."""
        return self.prover.cannot_win(mover)


class LayeredBackend:
    """Retrograde analysis of all layers. It waits until the other searches have taken as long as it will take."""

    is_exact = True
    nodes = 0

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and use at most ``memory`` bytes."""
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

    positions = used

    @property
    def value(self) -> int | None:
        """The value for the side to move: 1 won, -1 lost, 0 drawn, None while it is not known."""
        exact_value = self._exact_value()
        return None if exact_value is None else exact_value.result

    @property
    def within(self) -> int | None:
        """The number of plies to the win, if there is one."""
        exact_value = self._exact_value()
        return None if exact_value is None or exact_value.result == 0 else exact_value.plies

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Solve layers with at least ``portion`` positions, or until ``late`` returns True."""
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

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether a side is proven unable to win while the value is not known: never in this search."""
        return False

    def _exact_value(self) -> ExactValue | None:
        return None if self._layers is None else self._layers.exact_value(self._kernel.state)


Backend: TypeAlias = Proof | LayeredBackend


def backends(kernel: Kernel, memory: int, *, as_compiled: bool = False) -> list[Backend]:
    """Return the searches for the game of a kernel. Together they use ``memory`` bytes.

    With ``as_compiled``, interpreted searches do the same as compiled ones, up to LAYERED_FROM nodes.
    """
    as_compiled = as_compiled or kernel.compiled
    if not kernel.compiled or kernel.rules.layers is None:
        return [Proof(kernel, memory, as_compiled)]
    proof = memory // PROOF_SHARE
    return [Proof(kernel, proof, as_compiled), LayeredBackend(kernel, memory - proof)]
