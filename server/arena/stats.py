"""What a server has done since it started, counted: matches and how they ended, moves, and how long things took.

Counting is cheap enough for every move, some tenths of a microsecond; `server.web.http.metrics` shows it.
"""

from collections import Counter
from collections.abc import Callable

import structlog

from engine import record
from engine.games.outcome import Termination
from server.match.referee import State
from server.net.send_queue import SendQueue

log = structlog.get_logger()

SUSPENDED = "suspended"
"""Reason of matches that this server has left to the next one."""


class Histogram:
    """How often what took how long. Bounds are powers of two, in microseconds."""

    BOUNDS = 27
    """The last finite bound is 2**26 microseconds, a minute: nothing that is measured takes as long."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.counts = [0] * (self.BOUNDS + 1)
        """Of values below 2**0, 2**1, … microseconds, each not below the one before; the last of all above."""
        self.sum = 0

    def add(self, value: int) -> None:
        """Count a value in microseconds; negative ones count as 0."""
        value = max(0, value)
        self.counts[min(value.bit_length(), self.BOUNDS)] += 1
        self.sum += value


class ServerStats:
    """The counts. All the time, `started` is the sum of `results` and of the matches that are running."""

    def __init__(self, clock: Callable[[], int], send_queue: SendQueue) -> None:
        """Begin with nothing. The clock counts microseconds; moves are answered when the send queue has sent."""
        self.started = 0
        """Matches that were begun, or taken up after a crash."""
        self.results: Counter[str] = Counter()
        """By reason."""
        self.moves = Histogram()
        """From the arrival of a MOVE until all that it made the server say was handed over."""
        self.lateness = Histogram()
        """Of flags: from the deadline until it was told."""
        self._clock = clock
        self._send_queue = send_queue
        self._unanswered: list[int] = []

    def moved(self, arrived: int) -> None:
        """A MOVE that arrived at a stamp was dealt with; its answer goes out with those of this pass."""
        if not self._unanswered:
            self._send_queue.then(self._answered, _uncounted)
        self._unanswered.append(arrived)

    def _answered(self) -> None:
        now = self._clock()
        for arrived in self._unanswered:
            self.moves.add(now - arrived)
        self._unanswered.clear()

    def ended(self, state: State, took: int) -> None:
        """Count a match that is over, after so many microseconds, and write its line into the log."""
        outcome = state.outcome
        assert outcome is not None
        self.results[str(outcome.termination)] += 1
        if outcome.termination is Termination.TIME:
            self.lateness.add(-min(state.clock.left))
        header = state.header
        log.info(
            "match_ended",
            number=header.match,
            game=header.position.game.name,
            parameters=header.position.parameters,
            players=header.players,
            result=outcome.result(state.sides),
            reason=str(outcome.termination),
            detail=outcome.detail,
            plies=state.history.plies,
            left_ms=tuple(map(record.milliseconds, state.clock.left)),
            control_ms=header.control.milliseconds,
            started=header.started,
            seconds=round(took / 1_000_000, 3),
        )


def _uncounted(error: Exception) -> None:
    """Counting failed: nothing else depends on it."""
    log.error("stats_update_failed", exc_info=error)
