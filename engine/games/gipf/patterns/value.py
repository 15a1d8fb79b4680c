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

LANE_BITS = 16
LANE_MASK = (1 << LANE_BITS) - 1
WEIGHT_SHIFT = 3 * LANE_BITS

FRACTION_BITS = 10
"""Of the squares of sums, which are taken to be fractions."""

SURPLUS = 100
"""What a piece in reserve is worth beyond those for which there are tables."""

MARGIN = 28
"""See `engine.games.interface.Rules`. These values change less from move to move than those of features do."""

# What `engine.games.gipf.kernel.bind` puts in the place of these.
WIDTH: int = UNBOUND  # rows of the board, and lines of each direction
ENTRIES: Sequence[int] = UNBOUND  # the tables of all lengths, one behind the other
RESERVES: int = UNBOUND  # reserves for which there are entries, 0 to one less
RESERVE_ENTRIES: Sequence[int] = UNBOUND  # row by row, for each reserve of the side to move those of the other one
LANE_ZERO: int = UNBOUND  # what was added to each sum of numbers
ROW_SHIFTS: Sequence[int] = UNBOUND  # this and the next two: `Rows`
ROW_MASKS: Sequence[int] = UNBOUND
ROW_STARTS: Sequence[int] = UNBOUND
FIRST_WORD: int = UNBOUND  # columns, and diagonals, whose numbers are in the lowest word
NEXT_WORD: int = UNBOUND  # where the numbers of the others begin
# of the rows, the columns (down) and the diagonals: where in ENTRIES the table of each line begins, and `Direction`
ROW_ENTRIES: Sequence[int] = UNBOUND
ROW_NUMBERS: Sequence[int] = UNBOUND
DOWN_ENTRIES: Sequence[int] = UNBOUND
DOWN_NUMBERS: Sequence[int] = UNBOUND
DOWN_SHIFTS: Sequence[int] = UNBOUND
DOWN_MASKS: Sequence[int] = UNBOUND
DIAGONAL_ENTRIES: Sequence[int] = UNBOUND
DIAGONAL_NUMBERS: Sequence[int] = UNBOUND
DIAGONAL_SHIFTS: Sequence[int] = UNBOUND
DIAGONAL_MASKS: Sequence[int] = UNBOUND


def pattern_value(own: int, other: int, reserve: int, other_reserve: int) -> int:
    """Evaluate a position for the side to move, from its pieces, those of the other side, and both reserves."""
    last = RESERVES - 1
    total = RESERVE_ENTRIES[min(reserve, last) * RESERVES + min(other_reserve, last)]
    down = diagonal = 0
    own_left, other_left = own, other
    for row in range(WIDTH):
        mine = ROW_STARTS[row] + ((int(own_left) >> ROW_SHIFTS[row]) & ROW_MASKS[row])
        theirs = ROW_STARTS[row] + ((int(other_left) >> ROW_SHIFTS[row]) & ROW_MASKS[row])
        own_left >>= WIDTH
        other_left >>= WIDTH
        total += ENTRIES[ROW_ENTRIES[row] + ROW_NUMBERS[mine] + 2 * ROW_NUMBERS[theirs]]
        down += DOWN_NUMBERS[mine] + (DOWN_NUMBERS[theirs] << 1)
        diagonal += DIAGONAL_NUMBERS[mine] + (DIAGONAL_NUMBERS[theirs] << 1)
    down_word, diagonal_word = int(down), int(diagonal)
    for line in range(FIRST_WORD):
        total += ENTRIES[DOWN_ENTRIES[line] + ((down_word >> DOWN_SHIFTS[line]) & DOWN_MASKS[line])]
        total += ENTRIES[DIAGONAL_ENTRIES[line] + ((diagonal_word >> DIAGONAL_SHIFTS[line]) & DIAGONAL_MASKS[line])]
    down_word, diagonal_word = int(down >> NEXT_WORD), int(diagonal >> NEXT_WORD)
    for line in range(FIRST_WORD, WIDTH):
        total += ENTRIES[DOWN_ENTRIES[line] + ((down_word >> DOWN_SHIFTS[line]) & DOWN_MASKS[line])]
        total += ENTRIES[DIAGONAL_ENTRIES[line] + ((diagonal_word >> DIAGONAL_SHIFTS[line]) & DIAGONAL_MASKS[line])]
    first = (total & LANE_MASK) - LANE_ZERO
    second = ((total >> LANE_BITS) & LANE_MASK) - LANE_ZERO
    third = ((total >> (2 * LANE_BITS)) & LANE_MASK) - LANE_ZERO
    surplus = max(reserve - last, 0) - max(other_reserve - last, 0)
    products = first * first - second * second + third * third
    return (total >> WEIGHT_SHIFT) + (products >> FRACTION_BITS) + SURPLUS * surplus
