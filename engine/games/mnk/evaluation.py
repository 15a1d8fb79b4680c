"""What a position is worth, and what each of its children is, all of them at once; the hash of a position.

Bound and compiled together with `engine.games.mnk.rules`, whose constants these functions share. A move changes only
the lines through its field. So the children of a position are evaluated by what those lines gain, which is added up for
all fields at the same time: the sum of each field is a number whose binary digits stand in sixteen sets, at the field's
bit.
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
    counted,
    defences,
    empty_of,
    fours,
    holding,
    lacking,
    open_lines,
    other_of,
    own_of,
    place_on,
    spread,
    win_by_fours,
    winning_fields,
    worth,
)

# bound by engine.games.mnk.kernel
WORTH: Sequence[int] = UNBOUND  # of an open line, by the number of pieces in it
HASH_PARTS: Sequence[int] = UNBOUND  # masks of 62 bits, as many as a set of fields needs
CHUNKS: int = UNBOUND  # of CHUNK_BITS fields that a board takes

MOST = 300_000
"""No position is worth more where nothing is certain."""

MARGIN = 300
"""See `engine.games.interface.Rules`: a move that makes a three where there was a two gains as much."""

BREADTH = 24
"""See `engine.games.interface.Rules`: all other fields hardly change the lines of either side."""

CHUNK_BITS = 48
"""Fields of which the sums are turned from digits into numbers at once: three times the sixteen digits."""

CHUNK_MASK = (1 << CHUNK_BITS) - 1

SUM_BITS = 16
SUM_MASK = (1 << SUM_BITS) - 1

TURNS = ((8, 0x00FF00FF00FF), (4, 0x0F0F0F0F0F0F), (2, 0x333333333333), (1, 0x555555555555))
"""Half the side of the blocks that change places when squares of bits are turned over, and where those blocks lie."""

Sums = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int]
"""A number for each field: its binary digits stand in the sixteen sets at the field's bit, the lowest first."""


def balance(own: int, other: int) -> int:
    """Guess the value of a position for ``own``, by the lines that are still open to each side."""
    return max(-MOST, min(MOST, worth(own, other, WORTH) - worth(other, own, WORTH)))


def evaluate(state: State) -> int:
    """Return the value of a position for the side to move: certain where threats decide the game, else a guess.

    Fields that have to be taken are taken first, by both sides, for a position is not to be judged in between.
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


def added(digits: int, more: int, carry: int) -> tuple[int, int]:
    """Add digits and carries to digits, those of all fields at once; return the new digits and the new carries."""
    half = digits ^ more
    return half ^ carry, (digits & more) | (half & carry)


def gains(own: int, other: int) -> Sums:
    """Return by how much `balance` grows for ``own`` by a piece on each field.

    What completing a line gains, and preventing that, is left out.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = s10 = s11 = s12 = s13 = s14 = s15 = 0
    for direction in range(4):
        step = STEPS[direction]
        lines, digits = open_lines(other, direction), counted(own, direction)
        theirs, their_digits = open_lines(own, direction), counted(other, direction)
        # a line that lacks n is worth 4**(6 - n), one piece more makes it three times as much more; blocking it, all
        p9, p7, p5 = lacking(2, lines, digits), lacking(3, lines, digits), lacking(4, lines, digits)
        p3, p1 = lacking(5, lines, digits), lacking(6, lines, digits)
        p8, p6 = p9 | lacking(2, theirs, their_digits), p7 | lacking(3, theirs, their_digits)
        p4, p2 = p5 | lacking(4, theirs, their_digits), p3 | lacking(5, theirs, their_digits)
        p0 = p1 | lacking(6, theirs, their_digits)
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
            blocked = theirs & ~lines & ~holding(K - 1, theirs, their_digits)
            p0 |= empty | (blocked & ~(p2 | p4 | p6 | p8))
        for i in range(K):
            away = step * i
            s0, carry = s0 ^ (p0 << away), s0 & (p0 << away)
            s1, carry = added(s1, p1 << away, carry)
            s2, carry = added(s2, p2 << away, carry)
            s3, carry = added(s3, p3 << away, carry)
            s4, carry = added(s4, p4 << away, carry)
            s5, carry = added(s5, p5 << away, carry)
            s6, carry = added(s6, p6 << away, carry)
            s7, carry = added(s7, p7 << away, carry)
            s8, carry = added(s8, p8 << away, carry)
            s9, carry = added(s9, p9 << away, carry)
            s10, carry = added(s10, p10 << away, carry)
            s11, carry = s11 ^ carry, s11 & carry
            s12, carry = s12 ^ carry, s12 & carry
            s13, carry = s13 ^ carry, s13 & carry
            s14, carry = s14 ^ carry, s14 & carry
            s15 ^= carry
    return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15


def turn_over(squares: Numbers, first: int) -> None:
    """Let digits change places with numbers: in sixteen numbers of 48 bits, which are three squares of bits.

    Bit ``16 * q + i`` of number ``j`` goes to bit ``16 * q + j`` of number ``i`` (Warren, Hacker's Delight, 7-3).
    """
    for width, mask in TURNS:
        for low in range(first, first + SUM_BITS):
            if (low - first) & width == 0:
                different = ((squares[low] >> width) ^ squares[low + width]) & mask
                squares[low + width] ^= different
                squares[low] ^= different << width


def evaluate_children(state: State, first: int, values: Numbers) -> bool:
    """Write twice the value of each child for the side that moves to it, plus 1 where it is certain, and return True.

    The values stand from ``first`` on in the order of `children`, and the sixteen numbers behind them are written, too.
    The game must not be over.
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
    present = worth(own, other, WORTH) - worth(other, own, WORTH)
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
        turn_over(values, squares)
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
                    value = max(-MOST, min(MOST, present + gain))
            values[at] = 2 * value + certain
            at += 1
    return True


def kind_of(state: State, child: State) -> int:
    """Return a number for who moves, and to which field."""
    field = (state.first ^ child.first) | (state.second ^ child.second)
    return 2 * popcount(field - 1) + state.side


def hash_of(state: State) -> int:
    """Hash a position: both sides' pieces and who moves."""
    value = state.side + 1
    for i in range(len(HASH_PARTS)):
        value = mix(value, int((state.first >> (62 * i)) & HASH_PARTS[i]))
        value = mix(value, int((state.second >> (62 * i)) & HASH_PARTS[i]))
    return value


# bound by engine.games.mnk.kernel
POWERS: Sequence[int] = UNBOUND  # of two, from 2**0 to 2**K
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
