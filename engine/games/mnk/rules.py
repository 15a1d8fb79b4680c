"""The rules of m,n,k-games as plain functions over integers, for any board.

The functions read the constants below by global name; `engine.games.mnk.kernel.bind` gives back copies of them for one
board and one K, interpreted or compiled.

Sets of fields are integers, one bit a field, laid out as `engine.games.mnk.kernel` says. Compiled, a set is a machine
word on up to 64 fields, and an integer of several words on more (`engine.compiling.binding`). A board of 64 fields
needs every bit of a word, the sign too. So nothing here compares sets or asks for their size, and where
they are shifted to the right, which draws copies of the sign in, the result counts only in fields so far from the
top that none of these copies has come there: the beginnings of lines that end on the board.

A line is K neighbouring fields of a row, a column or a diagonal. It is named by the field of its lowest bit.

A *four* is a line that lacks one piece and is open, whatever K is: gomoku's word. One four forces the
answer; two fours made by one piece win, unless the opponent completes a line first. A chain of fours to such an
end needs few moves to be looked at, since each has one answer, and finds wins that lie far beyond the depth of any
search (threat-space search; Allis, van den Herik and Huntjens 1993). The lines of one direction are counted all at
once, by their pieces. The count of each line is a number whose binary digits stand in five words, at the bit of the
line's first field.
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


Digits = tuple[int, int, int, int, int]
"""A count for each line: its binary digits stand in the five words at the line's bit, the lowest first."""


def open_lines(other: int, direction: int) -> int:
    """Return the lines of a direction that hold no piece of ``other``."""
    blocked = other
    for shift in SHIFTS:
        blocked |= blocked >> (STEPS[direction] * shift)
    return STARTS[direction] & ~blocked


def counted(own: int, direction: int) -> Digits:
    """Count the pieces in each line of a direction, up to 31: the binary digits of the counts, lowest first."""
    step = STEPS[direction]
    ones, twos, fours, eights, sixteens = own, 0, 0, 0, 0
    for i in range(1, K):
        carry = own >> (step * i)
        more = ones & carry
        ones ^= carry
        carry = twos & more
        twos ^= more
        more = fours & carry
        fours ^= carry
        carry = eights & more
        eights ^= more
        sixteens ^= carry
    return ones, twos, fours, eights, sixteens


def holding(count: int, lines: int, digits: Digits) -> int:
    """Return those of the lines that hold exactly so many of the pieces counted."""
    lines &= digits[0] if count & 1 else ~digits[0]
    lines &= digits[1] if count & 2 else ~digits[1]
    lines &= digits[2] if count & 4 else ~digits[2]
    lines &= digits[3] if count & 8 else ~digits[3]
    lines &= digits[4] if count & 16 else ~digits[4]
    return lines


def lacking(count: int, lines: int, digits: Digits) -> int:
    """Return those of the lines that lack exactly so many of the pieces counted, and hold one at least."""
    return holding(K - count, lines, digits) if count < K else 0


def worth(own: int, other: int, weights: Sequence[int]) -> int:
    """Add up the weights of the lines that hold no piece of ``other``, by the number of pieces in them."""
    total = 0
    for direction in range(4):
        lines = open_lines(other, direction)
        digits = counted(own, direction)
        for count in range(K + 1):
            total += weights[count] * popcount(holding(count, lines, digits))
    return total


MOST_FOURS = 12
"""So many fours in a row are tried at most."""

FOURS_NODES = 48
"""Positions of a chain of fours that are looked at, in all, before it is given up."""


def fours(own: int, other: int) -> tuple[int, int]:
    """Return the empty fields on which a piece of ``own`` makes a four or more, and those on which it makes two.

    Two fours count as such where the opponent cannot stop both with one piece. Fields that complete a line are none.
    """
    once = twice = 0
    empty = BOARD & ~(own | other)
    for direction in range(4):
        lacking_two = holding(K - 2, open_lines(other, direction), counted(own, direction))
        if lacking_two != 0:
            step = STEPS[direction]
            for apart in range(1, K):
                ends = 0
                for i in range(K - apart):
                    pairs = lacking_two & (empty >> (step * i)) & (empty >> (step * (i + apart)))
                    ends |= pairs << (step * i)
                other_ends = ends << (step * apart)
                twice |= once & ends
                once |= ends
                twice |= once & other_ends
                once |= other_ends
    return once, twice


def defences(own: int, other: int, doubles: int) -> int:
    """Return the fields on which a piece of the opponent's takes away every double four of ``own``.

    ``doubles`` are the fields that make two fours; ``own`` must have no four yet.
    """
    saving = BOARD
    while doubles != 0 and saving != 0:
        field = doubles & -doubles
        doubles ^= field
        completing = winning_fields(own | field, other)
        saving &= field | completing if popcount(completing) == 2 else field
    return saving


def chain_of_fours(own: int, other: int, fields: int, depth: int, left: int) -> int:
    """Search a win by at most ``depth`` fours on end, the first of them on one of some fields, ``left`` positions long.

    Nobody may be able to complete a line now, but ``other`` where the only such field is all that ``fields`` has.
    Returns the number of plies to the win, made negative, or else how many of the positions are left.
    """
    attacks, doubles = fours(own, other)
    if doubles & fields != 0:
        return -3
    left -= 1
    attacks &= fields
    while attacks != 0 and depth > 1 and left > 0:
        field = attacks & -attacks
        attacks ^= field
        mine = own | field
        theirs = other | winning_fields(mine, other)
        threats = winning_fields(theirs, mine)
        if threats & (threats - 1) == 0:
            next_fields = BOARD & ~(mine | theirs) if threats == 0 else threats
            result = chain_of_fours(mine, theirs, next_fields, depth - 1, left)
            if result < 0:
                return result - 2
            left = result
    return left


def win_by_fours(own: int, other: int) -> int:
    """Return within how many plies ``own``, to move, wins by a chain of fours; 0 where none is found.

    Nobody may be able to complete a line now. The shortest chain is found.
    """
    empty = BOARD & ~(own | other)
    spent = before = 0
    for depth in range(1, MOST_FOURS + 1):
        # no argument may be a literal: see engine.search.alphabeta on functions that call themselves
        left = FOURS_NODES - spent
        result = chain_of_fours(own, other, empty, depth, left)
        if result < 0:
            return -result
        if result == 0 or left - result == before:
            break
        before = left - result
        spent += before
    return 0
