"""Online rating: ratings with uncertainty that change after each game of a ladder.

The model is Glicko's (Glickman 1999). A strength is a normal distribution. Results have the probabilities of Bradley
and Terry (1952), and a draw counts as half a win and half a loss. Uncertainty grows with time.

The update is integrated numerically (assumed-density filtering, Maybeck 1982), while Glicko and Glicko-2 use the first
terms of a series. Levels of the built-in bot are 450 Elo apart, so a new player has a deviation of about a thousand.
After one game the series has a deviation of 330, and the right value is 670. The volatility of Glicko-2 is left out,
since a version of a bot does not change. Weng and Lin (2011), as in openskill, is for teams.

All variants share one rating: separate ratings would need as many times more games to distinguish two bots.
"""

import math
from collections.abc import Iterable, Mapping

import msgspec

from engine.statistics.elo import ELO


class LadderPlayer(msgspec.Struct, frozen=True):
    """A player of the ladder: the active version of a bot, or a level of the built-in bot."""

    name: str
    """The name of the bot, or of the level, such as ``alphabeta:3``."""
    owner: str
    """The author of the bot; empty for levels."""
    anchor: float | None = None
    """The rating in Elo of a fixed point of the scale; None for other players."""


class LadderGame(msgspec.Struct, frozen=True):
    """A counted game."""

    number: int
    """Number of the game from 1, in the order of counting."""
    variant: str
    """Key of the ladder's variants, such as ``gipf 3 3 9 9``."""
    first: str
    """Name of the player who began."""
    second: str
    score: float
    """Score of the player who began: 1, 0.5 or 0."""
    ended: float
    """Unix time in seconds, not before the end of the last game."""


class VersionStart(msgspec.Struct, frozen=True):
    """The start of a new version of a bot, which plays the games with higher numbers."""

    player: str
    after: int
    """Number of the last game that was counted before; 0 for none."""


class OnlineRating(msgspec.Struct, frozen=True):
    """The strength of a player after the last game, on the scale of the fixed points."""

    elo: float
    deviation: float
    """Standard deviation in Elo; 0 for fixed points."""
    games: int = 0
    """Games of the active version."""
    last: float | None = None
    """Unix time of the end of the last game of any version; None without games."""


START_ELO = 1500.0
"""First rating on a ladder without fixed points."""

START_DEVIATION = 500.0
"""First deviation on such a ladder, in Elo."""

MIN_START_DEVIATION = 750.0
"""Least first deviation on a ladder with fixed points, in Elo: bots may be far above or below them.

In simulations of 20 bots, up to 900 Elo above the highest of three levels, the error after 1600 games is 56 Elo, and
166 with 350. Nine levels have a larger deviation anyway."""

IDLE_DEVIATION = 350.0
"""Largest deviation from time without games, in Elo: that of a new player in Glicko."""

VERSION_DEVIATION = 300.0
"""Standard deviation of the change in strength by a new version, in Elo."""

DRIFT = 10.0
"""Growth of the deviation in a day without games, in Elo, by squares: 100 days add 100 to 0, and 12 to 400.

A version does not change, but the other players do."""

DAY = 86_400.0

REACH = 6.0
"""Limits of the integrals, in standard deviations on either side."""

STEP = 0.5
"""Largest step of the integrals, in standard deviations. The trapezoidal rule is nearly exact for smooth functions that
vanish at both ends (Trefethen and Weideman 2014): within 0.01 Elo here."""

STEP_ELO = 80.0
"""Largest step of the integrals, in Elo: a result changes from certain to impossible within a few hundred Elo."""


