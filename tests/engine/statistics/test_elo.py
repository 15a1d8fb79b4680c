"""Elo, its interval and the sequential test: published matches, and simulated ones whose difference is known."""

import math
import os
from typing import Any

import numpy
import pytest
from hypothesis import given, strategies as st

from engine.statistics.elo import (
    OUTCOMES,
    SCORES,
    Decision,
    Sprt,
    Tally,
    count_pairs,
    elo_of,
    estimate,
    score_of,
    student_cdf,
)

MATCHES = 20_000 if os.environ.get("ARENA_CAMPAIGN") else 1000


@pytest.mark.parametrize(
    ("counts", "elo", "margin"),
    [((609, 3850, 9708, 10948, 4885), 92.77, 2.1), ((74, 1583, 8550, 7776, 2017), 89.47, 2.0)],
)
def test_matches_that_fishtest_published(counts: tuple[int, ...], elo: float, margin: float) -> None:
    """Stockfish's first neural networks, August 2020. Time controls: 10 + 0.1 and 60 + 0.6 seconds."""
    found = estimate(counts)
    assert (round(found.elo, 2), round(found.margin, 1)) == (elo, margin)
    assert found.los == pytest.approx(1, abs=5e-4)  # printed as 100.0 %


def pentanomial(score: float, draws: float) -> list[float]:
    """Return how often each result of a pair comes when its games are independent."""
    game = [1 - score - draws / 2, draws, score - draws / 2]
    return list(numpy.convolve(game, game))


def bound_by_openings(score: float, spoilt: float) -> list[float]:
    """Return that where so many openings decide both games, one for each side."""
    free = pentanomial(score, 0.2)
    return [(1 - spoilt) * part + (spoilt if number == 2 else 0) for number, part in enumerate(free)]


@pytest.mark.parametrize("pairs", [50, 500])
@pytest.mark.parametrize(
    "chances",
    [pentanomial(0.5, 0.1), pentanomial(0.6, 0.4), pentanomial(0.85, 0.1), bound_by_openings(0.55, 0.6)],
)
def test_interval_covers_the_truth_as_often_as_it_says(chances: list[float], pairs: int) -> None:
    truth = elo_of(sum(chance * score for chance, score in zip(chances, SCORES, strict=True)))
    drawn = numpy.random.default_rng(pairs).multinomial(pairs, chances, size=MATCHES)
    covered = 0
    for counts in drawn.tolist():
        found = estimate(tuple(counts))
        covered += abs(found.elo - truth) <= found.margin
    assert 0.93 <= covered / MATCHES <= 0.97


@pytest.mark.parametrize(
    ("freedom", "reach"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (10, 2.2281), (31, 2.0395), (120, 1.9799)],
)
def test_student_s_distribution_is_that_of_printed_tables(freedom: int, reach: float) -> None:
    """Upper 2.5 % points (Abramowitz and Stegun, table 26.10)."""
    assert student_cdf(reach, freedom) == pytest.approx(0.975, abs=2e-6)
    assert student_cdf(-reach, freedom) == pytest.approx(0.025, abs=2e-6)
    assert student_cdf(0, freedom) == 0.5


def test_pairs_that_all_end_alike_have_no_interval() -> None:
    for number in range(OUTCOMES):
        counts = tuple(4 * (place == number) for place in range(OUTCOMES))
        found = estimate(counts)
        assert math.isinf(found.margin)
        assert found.los == (1 / 32 if number < 2 else 0.5 if number == 2 else 31 / 32)


def test_elo_and_score() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert score_of(elo_of(0.3)) == pytest.approx(0.3)
    assert elo_of(1) == pytest.approx(1199.83, abs=0.01)
    assert elo_of(0) == pytest.approx(-1199.83, abs=0.01)


def test_nothing_is_told_without_a_pair() -> None:
    with pytest.raises(ValueError, match="no pair"):
        estimate((0,) * OUTCOMES)


