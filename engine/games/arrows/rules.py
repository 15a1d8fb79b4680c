"""The rules of arrows as plain functions over integers, for all boards alike.

The functions read the tables below by global name; `engine.games.arrows.kernel.bind` gives back copies of them bound to
the layout of `engine.games.arrows.geometry`, interpreted or compiled.

A position is seen by the side to move, and holds what the rules look at alone: the fields that are still free,
and the two fields on which the players have to place their next arrows. Where that is a place on which nothing
can be placed any more it is NOWHERE, whatever place it is: the arrow's owner has lost on the next turn.

Compiled code has no bounds checks: what writes positions checks that there is room.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.games.arrows.geometry import HALF, NOWHERE
from engine.games.interface import LOST, UNDECIDED, Arena

WORDS = 2
"""Numbers a position takes in an arena: each word of free fields shares one with the number of a field."""

DIRECTIONS = 8

WORD = (1 << HALF) - 1

# The tables of `engine.games.arrows.geometry.Layout`; `engine.games.arrows.kernel.bind` puts them in their place.
NEXT: Sequence[int] = UNBOUND
LOW: Sequence[int] = UNBOUND
HIGH: Sequence[int] = UNBOUND
NEAR_LOW: Sequence[int] = UNBOUND
NEAR_HIGH: Sequence[int] = UNBOUND


class State(NamedTuple):
    """A position: the free fields in two words, and the numbers of the fields that are to be used next."""

    low: int
    high: int
    own: int
    """Where the side to move has to place its arrow: a free field, or NOWHERE."""
    other: int
    """Where the opponent has to do so after that."""


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    low, high = arena[at * WORDS], arena[at * WORDS + 1]
    return State(low & WORD, high & WORD, low >> HALF, high >> HALF)


def store(arena: Arena, at: int, state: State, _path: int) -> None:
    """Write a position into place ``at`` of an arena. How it was reached is not kept."""
    arena[at * WORDS] = state.low | (state.own << HALF)
    arena[at * WORDS + 1] = state.high | (state.other << HALF)


def verdict(state: State) -> int:
    """Tell whether the side to move cannot place its arrow, and has lost; the game knows no other end."""
    return LOST if state.own == NOWHERE or state.own == state.other else UNDECIDED


def after(state: State, direction: int) -> State:
    """Return the position after an arrow is placed that points in a direction; the game must not be over."""
    low, high = state.low ^ LOW[state.own], state.high ^ HIGH[state.own]
    target = NEXT[state.own * DIRECTIONS + direction]
    if (low & LOW[target]) | (high & HIGH[target]) == 0:
        target = NOWHERE
    return State(low, high, state.other, target)


def children(state: State, arena: Arena, first: int) -> int:
    """Write every position that a move leads to, each once, by direction; return their end.

    All moves that point at places on which nothing can be placed lead to the same position.
    """
    if verdict(state) != UNDECIDED:
        return first
    if (first + DIRECTIONS) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    end = first
    lost = False
    for direction in range(DIRECTIONS):
        child = after(state, direction)
        if child.other == NOWHERE:
            if lost:
                continue
            lost = True
        store(arena, end, child, 0)
        end += 1
    return end


def plies_left(state: State) -> int:
    """Return how many plies the game can last at most: each of them uses up a free field."""
    return popcount(state.low) + popcount(state.high)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of 1 and more.

    With ``unique``, moves of a node that lead to the same position count once.
    """
    if depth == 1 and not unique:
        return DIRECTIONS if verdict(state) == UNDECIDED else 0
    end = children(state, arena, first)
    if depth == 1:
        return end - first
    leaves = 0
    for at in range(first, end):
        child = load(arena, at)
        below = perft(child, depth - 1, unique, arena, end)
        if child.other == NOWHERE and not unique:
            # this child stands for all directions that have none of their own
            below *= DIRECTIONS + 1 - (end - first)
        leaves += below
    return leaves
