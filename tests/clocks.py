"""Clocks in seconds that no machine's speed moves."""

from collections.abc import Callable
from itertools import count


def never() -> float:
    """Stand for a clock that never goes on."""
    return 0.0


def ticking(step: float = 0.0001) -> Callable[[], float]:
    """Return a clock that goes on by a step whenever it is read, as a search does at every node."""
    return count(0.0, step).__next__
