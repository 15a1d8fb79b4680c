"""Differences in strength from pairs of games: Elo, its interval, the likelihood of superiority, a sequential test.

Both games of a pair begin with the same opening, so games are not independent, but pairs are. A pair has one of five
results (the pentanomial model). The formulas are those of fishtest, the testing framework of Stockfish
(``stat_util.py``), which fastchess also uses. The mean score of the pairs is assumed to be normal, with the variance of
the pairs, and its interval is converted to Elo.

The likelihood of superiority uses Student's distribution, where fishtest uses the normal one, because few pairs
estimate their variance badly. After hundreds of pairs both are alike. After three pairs of equal players the normal
distribution says 99.9 % and more in one case of 37.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import msgspec

OUTCOMES = 5
"""Number of results of a pair: 0, 0.5, 1, 1.5 or 2 points."""

SCORES = tuple(points / (OUTCOMES - 1) for points in range(OUTCOMES))
"""The results of a pair as scores, 0 to 1."""

ELO = 400 / math.log(10)
"""Elo in a natural unit of strength: a difference of 400 makes wins ten times as likely as losses."""

NORMAL = NormalDist()
"""The normal distribution whose mean is 0 and whose standard deviation is 1."""

TWO_SIDED_95 = NORMAL.inv_cdf(0.975)
"""Standard deviations to either side of the mean of a normal distribution that hold 95 % of it."""

MIN_SCORE = 0.001
"""Least distance of a score from 0 and 1 in conversions: 1200 Elo."""

MAX_ELO = 1000.0
"""Largest absolute value of a hypothesis: a score of 0.997."""

UNSEEN = 0.001
"""Count of a result that no pair has had, so that logarithms and variances exist."""

MANY = 2000
"""Degrees of freedom from which on Student's distribution is the normal one to four digits."""

Counts = tuple[int, ...]
"""Number of pairs with each result, in ascending order of points."""


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """The strength of a player in Elo above the average of all players."""

    name: str
    elo: float
    low: float | None = None
    """Lower end of the 95 % interval; None without intervals."""
    high: float | None = None
    games: int


class Ratings(NamedTuple):
    """The ratings of all players, and the properties of variants."""

    table: tuple[Rating, ...]
    """The strongest first."""
    advantage: tuple[float, ...]
    """Advantage of the side that begins in each variant, in Elo."""
    draws: tuple[float, ...]
    """Part of drawn games between equal players without that advantage in each variant, 0 to 1."""


class Estimate(NamedTuple):
    """The estimated strength of A over B."""

    elo: float
    margin: float
    """Half of the 95 % interval; infinite if all pairs have the same result, since there is no variance."""
    los: float
    """The probability that A is the stronger one (likelihood of superiority), 0 to 1."""


def elo_of(score: float) -> float:
    """Return the difference in Elo with an expected score, 0 to 1 (the logistic model)."""
    score = min(max(score, MIN_SCORE), 1 - MIN_SCORE)
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected score for a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def count_pairs(games: Iterable[tuple[Hashable, float]]) -> Counts:
    """Count the results of pairs for one side, from the key of the pair and the points of the side in each game.

    A pair counts when both games are there.
    """
    pairs: defaultdict[Hashable, list[float]] = defaultdict(list)
    for key, points in games:
        pairs[key].append(points)
    counts = [0] * OUTCOMES
    for both in pairs.values():
        if len(both) == 2:
            counts[round(2 * sum(both))] += 1
    return tuple(counts)


def estimate(counts: Counts) -> Estimate:
    """Estimate the strength from at least one pair; raises ValueError without any."""
    pairs = sum(counts)
    if pairs == 0:
        raise ValueError("no pair of games was played")
    if max(counts) == pairs:
        score = SCORES[counts.index(pairs)]
        # a sign test: the probability that all coins fall to the same side
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
    """Return counts with UNSEEN in place of 0."""
    return tuple(count or UNSEEN for count in counts)


