"""Clocks that no machine's speed moves."""

from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar

Time = TypeVar("Time")


def never() -> float:
    """Stand for a clock that never goes on."""
    return 0.0


def ticking(step: float = 0.0001) -> Callable[[], float]:
    """Return a clock that goes on by a step whenever it is read, as a search does at every node."""
    return count(0.0, step).__next__


class SetClock(Generic[Time]):
    """A clock that stands until a test sets it."""

    def __init__(self, now: Time) -> None:
        self.now = now

    def __call__(self) -> Time:
        return self.now
