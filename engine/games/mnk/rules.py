"""The rules of m,n,k-games as plain functions over integers, for any board.

The functions read the constants below by global name; `engine.games.mnk.kernel.bind` gives back copies of them for one
board and one K, interpreted or compiled.

Sets of fields are integers, one bit a field, laid out as `engine.games.mnk.kernel` says. Compiled, a set is a machine
word on up to 64 fields, and an integer of several words on more (`engine.compiling.binding`). A board of 64 fields
needs every bit of a word, the sign too. So nothing here compares sets or asks for their size, and where
they are shifted to the right, which draws copies of the sign in, the result counts only in fields so far from the
top that none of these copies has come there: the beginnings of lines that end on the board.

A line is K neighbouring fields of a row, a column or a diagonal. It is named by the field of its lowest bit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, get_fields, popcount, put_fields
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Arena

SIDE, FIRST = range(2)
"""Where in its place a position has who moves and the first player's fields; the second's stand behind them."""

# What `engine.games.mnk.kernel.bind` puts in the place of these.
SET_WORDS: int = UNBOUND  # numbers of an arena that a set of fields takes
WORDS: int = UNBOUND  # numbers of an arena that a position takes
BOARD: int = UNBOUND  # every field
K: int = UNBOUND
STEPS: Sequence[int] = UNBOUND  # bits from a field to the next one, in each of the four directions
STARTS: Sequence[int] = UNBOUND  # the fields at which a line begins, in each direction
SHIFTS: Sequence[int] = UNBOUND  # by how many fields to shift so that K neighbouring pieces remain as one: sums to K-1


class State(NamedTuple):
    """A position: the fields of the first player's pieces and of the second's, and who moves (0 or 1)."""

    first: int
    second: int
    side: int


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    base = at * WORDS
    first = get_fields(arena, base + FIRST)
    return State(first, get_fields(arena, base + FIRST + SET_WORDS), arena[base + SIDE])


def store(arena: Arena, at: int, state: State, _: int) -> None:
    """Write a position into place ``at`` of an arena. The last argument is there for other games."""
    base = at * WORDS
    arena[base + SIDE] = state.side
    put_fields(arena, base + FIRST, state.first)
    put_fields(arena, base + FIRST + SET_WORDS, state.second)


def own_of(state: State) -> int:
    """Return the pieces of the side to move."""
    return state.first if state.side == 0 else state.second


def other_of(state: State) -> int:
    """Return the pieces of the side that is not to move."""
    return state.second if state.side == 0 else state.first


def empty_of(state: State) -> int:
    """Return the fields without a piece."""
    return BOARD & ~(state.first | state.second)


def has_line(pieces: int) -> bool:
    """Tell whether K of these pieces stand in a line."""
    found = 0
    for direction in range(4):
        run = pieces
        for shift in SHIFTS:
            run &= run >> (STEPS[direction] * shift)
        found |= run & STARTS[direction]
    return found != 0


def spread(starts: int, step: int) -> int:
    """Return all fields of the lines that begin at these fields, ``step`` bits from field to field."""
    for shift in SHIFTS:
        starts |= starts << (step * shift)
    return starts


def winning_fields(own: int, other: int) -> int:
    """Return the empty fields that complete a line of ``own``."""
    empty = BOARD & ~(own | other)
    found = 0
    for direction in range(4):
        step = STEPS[direction]
        full, lacking = own, empty  # beginnings of stretches that lack no piece, and of those that lack one
        for i in range(1, K):
            own_there, empty_there = own >> (step * i), empty >> (step * i)
            lacking = (lacking & own_there) | (full & empty_there)
            full &= own_there
        found |= spread(lacking & STARTS[direction], step)
    return found & empty


def verdict(state: State) -> int:
    """Tell who has won, for the side to move.

    Where both have a line, which only happens on boards that were set up, the side that has moved last was the
    first to have one.
    """
    if has_line(other_of(state)):
        return LOST
    if has_line(own_of(state)):
        return WON
    return UNDECIDED if empty_of(state) != 0 else DRAWN


def after(state: State, field: int) -> State:
    """Return the position after a move to a field, which is given as a bit and must be empty."""
    if state.side == 0:
        return State(state.first | field, state.second, 1)
    return State(state.first, state.second | field, 0)


def place_on(state: State, fields: int, arena: Arena, first: int) -> int:
    """Write the position after a move to each of these fields, in row-major order; return their end."""
    end = first
    while fields != 0:
        if (end + 1) * WORDS > len(arena):
            raise OverflowError("the arena is full")
        field = fields & -fields
        fields ^= field
        store(arena, end, after(state, field), end)
        end += 1
    return end


def children(state: State, arena: Arena, first: int) -> int:
    """Write every position that a move leads to, in row-major order of the fields; return their end."""
    if verdict(state) != UNDECIDED:
        return first
    return place_on(state, empty_of(state), arena, first)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of 1 and more; no two moves lead to the same position."""
    if verdict(state) != UNDECIDED:
        return 0
    if depth == 1:
        return popcount(empty_of(state))
    end = place_on(state, empty_of(state), arena, first)
    leaves = 0
    for at in range(first, end):
        leaves += perft(load(arena, at), depth - 1, unique, arena, end)
    return leaves