def test_bounds_are_the_published_ones() -> None:
    """Every test of Stockfish with the usual risks is reported as LLR (-2.94,2.94); with risks of a tenth, 2.20."""
    test = Sprt(0, 5)
    assert (round(test.lower, 2), round(test.upper, 2)) == (-2.94, 2.94)
    assert round(Sprt(0, 5, 0.1, 0.1).upper, 2) == 2.20
    # Wald 1945: log of beta / (1 - alpha) and of (1 - beta) / alpha
    assert Sprt(0, 5, 0.01, 0.2).lower == pytest.approx(math.log(0.2 / 0.99))
    assert Sprt(0, 5, 0.01, 0.2).upper == pytest.approx(math.log(0.8 / 0.01))


def best_likelihood(counts: tuple[int, ...], mean: float) -> float:
    """Climb to the largest log-likelihood that results can have with that mean.

    Mass is moved among three results at a time, such that sum and mean stay, as long as that makes it larger.
    """
    # a distribution with that mean: four coins
    chances = numpy.array([math.comb(4, heads) * mean**heads * (1 - mean) ** (4 - heads) for heads in range(OUTCOMES)])
    weights = numpy.array(counts, dtype=float)

    def likelihood(of: Any) -> float:
        return float(weights @ numpy.log(of))

    step = 0.05
    best = likelihood(chances)
    while step > 1e-9:
        moved = False
        for i in range(OUTCOMES - 2):
            for sign in (1, -1):
                tried = chances.copy()
                tried[i] += sign * step
                tried[i + 1] -= 2 * sign * step
                tried[i + 2] += sign * step
                if min(tried) > 0 and likelihood(tried) > best:
                    chances, best, moved = tried, likelihood(tried), True
        if not moved:
            step /= 2
    return best


@pytest.mark.parametrize(
    "counts", [(3, 10, 22, 18, 7), (20, 20, 20, 20, 20), (1, 2, 30, 2, 1), (200, 30, 40, 50, 10), (1, 1, 13, 2, 36)]
)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 10), (-5, 0), (0, 100), (50, 60)])
def test_ratio_is_that_of_the_likeliest_distributions(counts: tuple[int, ...], elo0: float, elo1: float) -> None:
    expected = best_likelihood(counts, score_of(elo1)) - best_likelihood(counts, score_of(elo0))
    assert Sprt(elo0, elo1).ratio(counts) == pytest.approx(expected, abs=1e-4 * max(1, abs(expected)))


TEST = Sprt(0, 50)
WON = [2, 3, 4] * 100


def tally_of(points: list[int], *, stop: bool = True, order: list[int] | None = None) -> Tally:
    tally = Tally(TEST)
    for number in order or range(len(points)):
        tally.add(number, points[number], stop=stop)
    return tally


def test_pairs_count_when_those_before_them_are_there() -> None:
    tally = Tally()
    for number, counted in ((1, 0), (0, 2), (2, 3)):
        tally.add(number, number)
        assert tally.pairs == counted
    assert tally.counts == (1, 1, 1, 0, 0)
    assert (tally.ratio, tally.decision) == (0, Decision.OPEN)


@given(st.binary(min_size=40, max_size=40), st.binary(min_size=40, max_size=40))
def test_order_of_finishing_changes_nothing(results: bytes, times: bytes) -> None:
    points = [(0, 1, 2, 3, 3, 4, 4)[number % 7] for number in results]
    one, other = tally_of(points), tally_of(points, order=sorted(range(40), key=times.__getitem__))
    assert (one.pairs, one.counts, one.decision) == (other.pairs, other.counts, other.decision)


def test_nothing_is_counted_after_the_end_of_the_test() -> None:
    stopped, whole = tally_of(WON), tally_of(WON, stop=False)
    assert stopped.decision == whole.decision == Decision.H1
    assert stopped.pairs < whole.pairs == 300
    # and not one too many: without the last pair it is open
    assert tally_of(WON[: stopped.pairs - 1]).decision == Decision.OPEN


def test_the_first_decision_stays() -> None:
    tally = tally_of(WON + [0] * 1000, stop=False)
    assert tally.decision == Decision.H1
    assert TEST.decide(tally.ratio) == Decision.H0


def test_half_pairs_do_not_count() -> None:
    assert count_pairs([("a", 1.0), ("b", 0.5), ("a", 0.5), ("c", 0.0), ("c", 0.0)]) == (1, 0, 0, 1, 0)
