"""Flags fall when the time is over: one task that sleeps until the next deadline of any match."""

import heapq
import math
from collections.abc import Callable
from typing import Protocol

import structlog
import trio

log = structlog.get_logger()


class Timed(Protocol):
    """Something with a deadline that may move."""

    @property
    def over(self) -> bool:
        """Tell whether there is nothing to wait for any more, ever."""

    def deadline(self) -> int | None:
        """Return the stamp at which `flag` has to be called, None when there is nothing to wait for now."""

    def flag(self, now: int) -> None:
        """Look at the clocks as they stand at a stamp: time may be over. All that had come by then was looked at."""

    def failed(self, error: Exception) -> None:
        """`flag` raised an error."""


class FlagTimer:
    """Calls `flag` of everything that it keeps, at its deadline.

    A deadline that moves back costs nothing: the old one is looked up when it comes, and put in again.
    """

    def __init__(self, clock: Callable[[], int], soon: Callable[[Callable[[], None]], None]) -> None:
        """Take the clock, in microseconds, which stamps of deadlines are on, and `SendQueue.soon`."""
        self._clock = clock
        self._soon = soon
        self._heap: list[tuple[int, int, Timed]] = []
        self._count = 0
        self._over = 0
        self._sleep = trio.CancelScope()

    def keep(self, timed: Timed, known: int | None) -> int | None:
        """Watch a deadline that is new or has changed; return the one that is watched, to be passed in next time.

        ``known`` is what the last call returned, None at first.
        """
        deadline = timed.deadline()
        if deadline is None or (known is not None and known <= deadline):
            return known
        self._count += 1
        heapq.heappush(self._heap, (deadline, self._count, timed))
        if self._heap[0][2] is timed:
            self._soon(self._sleep.cancel)
        return deadline

    def forget(self) -> None:
        """One more of what is kept is over. Such deadlines are let go of before they are more than the others."""
        self._over += 1
        if 2 * self._over > len(self._heap):
            self._heap = [entry for entry in self._heap if not entry[2].over]
            heapq.heapify(self._heap)
            self._over = 0

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            self._sleep = trio.CancelScope()
            with self._sleep:
                await trio.sleep(self._wait())
            # what has reached the sockets by now came in time: let the loop look at them, and their readers run, first
            now = self._clock()
            await trio.lowlevel.checkpoint()
            await trio.lowlevel.checkpoint()
            while self._heap and self._heap[0][0] <= now:
                _, _, timed = heapq.heappop(self._heap)
                _look(timed, now)

    def _wait(self) -> float:
        if not self._heap:
            return math.inf
        return max(0.0, (self._heap[0][0] - self._clock()) / 1_000_000)


def _look(timed: Timed, now: int) -> None:
    """Whatever goes wrong with one deadline, the others are kept."""
    try:
        timed.flag(now)
    except Exception as error:
        try:
            timed.failed(error)
        except Exception as another:
            log.error("flag_handler_failed", exc_info=another)
