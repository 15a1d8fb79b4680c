"""The value of a position from tables of what lines hold.

The content of each line, and both reserves together, have an entry in a table: a weight, and three more numbers that
weigh them against each other. The value is the sum of all weights, and of the products of these numbers over all pairs
of entries: a factorization machine of rank 3, found as the squares of three sums (S. Rendle, Factorization machines,
2010). Patterns whose weights were fitted to scores of searches began with M. Buro's Logistello (Experiments with
Multi-ProbCut and a new high-quality evaluation function for Othello, 1997).

An entry is one word: in its lowest 48 bits the three numbers, made positive by a constant, and the weight above them.
So one addition a line adds all four.

Bound and compiled together with `engine.games.gipf.rules`.
"""

from collections.abc import Sequence

from engine.compiling.binding import UNBOUND
from engine.games.gipf.patterns.lines import CROSSING

LANE_BITS = 16
LANE_MASK = (1 << LANE_BITS) - 1
WEIGHT_SHIFT = 3 * LANE_BITS

FRACTION_BITS = 10
"""Of the squares of sums, which are taken to be fractions."""

SURPLUS = 100
"""What a piece in reserve is worth beyond those for which there are tables."""

# What `engine.games.gipf.kernel.bind` puts in the place of these; the last of `Numbering` are as they stand there.
WIDTH: int = UNBOUND  # rows of the board, and fields of one
ENTRIES: Sequence[int] = UNBOUND  # the tables of all lengths, one behind the other
ROW_ENTRIES: Sequence[int] = UNBOUND  # for each row, where the table of its length begins,
LINE_ENTRIES: Sequence[int] = UNBOUND  # and for each crossing line
RESERVES: int = UNBOUND  # reserves for which there are entries, 0 to one less
RESERVE_ENTRIES: Sequence[int] = UNBOUND  # row by row, for each reserve of the side to move those of the other one
LANE_ZERO: int = UNBOUND  # what was added to each sum of numbers
ROW_NUMBERS: Sequence[int] = UNBOUND
CROSSING_NUMBERS: Sequence[int] = UNBOUND
LINE_SHIFTS: Sequence[int] = UNBOUND
LINE_MASKS: Sequence[int] = UNBOUND


def pattern_value(own: int, other: int, reserve: int, other_reserve: int) -> int:
    """Evaluate a position for the side to move, from its pieces, those of the other side, and both reserves."""
    sets = 1 << WIDTH
    last = RESERVES - 1
    total = RESERVE_ENTRIES[min(reserve, last) * RESERVES + min(other_reserve, last)]
    for row in range(WIDTH):
        mine, theirs = int(own >> (row * WIDTH)) & (sets - 1), int(other >> (row * WIDTH)) & (sets - 1)
        number = ROW_NUMBERS[row * sets + mine] + 2 * ROW_NUMBERS[row * sets + theirs]
        total += ENTRIES[ROW_ENTRIES[row] + number]
    for direction in range(CROSSING):
        numbers = 0
        for row in range(WIDTH):
            mine, theirs = int(own >> (row * WIDTH)) & (sets - 1), int(other >> (row * WIDTH)) & (sets - 1)
            at = (direction * WIDTH + row) * sets
            numbers += CROSSING_NUMBERS[at + mine] + 2 * CROSSING_NUMBERS[at + theirs]
        for line in range(direction * WIDTH, (direction + 1) * WIDTH):
            total += ENTRIES[LINE_ENTRIES[line] + ((numbers >> LINE_SHIFTS[line]) & LINE_MASKS[line])]
    first = (total & LANE_MASK) - LANE_ZERO
    second = ((total >> LANE_BITS) & LANE_MASK) - LANE_ZERO
    third = ((total >> (2 * LANE_BITS)) & LANE_MASK) - LANE_ZERO
    surplus = max(reserve - last, 0) - max(other_reserve - last, 0)
    products = first * first - second * second + third * third
    return (total >> WEIGHT_SHIFT) + (products >> FRACTION_BITS) + SURPLUS * surplus
