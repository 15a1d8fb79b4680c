"""The rules of m,n,k-games as plain functions over integers, for any board.

The functions read the constants below by global name. `engine.games.mnk.position.bind` returns copies of them for a
board and a K, interpreted or compiled.

Sets of fields are integers with one bit for each field (`engine.games.mnk.position`). A compiled set is a machine word
on up to 64 fields, and an integer of several words on larger boards (`engine.compiling.binding`). A board of 64 fields
uses the sign bit. So no function compares sets by size. A shift to the right copies the sign into the highest bits, so
its result is used only at the first fields of lines, which these copies do not reach.

A line is K neighbouring fields of a row, a column or a diagonal. Its first field, of the lowest bit, identifies it.

A four is a line of K-1 pieces and an empty field, for any K, as in gomoku. One four forces the answer. Two fours by one
piece win, unless the opponent completes a line first. A chain of fours has few positions, since each four has one
answer, and finds wins far beyond the depth of a search (threat-space search; Allis, van den Herik and Huntjens 1993).

All lines of one direction are line_counts at once. The binary digits of the counts are five sets, with the digits of a
line at the bit of its first field.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, get_fields, popcount, put_fields
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Arena

SIDE, FIRST = range(2)
"""Offsets in an arena of the side to move and of the first player's set. The second player's set follows."""

# bound by `engine.games.mnk.position.bind`
SET_WORDS: int = UNBOUND  # numbers of a set of fields in an arena
WORDS: int = UNBOUND  # numbers of a position in an arena
BOARD: int = UNBOUND  # every field
K: int = UNBOUND
STEPS: Sequence[int] = UNBOUND  # distance in bits to the next field, for each of the four directions
STARTS: Sequence[int] = UNBOUND  # the first fields of lines, for each direction
SHIFTS: Sequence[int] = UNBOUND  # shifts that reduce K neighbouring pieces to one bit; their sum is K-1


class State(NamedTuple):
    """A position: the sets of the first and second player, and the side to move (0 or 1)."""

    first: int
    second: int
    side: int


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    base = at * WORDS
    first = get_fields(arena, base + FIRST)
    return State(first, get_fields(arena, base + FIRST + SET_WORDS), arena[base + SIDE])


def store(arena: Arena, at: int, state: State, _: int) -> None:
    """Write a position into place ``at`` of an arena. The last argument is for other games."""
    base = at * WORDS
    arena[base + SIDE] = state.side
    put_fields(arena, base + FIRST, state.first)
    put_fields(arena, base + FIRST + SET_WORDS, state.second)


def own_of(state: State) -> int:
    """Return the pieces of the side to move."""
    return state.first if state.side == 0 else state.second


def other_of(state: State) -> int:
    """Return the pieces of the other side."""
    return state.second if state.side == 0 else state.first


def empty_of(state: State) -> int:
    """Return the fields without a piece."""
    return BOARD & ~(state.first | state.second)


def has_line(pieces: int) -> bool:
    """Tell whether K of the pieces stand in a line."""
    found = 0
    for direction in range(4):
        run = pieces
        for shift in SHIFTS:
            run &= run >> (STEPS[direction] * shift)
        found |= run & STARTS[direction]
    return found != 0


def spread(starts: int, step: int) -> int:
    """Return all fields of the lines with these first fields, ``step`` bits apart."""
    for shift in SHIFTS:
        starts |= starts << (step * shift)
    return starts


def winning_fields(own: int, other: int) -> int:
    """Return the empty fields that complete a line of ``own``."""
    empty = BOARD & ~(own | other)
    found = 0
    for direction in range(4):
        step = STEPS[direction]
        full, lacking = own, empty  # first fields of stretches without an empty field, and with one
        for i in range(1, K):
            own_there, empty_there = own >> (step * i), empty >> (step * i)
            lacking = (lacking & own_there) | (full & empty_there)
            full &= own_there
        found |= spread(lacking & STARTS[direction], step)
    return found & empty


def verdict(state: State) -> int:
    """Return the verdict for the side to move.

    If both sides have a line, the side that moved last has won. This happens only in constructed positions.
    """
    if has_line(other_of(state)):
        return LOST
    if has_line(own_of(state)):
        return WON
    return UNDECIDED if empty_of(state) != 0 else DRAWN


def after(state: State, field: int) -> State:
    """Return the position after a move to an empty field, given as a bit."""
    if state.side == 0:
        return State(state.first | field, state.second, 1)
    return State(state.first, state.second | field, 0)


def place_on(state: State, fields: int, arena: Arena, first: int) -> int:
    """Write the positions after moves to these fields, in row-major order; return their end."""
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
    """Write the positions after all moves, in row-major order of the fields; return their end."""
    if verdict(state) != UNDECIDED:
        return first
    return place_on(state, empty_of(state), arena, first)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of at least 1. No two moves of a node lead to one position."""
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
"""A count for each line: five sets of binary digits, the lowest digit first."""


