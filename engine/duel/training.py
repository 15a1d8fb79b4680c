"""Self-play with scored positions, and the training of pattern tables from them.

**Self-play.** A random opening and random moves lead to positions that a search meets, but good play does not. Scores
come from searches, so a random move makes no score wrong. Each game has its own random numbers and its own searcher, so
any process can play any game. Moves are numbers of children, since texts would take longer than the searches.

**Training.** The model is a factorization machine (S. Rendle 2010). Each pattern has a weight and some factors. The
logit of a position is the sum of the weights of its patterns, plus or minus the square of the sum of each factor. So
pairs of patterns count at nearly no cost. Stochastic gradient descent minimises the cross-entropy with the
probabilities from the searches. Steps are those of AdaGrad (J. Duchi, E. Hazan and Y. Singer 2011), so that rare
patterns learn as fast as frequent ones. Steps become smaller towards the end.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from engine.compiling.binding import can_compile, specialise
from engine.duel.openings import split_mix
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, Kernel, State
from engine.search.capabilities import LOGIT
from engine.search.memory import MAX_CHILDREN
from engine.search.searcher import Searcher, SearchLimits, Stop, kernel_after

MIN_OPENING_PLIES, OPENING_LENGTHS = 2, 13
"""Least number of random plies in an opening, and number of equally likely lengths."""

TABLE_MEGABYTES = 1
"""Size of the transposition table. Each game has a new one."""

MAX_PLIES = 400
"""Longest game in plies."""


class SelfplaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="selfplay"):
    """The settings of self-play, on which every game depends: the first line of a file."""

    game: str
    parameters: str
    evaluation: str
    """The label of the rules, which identifies the evaluation."""
    seed: int
    nodes: int
    """Nodes of the search of a position."""
    random: int
    """Random moves in a hundred moves after the opening."""


class ScoredGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game with the scores of the positions after the opening, for the side to move."""

    number: int
    opening: int
    """Plies before the first score."""
    moves: tuple[int, ...]
    """Numbers of children, one for each ply."""
    scores: tuple[int, ...]
    """A score for each of these positions. The last one may belong to the final position, if it proves the winner."""


def play(kernel: Kernel, setting: SelfplaySettings, number: int, stop: Stop | None = None) -> ScoredGame:
    """Play one game from the position of a kernel. The same arguments play the same game.

    ``stop`` stops its searches.
    """
    rules = kernel.rules
    searcher = Searcher(kernel, megabytes=TABLE_MEGABYTES)
    limits = SearchLimits(nodes=setting.nodes)
    arena = kernel.arena(MAX_CHILDREN)
    chance = split_mix((setting.seed << 32) + number)
    opening = MIN_OPENING_PLIES + next(chance) % OPENING_LENGTHS
    state = kernel.state
    moves: list[int] = []
    scores: list[int] = []
    earlier: list[int] = []
    while len(moves) < MAX_PLIES and rules.verdict(state) == UNDECIDED:
        key = int(rules.hash_of(state))
        if key in earlier:
            break
        best = None
        if len(moves) >= opening:
            result = searcher.think(state, earlier, limits, clock=lambda: 0.0, stop=stop)
            if result.score is None:
                break  # too few nodes for one ply
            scores.append(result.score)
            if abs(result.score) > EVALUATION_LIMIT:
                break
            if next(chance) % 100 >= setting.random:
                best = result.line[0]
        move = next(chance) % rules.children(state, arena, 0) if best is None else best
        moves.append(int(move))
        earlier.append(key)
        state = kernel_after(kernel._replace(state=state), moves[-1]).state
    return ScoredGame(number, min(opening, len(moves)), tuple(moves), tuple(scores))


def scored_positions(kernel: Kernel, game: ScoredGame) -> Iterator[tuple[State, int]]:
    """Yield each position with a score, and its score; raises ValueError for a move that is no child's number."""
    arena = kernel.arena(MAX_CHILDREN)
    state = kernel.state
    for ply in range(game.opening + len(game.scores)):
        if ply >= game.opening:
            yield state, game.scores[ply - game.opening]
        if ply < len(game.moves):
            if not 0 <= game.moves[ply] < kernel.rules.children(state, arena, 0):
                raise ValueError(f"game {game.number} has no move {game.moves[ply]} at ply {ply}")
            state = kernel.rules.load(arena, game.moves[ply])


# Training

FACTORS = 3
"""Factors of a pattern. The squares of the first and third are added, and the square of the second is subtracted."""

EPOCHS = 24
"""Passes over all positions."""

RATE, FACTOR_RATE = 0.5, 0.1
"""First step sizes of weights and of factors."""

SPREAD = 0.1
"""Standard deviation of the first factors. With 0 they would never change."""


