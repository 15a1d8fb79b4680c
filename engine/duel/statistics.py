"""How much stronger a side is, from pairs of games: Elo, its interval, and the likelihood of superiority.

Both games of a pair begin with the same opening, so they are not independent, but pairs are: what is counted are
the five results that a pair can have (the pentanomial model). The formulas are those of fishtest, the testing
framework of Stockfish (``stat_util.py``), which fastchess uses too: the mean of the pairs' scores is taken to be
normal, with the variance that the pairs themselves show, and its interval is turned into Elo. The likelihood of
superiority minds that few pairs show their variance badly: it is by Student's distribution, where fishtest's is by the
normal one. After hundreds of pairs they are alike; after three of equal players the latter says 99.9 % and more in one
case of 37.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

OUTCOMES = 5
"""Results of a pair: 0, half, 1, one and a half, 2 points, here as scores 0 to 1."""

SCORES = tuple(points / (OUTCOMES - 1) for points in range(OUTCOMES))

NORMAL = NormalDist()
"""The normal distribution whose mean is 0 and whose standard deviation is 1."""

TWO_SIDED_95 = NORMAL.inv_cdf(0.975)
"""Standard deviations to either side of the mean of a normal distribution that hold 95 % of it."""

MIN_SCORE = 0.001
"""Scores nearer to 0 or 1 than this are taken as this: 1200 Elo."""

UNSEEN = 0.001
"""What counts for a result that no pair has had, so that logarithms and variances exist."""

MANY = 2000
"""Degrees of freedom from which on Student's distribution is the normal one to four digits."""

Counts = tuple[int, ...]
"""How many pairs have had each result, that of 0 points first."""


class Estimate(NamedTuple):
    """What pairs of games tell about the strength of A over B."""

    elo: float
    margin: float
    """Half of the 95 % interval; infinite as long as all pairs have ended alike, which shows no variance."""
    los: float
    """The probability that A is the stronger one (likelihood of superiority), 0 to 1."""


def elo_of(score: float) -> float:
    """Return the difference in Elo at which that score is expected, 0 to 1 (the logistic model)."""
    score = min(max(score, MIN_SCORE), 1 - MIN_SCORE)
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the score that is expected with a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def estimate(counts: Counts) -> Estimate:
    """Return what at least one pair tells; raises ValueError without any."""
    pairs = sum(counts)
    if pairs == 0:
        raise ValueError("no pair of games was played")
    if max(counts) == pairs:
        score = SCORES[counts.index(pairs)]
        # a sign test: that so many coins have all fallen to one side
        doubt = 0.5 ** (pairs + 1)
        return Estimate(elo_of(score), math.inf, 0.5 if score == 0.5 else (1 - doubt if score > 0.5 else doubt))
    score, deviation = _mean(counts)
    reach = TWO_SIDED_95 * deviation
    margin = (elo_of(score + reach) - elo_of(score - reach)) / 2
    return Estimate(elo_of(score), margin, student_cdf((score - 0.5) / deviation, pairs - 1))


def _mean(counts: Counts) -> tuple[float, float]:
    """Return the mean score of pairs, and its standard deviation."""
    weights = regularised(counts)
    total = sum(weights)
    score = sum(weight * value for weight, value in zip(weights, SCORES, strict=True)) / total
    variance = sum(weight * (value - score) ** 2 for weight, value in zip(weights, SCORES, strict=True)) / total
    return score, math.sqrt(variance / total)


def student_cdf(value: float, freedom: int) -> float:
    """Return the probability that a variable of Student's distribution is at most ``value``.

    ``freedom`` is the degrees of freedom, 1 or more. The sums are those of Abramowitz and Stegun, Handbook of
    Mathematical Functions (1964), 26.7.3 and 26.7.4; beyond `MANY` degrees it is taken to be normal.
    """
    if freedom > MANY:
        return NORMAL.cdf(value)
    angle = math.atan(value / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    first = 1 + freedom % 2
    term, total = 1.0, 0.0
    for step in range(first, freedom, 2):
        total += term
        term *= square * step / (step + 1)
    if freedom % 2 == 0:
        return (1 + math.sin(angle) * total) / 2
    return 0.5 + (angle + math.sin(angle) * math.cos(angle) * total) / math.pi


def regularised(counts: Counts) -> tuple[float, ...]:
    """Return counts with a trace of each result that was not seen."""
    return tuple(count or UNSEEN for count in counts)
