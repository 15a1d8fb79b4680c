"""Compares two entrants: Elo and a sequential test from their pairs of games, as in a duel of engines."""

from collections.abc import Iterable
from typing import NamedTuple

from engine.duel.sprt import Decision, Sprt
from engine.duel.statistics import OUTCOMES, Counts, Estimate, estimate
from server.contest.fixtures import Finished, Fixture, counted_games


class Comparison(NamedTuple):
    """The result of a comparison, seen from the first entrant."""

    pairs: Counts
    """How many pairs of games, both finished, have had each result for the first one: 0, a half, to 2 points."""
    estimate: Estimate | None
    """None without a pair."""
    ratio: float
    """The log-likelihood ratio of the test."""
    decision: Decision


def compare(games: Iterable[Finished], one: str, other: str, test: Sprt) -> Comparison:
    """Compare two entrants; games that were not played count for nothing.

    The decision is that of all pairs together. As they were not counted one by one, it may err more often than the
    test says, unless nobody looks before the end.
    """
    between: dict[Fixture, Finished] = {
        game.fixture: game for game in counted_games(games) if game.played and set(game.fixture.players) == {one, other}
    }
    counts = [0] * OUTCOMES
    for fixture, game in between.items():
        back = between.get(fixture.swapped)
        if fixture.players == (one, other) and back is not None:
            counts[round(2 * (game.points(0) + back.points(1)))] += 1
    pairs = tuple(counts)
    ratio = test.ratio(pairs)
    return Comparison(pairs, estimate(pairs) if any(pairs) else None, ratio, test.decide(ratio))
