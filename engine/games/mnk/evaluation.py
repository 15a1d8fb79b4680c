"""What the search needs to know of a position: what it is worth, which moves force an answer, what is its hash.

Bound and compiled together with `engine.games.mnk.rules`, whose constants these functions share. Lines are counted by
their pieces, those of one direction all at once: the count of each line is a number whose binary digits stand in
five words, at the bit of the line's first field.
"""

from collections.abc import Sequence

from engine.compiling.binding import UNBOUND, popcount
from engine.compiling.bits import mix
from engine.games.interface import Arena
from engine.games.mnk.rules import (
    SHIFTS,
    STARTS,
    STEPS,
    K,
    State,
    empty_of,
    other_of,
    own_of,
    place_on,
    spread,
    winning_fields,
)

# bound by engine.games.mnk.kernel
WORTH: Sequence[int] = UNBOUND  # of an open line, by the number of pieces in it
HASH_PARTS: Sequence[int] = UNBOUND  # masks of 62 bits, as many as a set of fields needs

WIN_AHEAD = 500_000
"""Worth of a field on which the side to move completes a line now."""

LOSS_AHEAD = -400_000
"""Worth of two such fields of the opponent's, of which only one can be taken."""

MOST = 300_000
"""No other position is worth more."""

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


def worth(own: int, other: int, weights: Sequence[int]) -> int:
    """Add up the weights of the lines that hold no piece of ``other``, by the number of pieces in them."""
    total = 0
    for direction in range(4):
        lines = open_lines(other, direction)
        digits = counted(own, direction)
        for count in range(K + 1):
            total += weights[count] * popcount(holding(count, lines, digits))
    return total


def evaluate(state: State) -> int:
    """Guess the value of a position for the side to move, by the lines that are still open to each side."""
    own, other = own_of(state), other_of(state)
    if winning_fields(own, other) != 0:
        return WIN_AHEAD
    threats = winning_fields(other, own)
    if threats & (threats - 1) != 0:
        return LOSS_AHEAD
    return max(-MOST, min(MOST, worth(own, other, WORTH) - worth(other, own, WORTH)))


def forced_field(own: int, other: int) -> int:
    """Return a field on which ``own`` completes a line, or else one on which ``other`` would, or else 0."""
    fields = winning_fields(own, other)
    if fields == 0:
        fields = winning_fields(other, own)
    return fields & -fields


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write a child that wins, or else one that prevents a win, or else all that threaten one; return their end.

    The game must not be over.
    """
    own, other = own_of(state), other_of(state)
    forced = forced_field(own, other)
    if forced != 0:
        return place_on(state, forced, arena, first)
    attacks = 0
    for direction in range(4):
        near = holding(K - 2, open_lines(other, direction), counted(own, direction))
        attacks |= spread(near, STEPS[direction])
    return place_on(state, attacks & empty_of(state), arena, first)


def hash_of(state: State) -> int:
    """Hash a position: both sides' pieces and who moves."""
    value = state.side + 1
    for i in range(len(HASH_PARTS)):
        value = mix(value, int((state.first >> (62 * i)) & HASH_PARTS[i]))
        value = mix(value, int((state.second >> (62 * i)) & HASH_PARTS[i]))
    return value
