"""The two clocks of a match, as pure arithmetic on stamps that others read.

All times are whole microseconds. Stamps come from one monotonic clock; where it begins does not matter. A side's
clock either stands, or runs since a stamp. During initialisation both run, in play only that of the side to move.

Two things are taken off what a running clock is charged. A *stall* of the server is given back to the clocks that
ran when it began. An *allowance* for the way through the network is taken off each turn, and never saved up.
"""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from engine.wire.messages import MICROSECONDS

UNITS = (("h", 3_600_000_000, 2), ("min", 60_000_000, 2), ("s", 1_000_000, 1))
"""Units of time in microseconds, and of how many of them on they are taken."""

STANDING = (None, None)
"""Since when clocks run that stand."""


class TimeControl(NamedTuple):
    """A budget for the whole game of a side, initialisation included, and what a move adds to it."""

    budget: int
    increment: int = 0

    @classmethod
    def of_milliseconds(cls, budget: int, increment: int = 0) -> "TimeControl":
        """Return the control from milliseconds."""
        return cls(budget * MICROSECONDS, increment * MICROSECONDS)

    @property
    def milliseconds(self) -> tuple[int, int]:
        """Budget and increment in milliseconds, as on the wire."""
        return (self.budget // MICROSECONDS, self.increment // MICROSECONDS)


class Stall(NamedTuple):
    """A time in which the server did nothing, from one stamp to another one."""

    begin: int
    until: int


class Charge(NamedTuple):
    """How the time between two stamps is charged to a clock that ran."""

    since: int
    until: int
    stalled: int
    """Part in which the server stood still."""
    allowed: int
    """Part of the rest that is allowed for the way through the network."""

    @classmethod
    def of(cls, clock: "Clock", side: int, now: int) -> "Charge":
        """Return what a clock that runs would be charged now."""
        since = clock.since[side]
        if since is None or now <= since:
            return cls(now, now, 0, 0)
        stalled = 0
        for stall in clock.stalls:
            if since <= stall.begin < now:
                stalled += min(now, stall.until) - stall.begin
        return cls(since, now, stalled, min(clock.allowances[side], now - since - stalled))

    @property
    def charged(self) -> int:
        """The charged time."""
        return self.until - self.since - self.stalled - self.allowed


class Clock(Struct, frozen=True):
    """The remaining time of both sides, and the stamp since which each clock runs (None: it stands)."""

    left: tuple[int, int]
    since: tuple[int | None, int | None] = STANDING
    increment: int = 0
    stalls: tuple[Stall, ...] = ()
    """In order, and apart from each other: those that some clock which runs has lived through."""
    allowances: tuple[int, int] = (0, 0)
    """Time of a turn that each side is not charged."""

    @classmethod
    def full(cls, control: TimeControl) -> "Clock":
        """Return two standing clocks with the whole budget."""
        return cls((control.budget, control.budget), STANDING, control.increment)

    @property
    def runs(self) -> tuple[bool, bool]:
        """Tell for either side whether its clock runs."""
        return (self.since[0] is not None, self.since[1] is not None)

    def run(self, side: int, now: int) -> "Clock":
        """Start a side's clock."""
        first, second = self.since
        stalls = () if self.since[1 - side] is None else self.stalls
        return Clock(self.left, (now, second) if side == 0 else (first, now), self.increment, stalls, self.allowances)

    def stop(self, side: int, now: int) -> "Clock":
        """Stop a side's clock and charge what it ran (`Charge`).

        The remaining time may be 0 or less: then the flag has fallen.
        """
        first, second = self.since
        return self._with(side, self.remaining(side, now), (None, second) if side == 0 else (first, None))

    def stalled(self, stall: Stall) -> "Clock":
        """Add a stall, in order of time. Clocks that ran when it began are not charged for it."""
        return replace(self, stalls=(*self.stalls, stall)) if self.touched(stall) else self

    def touched(self, stall: Stall) -> bool:
        """Tell whether a clock ran when a stall began."""
        return any(since is not None and since <= stall.begin for since in self.since)

    def allow(self, side: int, allowance: int) -> "Clock":
        """Set the time that a side is not charged in each turn from now on."""
        first, second = self.allowances
        return replace(self, allowances=(allowance, second) if side == 0 else (first, allowance))

    def add_increment(self, side: int) -> "Clock":
        """Add the increment of a move to a side's clock."""
        return self._with(side, self.left[side] + self.increment, self.since) if self.increment else self

    def remaining(self, side: int, now: int) -> int:
        """Return the remaining time of a side at a moment; negative when its flag has fallen."""
        since = self.since[side]
        if since is None or now < since:
            return self.left[side]
        if self.stalls or self.allowances[side]:
            return self.left[side] - Charge.of(self, side, now).charged
        return self.left[side] - now + since  # as most clocks are, and each move asks several times

    def deadline(self) -> int | None:
        """Return the stamp at which the first running clock is used up, None where none runs."""
        first, second = self.since
        if first is None:
            return None if second is None else self._used_up(1, second)
        return self._used_up(0, first) if second is None else min(self._used_up(0, first), self._used_up(1, second))

    def _used_up(self, side: int, since: int) -> int:
        stamp = since + self.left[side] + self.allowances[side]
        for stall in self.stalls:
            if since <= stall.begin < stamp:
                stamp += stall.until - stall.begin
        return stamp

    def fallen(self, now: int) -> tuple[bool, bool]:
        """Tell for either side whether its clock runs and is used up."""
        first, second = self.since
        return (first is not None and self.used_up(0, now), second is not None and self.used_up(1, now))

    def used_up(self, side: int, now: int) -> bool:
        """Tell whether a side has no time left at a moment. A move at that moment is too late."""
        return self.remaining(side, now) <= 0

    def milliseconds(self, now: int) -> tuple[int, int]:
        """Return the remaining time of both sides in whole milliseconds, rounded down, at least 0."""
        first, second = self.left if self.since == STANDING else (self.remaining(0, now), self.remaining(1, now))
        return (max(0, first // MICROSECONDS), max(0, second // MICROSECONDS))

    def _with(self, side: int, left: int, since: tuple[int | None, int | None]) -> "Clock":
        first, second = self.left
        return Clock(
            (left, second) if side == 0 else (first, left), since, self.increment, self.stalls, self.allowances
        )


INITIALISATION = 0
"""Stands for the initialisation, where moves have numbers from 1."""


class TimeUse(Struct, frozen=True):
    """The use of a side's time, in microseconds."""

    longest: int = 0
    """Charge of the turn that took most."""
    ply: int = INITIALISATION
    """The number of the move of that turn."""
    uncharged: int = 0
    """Time that was not charged: stalls of the server, and lag within the allowance."""

    def with_turn(self, ply: int, charged: int, uncharged: int) -> "TimeUse":
        """Add a turn."""
        if charged > self.longest:
            return TimeUse(charged, ply, self.uncharged + uncharged)
        return TimeUse(self.longest, self.ply, self.uncharged + uncharged) if uncharged else self

    def until(self, ply: int, clock: Clock, side: int, now: int, budget: int) -> "TimeUse":
        """Add the turn, or the initialisation, that is under way; the clock still runs."""
        charge = Charge.of(clock, side, now)
        uncharged = charge.stalled + charge.allowed
        if ply == INITIALISATION:  # with the time before a restart
            return TimeUse(budget - clock.left[side] + charge.charged, ply, self.uncharged + uncharged)
        return self.with_turn(ply, charge.charged, uncharged)


def about(microseconds: int) -> str:
    """Write a measured time for people, rounded as on pages: 0.214 ms, 850 ms, 12.4 s, 2 h.

    A negative remaining time counts as 0.
    """
    microseconds = max(0, microseconds)
    for unit, size, least in UNITS:
        if microseconds >= least * size:
            return f"{microseconds / size:.1f}".removesuffix(".0") + f" {unit}"
    return _milliseconds(microseconds if microseconds < 10 * MICROSECONDS else round(microseconds, -3))


def span(microseconds: int) -> str:
    """Write a time of the settings exactly, as pages do: 100 ms, 1.5 s, 90 s, 10 min, 2 h.

    The unit is the largest one in which the time is at least 2 (1 for seconds), with at most one decimal.
    """
    for unit, size, least in UNITS:
        if microseconds >= least * size and 10 * microseconds % size == 0:
            return f"{microseconds / size:.1f}".removesuffix(".0") + f" {unit}"
    return _milliseconds(microseconds)


def _milliseconds(microseconds: int) -> str:
    return f"{microseconds / MICROSECONDS:.3f}".rstrip("0").rstrip(".") + " ms"
