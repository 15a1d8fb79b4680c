"""The sharing of time: whole games on a simulated clock, and what holds for every single move."""

from itertools import cycle

import pytest
from hypothesis import example, given, strategies as st

from engine.search.time_management import MIN_MS, OVERHEAD_MS, SAFETY_MS, allocate_time

PLIES = 300
"""More than GIPF between equals takes."""


def ahead(plies: int) -> int:
    """Return what is to be expected of a game that takes longer than was expected."""
    return max(20, 110 - plies)


@pytest.mark.parametrize(
    ("budget", "increment"),
    [
        *((800, 0), (40, 5), (1000, 10), (60_000, 0)),
        *(
            pytest.param(*control, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough])
            for control in [(1000, 0), (100, 10), (60, 10), (5000, 0), (600_000, 5000)]
        ),
    ],
)
@given(used=st.lists(st.floats(0, 1), min_size=1), overhead=st.floats(0.2, OVERHEAD_MS))
@example([0.0], OVERHEAD_MS)
@example([1.0], OVERHEAD_MS)
def test_no_flag_falls(budget: float, increment: float, used: list[float], overhead: float) -> None:
    """Turns take the soft limit (0), the hard limit (1) or a time between them, in an order that repeats."""
    left = budget
    for plies, share in zip(range(0, PLIES, 2), cycle(used)):
        soft, hard = allocate_time(left, increment, ahead(plies))
        left -= soft + share * (hard - soft) + overhead
        assert left > 0
        left += increment


@given(left=st.floats(0, 1e7), increment=st.floats(0, 1e5), plies=st.integers(0, 5000), overhead=st.floats(0, 1000))
def test_limits_are_in_order_and_within_what_is_left(
    left: float, increment: float, plies: int, overhead: float
) -> None:
    soft, hard = allocate_time(left, increment, plies, overhead_ms=overhead)
    assert MIN_MS <= soft <= hard
    assert hard == MIN_MS or hard + overhead + SAFETY_MS <= left + 1e-6


def test_a_usual_game_uses_most_of_its_time() -> None:
    for budget in (1000.0, 60_000.0):
        left = budget
        for plies in range(0, 120, 2):
            soft, hard = allocate_time(left, 0, 120 - plies)
            left -= soft + (hard - soft) / 3 + 1
        assert 0 < left < 0.5 * budget
