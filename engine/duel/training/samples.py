"""Positions and their scores from a file of games, as arrays."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy

from engine.duel.game_file import BadGames
from engine.duel.training.selfplay import ScoredGame, scored
from engine.games.interface import Kernel, State
from engine.search.scores import LOGIT

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
    """Gather the positions of games, each once a game; raises `BadGames`."""
    states, scores, numbers = [], [], []
    for game in games:
        for state, score in scored(kernel, game):
            states.append(state)
            scores.append(score)
            numbers.append(game.number)
    if not states:
        raise BadGames("these games have no scores: they tell nothing")
    logits = numpy.clip(numpy.array(scores, dtype=float) / LOGIT, -MOST_LOGITS, MOST_LOGITS)
    held = numpy.array(numbers) % HELD_OUT == 0
    return Samples(entries(states), 1 / (1 + numpy.exp(-logits)), held)
