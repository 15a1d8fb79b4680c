"""Online rating: ratings that change with each game of a ladder, with uncertainty.

The model is Glicko's (Glickman 1999): what is known of somebody's strength is a normal distribution, a result is as
likely as Bradley and Terry (1952) say, a draw counts as half a win and half a loss, and uncertainty grows with time.
What a result changes is integrated numerically (assumed-density filtering, Maybeck 1982), where Glicko and Glicko-2
take the first terms of a series: levels of the built-in bot are 450 Elo apart, so a newcomer is uncertain by a
thousand, and after one game the series leaves a deviation of 330 where 670 is right. The volatility of Glicko-2 is left
out, since a version of a bot does not change; Weng and Lin (2011), as in openskill, is made for teams.

There is one rating for all variants together: a class has a few cores, and ratings of each variant would need as many
times more games until they tell two bots from each other.
"""

import math
from collections.abc import Iterable, Mapping

import msgspec

from engine.statistics.elo import ELO


class LadderPlayer(msgspec.Struct, frozen=True):
    """Somebody who plays on the ladder: a bot, whichever version of it is active, or a level of the built-in bot."""

    name: str
    """That of the bot, or of the level, as ``alphabeta:3``."""
    owner: str
    """Its author; empty for players that belong to nobody, as levels."""
    anchor: float | None = None
    """Its rating in Elo where that is a fixed point of the scale; None for all others."""


class LadderGame(msgspec.Struct, frozen=True):
    """A game that counts."""

    number: int
    """Games count from 1, in the order in which they were counted."""
    variant: str
    """Key of the ladder's variants, as ``gipf 3 3 9 9``."""
    first: str
    """Name of the player who began."""
    second: str
    score: float
    """Of who began: 1, 0.5 or 0."""
    ended: float
    """Unix time in seconds; not before that of the game before."""


class VersionStart(msgspec.Struct, frozen=True):
    """A new version of a bot became active; its games are those with higher numbers."""

    player: str
    after: int
    """Number of the last game that had been counted by then; 0 where there was none."""


class OnlineRating(msgspec.Struct, frozen=True):
    """Somebody's strength as of the last game, on the scale of the fixed points."""

    elo: float
    deviation: float
    """How uncertain it is: a standard deviation, in Elo; 0 for fixed points."""
    games: int = 0
    """Those of the version that is active now."""
    last: float | None = None
    """When the last of all games ended, those of earlier versions too, in Unix seconds; None where there was none."""


START_ELO = 1500.0
"""Where everybody begins on a ladder without fixed points."""

START_DEVIATION = 500.0
"""How uncertain newcomers are on such a ladder, in Elo."""

LEAST_START_DEVIATION = 750.0
"""How uncertain newcomers are at least where there are fixed points: bots may be far above or below all of them.

In simulations of 20 bots, up to 900 Elo above the highest of three levels, the error after 1600 games is 56 Elo with
this, and 166 with 350. Nine levels give more than either."""

IDLE_DEVIATION = 350.0
"""How uncertain ratings become at most without games, in Elo; as newcomers in Glicko."""

VERSION_DEVIATION = 300.0
"""How much stronger or weaker a new version may be than the one before: a standard deviation, in Elo."""

DRIFT = 10.0
"""By how much a rating becomes uncertain in the first day without a game, in Elo: 100 days add 100 to 0, and 12 to 400.

Versions do not change, but the others do, and so does what is known about them."""

DAY = 86_400.0

REACH = 6.0
"""The integrals go to so many standard deviations on either side."""

STEP = 0.5
"""Their steps at most, in standard deviations. The trapezoidal rule is nearly exact for smooth functions that vanish at
both ends (Trefethen and Weideman 2014): within 0.01 Elo here."""

STEP_ELO = 80.0
"""Their steps at most, in Elo: within a few hundred Elo a result changes from certain to impossible."""


def starting(players: Mapping[str, LadderPlayer], name: str) -> OnlineRating:
    """Return the rating of somebody who has not played yet.

    Fixed points have theirs. All others begin in the middle of the fixed points, at least as uncertain as somebody who
    may be anywhere between the lowest and the highest.
    """
    player = players.get(name)
    if player is not None and player.anchor is not None:
        return OnlineRating(player.anchor, 0.0)
    anchors = [player.anchor for player in players.values() if player.anchor is not None]
    if not anchors:
        return OnlineRating(START_ELO, START_DEVIATION)
    # the standard deviation of a uniform distribution
    spread = (max(anchors) - min(anchors)) / math.sqrt(12)
    return OnlineRating((max(anchors) + min(anchors)) / 2, max(LEAST_START_DEVIATION, spread))


