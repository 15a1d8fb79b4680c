"""The flag timer: one task that sleeps until the next deadline of any match."""

import math
from collections.abc import Callable, Iterable
from typing import Protocol

import trio


class Timed(Protocol):
    """An object with a deadline that may move."""

    due: float
    """Stamp at which to call `flag`, which sets the next one; infinite if there is no deadline now."""

    def flag(self, now: int) -> None:
        """Check the clocks at a stamp. All messages that had arrived by then have been read. Raises nothing."""


class FlagTimer:
    """Calls `flag` of matches at their deadlines.

    It looks through all matches when the earliest deadline that it knows has come: 2,000 take 50 microseconds.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        """Take the clock of the deadlines, in microseconds."""
        self._clock = clock
        self._next = math.inf
        self._sleep = trio.CancelScope()

    def wake_at(self, due: float) -> None:
        """Look through the matches at a deadline at the latest."""
        if due < self._next:
            self._next = due
            self._sleep.cancel()

    async def run(self, matches: Callable[[], Iterable[Timed]]) -> None:
        """Run until cancelled."""
        while True:
            with trio.CancelScope() as self._sleep:
                await trio.sleep(max(0.0, (self._next - self._clock()) / 1_000_000))
            # two passes of the loop, so that messages that reached the sockets in time are read first
            now = self._clock()
            await trio.lowlevel.checkpoint()
            await trio.lowlevel.checkpoint()
            for match in [match for match in matches() if match.due <= now]:
                match.due = math.inf
                match.flag(now)
            self._next = min((match.due for match in matches()), default=math.inf)
