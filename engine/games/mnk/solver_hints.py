"""What a solver needs to know of a position besides: who may still win, which moves to try, what is symmetric.

Bound and compiled together with `engine.games.mnk.rules`, whose constants these functions share.
"""

from collections.abc import Sequence

from engine.compiling.binding import UNBOUND, popcount
from engine.games.interface import MINE, THEIRS, Arena
from engine.games.mnk.rules import STEPS, K, State, empty_of, other_of, own_of, place_on, spread, winning_fields
from engine.games.mnk.threats import Digits, counted, holding, open_lines, worth

# bound by engine.games.mnk.kernel
POWERS: Sequence[int] = UNBOUND  # of two, from 2**0 to 2**K
SWAPS_FROM: Sequence[int] = UNBOUND  # where each reflection's swaps begin among all, and the last one's end
DISTANCES: Sequence[int] = UNBOUND  # of each swap
LOWER: Sequence[int] = UNBOUND  # of each swap, as engine.games.mnk.geometry.Swap says
PATH: Sequence[int] = UNBOUND  # reflections which, made one after the other, lead through all symmetries
HEADS: Sequence[int] = UNBOUND  # after each of these, the fields that no lower one is mirrored to
SIGN: int = UNBOUND  # the sign of a word where the board takes all of it

Scores = tuple[int, int, int, int, int, int, int, int]
"""A number for each field: its binary digits stand in the eight words at the field's bit, the lowest first."""


def can_still_win(state: State) -> int:
    """Tell which sides may still win: `MINE`, `THEIRS`, their sum, or 0.

    A side that only wants to hold the other one, who needs 1, 2, 3... more pieces in open lines, can do so when the
    sum of 1/2, 1/4, 1/8... over these lines is less than 1; where the other one is to move, less than 1/2
    (Erdős and Selfridge 1973). Completing a line of one's own on the way does no harm.
    """
    own, other = own_of(state), other_of(state)
    found = 0
    if 2 * worth(own, other, POWERS) >= POWERS[K]:
        found |= MINE
    if worth(other, own, POWERS) >= POWERS[K]:
        found |= THEIRS
    return found


def plies_left(state: State) -> int:
    """Return how many more moves there can be: the empty fields."""
    return popcount(empty_of(state))


def reflect(fields: int, kind: int) -> int:
    """Return the mirrored fields: ``kind`` is a number of `PATH`."""
    for i in range(SWAPS_FROM[kind], SWAPS_FROM[kind + 1]):
        different = (fields ^ (fields >> DISTANCES[i])) & LOWER[i]
        fields ^= different ^ (different << DISTANCES[i])
    return fields


def canonical(state: State) -> State:
    """Return the least of the positions that are this one mirrored or turned."""
    first, second = state.first, state.second
    best_first, best_second = first, second
    for kind in PATH:
        first, second = reflect(first, kind), reflect(second, kind)
        # with the sign turned over, words with and without a sign are in the same order
        if first ^ SIGN < best_first ^ SIGN or (first == best_first and second ^ SIGN < best_second ^ SIGN):
            best_first, best_second = first, second
    return State(best_first, best_second, state.side)


def heads(state: State) -> int:
    """Return one of every group of fields that the symmetries of the position itself make equal."""
    first, second = state.first, state.second
    kept = -1
    for i in range(len(PATH)):
        first, second = reflect(first, PATH[i]), reflect(second, PATH[i])
        if first == state.first and second == state.second:
            kept &= HEADS[i]
    return kept


def rated(scores: Scores, lines: int, digits: Digits, step: int) -> Scores:
    """Add to the score of each field what the lines through it weigh: 8 where two pieces are missing, then 4, 2, 1.

    Scores count to 255 and go on with 0. No line weighs two of the four at once, and so a carry from one of them
    never meets another one at the same field.
    """
    s1, s2, s4, s8, s16, s32, s64, s128 = scores
    eights, fours, twos = holding(K - 2, lines, digits), holding(K - 3, lines, digits), holding(K - 4, lines, digits)
    ones = lines & ~(eights | fours | twos)
    for i in range(K):
        away = step * i
        carry = ones << away
        s1, carry = s1 ^ carry, (s1 & carry) | (twos << away)
        s2, carry = s2 ^ carry, (s2 & carry) | (fours << away)
        s4, carry = s4 ^ carry, (s4 & carry) | (eights << away)
        s8, carry = s8 ^ carry, s8 & carry
        s16, carry = s16 ^ carry, s16 & carry
        s32, carry = s32 ^ carry, s32 & carry
        s64, carry = s64 ^ carry, s64 & carry
        s128 ^= carry
    return s1, s2, s4, s8, s16, s32, s64, s128


def best_rated(fields: int, scores: Scores) -> int:
    """Return those of the fields that share the highest score."""
    for i in range(len(scores) - 1, -1, -1):
        higher = fields & scores[i]
        if higher != 0:
            fields = higher
    return fields


def forced_field(own: int, other: int) -> int:
    """Return a field on which ``own`` completes a line, or else one on which ``other`` would, or else 0."""
    fields = winning_fields(own, other)
    if fields == 0:
        fields = winning_fields(other, own)
    return fields & -fields


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best, promising ones first; the game must not be over.

    A win on the spot is enough, and so is one way to stop the opponent's. Fields on no open line are of no use to
    anybody: another piece does no harm, so any field on an open line is as good. The others are tried in the order of
    what the sums of `can_still_win`, the opponent's and one's own, gain by them, or nearly; of equals those that
    threaten to win come first.
    """
    own, other = own_of(state), other_of(state)
    forced = forced_field(own, other)
    if forced != 0:
        return place_on(state, forced, arena, first)
    empty = empty_of(state)
    useful = attacks = 0
    scores = (0, 0, 0, 0, 0, 0, 0, 0)
    for direction in range(4):
        step = STEPS[direction]
        lines, digits = open_lines(other, direction), counted(own, direction)
        useful |= spread(lines, step)
        attacks |= spread(holding(K - 2, lines, digits), step)
        scores = rated(scores, lines, digits, step)
        lines = open_lines(own, direction)
        useful |= spread(lines, step)
        scores = rated(scores, lines, counted(other, direction), step)
    useful &= empty
    if useful == 0:
        return place_on(state, empty & -empty, arena, first)
    left = useful & heads(state)
    end = first
    while left != 0:
        best = best_rated(left, scores)
        end = place_on(state, best & attacks, arena, end)
        end = place_on(state, best & ~attacks, arena, end)
        left ^= best
    return end
