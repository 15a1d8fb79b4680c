"""What threats force on an m,n,k-board: fields that win, fields that threaten to, and wins by threats alone.

Bound and compiled together with `engine.games.mnk.rules`, whose constants these functions share. A *four* is a line
that lacks one piece and is open, whatever K is: gomoku's word. Who makes one forces the answer; who makes two with one
piece has won, unless the opponent completes a line first. A chain of fours to such an end needs few moves to be looked
at, since each has one answer, and finds wins that lie far beyond the depth of any search (threat-space search; Allis,
van den Herik and Huntjens 1993).

The lines of one direction are counted all at once, by their pieces. The count of each line is a number whose binary
digits stand in five words, at the bit of the line's first field.
"""

from collections.abc import Sequence

from engine.compiling.binding import popcount
from engine.games.mnk.rules import BOARD, SHIFTS, STARTS, STEPS, K, winning_fields

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