def starting(players: Mapping[str, LadderPlayer], name: str) -> OnlineRating:
    """Return the first rating of a player.

    Fixed points have their own rating. Other players begin in the middle of the fixed points, with at least the
    deviation of a uniform distribution between the lowest and the highest one.
    """
    player = players.get(name)
    if player is not None and player.anchor is not None:
        return OnlineRating(player.anchor, 0.0)
    anchors = [player.anchor for player in players.values() if player.anchor is not None]
    if not anchors:
        return OnlineRating(START_ELO, START_DEVIATION)
    # the standard deviation of a uniform distribution
    spread = (max(anchors) - min(anchors)) / math.sqrt(12)
    return OnlineRating((max(anchors) + min(anchors)) / 2, max(MIN_START_DEVIATION, spread))


def start_of_version(old: OnlineRating) -> OnlineRating:
    """Return the first rating of a new version: that of the last version with a larger deviation and without games."""
    return OnlineRating(old.elo, math.hypot(old.deviation, VERSION_DEVIATION), 0, old.last)


def decayed(rating: OnlineRating, now: float) -> OnlineRating:
    """Return a rating at a Unix time: its deviation grows since the last game.

    It is for display and matchmaking. Stored ratings are not decayed.
    """
    if rating.last is None or rating.deviation == 0 or now <= rating.last:
        return rating
    grown = math.sqrt(rating.deviation**2 + DRIFT**2 * (now - rating.last) / DAY)
    return OnlineRating(rating.elo, max(rating.deviation, min(grown, IDLE_DEVIATION)), rating.games, rating.last)


def update(
    ratings: Mapping[str, OnlineRating], game: LadderGame, players: Mapping[str, LadderPlayer]
) -> dict[str, OnlineRating]:
    """Return the new ratings of both players of a game.

    ``ratings`` are the ratings before the game from `update`, `starting` or `start_of_version`. A missing player has
    not played.
    """
    one, other = (
        decayed(ratings.get(name) or starting(players, name), game.ended) for name in (game.first, game.second)
    )
    variance = one.deviation**2 + other.deviation**2
    if variance == 0:
        return {game.first: _after_game(one, 1, 0, 0, game), game.second: _after_game(other, 1, 0, 0, game)}
    rise, fall = _difference(one.elo - other.elo, math.sqrt(variance), game.score)
    return {
        game.first: _after_game(one, variance, rise, fall, game),
        game.second: _after_game(other, variance, -rise, fall, game),
    }


def rate(
    games: Iterable[LadderGame],
    players: Mapping[str, LadderPlayer],
    starts: Iterable[VersionStart] = (),
) -> dict[str, OnlineRating]:
    """Return the ratings of all players after all games, also of players who left the ladder.

    Games and starts of versions are in the order of their numbers. Pages show the `decayed` ratings.
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
    """Apply the starts of versions before a game. ``waiting`` has the next start at its end."""
    while waiting and waiting[-1].after < before:
        name = waiting.pop().player
        ratings[name] = start_of_version(ratings.get(name) or starting(players, name))


def _difference(mean: float, deviation: float, score: float) -> tuple[float, float]:
    """Return the rise of the mean and the fall of the variance of a normal difference of strengths after a score.

    All numbers are in Elo.
    """
    step = min(STEP, STEP_ELO / deviation)
    reach = math.ceil(REACH / step)
    places = [number * step for number in range(-reach, reach + 1)]
    # the largest logarithm is subtracted, so that the sum is not 0 for very unlikely results
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
    """Return the log-likelihood of a score for a difference in natural units."""
    return score * difference - max(difference, 0.0) - math.log1p(math.exp(-abs(difference)))


def _after_game(rating: OnlineRating, whole: float, rise: float, fall: float, game: LadderGame) -> OnlineRating:
    """Return a rating after a game.

    The rating moves by its share of the variance of the difference. Correlations between ratings are not stored, so
    players who meet often would become too certain of a common error. Therefore the deviation falls less if the
    opponent is uncertain: the fall has a further factor, the square root of the share.
    """
    variance = rating.deviation**2
    share = variance / whole
    left = variance - share**2 * fall * math.sqrt(share)
    return OnlineRating(rating.elo + share * rise, math.sqrt(max(left, 0.0)), rating.games + 1, game.ended)
