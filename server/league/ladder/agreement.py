"""How far the ladder's ratings, which change game by game, agree with those that are most likely after all games.

The most likely ones are those of contests (`server.contest.scoring.ratings`), which also know what moving first
is worth in each variant and how often it is drawn. Fixed points stay fixed in both. Each version of a bot is somebody
of its own there, so that what earlier ones have played tells about their opponents alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import correlation, mean

import msgspec

from server.contest.scoring.ratings import ELO, Data, Fit, contrast, data, fit
from server.league.ladder.players import LadderGame, LadderPlayer, Rating, VersionStart

MIN_GAMES = 20
"""Ratings from fewer games are not compared: they have more of what was assumed, or of chance, than of strength."""

_Version = tuple[str, int]
"""A player's name, and how many versions it has had before."""


class Agreement(msgspec.Struct, frozen=True):
    """How far two lists of ratings agree, fixed points left out."""

    players: int
    """Those who were compared; the other fields are None where there are fewer than two."""
    mean: float | None = None
    """How far apart the two ratings of a player are on average, in Elo."""
    largest: float | None = None
    """How far they are at most."""
    rank_correlation: float | None = None
    """Spearman's: 1 for the same order, 0 for orders that have nothing to do with each other, -1 for the reverse.

    A list in which all are equal agrees with such a list alone."""


def most_likely_ratings(
    games: Iterable[LadderGame], players: Mapping[str, LadderPlayer], starts: Iterable[VersionStart] = ()
) -> dict[str, float]:
    """Return the most likely ratings in Elo after all games, of the versions that are active now and have played.

    Games in the order of their numbers, starts of versions in that of theirs. Without a game of a fixed point the
    average of all versions is 0.
    """
    waiting = list(starts)[::-1]
    version: Counter[str] = Counter()
    places: dict[_Version, int] = {}
    variants: dict[str, int] = {}
    results = []
    for game in games:
        while waiting and waiting[-1].after < game.number:
            version[waiting.pop().player] += 1
        one, other = (places.setdefault((name, version[name]), len(places)) for name in (game.first, game.second))
        winner = None if game.score == 0.5 else int(game.score == 0)
        results.append((one, other, variants.setdefault(game.variant, len(variants)), winner))
    version.update(start.player for start in waiting)
    if not results:
        return {}
    anchors = {
        places[name, 0]: player.anchor
        for name, player in players.items()
        if player.anchor is not None and (name, 0) in places
    }
    best, shift = _anchored(data(len(places), len(variants), results), anchors)
    return {
        name: ELO * float(best.values[place]) + shift
        for (name, number), place in places.items()
        if number == version[name]
    }


def levels_by_results(
    games: Sequence[LadderGame], players: Mapping[str, LadderPlayer], starts: Iterable[VersionStart] = ()
) -> dict[str, float]:
    """Return where the results have the fixed points with enough games, in Elo, if only one of them is held.

    The one with the most games is held. Where another one is far from its anchor, the distances between the fixed
    points are not those of the variants that are played.
    """
    played = Counter(name for game in games for name in (game.first, game.second))
    anchors = [name for name in players if players[name].anchor is not None and played[name] >= MIN_GAMES]
    if not anchors:
        return {}
    held = max(anchors, key=lambda name: played[name])
    likely = most_likely_ratings(games, {held: players[held]}, starts)
    return {name: likely[name] for name in anchors}


def agreement(
    ratings: Mapping[str, Rating], likely: Mapping[str, float], players: Mapping[str, LadderPlayer]
) -> Agreement:
    """Compare the ratings of the ladder with the most likely ones, of those who have enough games.

    Where there is no fixed point, both lists are first brought to the same average.
    """
    names = [
        name
        for name, rating in ratings.items()
        if name in likely and rating.games >= MIN_GAMES and rating.deviation > 0
    ]
    if len(names) < 2:
        return Agreement(len(names))
    apart = [ratings[name].elo - likely[name] for name in names]
    if not any(name in likely and player.anchor is not None for name, player in players.items()):
        average = mean(apart)
        apart = [distance - average for distance in apart]
    orders = [_ranks([ratings[name].elo for name in names]), _ranks([likely[name] for name in names])]
    distances = [abs(distance) for distance in apart]
    return Agreement(len(names), mean(distances), max(distances), _rank_correlation(*orders))


def _anchored(given: Data, anchors: Mapping[int, float]) -> tuple[Fit, float]:
    """Return the fit with the distances between fixed points as they are, and what its strengths lack in Elo."""
    import numpy

    if not anchors:
        return fit(given), 0.0
    (chosen, elo), *others = anchors.items()
    begin = numpy.zeros(given.unknowns)
    for place, other in others:
        begin[place] = (other - elo) / ELO
    # strengths have an average of 0
    begin[: given.players] -= begin[: given.players].mean()
    rows = [contrast(given, {place: 1.0, chosen: -1.0}) for place, _ in others]
    best = fit(given, numpy.array(rows).reshape(-1, given.unknowns), begin)
    return best, elo - ELO * float(best.values[chosen])


def _ranks(values: list[float]) -> list[float]:
    """Return the place of each value in their order; equal ones share theirs."""
    order = sorted(values)
    return [(order.index(value) + len(order) - 1 - order[::-1].index(value)) / 2 for value in values]


def _rank_correlation(one: list[float], other: list[float]) -> float:
    """Return Spearman's rank correlation of ranks."""
    if len(set(one)) == 1 or len(set(other)) == 1:
        return float(one == other)
    return correlation(one, other)