MAX_LOGITS = 6.0
"""Limit of scores, also of proven ones."""

HELD_OUT = 10
"""One game in HELD_OUT is used for validation, not for training."""


class Samples(NamedTuple):
    """Positions of many games: a row or a number for each."""

    entries: Any
    """The numbers of the patterns of a position. All rows have the same length."""
    targets: Any
    """The winning probability of the side to move, from the score."""
    held: Any
    """Whether the position is used for validation."""


def collect_samples(games: Iterable[ScoredGame], kernel: Kernel, entries: Callable[[Sequence[State]], Any]) -> Samples:
    """Collect the scored positions of games; raises ValueError."""
    import numpy

    states, scores, numbers = [], [], []
    for game in games:
        for state, score in scored_positions(kernel, game):
            states.append(state)
            scores.append(score)
            numbers.append(game.number)
    if not states:
        raise ValueError("these games have no scores")
    logits = numpy.clip(numpy.array(scores, dtype=float) / LOGIT, -MAX_LOGITS, MAX_LOGITS)
    held = numpy.array(numbers) % HELD_OUT == 0
    return Samples(entries(states), 1 / (1 + numpy.exp(-logits)), held)


def fit(samples: Samples, count: int, seed: int = 1, report: Callable[[int, float], None] | None = None) -> Any:
    """Return the numbers of ``count`` patterns that explain samples best.

    Each pattern has a row with its weight in logits, and its factors in square roots of logits. The row is 0 for a
    pattern that does not occur. ``report`` gets each epoch and its loss: the mean Kullback-Leibler divergence of the
    validation positions. The same samples and seed give the same numbers. Raises ValueError for too few games.
    """
    import numpy

    if samples.held.all() or not samples.held.any():
        raise ValueError("these games are too few: training and validation need games of their own")
    chance = numpy.random.default_rng(seed)
    numbers = chance.normal(0, SPREAD, (count, 1 + FACTORS))
    numbers[:, 0] = 0
    slopes = numpy.ones_like(numbers)
    scratch = numpy.zeros((2, 1 + FACTORS))
    used = numpy.flatnonzero(~samples.held)
    learn, predict = specialise((train_epoch, write_logits), "factorization", {}, compile=can_compile())
    logits = numpy.zeros(len(samples.targets))
    for epoch in range(EPOCHS):
        left = 1 - epoch / EPOCHS
        order = chance.permutation(used)
        learn(samples.entries, samples.targets, order, numbers, slopes, scratch, RATE * left, FACTOR_RATE * left)
        predict(samples.entries, numbers, scratch, logits)
        if report is not None:
            report(epoch + 1, divergence(logits[samples.held], samples.targets[samples.held]))
    numbers[numpy.bincount(samples.entries[used].ravel(), minlength=count) == 0] = 0
    return numbers


def train_epoch(
    entries: Any, targets: Any, order: Any, numbers: Any, slopes: Any, scratch: Any, rate: float, factor_rate: float
) -> None:
    """Make one pass over the positions in an order, and change the numbers of their patterns."""
    for at in order:
        error = 1 / (1 + math.exp(-logit_of(entries, at, numbers, scratch))) - targets[at]
        for place in range(entries.shape[1]):
            pattern = entries[at, place]
            for part in range(1 + FACTORS):
                slope = error * scratch[1, part]
                if slope != 0:
                    slopes[pattern, part] += slope * slope
                    step = rate if part == 0 else factor_rate
                    numbers[pattern, part] -= step * slope / math.sqrt(slopes[pattern, part])


def write_logits(entries: Any, numbers: Any, scratch: Any, logits: Any) -> None:
    """Write the logit of each position."""
    for at in range(len(logits)):
        logits[at] = logit_of(entries, at, numbers, scratch)


def logit_of(entries: Any, at: int, numbers: Any, scratch: Any) -> float:
    """Return the logit of a position, and write its derivatives by the sums into ``scratch[1]``."""
    for part in range(1 + FACTORS):
        total = 0.0
        for place in range(entries.shape[1]):
            total += numbers[entries[at, place], part]
        scratch[0, part] = total
    logit = scratch[0, 0]
    scratch[1, 0] = 1.0
    for part in range(1, 1 + FACTORS):
        sign = 1.0 if part % 2 == 1 else -1.0
        logit += sign * scratch[0, part] * scratch[0, part]
        scratch[1, part] = 2 * sign * scratch[0, part]
    return logit


def divergence(logits: Any, targets: Any) -> float:
    """Return the mean Kullback-Leibler divergence of predictions from targets."""
    import numpy

    cross = numpy.logaddexp(0, logits) - targets * logits
    entropy = -targets * numpy.log(targets) - (1 - targets) * numpy.log(1 - targets)
    return float((cross - entropy).mean())
