"""Weights of an evaluation from the games of a duel, by logistic regression.

An evaluation is a sum of features, each times its weight. The weights are those with which it tells best how the games
ended: the probability that the side to move wins is taken to be the logistic function of the evaluation, times a
scale, and the likelihood of all results is made as large as it gets. This was first done for the evaluation of Othello
(M. Buro, Improving heuristic mini-max search by supervised learning, Artificial Intelligence 134, 2002), and is known
to chess engines as Texel's tuning method (P. Österlund).

What is taken of a game are its quiet positions, since a search evaluates no others in earnest: those in which no loud
move gains at once in the first feature, material. All positions of a game have one result, and both games of a pair one
opening. So what tells well is judged by pairs that have not served to find the weights, and the errors of the weights
are those of a sandwich estimator with the pairs as clusters (K.-Y. Liang and S. Zeger 1986).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy

from engine.duel.games import Game, Pair
from engine.games.interface import Kernel, Position
from engine.search.capabilities import tactical_children
from engine.search.memory import ROOM

Features = Callable[[Any], tuple[int, ...]]
"""What tells how far the side to move is ahead in each feature of a kernel's state."""

HELD_OUT = 5
"""One pair in so many is kept to judge by."""

PRIOR_DEVIATION = 100.0
"""Weights are taken to be normal around those that there are: so that one of which the games tell nothing stays."""

STEPS = 100
"""Of Newton's method, which takes about ten."""

TOLERANCE = 1e-10
"""The method has converged when no step is larger, in logits a feature."""


class Samples(NamedTuple):
    """Positions of many games, a row or number of each."""

    features: Any
    results: Any
    """1 where the side to move has won, 0 where it has lost, 0.5 for a draw."""
    pairs: Any
    """The number of the pair of games."""


class Fit(NamedTuple):
    """What was found."""

    weights: tuple[float, ...]
    """In the units of the weights that there were: the first is the same as there."""
    errors: tuple[float, ...]
    """The standard error of each; 0 for the first."""
    loss_before: float
    """Mean of minus the logarithm of the probability of the result, in pairs held out, with the weights there were."""
    loss_after: float
    """The same with the new ones, from the other pairs alone."""


def quiet_positions(
    start: Position, game: Game, opening_plies: int, kernel: Kernel, features: Features
) -> Iterator[Position]:
    """Yield the positions of a game, behind its opening, in which no tactical move gains in the first feature.

    The weights have no part in that, or it would depend on them what they are found from. ``kernel`` is one of that
    variant. Raises `engine.games.interface.BadMove` for no true game.
    """
    rules = kernel.rules
    tactical = rules.tactical_children or tactical_children
    arena = kernel.arena(ROOM)
    position = start
    for ply, move in enumerate(game.moves):
        if ply >= opening_plies:
            state = position.kernel(compile=kernel.compiled).state
            ahead = features(state)[0]
            if all(-features(rules.load(arena, at))[0] <= ahead for at in range(tactical(state, arena, 0))):
                yield position
        position = position.resolve(move).position


def samples_of(
    pairs: Iterable[Pair], start: Position, opening_plies: int, kernel: Kernel, features: Features
) -> Samples:
    """Gather the quiet positions of pairs; a game that was there before, move by move, counts once.

    Sides that play alike play many games twice. Raises `engine.games.interface.BadMove` where a game is not true.
    """
    rows, results, numbers = [], [], []
    seen = set()
    for pair in pairs:
        for game in pair.games:
            if game.moves in seen:
                continue
            seen.add(game.moves)
            for position in quiet_positions(start, game, opening_plies, kernel, features):
                mover = game.first if position.turn == start.turn else 1 - game.first
                rows.append(features(position.kernel(compile=False).state))
                results.append(0.5 if game.winner is None else float(game.winner == mover))
                numbers.append(pair.number)
    return Samples(numpy.array(rows, dtype=float), numpy.array(results), numpy.array(numbers))


