"""The model of strength behind ratings: its likelihood, and the maximum of that.

Paired comparisons after Bradley and Terry (1952), with draws after Davidson (1970) and the advantage of moving first
after Davidson and Beaver (1977). With d the strength of who begins less that of the other plus the advantage, and h
how drawish the game is, a win, a draw and a loss of who begins are as likely as

    exp(d/2) : exp(h) : exp(-d/2)

Strengths and advantage are in natural units; `ELO` times them is Elo: a difference of 400 makes wins ten times as
likely as losses. Each variant has an advantage and drawishness of its own. The logarithm of the likelihood is concave,
so Newton's method finds its one maximum.

Somebody who has won or lost every game has no finite rating by likelihood alone. As BayesElo (Coulom 2005) and Ordo
(Ballicora) do, virtual results are added: of `VIRTUAL` games against somebody of the average strength everybody has won
half and lost half. Advantage and drawishness get the same: of `VIRTUAL` games between equals half are won by who
begins, and half are drawn.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:  # a server without a contest does without it, and starts a tenth of a second sooner
    import numpy
    from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Elo in a natural unit of strength."""

VIRTUAL = 1.0
"""Virtual games for each unknown. With one, 95 % intervals hold the truth in 94 to 96 % of simulated contests, also
where everybody has no more than ten games; with a tenth they hold it in 92 to 93 % of those, with two in up to 97 %."""

STEPS = 200
"""Newton's steps at most; ten are usual."""

NEAR = 1e-10
"""Newton's method ends when a step promises less than this of a logarithm of likelihood."""

Vector: TypeAlias = "NDArray[numpy.float64]"
Matrix: TypeAlias = "NDArray[numpy.float64]"
Places: TypeAlias = "NDArray[numpy.int64]"


class Data(NamedTuple):
    """Aggregated results: an entry for each pair of players in order, and variant."""

    players: int
    variants: int
    first: Places
    second: Places
    variant: Places
    won: Vector
    """By who begins."""
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
    """Its natural logarithm, virtual results included."""


def data(players: int, variants: int, results: Sequence[tuple[int, int, int, int | None]]) -> Data:
    """Aggregate results: first player, second player, variant, and the winning side, 0, 1 or None."""
    import numpy

    sums: dict[tuple[int, int, int], list[int]] = {}
    for first, second, variant, winner in results:
        sums.setdefault((first, second, variant), [0, 0, 0])[1 if winner is None else 2 * winner] += 1
    places: Any = numpy.array(list(sums), dtype=numpy.int64).reshape(-1, 3)
    counts: Any = numpy.array(list(sums.values()), dtype=numpy.float64).reshape(-1, 3)
    return Data(players, variants, places[:, 0], places[:, 1], places[:, 2], counts[:, 0], counts[:, 1], counts[:, 2])


def contrast(given: Data, weights: dict[int, float]) -> Vector:
    """Return the row whose product with the values is a weighted sum of strengths."""
    import numpy

    row = numpy.zeros(given.unknowns)
    for player, weight in weights.items():
        row[player] = weight
    return row


def fit(given: Data, conditions: "Matrix | None" = None, begin: "Vector | None" = None) -> Fit:
    """Return the most likely values; strengths have an average of 0.

    ``conditions`` are rows whose products with the values are to stay what they are at ``begin``.
    """
    import numpy

    rows = _average(given) if conditions is None else numpy.vstack([_average(given), conditions])
    values = numpy.zeros(given.unknowns) if begin is None else begin
    height = likelihood(given, values)
    for _ in range(STEPS):
        slope, information = _derivatives(given, values)
        aim = numpy.concatenate([slope, numpy.zeros(len(rows))])
        step = numpy.linalg.solve(_bordered(information, rows), aim)[: given.unknowns]
        if float(slope @ step) < NEAR:
            break
        # far from the maximum a whole step may lead beyond it
        part = 1.0
        while (there := likelihood(given, values + part * step)) < height and part > NEAR:
            part /= 2
        if there <= height:
            break
        values, height = values + part * step, there
    return Fit(values, height)


def covariance(given: Data, values: Vector) -> Matrix:
    """Return the inverse of the observed information (here also Fisher's), with an average strength of 0."""
    import numpy

    _, information = _derivatives(given, values)
    inverse = numpy.linalg.inv(_bordered(information, _average(given)))
    return numpy.asarray(inverse[: given.unknowns, : given.unknowns], dtype=numpy.float64)


def likelihood(given: Data, values: Vector) -> float:
    """Return the natural logarithm of the likelihood of all results, virtual ones included."""
    import numpy

    difference, draw = _terms(given, values)
    whole = numpy.logaddexp(numpy.logaddexp(difference / 2, -difference / 2), draw)
    games = given.won + given.drawn + given.lost
    real = (given.won - given.lost) * difference / 2 + given.drawn * draw - games * whole
    virtual = _virtual(given, values)
    return float(real.sum() - VIRTUAL * (numpy.logaddexp(0, virtual) - virtual / 2).sum())


def _terms(given: Data, values: Vector) -> tuple[Vector, Vector]:
    """Return d and h of each entry."""
    advantage, drawish = values[given.players :].reshape(2, given.variants)
    difference = values[given.first] - values[given.second] + advantage[given.variant]
    return difference, drawish[given.variant]


def _virtual(given: Data, values: Vector) -> Vector:
    """Return the values relative to those of the virtual results."""
    shifted = values.copy()
    shifted[given.players + given.variants :] -= math.log(2)
    return shifted


def _derivatives(given: Data, values: Vector) -> tuple[Vector, Matrix]:
    """Return gradient and information, the negative of the matrix of second derivatives."""
    import numpy

    difference, draw = _terms(given, values)
    whole = numpy.logaddexp(numpy.logaddexp(difference / 2, -difference / 2), draw)
    win, loss, even = numpy.exp(difference / 2 - whole), numpy.exp(-difference / 2 - whole), numpy.exp(draw - whole)
    games = given.won + given.drawn + given.lost
    lead = win - loss
    # what an entry depends on: two strengths and an advantage by way of d, and a drawishness
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
    """Return the row that holds the average of all strengths."""
    return contrast(given, dict.fromkeys(range(given.players), 1.0))[None, :]


def _bordered(information: Matrix, rows: Matrix) -> Matrix:
    """Return the linear system of a Newton step that keeps the products of the values with the rows."""
    import numpy

    number = len(rows)
    return numpy.block([[information, rows.T], [rows, numpy.zeros((number, number))]])
