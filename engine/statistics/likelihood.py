"""Ratings by maximum likelihood, and their intervals.

The model is paired comparison (Bradley and Terry 1952) with draws (Davidson 1970) and an advantage of the first move
(Davidson and Beaver 1977). Let d be the difference of the strengths, first side minus second side, plus the
advantage. Let h be the drawishness. Then the probabilities of a win, a draw and a loss of the first side are in the
ratio

    exp(d/2) : exp(h) : exp(-d/2)

Strengths and advantage are in natural units, and `ELO` converts them. Each variant has its own advantage and
drawishness. The log-likelihood is concave, so Newton's method finds its only maximum.

An entrant that has won or lost every game has no finite rating by likelihood alone. So virtual results are added, as in
BayesElo (Coulom 2005) and Ordo (Ballicora). Every entrant has won half and lost half of `VIRTUAL` games against an
opponent of average strength. For each variant, the first side has won half of `VIRTUAL` games between equals, and half
of `VIRTUAL` such games are draws.

Intervals are those of the profile likelihood (Venzon and Moolgavkar 1988). A rating belongs to the 95 % interval if the
results are not much less likely with it, with all other unknowns fitted again. These intervals are right also for an
entrant that has won nearly everything, and then they are not symmetric. They are intervals of the difference to the
average.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from engine.statistics.elo import ELO, TWO_SIDED_95, Rating, Ratings

VIRTUAL = 1.0
"""Virtual games for each unknown. With 1, the 95 % intervals are right in 94 to 96 % of simulated contests, also with
ten games for each entrant. With 0.1 they are right in 92 to 93 % of these, with 2 in up to 97 %."""

MAX_STEPS = 200
"""Most steps of Newton's method. Ten are usual."""

NEAR = 1e-10
"""Expected gain of log-likelihood below which Newton's method ends."""

Vector = NDArray[numpy.float64]
Matrix = NDArray[numpy.float64]
Places = NDArray[numpy.int64]

Result = tuple[str, str, int, int | None]
"""A game: name of the side that begins, name of the other side, number of the variant, winning side 0, 1 or None."""


class Data(NamedTuple):
    """Aggregated results: an entry for each ordered pair of players and each variant."""

    players: int
    variants: int
    first: Places
    second: Places
    variant: Places
    won: Vector
    """Wins of the side that begins."""
    drawn: Vector
    lost: Vector

    @property
    def unknowns(self) -> int:
        """The number of unknowns: strengths, then advantages, then drawishnesses."""
        return self.players + 2 * self.variants


class Fit(NamedTuple):
    """The most likely values, perhaps under constraints."""

    values: Vector
    likelihood: float
    """The log-likelihood with virtual results."""


def aggregate(games: Iterable[Result], names: Sequence[str], variants: int) -> Data:
    """Aggregate the games between the named players. Games with others are left out."""
    places = {name: place for place, name in enumerate(names)}
    sums: dict[tuple[int, int, int], list[int]] = {}
    for first, second, variant, winner in games:
        if first in places and second in places:
            counts = sums.setdefault((places[first], places[second], variant), [0, 0, 0])
            counts[1 if winner is None else 2 * winner] += 1
    entries: Any = numpy.array(list(sums), dtype=numpy.int64).reshape(-1, 3)
    counted: Any = numpy.array(list(sums.values()), dtype=numpy.float64).reshape(-1, 3)
    return Data(len(names), variants, *entries.T, *counted.T)


def contrast(given: Data, weights: dict[int, float]) -> Vector:
    """Return the row whose product with the values is a weighted sum of strengths."""
    row = numpy.zeros(given.unknowns)
    for player, weight in weights.items():
        row[player] = weight
    return row


def fit(given: Data, conditions: Matrix | None = None, begin: Vector | None = None) -> Fit:
    """Return the most likely values. Strengths have an average of 0.

    ``conditions`` are rows whose products with the values stay constant from ``begin`` on.
    """
    rows = _average(given) if conditions is None else numpy.vstack([_average(given), conditions])
    values = numpy.zeros(given.unknowns) if begin is None else begin
    height = likelihood(given, values)
    for _ in range(MAX_STEPS):
        slope, information = _derivatives(given, values)
        aim = numpy.concatenate([slope, numpy.zeros(len(rows))])
        step = numpy.linalg.solve(_bordered(information, rows), aim)[: given.unknowns]
        if float(slope @ step) < NEAR:
            break
        # far from the maximum a full step may go beyond it
        part = 1.0
        while (there := likelihood(given, values + part * step)) < height and part > NEAR:
            part /= 2
        if there <= height:
            break
        values, height = values + part * step, there
    return Fit(values, height)


def covariance(given: Data, values: Vector) -> Matrix:
    """Return the inverse of the observed information, which is also Fisher's, with an average strength of 0."""
    _, information = _derivatives(given, values)
    inverse = numpy.linalg.inv(_bordered(information, _average(given)))
    return numpy.asarray(inverse[: given.unknowns, : given.unknowns], dtype=numpy.float64)


def likelihood(given: Data, values: Vector) -> float:
    """Return the log-likelihood of all results and of the virtual results."""
    difference, draw = _terms(given, values)
    whole = numpy.logaddexp(numpy.logaddexp(difference / 2, -difference / 2), draw)
    games = given.won + given.drawn + given.lost
    real = (given.won - given.lost) * difference / 2 + given.drawn * draw - games * whole
    virtual = _virtual(given, values)
    return float(real.sum() - VIRTUAL * (numpy.logaddexp(0, virtual) - virtual / 2).sum())


def _terms(given: Data, values: Vector) -> tuple[Vector, Vector]:
    """Return d and h of each entry."""
    advantage, drawish = values[given.players :].reshape(2, given.variants)
    return values[given.first] - values[given.second] + advantage[given.variant], drawish[given.variant]


