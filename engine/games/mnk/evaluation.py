"""The evaluation of m,n,k positions and of all their children at once, and more functions for search and solver.

The functions are bound and compiled together with `engine.games.mnk.rules`, and share its constants. A move changes
only the lines through its field, so the value of a child is that of the position plus the gains of these lines. The
gains are summed for all fields at once. The binary digits of the sums are sixteen sets.
"""

from collections.abc import Sequence

from engine.compiling.binding import UNBOUND, Numbers, popcount
from engine.compiling.wide_integers import mix
from engine.games.boards.symmetry import reflect
from engine.games.interface import MINE, THEIRS, WIN, Arena
from engine.games.mnk.rules import (
    BOARD,
    STEPS,
    Digits,
    K,
    State,
    defences,
    empty_of,
    fours,
    line_counts,
    line_value,
    lines_missing,
    lines_with,
    open_lines,
    other_of,
    own_of,
    place_on,
    spread,
    win_by_fours,
    winning_fields,
)

# bound by engine.games.mnk.position
LINE_VALUES: Sequence[int] = UNBOUND  # the values of open lines, by their number of pieces
HASH_PARTS: Sequence[int] = UNBOUND  # masks of 62 bits for the parts of a set of fields
CHUNKS: int = UNBOUND  # number of chunks of CHUNK_BITS fields of a board

MAX_VALUE = 300_000
"""Largest evaluation without a certain win."""

MARGIN = 300
"""`engine.games.interface.Rules.MARGIN`: the gain of a move that makes a three from a two."""

BREADTH = 24
"""`engine.games.interface.Rules.BREADTH`: further fields hardly change the lines of either side."""

CHUNK_BITS = 48
"""Fields whose sums are converted at once: three groups of sixteen."""

CHUNK_MASK = (1 << CHUNK_BITS) - 1

SUM_BITS = 16
SUM_MASK = (1 << SUM_BITS) - 1

SWAPS = ((8, 0x00FF00FF00FF), (4, 0x0F0F0F0F0F0F), (2, 0x333333333333), (1, 0x555555555555))
"""Width and mask of the blocks that `transpose` exchanges."""

Sums = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int]
"""A number for each field: sixteen sets of binary digits, the lowest digit first."""


def balance(own: int, other: int) -> int:
    """Evaluate a position for ``own`` by the open lines of both sides."""
    return max(-MAX_VALUE, min(MAX_VALUE, line_value(own, other, LINE_VALUES) - line_value(other, own, LINE_VALUES)))


def evaluate(state: State) -> int:
    """Evaluate a position for the side to move. The value is certain if threats decide the game.

    Forced moves of both sides are played first.
    """
    own, other = own_of(state), other_of(state)
    sign, plies = 1, 0
    while True:
        if winning_fields(own, other) != 0:
            return sign * (WIN - 1 - plies)
        threats = winning_fields(other, own)
        if threats == 0:
            break
        if threats & (threats - 1) != 0:
            return -sign * (WIN - 2 - plies)
        own, other = other, own | threats
        sign = -sign
        plies += 1
    winning = win_by_fours(own, other)
    if winning > 0:
        return sign * (WIN - winning - plies)
    doubles = fours(other, own)[1]
    if doubles != 0 and fours(own, other)[0] == 0 and defences(other, own, doubles) == 0:
        return -sign * (WIN - 4 - plies)
    return sign * balance(own, other)


def add_digits(digits: int, more: int, carry: int) -> tuple[int, int]:
    """Add digits and carries to the digits of all fields; return the new digits and the new carries."""
    half = digits ^ more
    return half ^ carry, (digits & more) | (half & carry)


