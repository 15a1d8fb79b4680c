"""Scores of a search: evaluations in the middle, proven wins and losses at both ends, by their number of plies."""

from engine.games.interface import DRAWN, EVALUATION_LIMIT, WIN, WON

DRAW = 0
INFINITY = WIN + 1


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
