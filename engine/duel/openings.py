"""Random openings. The same seed has the same openings on every machine.

Openings lead to distinct positions. A short search excludes finished games, games with a proven end, and imbalanced
positions.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from statistics import median_low
from typing import NamedTuple

from engine.games.interface import EVALUATION_LIMIT, Position

PLIES_PART, MAX_PLIES_EACH = 16, 6
"""Random moves of each side in an opening: one in PLIES_PART of the usual plies of a game, and at most
MAX_PLIES_EACH."""

JUDGE_NODES = 1000
"""Nodes of the search that evaluates an opening: a millisecond of compiled code."""

SAMPLE = 32
"""Openings whose median imbalance is the default bound.

A fixed bound would not fit all games: their scores differ, and in some games the side to move is always ahead."""

TRIES = 2000
"""Failed tries in a row after which there are no more openings."""

WORD = (1 << 64) - 1


class Opening(NamedTuple):
    """Moves from the start position."""

    moves: tuple[str, ...]
    position: Position
    """The position after them."""


def usual_plies(start: Position) -> int:
    """Return the default number of random moves: 2 to 12. It is even, so that the same side is to move."""
    return 2 * min(max(1, start.plies_ahead // PLIES_PART), MAX_PLIES_EACH)


def openings(
    start: Position, plies: int, seed: int, judge: Callable[[Position], int], bound: int | None = None
) -> Iterator[Opening]:
    """Yield openings of ``plies`` moves with an imbalance of at most ``bound``, until no more are found.

    ``judge`` returns the score of a position for the side to move. The imbalance is its absolute value; beyond
    `EVALUATION_LIMIT` the end is proven. The default bound is the median of the first openings.
    """
    tries = _tries(start, plies, seed, judge)
    first: list[_Try] = []
    if bound is None:
        first = list(islice(_found(tries, EVALUATION_LIMIT), SAMPLE))
        bound = median_low(imbalance for imbalance, _ in first) if first else 0
    for _, opening in _found(chain(first, tries), bound):
        yield opening


_Try = tuple[int, Opening]
"""The imbalance of an opening, and the opening."""


def _found(tries: Iterable[_Try | None], bound: int) -> Iterator[_Try]:
    """Yield balanced openings, until too many tries in a row fail."""
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
    """Yield openings without end. A repeated or decided opening is None."""
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
    """Play random moves. Return None if the game is over then."""
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
