"""The two clocks of a match, as pure arithmetic on stamps that others read.

All times are whole microseconds. Stamps come from one monotonic clock; where it begins does not matter. A side's
clock either stands, or runs since a stamp. During initialisation both run, in play only that of the side to move.
"""

from typing import NamedTuple

MICROSECONDS = 1000
"""Microseconds in a millisecond, the unit of the wire."""


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


class Clock(NamedTuple):
    """What both sides have left, and since when either clock runs (None: it stands)."""

    left: tuple[int, int]
    since: tuple[int | None, int | None] = (None, None)
    increment: int = 0

    @classmethod
    def full(cls, control: TimeControl) -> "Clock":
        """Return two standing clocks with the whole budget."""
        return cls((control.budget, control.budget), (None, None), control.increment)

    def run(self, side: int, now: int) -> "Clock":
        """Start a side's clock."""
        first, second = self.since
        return Clock(self.left, (now, second) if side == 0 else (first, now), self.increment)

    def stop(self, side: int, now: int) -> "Clock":
        """Stop a side's clock and charge what it ran. What is left may be 0 or less: then the flag has fallen."""
        first, second = self.since
        return self._with(side, self.remaining(side, now), (None, second) if side == 0 else (first, None))

    def add_increment(self, side: int) -> "Clock":
        """Give a side what a move earns."""
        return self._with(side, self.left[side] + self.increment, self.since)

    def remaining(self, side: int, now: int) -> int:
        """Return what a side has left at a moment; negative when its flag has fallen."""
        since = self.since[side]
        return self.left[side] if since is None or now < since else self.left[side] - now + since

    def deadline(self) -> int | None:
        """Return the stamp at which the first running clock is used up, None where none runs."""
        first, second = self.since
        if first is None:
            return None if second is None else second + self.left[1]
        if second is None:
            return first + self.left[0]
        return min(first + self.left[0], second + self.left[1])

    def fallen(self, now: int) -> tuple[bool, bool]:
        """Tell for either side whether its clock runs and is used up."""
        first, second = self.since
        return (first is not None and self.remaining(0, now) <= 0, second is not None and self.remaining(1, now) <= 0)

    def milliseconds(self, now: int) -> tuple[int, int]:
        """Return what both sides have left, in whole milliseconds, rounded down and not below 0."""
        first, second = self.remaining(0, now) // MICROSECONDS, self.remaining(1, now) // MICROSECONDS
        return (max(0, first), max(0, second))

    def _with(self, side: int, left: int, since: tuple[int | None, int | None]) -> "Clock":
        first, second = self.left
        return Clock((left, second) if side == 0 else (first, left), since, self.increment)
