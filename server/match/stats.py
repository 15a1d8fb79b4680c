"""Statistics of a server since its start: matches by result, moves, latencies.

Counting a move takes some tenths of a microsecond; `server.web.http.metrics_endpoint` exports the figures.
"""

from collections import Counter

SUSPENDED = "suspended"
"""Reason of matches that were left to the next server."""


class Histogram:
    """Histogram of durations in microseconds. Bucket bounds are powers of two."""

    BOUNDS = 27
    """Number of finite bounds; the last one is 2**26 microseconds, a minute."""

    def __init__(self) -> None:
        """Start empty."""
        self.counts = [0] * (self.BOUNDS + 1)
        """Number of values in each bucket: below 2**0, 2**1, … microseconds; the last one is unbounded."""
        self.sum = 0

    def add(self, value: int) -> None:
        """Count a duration in microseconds; negative ones count as 0."""
        value = max(0, value)
        self.counts[min(value.bit_length(), self.BOUNDS)] += 1
        self.sum += value


class ServerStats:
    """Counters."""

    def __init__(self) -> None:
        """Start at zero."""
        self.results: Counter[str] = Counter()
        """Ended matches by reason."""
        self.moves = Histogram()
        """Time from the arrival of a MOVE until its answers were sent."""
        self.lateness = Histogram()
        """Delay of flags: from the deadline until the match ended."""
