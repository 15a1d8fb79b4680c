"""The sequential test: its ratio by a search of all distributions, and how often it errs in simulated matches."""

import math
import os
from typing import Any

import numpy
import pytest

from engine.statistics.elo import OUTCOMES, SCORES, Decision, Sprt, score_of, tilt
from tests.engine.statistics.test_elo import bound_by_openings, pentanomial

MATCHES = 10_000 if os.environ.get("ARENA_CAMPAIGN") else 250


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


@pytest.mark.parametrize("mean", [0.003, 0.3, 0.5, 0.97])
@pytest.mark.parametrize("weights", [(1.0, 2.0, 3.0, 4.0, 5.0), (1e-3, 1e-3, 1e-3, 1e-3, 1e4), (5.0, 1e-3, 9.0, 1, 1)])
def test_tilted_weights_have_the_mean_and_the_sum(weights: tuple[float, ...], mean: float) -> None:
    x = tilt(weights, mean)
    tilted = [weight / (1 + x * (score - mean)) for weight, score in zip(weights, SCORES, strict=True)]
    assert min(tilted) > 0
    assert sum(tilted) == pytest.approx(sum(weights), rel=1e-5)
    assert sum(part * score for part, score in zip(tilted, SCORES, strict=True)) / sum(tilted) == pytest.approx(
        mean, rel=1e-5
    )


def test_swapped_sides_swap_the_hypotheses() -> None:
    counts = (3, 10, 22, 18, 7)
    assert Sprt(-10, 5).ratio(counts) == pytest.approx(-Sprt(-5, 10).ratio(counts[::-1]))


def test_no_pair_says_nothing() -> None:
    assert Sprt(0, 5).ratio((0,) * OUTCOMES) == 0


def decided(test: Sprt, chances: list[float], chance: numpy.random.Generator) -> Decision:
    """Play a match pair by pair until the test is decided."""
    counts = [0] * OUTCOMES
    while True:
        for outcome in chance.choice(OUTCOMES, size=64, p=chances).tolist():
            counts[outcome] += 1
            decision = test.decide(test.ratio(tuple(counts)))
            if decision != Decision.OPEN:
                return decision


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("spoilt", [0.0, 0.5])
@pytest.mark.parametrize(("elo", "wrong"), [(0, Decision.H1), (60, Decision.H0)])
def test_errors_are_as_rare_as_they_may_be(elo: float, wrong: Decision, spoilt: float) -> None:
    test = Sprt(0, 60, alpha=0.1, beta=0.1)
    # openings that decide both games bring the score nearer to a half
    free = 0.5 + (score_of(elo) - 0.5) / (1 - spoilt)
    chances = bound_by_openings(free, spoilt) if spoilt else pentanomial(free, 0.2)
    chance = numpy.random.default_rng(int(elo) + 1)
    errors = sum(decided(test, chances, chance) == wrong for _ in range(MATCHES))
    deviation = math.sqrt(0.1 * 0.9 / MATCHES)
    assert errors / MATCHES <= 0.1 + 3 * deviation
    assert errors / MATCHES >= 0.02  # a test that never errs plays on for too long
