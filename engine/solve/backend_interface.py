"""What every search that settles a position can do, and what it has found out."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.games.interface import DRAWN, LOST, WON

SIGNS = {LOST: -1, DRAWN: 0, WON: 1}
"""Values of `Settled`, by verdicts of perfect play."""


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
    """Whether these are all that can be reached, at least; then no number of plies less than ``within`` suffices."""
    full: bool
    """Whether they have used up the memory."""


class SolverBackend(Protocol):
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
