"""The board of nine men's morris: 24 fields, a set of them as the bits of a number.

Field j is bit j. The three squares, from the outermost in, are three bytes, and each is counted around from a
corner: even bits are corners, odd ones middles of sides. A step around all squares at once is therefore a rotation
of three bytes, a step from square to square a shift by eight bits, and a question about all fields takes a handful
of operations, without a loop.
"""

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
