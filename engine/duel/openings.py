"""From where the games of a duel begin: random legal moves, the same for the same seed on every machine.

Openings are distinct: no two lead to the same position. In none the game is over or its end in sight, and none is
worth more to one side than usual, as a short search judges them.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from statistics import median_low
from typing import NamedTuple

from engine.games.interface import EVALUATION_LIMIT, Position

PLIES_PART, MAX_EACH = 16, 6
"""Of the plies that a game usually takes, each side moves at random in one of so many, but in no more than six."""

JUDGED_NODES = 1000
"""Nodes of the search that judges an opening: a millisecond where it is compiled."""

SAMPLE = 32
"""Of so many openings the median imbalance is what an opening may have where no bound is given.

Scores of different games are not alike, and in some the side to move is always ahead: a bound for all would not do.
"""

TRIES = 2000
"""After so many tries in a row that led to nothing new and balanced there are no more openings."""

WORD = (1 << 64) - 1


class Opening(NamedTuple):
    """Moves from the start of the game."""

    moves: tuple[str, ...]
    position: Position
    """The position after them."""


def usual_plies(start: Position) -> int:
    """Return how many random moves an opening has where nothing else is said: 2 to 12, so that the same side moves."""
    return 2 * min(max(1, start.plies_ahead // PLIES_PART), MAX_EACH)


def openings(
    start: Position, plies: int, seed: int, judge: Callable[[Position], int], bound: int | None = None
) -> Iterator[Opening]:
    """Yield openings of so many plies, each at most ``bound`` off balance, until no more of them are found.

    ``judge`` returns the score of a position for the side to move; beyond `EVALUATION_LIMIT` the end is proven. Without
    a bound it is the median of the first ones. The same arguments give the same openings.
    """
    tries = _tries(start, plies, seed, judge)
    first: list[_Try] = []
    if bound is None:
        first = list(islice(_found(tries, EVALUATION_LIMIT), SAMPLE))
        bound = median_low(imbalance for imbalance, _ in first) if first else 0
    for _, opening in _found(chain(first, tries), bound):
        yield opening


_Try = tuple[int, Opening]
"""An opening, and how much it is off balance."""


def _found(tries: Iterable[_Try | None], bound: int) -> Iterator[_Try]:
    """Yield tries that have led to something balanced, until too many have not."""
    vain = 0
    for attempt in tries:
        if attempt is not None and attempt[0] <= bound:
            vain = 0
            yield attempt
        else:
            vain += 1
            if vain == TRIES:
                return


def _tries(start: Position, plies: int, seed: int, judge: Callable[[Position], int]) -> Iterator[_Try | None]:
    """Yield openings without end; None for one that was there before, or decides the game."""
    seen = set()
    chance = split_mix(seed)
    while True:
        opening = _random(start, plies, chance)
        if opening is None or opening.position.key in seen:
            yield None
            continue
        seen.add(opening.position.key)
        imbalance = abs(judge(opening.position))
        yield (imbalance, opening) if imbalance <= EVALUATION_LIMIT else None


def _random(start: Position, plies: int, chance: Iterator[int]) -> Opening | None:
    """Play random moves; None where the game is over after them, or before."""
    position = start
    moves = []
    for _ in range(plies):
        children = list(position.children())
        if not children:
            return None
        move, position = children[next(chance) % len(children)]
        moves.append(move)
    return None if position.is_over else Opening(tuple(moves), position)


def split_mix(seed: int) -> Iterator[int]:
    """Yield random numbers of 64 bits (SplitMix64; Steele, Lea and Flood 2014)."""
    state = seed & WORD
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & WORD
        yield mixed ^ (mixed >> 31)
