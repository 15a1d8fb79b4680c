"""The rules of arrows as plain functions over integers, for all boards alike.

Every board lies in the top left corner of the largest one, ten by ten; fields beyond its edges count as blocked. Field
(x, y) has the number ``(y - 1) * 11 + x - 1``: each row of ten is followed by a guard that is never free, so that a
set of fields can be shifted in any direction without running from one row into the next. Five rows are 55 bits: fields
with lower numbers are bits of a low word, the others of a high one. Both words leave seven bits for the number of a
field, and one for the sign.

The functions read the tables below by global name; `engine.games.arrows.position.bind` returns copies of them that are
bound to these tables, interpreted or compiled.

A position is seen by the side to move, and holds what the rules look at alone: the fields that are still free,
and the two fields on which the players have to place their next arrows. Where that is a place on which nothing
can be placed any more it is NOWHERE, whatever place it is: the arrow's owner has lost on the next turn.

Compiled code has no bounds checks: what writes positions checks that there is room.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.games.interface import LOST, UNDECIDED, Arena

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""The eight directions as (right, down), clockwise from up."""

LENGTH = 10
"""Columns, and rows, of the largest board."""

ROW = LENGTH + 1
"""Bits from a field to the one below it."""

HALF = ROW * LENGTH // 2
"""The bits of a word."""

NOWHERE = 127
"""Stands for a place on which no arrow can ever be placed: one off the board, or an occupied or blocked field."""


class Layout(NamedTuple):
    """The tables of the layout: a row a number of a field, and an empty one for `NOWHERE` and numbers not used."""

    next: tuple[int, ...]
    """Eight numbers a field: the neighbours by direction, `NOWHERE` off the largest board."""
    low: tuple[int, ...]
    """The field itself, as bits of the low word."""
    high: tuple[int, ...]
    near_low: tuple[int, ...]
    """The neighbours of the field, as bits of the low word."""
    near_high: tuple[int, ...]


def number(x: int, y: int) -> int:
    """Return the number of field (x, y), or `NOWHERE` off the largest board."""
    return (y - 1) * ROW + x - 1 if 1 <= x <= LENGTH and 1 <= y <= LENGTH else NOWHERE


def words(fields: int) -> tuple[int, int]:
    """Part a set of fields, the bit of each given by its number, into the low and the high word."""
    return fields & ((1 << HALF) - 1), fields >> HALF


def layout() -> Layout:
    """Compute the tables."""
    empty = NOWHERE + 1
    neighbours = [[NOWHERE] * len(STEPS) for _ in range(empty)]
    fields = [0] * empty
    near = [0] * empty
    for x in range(1, LENGTH + 1):
        for y in range(1, LENGTH + 1):
            at = number(x, y)
            fields[at] = 1 << at
            neighbours[at] = [number(x + right, y + down) for right, down in STEPS]
            near[at] = sum(1 << other for other in neighbours[at] if other != NOWHERE)
    low, high = zip(*map(words, fields), strict=True)
    near_low, near_high = zip(*map(words, near), strict=True)
    return Layout(tuple(other for row in neighbours for other in row), low, high, near_low, near_high)


WORDS = 2
"""Numbers a position takes in an arena: each word of free fields shares one with the number of a field."""

DIRECTIONS = 8

WORD = (1 << HALF) - 1

# The tables of `engine.games.arrows.rules.Layout`; `engine.games.arrows.position.bind` puts them in their place.
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