HALVINGS = 64
"""Steps of the search for a root, each of which halves the interval in which it lies."""


class Decision(StrEnum):
    """The decision of a test."""

    H0 = "H0"
    """The difference is elo0."""
    H1 = "H1"
    """The difference is elo1."""
    OPEN = "open"
    """Not decided."""


class Sprt(NamedTuple):
    """The sequential probability ratio test: is A stronger by ``elo1`` (H1), or only by ``elo0`` (H0)?

    It ends as soon as one hypothesis is likely enough (Wald 1945). In this generalised form a hypothesis determines
    only the mean score, and its likelihood is that of the most likely distribution with this mean. Fishtest computes
    the same (``LLRcalc.py``), after Michel Van den Bergh's notes. Elo is logistic.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of a decision for H1 if H0 is true."""
    beta: float = 0.05
    """Probability of a decision for H0 if H1 is true."""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio of a decision for H0."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio of a decision for H1."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Counts) -> float:
        """Return the log-likelihood ratio of H1 to H0 after these pairs; 0 without pairs."""
        return _ratio(self.elo0, self.elo1, counts)

    def decide(self, ratio: float) -> Decision:
        """Return the decision at a log-likelihood ratio."""
        if ratio >= self.upper:
            return Decision.H1
        return Decision.H0 if ratio <= self.lower else Decision.OPEN


@lru_cache(1 << 14)
def _ratio(elo0: float, elo1: float, counts: Counts) -> float:
    """Return the log-likelihood ratio of two hypotheses. It is cached, since a match asks again after each game."""
    if not any(counts):
        return 0.0
    weights = regularised(counts)
    s0, s1 = score_of(elo0), score_of(elo1)
    x0, x1 = tilt(weights, s0), tilt(weights, s1)
    return sum(
        weight * (math.log1p(x0 * (score - s0)) - math.log1p(x1 * (score - s1)))
        for weight, score in zip(weights, SCORES, strict=True)
    )


def tilt(weights: Sequence[float], mean: float) -> float:
    """Return x such that results with weights w / (1 + x * (score - mean)) have this mean.

    This is the most likely distribution with this mean for results with weights w (empirical likelihood, Owen 1988).
    Its weights have the same sum. The mean lies between 0 and 1, and no weight is 0.
    """
    # the sum below decreases from infinity to minus infinity between these poles
    low, high = -1 / (SCORES[-1] - mean), 1 / (mean - SCORES[0])
    for _ in range(HALVINGS):
        x = (low + high) / 2
        if sum(w * (score - mean) / (1 + x * (score - mean)) for w, score in zip(weights, SCORES, strict=True)) > 0:
            low = x
        else:
            high = x
    return low


class Tally:
    """The results of the pairs of a match, from the first pair on without a gap, and the decision of a test.

    They do not depend on the number of pairs at a time, or on the order in which pairs end.
    """

    def __init__(self, test: Sprt | None = None) -> None:
        self._test = test
        self._counts = [0] * OUTCOMES
        self._waiting: dict[int, int] = {}
        self.pairs = 0
        """Number of pairs that are counted."""
        self.decision = Decision.OPEN
        """The first decision of the test. Later pairs do not change it."""

    @property
    def counts(self) -> Counts:
        """Number of pairs with each result."""
        return tuple(self._counts)

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of the test; 0 without a test."""
        return 0.0 if self._test is None else self._test.ratio(self.counts)

    def add(self, number: int, points: int, *, stop: bool = True) -> None:
        """Add a pair by its number from 0 and the points of A in halves, 0 to 4.

        The pair counts when all pairs before it count. With ``stop`` no pair counts after the decision.
        """
        self._waiting[number] = points
        while self.pairs in self._waiting and not (stop and self.decision is not Decision.OPEN):
            self._counts[self._waiting.pop(self.pairs)] += 1
            self.pairs += 1
            if self._test is not None and self.decision is Decision.OPEN:
                self.decision = self._test.decide(self.ratio)
