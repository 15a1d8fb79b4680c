"""The sequential probability ratio test: is A stronger by ``elo1`` (H1), or only by ``elo0`` (H0)?

It ends as soon as that is clear (Wald 1945). This is the generalised form, for scores of whose distribution a
hypothesis says nothing but the mean: its likelihood is that of the most likely distribution with that mean. It is what
fishtest, the testing framework of Stockfish, computes (``LLRcalc.py``) after Michel Van den Bergh's notes on the
generalized sequential probability ratio test. Elo is logistic here, as everywhere in a duel.
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from engine.duel.statistics import SCORES, Counts, regularised, score_of

TOLERANCE = 1e-12
"""How near to the root its search ends, as a part of the interval in which it lies."""


class Decision(StrEnum):
    """What a test says."""

    H0 = "H0"
    """The difference is elo0."""
    H1 = "H1"
    """The difference is elo1."""
    OPEN = "open"
    """Nothing as yet."""


class Sprt(NamedTuple):
    """A test: two hypotheses, and how often either may be taken although the other is true."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often H1 may be taken where H0 is true."""
    beta: float = 0.05
    """How often H0 may be taken where H1 is true."""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is taken."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is taken."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Counts) -> float:
        """Return the log-likelihood ratio of H1 to H0 after these pairs; 0 without any."""
        if not any(counts):
            return 0.0
        weights = regularised(counts)
        s0, s1 = score_of(self.elo0), score_of(self.elo1)
        x0, x1 = tilt(weights, s0), tilt(weights, s1)
        return sum(
            weight * (math.log1p(x0 * (score - s0)) - math.log1p(x1 * (score - s1)))
            for weight, score in zip(weights, SCORES, strict=True)
        )

    def decide(self, ratio: float) -> Decision:
        """Return what a log-likelihood ratio says."""
        if ratio >= self.upper:
            return Decision.H1
        return Decision.H0 if ratio <= self.lower else Decision.OPEN


def tilt(weights: Sequence[float], mean: float) -> float:
    """Return x such that results with weights w / (1 + x * (score - mean)) have that mean, strictly between 0 and 1.

    Of all distributions with that mean, this one makes results with weights w the most likely (Owen 1988, empirical
    likelihood); its weights sum up as the given ones do. None of the weights may be 0.
    """
    # the sum below falls from infinity to minus infinity as x grows between these poles
    low, high = -1 / (SCORES[-1] - mean), 1 / (mean - SCORES[0])
    width = high - low
    x = 0.0
    while high - low > TOLERANCE * width:
        value = slope = 0.0
        for weight, score in zip(weights, SCORES, strict=True):
            part = (score - mean) / (1 + x * (score - mean))
            value += weight * part
            slope -= weight * part * part
        if value > 0:
            low = x
        else:
            high = x
        newton = x - value / slope
        if abs(newton - x) <= TOLERANCE * width:
            break
        # where Newton's step leaves the interval, halve it
        x = newton if low < newton < high else (low + high) / 2
    return x
