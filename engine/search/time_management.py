"""How long to think about a move: pure arithmetic on what the clock shows. All times are milliseconds."""

from typing import NamedTuple

MIN_MOVES_LEFT = 14
"""Own moves that the time left is shared among at least, however long the game has been."""

LONGEST, MIN_LONGEST = 1.25, 100
"""For so many times the moves that are to be expected, and for so many at least, each move's overhead is kept back."""

OVERHEAD_MS = 2.0
"""What a move takes of the clock beside thinking: the network, waking up, putting the move into words."""

SAFETY_MS = 25.0
"""Never used for thinking, for the day on which something stalls."""

MIN_MS = 0.5
"""Thought is given this even when there is no time: enough for a compiled search of a ply or two."""

SPENT_INCREMENT = 0.9
"""The part of the increment that is spent at once."""

BEGIN_PART = 0.7
"""The part of a move's share of time after which no new depth is begun: it takes longer than all before."""

STRETCH = 2.0
"""How many times its share a move may take to finish the depth that was begun."""

MAX_PART = 0.25
"""No move takes more than this part of the time that may be spent at all, beside the increment."""


class TimeAllocation(NamedTuple):
    """How long to think about a move; `engine.search.searcher.SearchLimits` takes both."""

    soft_ms: float
    """After that no new depth is begun."""
    hard_ms: float
    """By then the search has ended."""


def allocate_time(
    left_ms: float,
    increment_ms: float = 0.0,
    plies_ahead: int = 120,
    *,
    overhead_ms: float = OVERHEAD_MS,
) -> TimeAllocation:
    """Return how long to think with that much time left, and so many moves of both sides to be expected.

    ``increment_ms`` is added to the clock after each move. ``overhead_ms`` is what the move will take beside the
    thinking, which a player far from the server should measure. As long as that is kept to and the budget of the
    whole game is a few times the overheads of its moves, no flag falls.
    """
    longest_left = max(MIN_LONGEST, LONGEST * plies_ahead / 2)
    moves_left = max(MIN_MOVES_LEFT, plies_ahead // 2)
    idle = longest_left * max(0.0, overhead_ms + MIN_MS - increment_ms)
    thinkable = left_ms - SAFETY_MS - overhead_ms
    free = max(0.0, thinkable - idle)
    gain = max(0.0, SPENT_INCREMENT * increment_ms - overhead_ms)
    largest = min(MAX_PART * free + gain, thinkable)
    share = free / moves_left + gain
    return TimeAllocation(
        soft_ms=max(MIN_MS, min(share * BEGIN_PART, largest)),
        hard_ms=max(MIN_MS, min(share * STRETCH, largest)),
    )
