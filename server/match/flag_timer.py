"""The flag timer: one task that sleeps until the next deadline of any match."""

import heapq
import math
from collections.abc import Callable
from typing import Protocol

import structlog
import trio

log = structlog.get_logger()


class Timed(Protocol):
    """An object with a deadline that may move."""

    @property
    def over(self) -> bool:
        """Tell whether there will be no deadline any more."""

    def deadline(self) -> int | None:
        """Return the stamp at which to call `flag`; None if there is no deadline now."""

    def flag(self, now: int) -> None:
        """Check the clocks at a stamp. All messages that had arrived by then have been read."""

    def failed(self, error: Exception) -> None:
        """Handle an error that `flag` has raised."""


class FlagTimer:
    """Calls `flag` of each registered object at its deadline.

    Postponing a deadline costs nothing: the object is checked at the old one, and registers the new one then.
    """

    def __init__(self, clock: Callable[[], int], soon: Callable[[Callable[[], None]], None]) -> None:
        """Take the clock of the deadlines, in microseconds, and `SendQueue.soon`."""
        self._clock = clock
        self._soon = soon
        self._heap: list[tuple[int, int, Timed]] = []
        self._count = 0
        self._over = 0
        self._sleep = trio.CancelScope()

    def keep(self, timed: Timed, known: int | None) -> int | None:
        """Register the deadline of an object when it is new or has changed; return the registered one.

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
        """Note that one more object is over. Their entries are removed before they outnumber the others."""
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
                await trio.sleep(self._sleep_seconds())
            # two passes of the loop, so that messages that reached the sockets in time are read first
            now = self._clock()
            await trio.lowlevel.checkpoint()
            await trio.lowlevel.checkpoint()
            while self._heap and self._heap[0][0] <= now:
                _, _, timed = heapq.heappop(self._heap)
                _call_flag(timed, now)

    def _sleep_seconds(self) -> float:
        if not self._heap:
            return math.inf
        return max(0.0, (self._heap[0][0] - self._clock()) / 1_000_000)


def _call_flag(timed: Timed, now: int) -> None:
    """Call `flag` of one object; its errors never stop the timer."""
    try:
        timed.flag(now)
    except Exception as error:
        try:
            timed.failed(error)
        except Exception as another:
            log.error("flag_handler_failed", exc_info=another)
