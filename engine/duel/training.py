"""Games of the engine with itself, and the tables of patterns that explain the scores of their positions best.

Games are there for their positions: a random opening, and random moves in between, lead to positions that good play
does not meet but a search does. Scores are those of searches, so a random move makes no score wrong. Games are
independent of each other: each has its own random numbers and searcher, so any process may play any of them. Moves are
numbers of children in the order of `engine.games.interface.Rules.children`, since texts take longer than the searches.

Training is stochastic gradient descent on the weights of patterns and of their pairs.

The model is a factorization machine (S. Rendle, Factorization machines, 2010): each pattern has a weight and a few
factors; the logit of a position is the sum of its patterns' weights and, for each factor, the square of the sum, added
or subtracted in turn. So pairs of patterns count beside the patterns themselves, and the squares cost next to nothing.
What is minimised is the cross-entropy with the probabilities that searches give, position by position; steps are those
of AdaGrad (J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods, 2011), so that rare patterns learn as fast as
frequent ones, and become smaller towards the end.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from engine.compiling.binding import can_compile, specialise
from engine.duel.openings import split_mix
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, Kernel, State
from engine.search.capabilities import LOGIT
from engine.search.memory import ROOM
from engine.search.searcher import Searcher, SearchLimits, Stop, kernel_after

LEAST_OPENING, OPENINGS = 2, 13
"""An opening has so many random plies at least, and so many lengths are equally likely."""

MEGABYTES = 1
"""Of the transposition table, which is made anew for each game."""

MOST_PLIES = 400
"""A game ends after so many."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="selfplay"):
    """What every game of a file depends on; its first line."""

    game: str
    parameters: str
    evaluation: str
    """The label of the rules, which tells evaluations apart."""
    seed: int
    nodes: int
    """Of the search of a position."""
    random: int
    """Of a hundred moves behind the opening, so many are random ones."""


class ScoredGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game. Scores are those of the positions behind the opening, for the side to move."""

    number: int
    opening: int
    """Plies before the first score."""
    moves: tuple[int, ...]
    """Numbers of children, one for each ply."""
    scores: tuple[int, ...]
    """The last one belongs to the position behind the last move where it tells the winner."""


def play(kernel: Kernel, setting: Setting, number: int, stop: Stop | None = None) -> ScoredGame:
    """Play one game from a kernel's position. The same arguments always give the same game.

    ``stop`` is that of its searches, for whoever gives the game up.
    """
    rules = kernel.rules
    searcher = Searcher(kernel, megabytes=MEGABYTES)
    limits = SearchLimits(nodes=setting.nodes)
    arena = kernel.arena(ROOM)
    chance = split_mix((setting.seed << 32) + number)
    opening = LEAST_OPENING + next(chance) % OPENINGS
    state = kernel.state
    moves: list[int] = []
    scores: list[int] = []
    earlier: list[int] = []
    while len(moves) < MOST_PLIES and rules.verdict(state) == UNDECIDED:
        key = int(rules.hash_of(state))
        if key in earlier:
            break
        best = None
        if len(moves) >= opening:
            thought = searcher.think(state, earlier, limits, clock=lambda: 0.0, stop=stop)
            if thought.score is None:
                break  # so many children that the nodes do not suffice for one ply
            scores.append(thought.score)
            if abs(thought.score) > EVALUATION_LIMIT:
                break
            if next(chance) % 100 >= setting.random:
                best = thought.line[0]
        move = next(chance) % rules.children(state, arena, 0) if best is None else best
        moves.append(int(move))
        earlier.append(key)
        state = kernel_after(kernel._replace(state=state), moves[-1]).state
    return ScoredGame(number, min(opening, len(moves)), tuple(moves), tuple(scores))


def scored(kernel: Kernel, game: ScoredGame) -> Iterator[tuple[State, int]]:
    """Yield the positions of a game that have scores, and these; raises ValueError for a number that no move has."""
    arena = kernel.arena(ROOM)
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
"""Factors of a pattern; those of even number add, the others subtract."""

EPOCHS = 24
"""Times that every position is gone through."""

RATE, FACTOR_RATE = 0.5, 0.1
"""Steps of weights and of factors at the beginning."""

SPREAD = 0.1
"""Standard deviation of the factors at the beginning; they cannot all be 0, or they stay so."""


MOST_LOGITS = 6.0
"""Scores beyond this, won and lost ones too, count as no more."""

HELD_OUT = 10
"""One game in so many is kept to judge by."""


class Samples(NamedTuple):
    """Positions of many games, a row or number of each."""

    entries: Any
    """Numbers of the patterns that a position has, the same count of them for each."""
    targets: Any
    """The probability that the side to move wins, from the score."""
    held: Any
    """Whether the position is kept to judge by."""


def samples_of(games: Iterable[ScoredGame], kernel: Kernel, entries: Callable[[Sequence[State]], Any]) -> Samples:
    """Gather the positions of games, each once a game; raises ValueError."""
    import numpy

    states, scores, numbers = [], [], []
    for game in games:
        for state, score in scored(kernel, game):
            states.append(state)
            scores.append(score)
            numbers.append(game.number)
    if not states:
        raise ValueError("these games have no scores: they tell nothing")
    logits = numpy.clip(numpy.array(scores, dtype=float) / LOGIT, -MOST_LOGITS, MOST_LOGITS)
    held = numpy.array(numbers) % HELD_OUT == 0
    return Samples(entries(states), 1 / (1 + numpy.exp(-logits)), held)


def fit(samples: Samples, count: int, seed: int = 1, report: Callable[[int, float], None] | None = None) -> Any:
    """Return the numbers of so many patterns that explain samples best; ``report`` is told the loss after each epoch.

    A row a pattern: the weight, then the factors, in logits and their roots; 0 for one that was never seen. The loss is
    the mean cross-entropy in the positions held out, beyond that of the targets with themselves. The same samples and
    seed give the same numbers. Raises ValueError where there are too few games.
    """
    import numpy

    if samples.held.all() or not samples.held.any():
        raise ValueError("these games are too few: some are kept to judge by, and none or nothing else is left")
    chance = numpy.random.default_rng(seed)
    numbers = chance.normal(0, SPREAD, (count, 1 + FACTORS))
    numbers[:, 0] = 0
    slopes = numpy.ones_like(numbers)
    scratch = numpy.zeros((2, 1 + FACTORS))
    used = numpy.flatnonzero(~samples.held)
    learn, predict = specialise((learn_all, logits_of), "factorization", {}, compile=can_compile())
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


def learn_all(
    entries: Any, targets: Any, order: Any, numbers: Any, slopes: Any, scratch: Any, rate: float, factor_rate: float
) -> None:
    """Go through the positions in an order, and change the numbers of each one's patterns."""
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


def logits_of(entries: Any, numbers: Any, scratch: Any, logits: Any) -> None:
    """Write the logit of each position."""
    for at in range(len(logits)):
        logits[at] = logit_of(entries, at, numbers, scratch)


def logit_of(entries: Any, at: int, numbers: Any, scratch: Any) -> float:
    """Return the logit of a position; its slopes by the sums of weights and factors are left in ``scratch[1]``."""
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
    """Return the mean of the Kullback-Leibler divergence of predictions from targets."""
    import numpy

    cross = numpy.logaddexp(0, logits) - targets * logits
    entropy = -targets * numpy.log(targets) - (1 - targets) * numpy.log(1 - targets)
    return float((cross - entropy).mean())
