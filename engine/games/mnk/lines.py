"""The lines of a board, counted by their pieces: those of one direction all at once.

The count of each line is a number whose binary digits stand in five words, at the bit of the line's first field. Bound
and compiled together with `engine.games.mnk.rules`, whose constants these functions share.
"""

from collections.abc import Sequence

from engine.compiling.binding import popcount
from engine.games.mnk.rules import SHIFTS, STARTS, STEPS, K

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