def gains(own: int, other: int) -> Sums:
    """Return the gain of `balance` for ``own`` by a piece on each field.

    Gains from completing or preventing a complete line are left out.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = s10 = s11 = s12 = s13 = s14 = s15 = 0
    for direction in range(4):
        step = STEPS[direction]
        lines, digits = open_lines(other, direction), line_counts(own, direction)
        theirs, their_digits = open_lines(own, direction), line_counts(other, direction)
        # a line with n empty fields has the value 4**(6 - n); a piece in it gains three times that, blocking it gains
        # that
        p9, p7, p5 = lines_missing(2, lines, digits), lines_missing(3, lines, digits), lines_missing(4, lines, digits)
        p3, p1 = lines_missing(5, lines, digits), lines_missing(6, lines, digits)
        p8, p6 = p9 | lines_missing(2, theirs, their_digits), p7 | lines_missing(3, theirs, their_digits)
        p4, p2 = p5 | lines_missing(4, theirs, their_digits), p3 | lines_missing(5, theirs, their_digits)
        p0 = p1 | lines_missing(6, theirs, their_digits)
        p10 = 0
        empty = lines & theirs
        if K == 2:
            p10 = empty
        elif K == 3:
            p8 |= empty
        elif K == 4:
            p6 |= empty
        elif K == 5:
            p4 |= empty
        elif K == 6:
            p2 |= empty
        else:
            blocked = theirs & ~lines & ~lines_with(K - 1, theirs, their_digits)
            p0 |= empty | (blocked & ~(p2 | p4 | p6 | p8))
        for i in range(K):
            away = step * i
            s0, carry = s0 ^ (p0 << away), s0 & (p0 << away)
            s1, carry = add_digits(s1, p1 << away, carry)
            s2, carry = add_digits(s2, p2 << away, carry)
            s3, carry = add_digits(s3, p3 << away, carry)
            s4, carry = add_digits(s4, p4 << away, carry)
            s5, carry = add_digits(s5, p5 << away, carry)
            s6, carry = add_digits(s6, p6 << away, carry)
            s7, carry = add_digits(s7, p7 << away, carry)
            s8, carry = add_digits(s8, p8 << away, carry)
            s9, carry = add_digits(s9, p9 << away, carry)
            s10, carry = add_digits(s10, p10 << away, carry)
            s11, carry = s11 ^ carry, s11 & carry
            s12, carry = s12 ^ carry, s12 & carry
            s13, carry = s13 ^ carry, s13 & carry
            s14, carry = s14 ^ carry, s14 & carry
            s15 ^= carry
    return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15


def transpose(squares: Numbers, first: int) -> None:
    """Transpose three squares of 16 x 16 bits in sixteen numbers of 48 bits, which converts digits to numbers.

    Bit ``16 * q + i`` of number ``j`` goes to bit ``16 * q + j`` of number ``i`` (Warren, Hacker's Delight, 7-3).
    """
    for width, mask in SWAPS:
        for low in range(first, first + SUM_BITS):
            if (low - first) & width == 0:
                different = ((squares[low] >> width) ^ squares[low + width]) & mask
                squares[low + width] ^= different
                squares[low] ^= different << width


def evaluate_children(state: State, first: int, values: Numbers) -> bool:
    """Write twice the value of each child for the side that moves to it, plus 1 if it is certain, and return True.

    The values begin at ``first``, in the order of `children`. The sixteen numbers after them are overwritten. The game
    must not be over.
    """
    own, other = own_of(state), other_of(state)
    wins = winning_fields(own, other)
    threats = winning_fields(other, own)
    lost = WIN - 1
    saving = BOARD
    attacks, doubles = fours(own, other)
    if threats != 0:
        saving = threats if threats & (threats - 1) == 0 else 0
    elif wins == 0:
        their_doubles = fours(other, own)[1]
        if their_doubles != 0:
            lost = WIN - 3
            saving = attacks | defences(other, own, their_doubles)
    present = line_value(own, other, LINE_VALUES) - line_value(other, own, LINE_VALUES)
    sums = gains(own, other)
    empty = empty_of(state)
    at = first
    squares = first + popcount(empty)
    for chunk in range(CHUNKS):
        passed = CHUNK_BITS * chunk
        place = squares
        for digits in sums:
            values[place] = int((digits >> passed) & CHUNK_MASK)
            place += 1
        transpose(values, squares)
        free = int((empty >> passed) & CHUNK_MASK)
        winning, doubling = int((wins >> passed) & CHUNK_MASK), int((doubles >> passed) & CHUNK_MASK)
        safe = int((saving >> passed) & CHUNK_MASK)
        while free != 0:
            field = free & -free
            free ^= field
            number = popcount(field - 1)
            certain = 1
            if winning & field != 0:
                value = WIN
            elif safe & field == 0:
                value = -lost
            elif doubling & field != 0:
                value = WIN - 2
            elif squares - first == 1:
                value = 0
            else:
                certain = 0
                if threats != 0:
                    value = balance(own | threats, other)
                else:
                    gain = (values[squares + number % SUM_BITS] >> (number - number % SUM_BITS)) & SUM_MASK
                    value = max(-MAX_VALUE, min(MAX_VALUE, present + gain))
            values[at] = 2 * value + certain
            at += 1
    return True


def kind_of(state: State, child: State) -> int:
    """Return a number for the side to move and the field of its move."""
    field = (state.first ^ child.first) | (state.second ^ child.second)
    return 2 * popcount(field - 1) + state.side


def hash_of(state: State) -> int:
    """Return a hash of a position."""
    value = state.side + 1
    for i in range(len(HASH_PARTS)):
        value = mix(value, int((state.first >> (62 * i)) & HASH_PARTS[i]))
        value = mix(value, int((state.second >> (62 * i)) & HASH_PARTS[i]))
    return value


# bound by engine.games.mnk.position
POWERS: Sequence[int] = UNBOUND  # the powers of two from 2**0 to 2**K
PATH: Sequence[int] = UNBOUND  # a sequence of reflections that leads through all symmetries
HEADS: Sequence[int] = UNBOUND  # for each of them, the fields whose image is not lower
SIGN: int = UNBOUND  # the sign bit of a word if the board uses it

Scores = tuple[int, int, int, int, int, int, int, int]
"""A number for each field: eight sets of binary digits, the lowest digit first."""


def can_still_win(state: State) -> int:
    """Tell which sides may still win: `MINE`, `THEIRS`, their sum, or 0.

    An open line with n empty fields weighs 2**-n. A side certainly cannot win if the sum over its lines is less than 1.
    If it is to move, the bound is 1/2 (Erdős and Selfridge 1973).
    """
    own, other = own_of(state), other_of(state)
    found = 0
    if 2 * line_value(own, other, POWERS) >= POWERS[K]:
        found |= MINE
    if line_value(other, own, POWERS) >= POWERS[K]:
        found |= THEIRS
    return found


def plies_left(state: State) -> int:
    """Return the number of empty fields, the upper bound of further moves."""
    return popcount(empty_of(state))


def canonical(state: State) -> State:
    """Return the representative of all symmetric positions: the smallest one."""
    first, second = state.first, state.second
    best_first, best_second = first, second
    for kind in PATH:
        first, second = reflect(first, kind), reflect(second, kind)
        # with the sign bit inverted, signed and unsigned words have the same order
        if first ^ SIGN < best_first ^ SIGN or (first == best_first and second ^ SIGN < best_second ^ SIGN):
            best_first, best_second = first, second
    return State(best_first, best_second, state.side)


def heads(state: State) -> int:
    """Return one field of each group that the symmetries of the position itself make equivalent."""
    first, second = state.first, state.second
    kept = -1
    for i in range(len(PATH)):
        first, second = reflect(first, PATH[i]), reflect(second, PATH[i])
        if first == state.first and second == state.second:
            kept &= HEADS[i]
    return kept


def add_scores(scores: Scores, lines: int, digits: Digits, step: int) -> Scores:
    """Add the weights of lines to the scores of their fields: 8, 4, 2 for 2, 3, 4 missing pieces, else 1.

    Scores are modulo 256. A line has one weight, so carries of different weights never meet at the same field.
    """
    s1, s2, s4, s8, s16, s32, s64, s128 = scores
    eights = lines_with(K - 2, lines, digits)
    fours, twos = lines_with(K - 3, lines, digits), lines_with(K - 4, lines, digits)
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


def best_scored(fields: int, scores: Scores) -> int:
    """Return the fields with the highest score."""
    for i in range(len(scores) - 1, -1, -1):
        higher = fields & scores[i]
        if higher != 0:
            fields = higher
    return fields


def forced_field(own: int, other: int) -> int:
    """Return a field on which ``own`` completes a line, else a field on which ``other`` does, else 0."""
    fields = winning_fields(own, other)
    if fields == 0:
        fields = winning_fields(other, own)
    return fields & -fields


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children that include a best one, promising ones first. The game must not be over.

    One winning move is enough, and one move that stops the opponent's. Fields without an open line are left out: a
    field with one is never worse. The others are sorted by the gains of the sums of `can_still_win`, approximately.
    Among equal fields, threats come first.
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
        lines, digits = open_lines(other, direction), line_counts(own, direction)
        useful |= spread(lines, step)
        attacks |= spread(lines_with(K - 2, lines, digits), step)
        scores = add_scores(scores, lines, digits, step)
        lines = open_lines(own, direction)
        useful |= spread(lines, step)
        scores = add_scores(scores, lines, line_counts(other, direction), step)
    useful &= empty
    if useful == 0:
        return place_on(state, empty & -empty, arena, first)
    left = useful & heads(state)
    end = first
    while left != 0:
        best = best_scored(left, scores)
        end = place_on(state, best & attacks, arena, end)
        end = place_on(state, best & ~attacks, arena, end)
        left ^= best
    return end
