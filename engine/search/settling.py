"""The searches that settle who wins however long it takes, one for each kind of game, behind one interface."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.game import DRAWN, WON, Kernel
from engine.search.prover import Prover
from engine.search.reachable import Judgement, ReachableSet

SLICE_COMPILED, SLICE_INTERPRETED = 1 << 15, 1 << 9
"""The clock is looked at after so many positions, which take some tenths of a second."""

PROOF_PORTIONS = 8
"""For a node of other searches a compiled proof-number search has so many: it is what finds most wins and all draws."""


class Settled(NamedTuple):
    """What such a search has found out."""

    value: int | None
    """For the side to move: 1 won, -1 lost, 0 drawn, None while nothing is known."""
    within: int | None
    """A number of plies that suffices for the win, where one is known."""
    nodes: int
    """Positions whose moves a proof needed."""
    positions: int
    """Positions that were collected."""
    closed: bool
    """Whether these are all that can be reached; then no number of plies less than ``within`` suffices."""
    full: bool
    """Whether they have used up the memory."""


class Settling(Protocol):
    """A search that goes on in portions."""

    method: str
    """What it is called."""

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search on, for a portion that is counted in positions, until it is late at most."""

    @property
    def used(self) -> int:
        """How much of all portions was used up."""

    def settled(self) -> Settled:
        """Say what is known."""

    def warm_up(self) -> None:
        """Have everything compiled that the search calls, and spoil the search: for one that is thrown away."""


def settling(kernel: Kernel, memory: int) -> Settling:
    """Begin to settle the position of a kernel, with the search that fits the game."""
    return Proof(kernel, memory) if hasattr(kernel.rules, "plies_left") else Collection(kernel, memory)


class Collection:
    """For games that can go on for ever: every position that can be reached, judged backwards."""

    method = "retrograde analysis"

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes."""
        self._set = ReachableSet(kernel, memory=memory)
        self._judgement: Judgement | None = None
        self._judged = 0
        self._slice = SLICE_COMPILED if kernel.compiled else SLICE_INTERPRETED

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


class Proof:
    """For games that end: exhaustive and proof-number search."""

    method = "proof"

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes for the table."""
        self._state = kernel.state
        self._prover = Prover(kernel, memory=memory)
        self._slice = SLICE_COMPILED if kernel.compiled else SLICE_INTERPRETED
        self._weight = PROOF_PORTIONS if kernel.compiled else 1
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
                self._value = 0 if value == DRAWN else 1 if value == WON else -1

    def settled(self) -> Settled:
        """Say what is known."""
        return Settled(self._value, None, self._prover.nodes, 0, False, False)

    def warm_up(self) -> None:
        """Have everything compiled."""
        self._prover.warm_up()