def fit(samples: Samples, present: Sequence[int]) -> Fit:
    """Return the weights that explain the results best, given those that there are.

    The first weight is the unit of the others and stays as it is. Raises ValueError where the games tell nothing: too
    few, or a first feature that does not favour the side that has it.
    """
    there = numpy.array(present, dtype=float)
    held = samples.pairs % HELD_OUT == 0
    if len(numpy.unique(samples.pairs)) < 2 * HELD_OUT or held.all() or not held.any():
        raise ValueError(f"these are fewer than {2 * HELD_OUT} pairs with quiet positions, too few to tell anything")
    part = Samples(*(column[~held] for column in samples))
    scale = _scale(part, there)
    return Fit(
        *_in_units(_posterior(samples, there, _scale(samples, there)), samples, there),
        _loss(samples.features[held] @ there * scale, samples.results[held]),
        _loss(samples.features[held] @ _posterior(part, there, scale).mode, samples.results[held]),
    )


class _Posterior(NamedTuple):
    mode: Any
    """Logits a feature."""
    curvature: Any


def _scale(samples: Samples, there: Any) -> float:
    """Return the logits of a unit of the weights that there are, those with which they explain the results best."""
    column = (samples.features @ there)[:, None]
    if not column.any():
        raise ValueError("the positions of these games are all worth the same: they tell nothing")
    scale = float(_newton(column, samples.results, numpy.zeros(1), numpy.full(1, 1e-12)).mode[0])
    if scale <= 0:
        raise ValueError("in these games the side that stands better loses: they tell nothing")
    return scale


def _posterior(samples: Samples, there: Any, scale: float) -> _Posterior:
    precision = numpy.full(len(there), 1 / (PRIOR_DEVIATION * scale) ** 2)
    return _newton(samples.features, samples.results, there * scale, precision)


def _newton(features: Any, results: Any, centre: Any, precision: Any) -> _Posterior:
    """Maximise the likelihood of a logistic model times a normal prior of its coefficients."""
    at = centre.copy()
    for _ in range(STEPS):
        expected = _logistic(features @ at)
        curvature = (features * (expected * (1 - expected))[:, None]).T @ features + numpy.diag(precision)
        step = numpy.linalg.solve(curvature, features.T @ (results - expected) - precision * (at - centre))
        at = at + step
        if abs(step).max() <= TOLERANCE:
            return _Posterior(at, curvature)
    raise ValueError("the regression does not converge: these games are too few, or all alike")


def _in_units(posterior: _Posterior, samples: Samples, there: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the weights and their errors, with the first weight as the unit."""
    mode = posterior.mode
    if mode[0] * there[0] <= 0:
        raise ValueError("in these games the first feature does not favour the side that has it: they tell nothing")
    unit = there[0] / mode[0]
    surprise = samples.features * (samples.results - _logistic(samples.features @ mode))[:, None]
    _, cluster = numpy.unique(samples.pairs, return_inverse=True)
    by_pair = numpy.zeros((cluster.max() + 1, len(mode)))
    numpy.add.at(by_pair, cluster, surprise)
    bread = numpy.linalg.inv(posterior.curvature)
    covariance = bread @ by_pair.T @ by_pair @ bread
    # a weight is a quotient of two coefficients: errors by its gradient (delta method)
    gradient = unit * (numpy.eye(len(mode)) - numpy.outer(mode / mode[0], numpy.eye(len(mode))[0]))
    variances = numpy.einsum("ij,jk,ik->i", gradient, covariance, gradient)
    return tuple((mode * unit).tolist()), tuple(numpy.sqrt(numpy.maximum(variances, 0)).tolist())


def _logistic(logits: Any) -> Any:
    # as a hyperbolic tangent it does not overflow
    return 0.5 * (1 + numpy.tanh(0.5 * logits))


def _loss(logits: Any, results: Any) -> float:
    return float((numpy.logaddexp(0, logits) - results * logits).mean())
