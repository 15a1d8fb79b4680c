"""What a position is worth, and what each of its children is, all of them at once; the hash of a position.

Bound and compiled together with `engine.games.mnk.rules`, whose constants these functions share. A move changes only
the lines through its field. So the children of a position are evaluated by what those lines gain, which is added up for
all fields at the same time: the sum of each field is a number whose binary digits stand in sixteen sets, at the field's
bit.
"""

from collections.abc import Sequence

from engine.compiling.binding import UNBOUND, Numbers, popcount
from engine.compiling.bits import mix
from engine.games.interface import WIN
from engine.games.mnk.rules import BOARD, STEPS, K, State, empty_of, other_of, own_of, winning_fields
from engine.games.mnk.threats import counted, defences, fours, holding, lacking, open_lines, win_by_fours, worth

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
            add = p0 << away
            s0, carry = s0 ^ add, s0 & add
            add = p1 << away
            half = s1 ^ add
            s1, carry = half ^ carry, (s1 & add) | (half & carry)
            add = p2 << away
            half = s2 ^ add
            s2, carry = half ^ carry, (s2 & add) | (half & carry)
            add = p3 << away
            half = s3 ^ add
            s3, carry = half ^ carry, (s3 & add) | (half & carry)
            add = p4 << away
            half = s4 ^ add
            s4, carry = half ^ carry, (s4 & add) | (half & carry)
            add = p5 << away
            half = s5 ^ add
            s5, carry = half ^ carry, (s5 & add) | (half & carry)
            add = p6 << away
            half = s6 ^ add
            s6, carry = half ^ carry, (s6 & add) | (half & carry)
            add = p7 << away
            half = s7 ^ add
            s7, carry = half ^ carry, (s7 & add) | (half & carry)
            add = p8 << away
            half = s8 ^ add
            s8, carry = half ^ carry, (s8 & add) | (half & carry)
            add = p9 << away
            half = s9 ^ add
            s9, carry = half ^ carry, (s9 & add) | (half & carry)
            add = p10 << away
            half = s10 ^ add
            s10, carry = half ^ carry, (s10 & add) | (half & carry)
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
