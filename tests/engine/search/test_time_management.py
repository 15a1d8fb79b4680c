"""The sharing of time: whole games on a simulated clock, and what holds for every single move."""

from random import Random

import pytest
from hypothesis import given, strategies as st

from engine.search.time_management import MIN_MS, OVERHEAD_MS, SAFETY_MS, allocate_time

PLIES = 300
"""More than GIPF between equals takes."""


def ahead(plies: int) -> int:
    """Return what is to be expected of a game that takes longer than was expected."""
    return max(20, 110 - plies)


def least_left(budget: float, increment: float, chance: Random, overhead: tuple[float, float]) -> float:
    """Play a game that uses now the soft, now the hard limit; return the least time that was ever left."""
    left = least = budget
    for plies in range(0, PLIES, 2):
        allotment = allocate_time(left, increment, ahead(plies))
        left -= chance.choice((*allotment, allotment.hard_ms, chance.uniform(*allotment)))
        left -= chance.uniform(*overhead)
        least = min(least, left)
        left += increment
    return least


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("budget", "increment"),
    [(1000, 0), (800, 0), (100, 10), (60, 10), (40, 5), (1000, 10), (5000, 0), (60_000, 0), (600_000, 5000)],
)
def test_no_flag_falls(budget: float, increment: float, seed: int) -> None:
    assert least_left(budget, increment, Random(seed), (0.2, OVERHEAD_MS)) > 0


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
