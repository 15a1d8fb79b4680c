"""The server's time: the clock of the event loop, arrival stamps and stalls, latency of players, and the flag timer.

The loop waits for sockets, then works through everything that came; what arrives while it works is only seen at the
next wait. `StallMonitor` stamps bytes with the moment at which the wait ended, and, where there was no wait because
they were there already, with the moment at which the loop had begun to work: the earliest they can have come.

A *stall* is work that took longer than `MIN_STALL_MICROSECONDS`, or a wait that ended later than planned by as much:
the process was stopped, the machine was suspended, or a computation took too long. Bytes that arrived meanwhile get
the stamp of the beginning of the stall. The server cannot tell whether players who were still thinking were stopped
too, or their lines were delayed in the network. So all clocks that ran when it began get the stall back
(`engine.match.clock`). A wait that does not end by itself shows no stall; `StallMonitor.pulse` wakes the loop up while
matches are played.

A latency probe measures the round trip to a player, whose program answers a question at once. The lag is the 20th
percentile of the last answers. A low percentile is right, because a program that thinks does not read, and because a
line may be delayed. A program that delays its answers on purpose gains at most the allowance that the organiser has
set.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import trio

from engine.match.clock import Stall

IDLE_WAIT_MICROSECONDS = 50
"""Shortest wait after which the loop counts as having been idle."""

MIN_STALL_MICROSECONDS = 100_000
"""Microseconds of work, or of a wait beyond its end, that count as a stall: more than a pass of the loop takes with 500
matches at full load, whose answers carry fair stamps without it."""

PULSE_SECONDS = 0.02
"""Longest wait of the loop while matches are played: the uncertainty of the start of a stall."""

IDLE_SECONDS = 0.1
"""The same while there are no matches."""

MAX_STALLS = 1000
"""Stalls that are remembered. A player who thinks through more of them is charged for the earlier ones: that takes a
minute of nothing but stalls."""

SAMPLES = 15
"""Maximum number of answers that are remembered: a network changes."""

PERCENTILE = 20
"""The lag is this percentile of the remembered answers: of 15 answers, the fourth shortest time."""


def microseconds() -> int:
    """Return the time of trio's monotonic clock in microseconds; tests replace that clock."""
    return int(trio.current_time() * 1_000_000)


def loop_clock() -> Callable[[], int]:
    """Return a function that tells the same, for who asks often: the clock of the event loop is looked up once."""
    now = trio.lowlevel.current_clock().current_time
    return lambda: int(now() * 1_000_000)


class StallLog:
    """The stalls of a server in order, and when it last polled its sockets."""

    def __init__(self) -> None:
        """Start empty."""
        self.count = 0
        """Number of stalls."""
        self.total = 0
        """Microseconds of all stalls."""
        self.last = -1
        """Stamp at which the last stall began; -1 for none."""
        self.previous_look = -1
        """Stamp of the last poll but one of the sockets: bytes found by the last one arrived after it."""
        self._kept: deque[Stall] = deque(maxlen=MAX_STALLS)

    def add(self, stall: Stall) -> None:
        """Add a stall that is over, later than those before."""
        self._kept.append(stall)
        self.count += 1
        self.total += stall.until - stall.begin
        self.last = stall.begin

    def between(self, after: int, before: int) -> Iterator[Stall]:
        """Return the stalls that began between two stamps, in order."""
        return (stall for stall in tuple(self._kept) if after < stall.begin < before)


class StallMonitor(trio.abc.Instrument):
    """An instrument that measures stalls and arrival stamps."""

    def __init__(self, clock: Callable[[], int], stalls: StallLog) -> None:
        """Take the clock, in microseconds, and the log for stalls."""
        self._clock = clock
        self._stalls = stalls
        self._waiting = self._woke = self._arrived = clock()

    @contextmanager
    def installed(self) -> Iterator[Callable[[], int]]:
        """Watch the event loop during a ``with`` block; give the function that stamps bytes."""
        trio.lowlevel.add_instrument(self)
        try:
            yield self.arrival
        finally:
            trio.lowlevel.remove_instrument(self)

    def before_io_wait(self, timeout: float) -> None:
        """Note the end of the work of a pass."""
        now = self._waiting = self._clock()
        if now - self._woke > MIN_STALL_MICROSECONDS:
            self._stalls.add(Stall(self._woke, now))

    def after_io_wait(self, timeout: float) -> None:
        """Note the end of a wait."""
        now = self._clock()
        waited = now - self._waiting
        if waited > MIN_STALL_MICROSECONDS and waited - MIN_STALL_MICROSECONDS > timeout * 1_000_000:
            self._stalls.add(Stall(self._waiting, now))
            self._arrived = self._waiting
        else:
            self._arrived = now if waited > IDLE_WAIT_MICROSECONDS and timeout > 0 else self._woke
        self._stalls.previous_look, self._woke = self._woke, now

    def arrival(self) -> int:
        """Return the arrival stamp of bytes that were just received."""
        return self._arrived

    async def pulse(self, busy: Callable[[], bool]) -> None:
        """Wake the event loop at intervals, until cancelled, so that stalls are noticed."""
        while True:
            await trio.sleep(PULSE_SECONDS if busy() else IDLE_SECONDS)


class LatencyProbe:
    """Latency measurement of one player."""

    def __init__(self) -> None:
        """Start without answers."""
        self._asked = 0
        self._sent: int | None = None
        self._taken: deque[int] = deque(maxlen=SAMPLES)

    def ask(self) -> str:
        """Return the text of the next probe; answers to earlier ones are ignored from now on."""
        self._asked += 1
        self._sent = None
        return str(self._asked)

    def sent(self, now: int) -> None:
        """Note when the last probe was sent."""
        self._sent = now

    def answered(self, text: str, now: int) -> None:
        """Note an answer, if it is the first one to the last probe."""
        if self._sent is not None and text == str(self._asked):
            self._taken.append(max(0, now - self._sent))
            self._sent = None

    @property
    def measured(self) -> int:
        """Return the lag in microseconds; 0 without answers."""
        return sorted(self._taken)[len(self._taken) * PERCENTILE // 100] if self._taken else 0


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
