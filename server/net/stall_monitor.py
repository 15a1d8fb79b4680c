"""When bytes arrived, and what the event loop itself has lost: neither is charged to anybody.

The loop waits for sockets, then works through everything that came; what arrives while it works is only seen at the
next wait. `StallMonitor` stamps bytes with the moment at which the wait ended, and, where there was no wait because
they were there already, with the moment at which the loop had begun to work: the earliest they can have come.

A *stall* is work that took longer than `STALL`, or a wait that ended so much later than it should have: the process was
stopped, the machine was suspended, or something computed for too long. What arrived meanwhile is stamped with the
beginning of the stall. Players who were still thinking may have been stopped too, or their lines kept up in the
network, and the server cannot tell: all clocks that ran when it began get the stall back (`engine.clock`). A wait that
does not end by itself says nothing; `StallMonitor.pulse` therefore wakes the loop up while matches are played.
"""

from collections import deque
from collections.abc import Callable, Iterator

import trio

from engine.clock import Stall

WAITED = 50
"""Microseconds of a wait above which the loop counts as having been idle."""

STALL = 100_000
"""Microseconds of work, or of a wait beyond its end, that count as a stall: more than a pass of the loop takes with 500
matches at full load, whose answers carry fair stamps without it."""

PULSE_SECONDS = 0.02
"""How often the loop wakes up at least while matches are played: that uncertain is the beginning of a stall."""

IDLE_SECONDS = 0.1
"""How often it does so, to see whether there are matches, where there were none."""

KEPT = 1000
"""Stalls that are remembered. A player who thinks through more of them has those before charged: a minute of a server
that does nothing but stall."""


class StallLog:
    """The stalls of a server, in order, and when it last looked."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        """How many there have been."""
        self.total = 0
        """Microseconds of all of them."""
        self.last = -1
        """Stamp at which the last one began; -1 where there was none."""
        self.looked = -1
        """Stamp of the look at the sockets before the last one: what the last one found can have come since then."""
        self._kept: deque[Stall] = deque(maxlen=KEPT)

    def add(self, stall: Stall) -> None:
        """Take note of a stall that is over, later than those before."""
        self._kept.append(stall)
        self.count += 1
        self.total += stall.until - stall.begin
        self.last = stall.begin

    def between(self, after: int, before: int) -> Iterator[Stall]:
        """Return, in order, the stalls that began later than one stamp and earlier than another one."""
        return (stall for stall in tuple(self._kept) if after < stall.begin < before)


class StallMonitor(trio.abc.Instrument):
    """Measures the event loop it is added to."""

    def __init__(self, clock: Callable[[], int], stalls: StallLog) -> None:
        """Take the clock, in microseconds, and where stalls are to be noted."""
        self._clock = clock
        self._stalls = stalls
        self._waiting = self._woke = self._arrived = clock()
        self._begun = self._ended = 0

    def before_io_wait(self, timeout: float) -> None:
        """Take note: the loop has done its work."""
        self._begun += 1
        now = self._waiting = self._clock()
        if now - self._woke > STALL:
            self._stalls.add(Stall(self._woke, now))

    def after_io_wait(self, timeout: float) -> None:
        """Take note: the loop has new work."""
        self._ended += 1
        now = self._clock()
        waited = now - self._waiting
        if waited > STALL and waited - STALL > timeout * 1_000_000:
            self._stalls.add(Stall(self._waiting, now))
            self._arrived = self._waiting
        else:
            self._arrived = now if waited > WAITED and timeout > 0 else self._woke
        self._stalls.looked, self._woke = self._woke, now

    @property
    def passes(self) -> int:
        """Count how often the loop has waited, as far as this instrument has seen both ends of it."""
        return min(self._begun, self._ended)

    def arrival(self) -> int:
        """Return the stamp of bytes that were received just now."""
        return self._arrived

    async def pulse(self, busy: Callable[[], bool]) -> None:
        """Wake the loop up often enough while it is busy, until cancelled."""
        while True:
            await trio.sleep(PULSE_SECONDS if busy() else IDLE_SECONDS)
