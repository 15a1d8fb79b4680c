"""Latency probes: measure the round trip to a player, whose program answers a question at once.

The lag is the 20th percentile of the last answers. A low percentile is right, because a program that thinks does not
read, and because a line may be delayed. A program that delays its answers on purpose gains at most the allowance that
the organiser has set.
"""

from collections import deque

SAMPLES = 15
"""Maximum number of answers that are remembered: a network changes."""

PERCENTILE = 20
"""The lag is this percentile of the remembered answers: of 15 answers, the fourth shortest time."""


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
