"""When bytes arrived: what the event loop itself loses is charged to nobody.

The loop waits for sockets, then works through everything that came; what arrives while it works is only seen at the
next wait. `LoopWatch` stamps bytes with the moment at which the wait ended, and, where there was no wait because
they were there already, with the moment at which the loop had begun to work: the earliest they can have come.
"""

from collections.abc import Callable

import trio

WAITED = 50
"""Microseconds of a wait above which the loop counts as having been idle."""


class LoopWatch(trio.abc.Instrument):
    """Measures the event loop it is added to."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """Take the clock, in microseconds."""
        self._clock = clock
        self._waiting = self._woke = self._arrived = clock()

    def before_io_wait(self, timeout: float) -> None:
        """Take note: the loop has done its work."""
        self._waiting = self._clock()

    def after_io_wait(self, timeout: float) -> None:
        """Take note: the loop has new work."""
        now = self._clock()
        self._arrived = now if now - self._waiting > WAITED else self._woke
        self._woke = now

    def arrival(self) -> int:
        """Return the stamp of bytes that were received just now."""
        return self._arrived
