"""The board of nine men's morris: 24 fields, a set of them as the bits of a number.

Field j is bit j. The three squares, from the outermost in, are three bytes, and each is counted around from a
corner: even bits are corners, odd ones middles of sides. A step around all squares at once is therefore a rotation
of three bytes, a step from square to square a shift by eight bits, and a question about all fields takes a handful
of operations, without a loop.

The board looks the same turned by a quarter, seen in a mirror, and with the outer and the inner square exchanged:
16 symmetries. Each is done to all pieces of both sides at once, six squares in six bytes.
"""

from engine.games.morris.rules import State

FIELDS = 24

BOARD = 0xFFFFFF
"""Every field."""
LINES = (
    *(sum(1 << (8 * square + (corner + i) % 8) for i in range(3)) for square in range(3) for corner in (0, 2, 4, 6)),
    *(sum(1 << (middle + 8 * square) for square in range(3)) for middle in (1, 3, 5, 7)),
)
"""The lines of three: the sides of the squares, and those across the squares."""
MIDDLES = 0xAAAAAA
OUTER_TWO = 0x00FFFF
"""The outer and the middle square."""


def forward(fields: int) -> int:
    """Return the fields one step around: 0 becomes 1, and 7 becomes 0."""
    return ((fields << 1) & 0xFEFEFE) | ((fields >> 7) & 0x010101)


def backward(fields: int) -> int:
    """Return the fields one step around the other way: 1 becomes 0, and 0 becomes 7."""
    return ((fields >> 1) & 0x7F7F7F) | ((fields << 7) & 0x808080)


def neighbours(fields: int) -> int:
    """Return the fields that are neighbours of any of these."""
    middles = fields & MIDDLES
    return forward(fields) | backward(fields) | ((middles & OUTER_TWO) << 8) | (middles >> 8)


def pairs(pieces: int) -> tuple[int, int, int, int]:
    """Return the fields whose two companions on a line are among these pieces: a set for each kind of line.

    A corner ends the side that lies behind it and begins the one that lies ahead; a middle lies in the midst of its
    side and on a line across the squares. The sets: corners for the side behind, for the side ahead, middles for
    their side, for the line across.
    """
    behind_is_own, ahead_is_own = forward(pieces), backward(pieces)
    behind = forward(pieces & behind_is_own & MIDDLES)
    ahead = (pieces & ahead_is_own & MIDDLES) >> 1
    around = behind_is_own & ahead_is_own & MIDDLES
    across = ((pieces << 8) | (pieces >> 16)) & ((pieces << 16) | (pieces >> 8)) & MIDDLES
    return behind, ahead, around, across


def completing(pieces: int) -> int:
    """Return the fields on which one more of these pieces stands in a mill; of their own fields, those that do."""
    behind, ahead, around, across = pairs(pieces)
    return behind | ahead | around | across


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
