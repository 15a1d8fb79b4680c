"""Scores of a search: evaluations in the middle, proven wins and losses at both ends, by their number of plies."""

from math import exp

from engine.games.interface import DRAWN, EVALUATION_LIMIT, WIN, WON

DRAW = 0
INFINITY = WIN + 1

LOGIT = 150.0
"""A score of so much is taken to win by one logit: 73 of 100 games. The evaluation of GIPF was trained so."""


def ended(outcome: int, ply: int) -> int:
    """Return the score of a finished game, ``ply`` plies from the root."""
    if outcome == DRAWN:
        return DRAW
    return WIN - ply if outcome == WON else ply - WIN


def is_open(score: int) -> bool:
    """Tell whether a score proves neither a win nor a loss."""
    return -EVALUATION_LIMIT <= score <= EVALUATION_LIMIT


def moved(score: int, plies: int) -> int:
    """Return a score with the end of the game, if it proves one, so many plies further from where it is counted."""
    if score > EVALUATION_LIMIT:
        return score - plies
    if score < -EVALUATION_LIMIT:
        return score + plies
    return score


def expected_points(score: int) -> float:
    """Return the points that a score promises: 1 for a proven win, 0 for a proven loss, 0.5 where nobody is ahead."""
    if not is_open(score):
        return 1.0 if score > 0 else 0.0
    return 1 / (1 + exp(-score / LOGIT))
