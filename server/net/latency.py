"""Measure the round trip to a player: the server sends a question, the player's program answers at once.

The lag is the 20th percentile of the last answers. A low percentile is right, because a program that thinks does not
read, and because a line may be held up. Who delays its answers on purpose is believed, up to the allowance that the
organiser has set.
"""

from collections import deque

SAMPLES = 15
"""Maximum number of answers that are remembered: a network changes."""

PERCENTILE = 20
"""The lag is this percentile of the remembered answers: of 15 answers, the fourth shortest time."""


class LatencyProbe:
    """What was measured of one player."""

    def __init__(self) -> None:
        """Begin without an answer."""
        self._asked = 0
        self._sent: int | None = None
        self._taken: deque[int] = deque(maxlen=SAMPLES)

    def ask(self) -> str:
        """Return the text of the next question; the answer to one before counts no more."""
        self._asked += 1
        self._sent = None
        return str(self._asked)

    def sent(self, now: int) -> None:
        """The last question was handed over."""
        self._sent = now

    def answered(self, text: str, now: int) -> None:
        """An answer has come; it counts if it is the first one to the last question."""
        if self._sent is not None and text == str(self._asked):
            self._taken.append(max(0, now - self._sent))
            self._sent = None

    @property
    def measured(self) -> int:
        """The lag in microseconds; 0 while nothing was answered."""
        return sorted(self._taken)[len(self._taken) * PERCENTILE // 100] if self._taken else 0