def _virtual(given: Data, values: Vector) -> Vector:
    """Return the values relative to those of the virtual results."""
    shifted = values.copy()
    shifted[given.players + given.variants :] -= math.log(2)
    return shifted


def _derivatives(given: Data, values: Vector) -> tuple[Vector, Matrix]:
    """Return the gradient and the information, which is the negative Hessian."""
    difference, draw = _terms(given, values)
    whole = numpy.logaddexp(numpy.logaddexp(difference / 2, -difference / 2), draw)
    win, loss, even = numpy.exp(difference / 2 - whole), numpy.exp(-difference / 2 - whole), numpy.exp(draw - whole)
    games = given.won + given.drawn + given.lost
    lead = win - loss
    # an entry depends on two strengths and an advantage through d, and on a drawishness
    advantage = given.players + given.variant
    places = numpy.stack([given.first, given.second, advantage, advantage + given.variants], axis=1)
    by_difference, by_draw = numpy.array([1.0, -1.0, 1.0, 0.0]), numpy.array([0.0, 0.0, 0.0, 1.0])
    mixed = numpy.outer(by_difference, by_draw)
    parts = numpy.outer((given.won - given.lost - games * lead) / 2, by_difference)
    parts += numpy.outer(given.drawn - games * even, by_draw)
    blocks = numpy.multiply.outer(games * (win + loss - lead**2) / 4, numpy.outer(by_difference, by_difference))
    blocks += numpy.multiply.outer(games * even * (1 - even), numpy.outer(by_draw, by_draw))
    blocks -= numpy.multiply.outer(games * even * lead / 2, mixed + mixed.T)
    size = given.unknowns
    fields = places[:, :, None] * size + places[:, None, :]
    virtual = 1 / (1 + numpy.exp(-_virtual(given, values)))
    slope = numpy.bincount(places.ravel(), parts.ravel(), size) + VIRTUAL * (0.5 - virtual)
    information = numpy.diag(VIRTUAL * virtual * (1 - virtual))
    information += numpy.bincount(fields.ravel(), blocks.ravel(), size * size).reshape(size, size)
    return slope, information


def _average(given: Data) -> Matrix:
    """Return the row whose product is the sum of all strengths."""
    return contrast(given, dict.fromkeys(range(given.players), 1.0))[None, :]


def _bordered(information: Matrix, rows: Matrix) -> Matrix:
    """Return the linear system of a Newton step that does not change the products of the values with the rows."""
    number = len(rows)
    return numpy.block([[information, rows.T], [rows, numpy.zeros((number, number))]])


ROOT = 1e-3
"""Tolerance of the search for the end of an interval, in standard deviations."""

MAX_ROOT_STEPS = 60
"""Most steps of this search. Three are usual."""

MAX_GROWTH = 3.0
"""Largest factor by which a step of this search goes further than the last one."""


DECIMALS = 6
"""Decimals of a rating: further ones depend on the machine's arithmetic, and would put equals in an order."""


def _elo(value: float) -> float:
    return round(ELO * float(value), DECIMALS) + 0.0  # no -0.0


def strengths(games: Iterable[Result], names: Sequence[str], variants: int) -> dict[str, float]:
    """Return the rating of each player in Elo, with an average of 0, from the games between them."""
    found = fit(aggregate(games, names, variants)).values
    return {name: _elo(found[place]) for place, name in enumerate(names)}


def ratings(games: Iterable[Result], names: Sequence[str], variants: int, *, intervals: bool = True) -> Ratings:
    """Return the ratings of at least one player, from the games between them.

    Without ``intervals`` the properties of variants are left out, too.
    """
    given = aggregate(games, names, variants)
    best = fit(given)
    number = given.won + given.drawn + given.lost
    played = numpy.bincount(given.first, number, len(names)) + numpy.bincount(given.second, number, len(names))
    spread = covariance(given, best.values) if intervals else None
    table = []
    for place, name in enumerate(names):
        row = contrast(given, dict.fromkeys(range(given.players), -1 / given.players) | {place: 1 - 1 / given.players})
        low, high = (None, None) if spread is None else _interval(given, best, spread, row)
        table.append(
            Rating(name=name, elo=_elo(float(row @ best.values)), low=low, high=high, games=int(played[place]))
        )
    advantage, drawish = best.values[len(names) :].reshape(2, variants).tolist()
    return Ratings(
        tuple(sorted(table, key=lambda rating: -rating.elo)),
        tuple(map(_elo, advantage)) if intervals else (),
        tuple(round(1 / (1 + 2 * math.exp(-value)), DECIMALS) for value in drawish) if intervals else (),
    )


def _interval(given: Data, best: Fit, spread: Matrix, row: Vector) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a contrast, in Elo."""
    centre = float(row @ best.values)
    deviation = math.sqrt(max(0.0, float(row @ spread @ row)))
    if deviation == 0:
        return _elo(centre), _elo(centre)

    def end(sign: int) -> float:
        reach = _reach(lambda away: _distance(given, best, spread @ row, row, sign * away * deviation))
        return _elo(centre + sign * deviation * reach)

    return end(-1), end(1)


def _reach(distance: Callable[[float], float]) -> float:
    """Return the argument at which an increasing function reaches TWO_SIDED_95, by the secant method."""
    before, reached = 0.0, 0.0
    there = TWO_SIDED_95
    for _ in range(MAX_ROOT_STEPS):
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

    It is the square root of the deviance, which is approximately chi-squared distributed (Wilks 1938). ``direction`` is
    the approximate change of all values with the contrast.
    """
    there = fit(given, row[None, :], best.values + away * direction / float(row @ direction))
    return math.sqrt(max(0.0, 2 * (best.likelihood - there.likelihood)))