def start_of_version(old: OnlineRating) -> OnlineRating:
    """Return the rating with which a new version begins.

    It is that of the one before, but more uncertain, and without games.
    """
    return OnlineRating(old.elo, math.hypot(old.deviation, VERSION_DEVIATION), 0, old.last)


def decayed(rating: OnlineRating, now: float) -> OnlineRating:
    """Return what a rating is worth at a time in Unix seconds: the longer ago the last game, the more uncertain.

    The strength stays. For showing and for choosing games: what is stored and updated is not decayed.
    """
    if rating.last is None or rating.deviation == 0 or now <= rating.last:
        return rating
    grown = math.sqrt(rating.deviation**2 + DRIFT**2 * (now - rating.last) / DAY)
    return OnlineRating(rating.elo, max(rating.deviation, min(grown, IDLE_DEVIATION)), rating.games, rating.last)


def update(
    ratings: Mapping[str, OnlineRating], game: LadderGame, players: Mapping[str, LadderPlayer]
) -> dict[str, OnlineRating]:
    """Return the new ratings of both players of a game.

    ``ratings`` are those before the game, as `update`, `starting` or `start_of_version` have returned them; whoever is
    not among them has not played.
    """
    one, other = (
        decayed(ratings.get(name) or starting(players, name), game.ended) for name in (game.first, game.second)
    )
    variance = one.deviation**2 + other.deviation**2
    if variance == 0:
        return {game.first: _played(one, 1, 0, 0, game), game.second: _played(other, 1, 0, 0, game)}
    rise, fall = _difference(one.elo - other.elo, math.sqrt(variance), game.score)
    return {
        game.first: _played(one, variance, rise, fall, game),
        game.second: _played(other, variance, -rise, fall, game),
    }


def rate(
    games: Iterable[LadderGame],
    players: Mapping[str, LadderPlayer],
    starts: Iterable[VersionStart] = (),
) -> dict[str, OnlineRating]:
    """Return the ratings of all players after all games, from the first one on.

    Games in the order of their numbers, starts of versions in that of theirs. Who has left the ladder is included, too.
    What is shown at a time is `decayed`.
    """
    ratings = {name: starting(players, name) for name in players}
    waiting = list(starts)[::-1]
    for game in games:
        _begin_versions(ratings, waiting, game.number, players)
        ratings.update(update(ratings, game, players))
    _begin_versions(ratings, waiting, math.inf, players)
    return ratings


def _begin_versions(
    ratings: dict[str, OnlineRating], waiting: list[VersionStart], before: float, players: Mapping[str, LadderPlayer]
) -> None:
    """Begin the versions, the last of the list first, that became active before a game."""
    while waiting and waiting[-1].after < before:
        name = waiting.pop().player
        ratings[name] = start_of_version(ratings.get(name) or starting(players, name))


def _difference(mean: float, deviation: float, score: float) -> tuple[float, float]:
    """Return what a score changes in a difference of strengths that is normally distributed, all in Elo.

    By how much its mean rises, and its variance falls.
    """
    step = min(STEP, STEP_ELO / deviation)
    reach = math.ceil(REACH / step)
    places = [number * step for number in range(-reach, reach + 1)]
    # logarithms, of which the largest is taken away: results that were all but impossible leave no power of 0
    likely = [_log_likelihood((mean + place * deviation) / ELO, score) - place * place / 2 for place in places]
    highest = max(likely)
    total = first = second = 0.0
    for place, logarithm in zip(places, likely, strict=True):
        weight = math.exp(logarithm - highest)
        total += weight
        first += weight * place
        second += weight * place * place
    first /= total
    return first * deviation, (1 - (second / total - first * first)) * deviation**2


def _log_likelihood(difference: float, score: float) -> float:
    """Return the logarithm of the likelihood of a score, with a difference in natural units."""
    return score * difference - max(difference, 0.0) - math.log1p(math.exp(-abs(difference)))


def _played(rating: OnlineRating, whole: float, rise: float, fall: float, game: LadderGame) -> OnlineRating:
    """Return a rating after a game.

    Its part is that of its variance in the whole one of the difference, whose mean rises and whose variance falls. How
    ratings depend on each other is not kept, so those who meet often would take an error that they have in common for
    knowledge. Therefore the uncertainty falls by less, the more uncertain the opponent is: by the root of the part.
    """
    variance = rating.deviation**2
    part = variance / whole
    left = variance - part**2 * fall * math.sqrt(part)
    return OnlineRating(rating.elo + part * rise, math.sqrt(max(left, 0.0)), rating.games + 1, game.ended)
