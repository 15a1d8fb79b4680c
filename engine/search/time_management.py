"""Time management: how long to search a move. Pure arithmetic; all times are milliseconds."""

from typing import NamedTuple

MIN_MOVES_LEFT = 14
"""Least number of own moves among which the remaining time is shared."""

RESERVED_MOVES_FACTOR, MIN_RESERVED_MOVES = 1.25, 100
"""Moves whose overhead is reserved: a multiple of the expected moves, and the least number."""

OVERHEAD_MS = 2.0
"""Time of a move in addition to the search: network, wake-up and formatting."""

SAFETY_MS = 25.0
"""Reserve that is never used, against stalls."""

MIN_MS = 0.5
"""Least time for a search: enough for one or two plies of compiled code."""

SPENT_INCREMENT = 0.9
"""Part of the increment that is spent at once."""

BEGIN_PART = 0.7
"""Part of a move's share after which no new depth begins: a depth takes longer than all depths before it."""

STRETCH = 2.0
"""Multiple of its share that a move may take to finish a depth."""

MAX_PART = 0.25
"""Largest part of the available time, without the increment, for one move."""


class TimeAllocation(NamedTuple):
    """The limits of time of a search, as in `engine.search.searcher.SearchLimits`."""

    soft_ms: float
    """Time after which no new depth begins."""
    hard_ms: float
    """Time at which the search ends."""


def allocate_time(
    left_ms: float,
    increment_ms: float = 0.0,
    plies_ahead: int = 120,
    *,
    overhead_ms: float = OVERHEAD_MS,
) -> TimeAllocation:
    """Return the time for a search with ``left_ms`` on the clock and ``plies_ahead`` expected moves of both sides.

    ``increment_ms`` is added to the clock after each move. ``overhead_ms`` is the time of the move in addition to the
    search; a player far from the server should measure it. No flag falls if moves have no larger overhead, and the
    budget of the game is a few times their sum.
    """
    reserved_moves = max(MIN_RESERVED_MOVES, RESERVED_MOVES_FACTOR * plies_ahead / 2)
    moves_left = max(MIN_MOVES_LEFT, plies_ahead // 2)
    idle = reserved_moves * max(0.0, overhead_ms + MIN_MS - increment_ms)
    thinkable = left_ms - SAFETY_MS - overhead_ms
    free = max(0.0, thinkable - idle)
    gain = max(0.0, SPENT_INCREMENT * increment_ms - overhead_ms)
    largest = min(MAX_PART * free + gain, thinkable)
    share = free / moves_left + gain
    return TimeAllocation(
        soft_ms=max(MIN_MS, min(share * BEGIN_PART, largest)),
        hard_ms=max(MIN_MS, min(share * STRETCH, largest)),
    )
