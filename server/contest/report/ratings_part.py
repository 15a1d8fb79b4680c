"""The part of a report about strength: ratings, comparisons, and variants."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import isfinite
from typing import NamedTuple

from engine.statistics.elo import Counts, Decision, Estimate, Ratings, Sprt, count_pairs, estimate
from server.contest.definition import Definition
from server.contest.fixtures import GameResult, counted_games, rated_games
from server.contest.report import formatting
from server.contest.report.structure import Comparison, Variant


class PairResult(NamedTuple):
    """The result of a comparison, seen from the first entrant."""

    pairs: Counts
    """How many pairs of games, both finished, have had each result for the first one: 0, a half, to 2 points."""
    estimate: Estimate | None
    """None without a pair."""
    ratio: float
    """The log-likelihood ratio of the test."""
    decision: Decision


def compare(games: Iterable[GameResult], one: str, other: str, test: Sprt) -> PairResult:
    """Compare two entrants; games that were not played count for nothing.

    The decision is that of all pairs together. As they were not counted one by one, it may err more often than the
    test says, unless nobody looks before the end.
    """
    pairs = count_pairs(
        (game.fixture._replace(players=(one, other)), game.points(game.fixture.players.index(one)))
        for game in counted_games(games)
        if game.played and set(game.fixture.players) == {one, other}
    )
    ratio = test.ratio(pairs)
    return PairResult(pairs, estimate(pairs) if any(pairs) else None, ratio, test.decide(ratio))


MAX_INTERVALS = 60
"""Most entrants whose ratings get intervals: these take a second for 60, and a quarter of a minute for 100."""

MAX_COMPARED = 6
"""Most entrants of whom each two are compared, in up to 15 lines; of more, the first two of the last table are."""

TEST = Sprt(-25, 25)
"""Of two, either may be the stronger one: the test asks which, and takes 25 Elo either way as its two hypotheses. It
errs in 5 % of the cases where the difference is as large as that, less often where it is larger."""


def fit_ratings(definition: Definition, games: Sequence[GameResult]) -> Ratings | None:
    """Fit the ratings of the entrants who have played others; None if nobody has.

    Of more than `MAX_INTERVALS` of them, intervals are left out, and nothing is told of variants.
    """
    from engine.statistics.likelihood import ratings  # loads numpy

    between = _between(definition, games)
    played = {name for game in between for name in game.fixture.players}
    names = [entrant.name for entrant in definition.entrants if entrant.name in played]
    if not names:
        return None
    return ratings(rated_games(between), names, len(definition.variants), intervals=len(names) <= MAX_INTERVALS)


def variant_results(definition: Definition, games: Sequence[GameResult], fit: Ratings | None) -> tuple[Variant, ...]:
    """Return the results of the games between entrants in each variant."""
    between = _between(definition, games)
    found = []
    for place, variant in enumerate(definition.variants):
        winners = [game.winner for game in between if game.fixture.variant == place]
        found.append(
            Variant(
                name=formatting.variant_name(variant),
                openings=len(variant.openings),
                games=len(winners),
                first_wins=winners.count(0),
                draws=winners.count(None),
                second_wins=winners.count(1),
                advantage=fit.advantage[place] if fit and fit.advantage else None,
                drawn_by_equals=fit.draws[place] if fit and fit.draws else None,
            )
        )
    return tuple(found)


def compare_entrants(games: Sequence[GameResult], ranking: Sequence[str]) -> tuple[Comparison, ...]:
    """Compare each two entrants who have played pairs of games; of too many, only the first two."""
    met = defaultdict(list)
    for game in games:
        met[frozenset(game.fixture.players)].append(game)
    names = ranking if len(ranking) <= MAX_COMPARED else ranking[:2]
    found = []
    for one, other in combinations(names, 2):
        result = compare(met[frozenset((one, other))], one, other, TEST)
        if result.estimate is not None:
            stronger = {Decision.H1: one, Decision.H0: other, Decision.OPEN: ""}
            found.append(
                Comparison(
                    one=one,
                    other=other,
                    pairs=result.pairs,
                    elo=result.estimate.elo,
                    margin=result.estimate.margin if isfinite(result.estimate.margin) else None,
                    los=result.estimate.los,
                    ratio=result.ratio,
                    verdict=stronger[result.decision],
                )
            )
    return tuple(found)


def omission_notes(rated: int, ranked: int) -> tuple[str, ...]:
    """Return a sentence for each part that is left out because of the number of entrants."""
    limits = {
        "The intervals of the ratings are left out": (rated, MAX_INTERVALS),
        "Only the first two of the last table are compared": (ranked, MAX_COMPARED),
    }
    return tuple(
        f"{what}: {number} entrants are more than the {most} for which there is time and space."
        for what, (number, most) in limits.items()
        if number > most
    )


def _between(definition: Definition, games: Sequence[GameResult]) -> list[GameResult]:
    """Return the games between entrants that were played, without those against built-in bots."""
    entrants = {entrant.name for entrant in definition.entrants}
    return [game for game in games if game.played and entrants.issuperset(game.fixture.players)]
