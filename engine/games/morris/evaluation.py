"""What the search needs to know of a position of nine men's morris: is it over, what is it worth, what is its hash.

Bound and compiled together with `engine.games.morris.rules`. What is counted are usual features: pieces, lines that
lack one piece to a mill, pieces that leave one mill for another, blocked pieces and free neighbours (Petcu and Holban
2008, "Nine Men's Morris: Evaluation Functions"), and beside them the mills that the next move can make.

The board looks the same turned by a quarter, seen in a mirror, and with the outer and the inner square exchanged:
16 symmetries. Each is done to all pieces of both sides at once, six squares in six bytes.
"""

from engine.compiling.binding import popcount
from engine.compiling.wide_integers import mix
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON
from engine.games.morris.rules import (
    BOARD,
    FIELDS,
    FLYING,
    State,
    can_move,
    count_mill_slides,
    count_slides,
    neighbours,
    pack,
    pairs,
    too_few,
)

PIECE = 100
"""Worth of a piece that is still in the game, on the board or in hand."""

TWO = 12
"""Worth of a free field that lacks one piece to a mill."""

THREAT = 35
"""Worth of a mill that the side could make if it were to move."""

SWING = 60
"""Worth of a piece that can leave one mill for another: it takes a piece every move."""

STEP = 5
"""Worth of a free neighbour of a piece."""

BLOCKED = 10
"""Cost of a piece that cannot move."""

# The five were found by games between candidates from random openings, at 2000 to 5000 nodes a move. A worth of mills
# that stand changed nothing.

MIXES = 2
"""Rounds of multiplying and folding: after two, each bit of a position has changed about half of the hash's."""


def verdict(state: State) -> int:
    """Tell whether the game is over, for the side to move: too few pieces of a side, of both, or no move."""
    if too_few(state):
        if popcount(state.own) >= FLYING:
            return WON
        return LOST if popcount(state.other) >= FLYING else DRAWN
    return UNDECIDED if can_move(state) else LOST


def worth(pieces: int, hand: int, empty: int) -> int:
    """Evaluate one side."""
    lines = pairs(pieces)
    behind, ahead, around, across = lines
    completed = behind | ahead | around | across
    twos = popcount(empty & completed)
    value = PIECE * (popcount(pieces) + hand) + TWO * twos + STEP * count_slides(pieces, empty)
    if hand != 0 or popcount(pieces) == FLYING:
        return value + THREAT * twos
    return (
        value
        + THREAT * count_mill_slides(pieces, empty, lines)
        + SWING * count_mill_slides(pieces & completed, empty, lines)
        - BLOCKED * popcount(pieces & ~neighbours(empty))
    )


def evaluate(state: State) -> int:
    """Guess the value of a position for the side to move, a piece being worth 100."""
    empty = BOARD & ~(state.own | state.other)
    return worth(state.own, state.own_hand, empty) - worth(state.other, state.other_hand, empty)


def hash_of(state: State) -> int:
    """Hash a position: pieces, hands and side."""
    value = pack(state) + 1
    for _ in range(MIXES):
        value = mix(value, 0)
    return value


FULL_TURN = 4
"""Quarters."""


def turned(squares: int) -> int:
    """Turn every square by a quarter: 0 becomes 2, and 7 becomes 1."""
    return ((squares << 2) & 0xFCFCFCFCFCFC) | ((squares >> 6) & 0x030303030303)


def mirrored(squares: int) -> int:
    """Mirror every square: 1 becomes 7, 2 becomes 6, and 0 stays."""
    squares = ((squares << 4) & 0xF0F0F0F0F0F0) | ((squares >> 4) & 0x0F0F0F0F0F0F)
    squares = ((squares << 2) & 0xCCCCCCCCCCCC) | ((squares >> 2) & 0x333333333333)
    squares = ((squares << 1) & 0xAAAAAAAAAAAA) | ((squares >> 1) & 0x555555555555)
    # that has made 7 of 0: one step around makes 8 less by it, and 0 of 0
    return ((squares << 1) & 0xFEFEFEFEFEFE) | ((squares >> 7) & 0x010101010101)


def inside_out(squares: int) -> int:
    """Exchange the outer and the inner square."""
    return (squares & 0x00FF0000FF00) | ((squares << 16) & 0xFF0000FF0000) | ((squares >> 16) & 0x0000FF0000FF)


def canonical(state: State) -> State:
    """Return the position that stands for all that mirror this one: of all pieces as one number, the least."""
    squares = state.own | (state.other << FIELDS)
    other_way = mirrored(squares)
    least = squares
    for _ in range(FULL_TURN):
        least = min(least, squares, inside_out(squares), other_way, inside_out(other_way))
        squares, other_way = turned(squares), turned(other_way)
    return State(least & BOARD, least >> FIELDS, state.own_hand, state.other_hand, state.side)