def open_lines(other: int, direction: int) -> int:
    """Return the lines of a direction without a piece of ``other``."""
    blocked = other
    for shift in SHIFTS:
        blocked |= blocked >> (STEPS[direction] * shift)
    return STARTS[direction] & ~blocked


def line_counts(own: int, direction: int) -> Digits:
    """Count the pieces in each line of a direction, up to 31."""
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


def lines_with(count: int, lines: int, digits: Digits) -> int:
    """Return the lines with exactly ``count`` pieces."""
    lines &= digits[0] if count & 1 else ~digits[0]
    lines &= digits[1] if count & 2 else ~digits[1]
    lines &= digits[2] if count & 4 else ~digits[2]
    lines &= digits[3] if count & 8 else ~digits[3]
    lines &= digits[4] if count & 16 else ~digits[4]
    return lines


def lines_missing(count: int, lines: int, digits: Digits) -> int:
    """Return the lines with exactly ``count`` empty fields and at least one piece."""
    return lines_with(K - count, lines, digits) if count < K else 0


def line_value(own: int, other: int, weights: Sequence[int]) -> int:
    """Return the sum of the weights of all lines without a piece of ``other``, by their number of pieces."""
    total = 0
    for direction in range(4):
        lines = open_lines(other, direction)
        digits = line_counts(own, direction)
        for count in range(K + 1):
            total += weights[count] * popcount(lines_with(count, lines, digits))
    return total


MAX_FOURS = 12
"""Longest chain of fours that is searched."""

MAX_FOURS_NODES = 48
"""Most positions of a search for a chain of fours."""


def fours(own: int, other: int) -> tuple[int, int]:
    """Return the empty fields on which a piece of ``own`` makes a four, and the fields on which it makes two.

    Two fours count only if the opponent cannot stop both with one piece. Fields that complete a line do not count.
    """
    once = twice = 0
    empty = BOARD & ~(own | other)
    for direction in range(4):
        lacking_two = lines_with(K - 2, open_lines(other, direction), line_counts(own, direction))
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
    """Return the fields on which a piece of ``other`` prevents every double four of ``own``.

    ``doubles`` are the fields on which ``own`` makes two fours. There must be no four of ``own`` yet.
    """
    saving = BOARD
    while doubles != 0 and saving != 0:
        field = doubles & -doubles
        doubles ^= field
        completing = winning_fields(own | field, other)
        saving &= field | completing if popcount(completing) == 2 else field
    return saving


def chain_of_fours(own: int, other: int, fields: int, depth: int, left: int) -> int:
    """Search for a win by a chain of at most ``depth`` fours that begins on one of ``fields``, in ``left`` positions.

    ``own`` cannot complete a line now, and ``other`` at most on the only field of ``fields``. Returns the negative
    number of plies to a win, or the number of positions that are left.
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
    """Return the plies in which ``own``, to move, wins by the shortest chain of fours; 0 if none is found.

    Neither side can complete a line now.
    """
    empty = BOARD & ~(own | other)
    spent = before = 0
    for depth in range(1, MAX_FOURS + 1):
        # no argument may be a literal: see engine.search.alphabeta on functions that call themselves
        left = MAX_FOURS_NODES - spent
        result = chain_of_fours(own, other, empty, depth, left)
        if result < 0:
            return -result
        if result == 0 or left - result == before:
            break
        before = left - result
        spent += before
    return 0
