"""The two clocks of a match, as pure arithmetic on stamps that others read.

All times are whole microseconds. Stamps come from one monotonic clock; where it begins does not matter. A side's
clock either stands, or runs since a stamp. During initialisation both run, in play only that of the side to move.
"""

from typing import NamedTuple, TypeVar

Value = TypeVar("Value")

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
        return self._replace(since=_put(self.since, side, now))

    def stop(self, side: int, now: int) -> "Clock":
        """Stop a side's clock and charge what it ran. What is left may be 0 or less: then the flag has fallen."""
        return self._replace(left=_put(self.left, side, self.remaining(side, now)), since=_put(self.since, side, None))

    def add_increment(self, side: int) -> "Clock":
        """Give a side what a move earns."""
        return self._replace(left=_put(self.left, side, self.left[side] + self.increment))

    def remaining(self, side: int, now: int) -> int:
        """Return what a side has left at a moment; negative when its flag has fallen."""
        since = self.since[side]
        return self.left[side] if since is None else self.left[side] - max(0, now - since)

    def deadline(self) -> int | None:
        """Return the stamp at which the first running clock is used up, None where none runs."""
        stamps = [since + left for since, left in zip(self.since, self.left, strict=True) if since is not None]
        return min(stamps, default=None)

    def fallen(self, now: int) -> tuple[bool, bool]:
        """Tell for either side whether its clock runs and is used up."""
        return tuple(self.since[side] is not None and self.remaining(side, now) <= 0 for side in (0, 1))  # type: ignore[return-value]

    def milliseconds(self, now: int) -> tuple[int, int]:
        """Return what both sides have left, in whole milliseconds, rounded down and not below 0."""
        return tuple(max(0, self.remaining(side, now) // MICROSECONDS) for side in (0, 1))  # type: ignore[return-value]


def _put(pair: tuple[Value, Value], side: int, value: Value) -> tuple[Value, Value]:
    return (value, pair[1]) if side == 0 else (pair[0], value)
