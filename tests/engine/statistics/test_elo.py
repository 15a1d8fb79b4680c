"""Elo and its interval: published matches, and thousands of simulated ones whose difference in strength is known."""

import math
import os

import numpy
import pytest

from engine.statistics.elo import MANY, OUTCOMES, SCORES, elo_of, estimate, score_of, student_cdf

MATCHES = 20_000 if os.environ.get("ARENA_CAMPAIGN") else 3000


@pytest.mark.parametrize(
    ("counts", "elo", "margin"),
    [((609, 3850, 9708, 10948, 4885), 92.77, 2.1), ((74, 1583, 8550, 7776, 2017), 89.47, 2.0)],
)
def test_matches_that_fishtest_published(counts: tuple[int, ...], elo: float, margin: float) -> None:
    """Those of August 2020 with which Stockfish took up neural networks, at 10 + 0.1 and 60 + 0.6 seconds."""
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


def test_superiority_is_as_likely_as_it_is_said_to_be() -> None:
    """Strengths are drawn evenly around equality: of matches with a certain LOS, A is the stronger in that part."""
    chance = numpy.random.default_rng(7)
    said, true = [], []
    for truth in chance.uniform(-60, 60, size=MATCHES):
        counts = chance.multinomial(200, pentanomial(score_of(truth), 0.2))
        said.append(estimate(tuple(counts.tolist())).los)
        true.append(truth > 0)
    for low, high in ((0.1, 0.4), (0.4, 0.6), (0.6, 0.9)):
        chosen = [number for number, los in enumerate(said) if low <= los < high]
        assert len(chosen) > 100
        expected = sum(said[number] for number in chosen) / len(chosen)
        assert sum(true[number] for number in chosen) / len(chosen) == pytest.approx(expected, abs=0.08)


@pytest.mark.parametrize(
    ("freedom", "reach"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (10, 2.2281), (31, 2.0395), (120, 1.9799)],
)
def test_student_s_distribution_is_that_of_printed_tables(freedom: int, reach: float) -> None:
    """Of the values that are exceeded in 2.5 % (Abramowitz and Stegun, table 26.10)."""
    assert student_cdf(reach, freedom) == pytest.approx(0.975, abs=2e-6)
    assert student_cdf(-reach, freedom) == pytest.approx(0.025, abs=2e-6)
    assert student_cdf(0, freedom) == 0.5


def test_student_s_distribution_is_normal_in_the_end() -> None:
    for value in (-3.0, -1.0, 0.5, 2.0):
        assert student_cdf(value, MANY) == pytest.approx(student_cdf(value, MANY + 1), abs=1e-4)


@pytest.mark.parametrize("pairs", [2, 3, 5, 20])
def test_few_pairs_make_nobody_sure_that_one_of_two_equals_is_stronger(pairs: int) -> None:
    """As often as that may happen by chance, and by the few results that so few pairs can have."""
    drawn = numpy.random.default_rng(pairs).multinomial(pairs, pentanomial(0.5, 0.2), size=MATCHES)
    said = [estimate(tuple(counts)).los for counts in drawn.tolist()]
    assert sum(los > 0.999 for los in said) / MATCHES <= 0.003
    assert sum(los > 0.975 for los in said) / MATCHES <= 0.035


def test_swapped_sides_change_the_sign() -> None:
    counts = (3, 10, 22, 18, 7)
    one, other = estimate(counts), estimate(counts[::-1])
    assert one.elo == pytest.approx(-other.elo)
    assert one.margin == pytest.approx(other.margin)
    assert one.los == pytest.approx(1 - other.los)


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
