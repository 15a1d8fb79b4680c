"""Ratings by maximum likelihood, their intervals, and likelihoods of superiority.

Intervals are those of the profile likelihood (Venzon and Moolgavkar 1988): a rating belongs to the 95 % interval if the
results are not much less likely with it, all other unknowns being fitted anew. Unlike intervals from the curvature
at the maximum they stay right for somebody who has won nearly everything, and then they are not symmetric. Each is that
of a difference: to the average of all, or to the entrant that was named as the anchor.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from engine.duel.statistics import NORMAL, TWO_SIDED_95
from server.contest.fixtures import Finished, counted_games
from server.contest.scoring.strength_model import ELO, Data, Fit, Matrix, Vector, contrast, covariance, data, fit

ROOT = 1e-3
"""How near to the end of an interval its search ends, in standard deviations."""

ROOT_STEPS = 60
"""Steps of that search at most; three are usual."""

MAX_GROWTH = 3.0
"""By so much at most a step of that search goes further away than the one before."""


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's strength, as it stands in reports too: Elo against the average of all, or against the anchor.

    The interval of the anchor itself has no width.
    """

    name: str
    elo: float
    low: float | None = None
    """Of the 95 % interval; None where intervals are left out."""
    high: float | None = None
    games: int


class Ratings(NamedTuple):
    """The ratings of all players, and the properties of variants."""

    table: tuple[Rating, ...]
    """The strongest first."""
    advantage: tuple[float, ...]
    """What moving first is worth in each variant, in Elo."""
    draws: tuple[float, ...]
    """How often equals without that advantage draw in each variant, 0 to 1."""


def strengths(games: Iterable[Finished], names: Sequence[str], variants: int) -> dict[str, float]:
    """Return the rating of each player in Elo, with an average of 0, from the games between them."""
    found = fit(_data(games, names, variants)).values
    return {name: ELO * float(found[place]) for place, name in enumerate(names)}


def ratings(games: Iterable[Finished], names: Sequence[str], variants: int, anchor: str | None = None) -> Ratings:
    """Return the ratings of players with intervals, from the games between them.

    At least one name. Raises ValueError where the anchor is none of them.
    """
    if anchor is not None and anchor not in names:
        raise ValueError(f"{anchor!r} is nobody who is rated")
    given = _data(games, names, variants)
    best = fit(given)
    spread = covariance(given, best.values)
    played = [0] * len(names)
    for first, second, number in zip(given.first, given.second, given.won + given.drawn + given.lost, strict=True):
        played[first] += int(number)
        played[second] += int(number)
    table = []
    for place, name in enumerate(names):
        elo, low, high = _estimate(given, best, spread, _against(given, names, place, anchor))
        table.append(Rating(name=name, elo=elo, low=low, high=high, games=played[place]))
    advantage, drawish = best.values[len(names) :].reshape(2, variants)
    return Ratings(
        tuple(sorted(table, key=lambda rating: -rating.elo)),
        tuple(ELO * float(value) for value in advantage),
        tuple(1 / (1 + 2 * math.exp(-value)) for value in drawish.tolist()),
    )


def standing(given: Data, name: str, place: int) -> Rating:
    """Return the rating of one of the players with its interval."""
    best = fit(given)
    elo, low, high = _estimate(given, best, covariance(given, best.values), _against(given, (), place, None))
    games = sum(
        int(number)
        for first, second, number in zip(given.first, given.second, given.won + given.drawn + given.lost, strict=True)
        if place in (first, second)
    )
    return Rating(name=name, elo=elo, low=low, high=high, games=games)


def superiority(games: Iterable[Finished], names: Sequence[str], variants: int) -> dict[tuple[str, str], float]:
    """Return for each two players the likelihood that the first one is stronger, 0 to 1.

    It is judged by how unlikely the results would be if both were equal.
    """
    given = _data(games, names, variants)
    best = fit(given)
    spread = covariance(given, best.values)
    found = {}
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            row = contrast(given, {one: 1.0, other: -1.0})
            ahead = float(row @ best.values)
            distance = math.copysign(_distance(given, best, spread @ row, row, -ahead), ahead)
            likely = NORMAL.cdf(distance)
            found[names[one], names[other]] = likely
            found[names[other], names[one]] = 1 - likely
    return found


def _data(games: Iterable[Finished], names: Sequence[str], variants: int) -> Data:
    places = {name: place for place, name in enumerate(names)}
    results = [
        (places[first], places[second], game.fixture.variant, game.winner)
        for game in counted_games(games)
        for first, second in [game.fixture.players]
        if game.played and first in places and second in places
    ]
    return data(len(names), variants, results)


def _against(given: Data, names: Sequence[str], place: int, anchor: str | None) -> Vector:
    """Return the contrast that a rating is."""
    if anchor is None:
        average = dict.fromkeys(range(given.players), -1 / given.players)
        return contrast(given, average | {place: 1 - 1 / given.players})
    return contrast(given, {names.index(anchor): -1.0}) + contrast(given, {place: 1.0})


def _estimate(given: Data, best: Fit, spread: Matrix, row: Vector) -> tuple[float, float, float]:
    """Return a contrast in Elo, and the ends of its 95 % interval."""
    centre = float(row @ best.values)
    deviation = math.sqrt(max(0.0, float(row @ spread @ row)))
    if deviation == 0:
        return ELO * centre, ELO * centre, ELO * centre
    ends = []
    for sign in (-1, 1):

        def distance(deviations: float, sign: int = sign) -> float:
            return _distance(given, best, spread @ row, row, sign * deviations * deviation)

        ends.append(ELO * (centre + sign * deviation * _reach(distance)))
    return ELO * centre, ends[0], ends[1]


def _reach(distance: Callable[[float], float]) -> float:
    """Return where an increasing function reaches the limit of 95 %, by the secant method."""
    before, reached = 0.0, 0.0
    there = TWO_SIDED_95
    for _ in range(ROOT_STEPS):
        found = distance(there)
        if abs(found - TWO_SIDED_95) < ROOT or found <= reached:
            break
        further = there + (TWO_SIDED_95 - found) * (there - before) / (found - reached)
        if found < TWO_SIDED_95:
            before, reached = there, found
        there = min(further, MAX_GROWTH * there)
    return there


def _distance(given: Data, best: Fit, direction: Vector, row: Vector, away: float) -> float:
    """Return the distance of a contrast from its most likely value, in standard deviations, by the likelihood.

    This is the root of the deviance, whose square is about chi-squared distributed (Wilks 1938). ``direction`` is how
    all values move along with it, about.
    """
    begin = best.values + away * direction / float(row @ direction)
    there = fit(given, row[None, :], begin)
    return math.sqrt(max(0.0, 2 * (best.likelihood - there.likelihood)))
