"""The rules and the evaluation of nine men's morris as plain functions over integers.

A set of the 24 fields is a number with bit j for field j. Its three bytes are the three squares, the outermost first.
Even bits are corners, odd bits are the middles of sides. So a step around all squares is a rotation of three bytes, and
a step between squares is a shift by eight bits. No function needs a loop over fields.

`engine.games.morris.position.bind` returns copies of the functions, interpreted or compiled. A position has the sets of
the side to move and of the other side, so few functions depend on the colour. In an arena a position is one number.
Compiled code has no bounds checks, so functions count the positions before they write them, and raise OverflowError if
the arena is too small.

The evaluation has usual features (Petcu and Holban 2008, "Nine Men's Morris: Evaluation Functions"): pieces, lines with
one missing piece, pieces that move from one mill to another, blocked pieces and free neighbours. It also counts the
mills of the next move.

The board has 16 symmetries: rotations by a quarter, reflections, and the exchange of the outer and the inner square.
They apply to the pieces of both sides at once, as six squares in six bytes.
"""

from typing import NamedTuple

from engine.compiling.binding import popcount
from engine.compiling.wide_integers import mix
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Arena

FIELDS = 24

BOARD = 0xFFFFFF
"""Every field."""
LINES = (
    *(sum(1 << (8 * square + (corner + i) % 8) for i in range(3)) for square in range(3) for corner in (0, 2, 4, 6)),
    *(sum(1 << (middle + 8 * square) for square in range(3)) for middle in (1, 3, 5, 7)),
)
"""The lines of three fields: the sides of the squares, and the lines across the squares."""
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
    """Return all neighbours of the fields."""
    middles = fields & MIDDLES
    return forward(fields) | backward(fields) | ((middles & OUTER_TWO) << 8) | (middles >> 8)


def pairs(pieces: int) -> tuple[int, int, int, int]:
    """Return the fields whose line has these pieces on its other two fields, as a set for each kind of line.

    - corners with the side before them
    - corners with the side after them
    - middles with their side
    - middles with the line across the squares
    """
    behind_is_own, ahead_is_own = forward(pieces), backward(pieces)
    behind = forward(pieces & behind_is_own & MIDDLES)
    ahead = (pieces & ahead_is_own & MIDDLES) >> 1
    around = behind_is_own & ahead_is_own & MIDDLES
    across = ((pieces << 8) | (pieces >> 16)) & ((pieces << 16) | (pieces >> 8)) & MIDDLES
    return behind, ahead, around, across


def completing(pieces: int) -> int:
    """Return the empty fields on which one more piece makes a mill, and the fields of pieces in a mill."""
    behind, ahead, around, across = pairs(pieces)
    return behind | ahead | around | across


WORDS = 1
"""Numbers of a position in an arena: a `State` has 57 bits."""

PIECES = 9
"""Pieces of each side, in hand at the start."""

FLYING = 3
"""Pieces of a side that jumps to any field, with an empty hand. A side with fewer pieces has lost."""

CAPTURES, QUIET, ALL = 1, 2, 3
"""Kinds of moves: captures, other moves, both."""

HAND_BITS = 4

# first bits of the parts of a position in its number; the pieces of the side to move begin at 0
OTHER_SHIFT = FIELDS
HAND_SHIFT = 2 * FIELDS
OTHER_HAND_SHIFT = HAND_SHIFT + HAND_BITS
SIDE_SHIFT = OTHER_HAND_SHIFT + HAND_BITS
HAND_MASK = (1 << HAND_BITS) - 1


class State(NamedTuple):
    """A position: the sets and hands of the side to move and of the other side, and the side to move (0 white)."""

    own: int
    other: int
    own_hand: int
    other_hand: int
    side: int


def pack(state: State) -> int:
    """Return a position as one number."""
    return (
        state.own
        | (state.other << OTHER_SHIFT)
        | (state.own_hand << HAND_SHIFT)
        | (state.other_hand << OTHER_HAND_SHIFT)
        | (state.side << SIDE_SHIFT)
    )


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    word = arena[at]
    return State(
        word & BOARD,
        (word >> OTHER_SHIFT) & BOARD,
        (word >> HAND_SHIFT) & HAND_MASK,
        (word >> OTHER_HAND_SHIFT) & HAND_MASK,
        word >> SIDE_SHIFT,
    )


def store(arena: Arena, at: int, state: State, path: int) -> None:
    """Write a position into place ``at`` of an arena."""
    arena[at] = pack(state)


def removable(pieces: int) -> int:
    """Return the pieces that can be taken: the pieces outside mills, or all if there are none."""
    free = pieces & ~completing(pieces)
    return free if free != 0 else pieces


def too_few(state: State) -> bool:
    """Tell whether both hands are empty and a side has fewer than three pieces."""
    return (
        state.own_hand == 0
        and state.other_hand == 0
        and (popcount(state.own) < FLYING or popcount(state.other) < FLYING)
    )


def can_move(state: State) -> bool:
    """Tell whether the side to move has a move. Neither side has too few pieces."""
    if state.own_hand != 0 or popcount(state.own) == FLYING:
        return True
    return neighbours(state.own) & ~(state.own | state.other) & BOARD != 0


def slides(pieces: int, empty: int) -> tuple[int, int, int, int]:
    """Return the empty fields that pieces reach with a step forward, backward, inward or outward."""
    middles = pieces & MIDDLES
    return (
        empty & forward(pieces),
        empty & backward(pieces),
        empty & ((middles & OUTER_TWO) << 8),
        empty & (middles >> 8),
    )


def count_slides(pieces: int, empty: int) -> int:
    """Count the steps of the pieces to neighbouring fields."""
    on, back, inward, outward = slides(pieces, empty)
    return popcount(on) + popcount(back) + popcount(inward) + popcount(outward)


def count_mill_slides(pieces: int, empty: int, lines: tuple[int, int, int, int]) -> int:
    """Count the steps that make a mill. ``lines`` are the `pairs` of all pieces of the side.

    A piece that moves along a line cannot complete this line, but the other line through its new field.
    """
    behind, ahead, around, across = lines
    on, back, inward, outward = slides(pieces, empty)
    return (
        popcount(on & (ahead | across))
        + popcount(back & (behind | across))
        + popcount(inward & around)
        + popcount(outward & around)
    )


def count_moves(state: State) -> int:
    """Count the legal moves without playing them. Each choice of a captured piece is a move."""
    own, other = state.own, state.other
    empty = BOARD & ~(own | other)
    if state.own_hand != 0:
        moves = popcount(empty)
        mills = popcount(empty & completing(own))
    elif too_few(state):
        return 0
    elif popcount(own) == FLYING:
        moves = FLYING * popcount(empty)
        # with three pieces, only the piece outside a pair can complete its mill
        mills = popcount(empty & completing(own))
    else:
        moves = count_slides(own, empty)
        mills = count_mill_slides(own, empty, pairs(own))
    if mills != 0 and other != 0:
        moves += mills * (popcount(removable(other)) - 1)
    return moves


def moves_to(state: State, rest: int, targets: int, kind: int, arena: Arena, first: int) -> int:
    """Write the positions after a piece moves to any of ``targets``; return their end.

    ``rest`` are the other pieces of the side on the board. ``kind`` selects the moves.
    """
    mills = targets & completing(rest) if state.other != 0 else 0
    if kind == CAPTURES:
        targets = mills
    elif kind == QUIET:
        targets ^= mills
    prey = removable(state.other) if mills != 0 else 0
    hand = state.own_hand - 1 if state.own_hand != 0 else 0
    # the position after the move, without the moved piece
    base = pack(State(state.other, rest, state.other_hand, hand, 1 - state.side))
    end = first
    while targets != 0:
        target = targets & -targets
        targets ^= target
        landed = base | (target << OTHER_SHIFT)
        if mills & target == 0:
            arena[end] = landed
            end += 1
        else:
            left = prey
            while left != 0:
                taken = left & -left
                left ^= taken
                arena[end] = landed ^ taken
                end += 1
    return end


def generate(state: State, kind: int, arena: Arena, first: int) -> int:
    """Write the positions after the legal moves of a kind; return their end.

    Moves are sorted by the fields left, reached and captured. No two moves lead to the same position.
    """
    count = count_moves(state)
    if (first + count) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    if count == 0:
        return first
    own = state.own
    empty = BOARD & ~(own | state.other)
    if state.own_hand != 0:
        return moves_to(state, own, empty, kind, arena, first)
    flying = popcount(own) == FLYING
    end = first
    left = own
    while left != 0:
        piece = left & -left
        left ^= piece
        end = moves_to(state, own ^ piece, empty if flying else empty & neighbours(piece), kind, arena, end)
    return end


def children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after all moves, in the documented order; return their end."""
    return generate(state, ALL, arena, first)


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after all captures; return their end."""
    return generate(state, CAPTURES, arena, first)


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children that include a best one, captures first; return their end.

    A capture that leaves the opponent two pieces and an empty hand wins, and is written alone.
    """
    end = generate(state, CAPTURES, arena, first)
    last_move_of_hands = state.own_hand <= 1 and state.other_hand == 0
    if end > first and last_move_of_hands and popcount(state.other) == FLYING:
        return first + 1
    return generate(state, QUIET, arena, end)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of at least 1.

    ``unique`` has no effect, since no two moves of a node lead to the same position.
    """
    if depth == 1:
        return count_moves(state)
    end = children(state, arena, first)
    leaves = 0
    for at in range(first, end):
        leaves += perft(load(arena, at), depth - 1, unique, arena, end)
    return leaves


PIECE = 100
"""Value of a piece on the board or in hand."""

TWO = 12
"""Value of an empty field on which a piece makes a mill."""

THREAT = 35
"""Value of a mill that the side could make if it were to move."""

SWING = 60
"""Value of a piece that can move from one mill to another: it captures in every move."""

STEP = 5
"""Value of an empty neighbour of a piece."""

BLOCKED = 10
"""Cost of a piece that cannot move."""

# These values were tuned in games from random openings at 2000 to 5000 nodes a move. A value of complete mills gained
# nothing.

MIXES = 2
"""Rounds of `mix`. After two, each bit of a position changes about half of the bits of the hash."""


def verdict(state: State) -> int:
    """Return the verdict for the side to move: a side has too few pieces, both have, or there is no move."""
    if too_few(state):
        if popcount(state.own) >= FLYING:
            return WON
        return LOST if popcount(state.other) >= FLYING else DRAWN
    return UNDECIDED if can_move(state) else LOST


def side_value(pieces: int, hand: int, empty: int) -> int:
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
    """Evaluate a position for the side to move. A piece is side_value 100."""
    empty = BOARD & ~(state.own | state.other)
    return side_value(state.own, state.own_hand, empty) - side_value(state.other, state.other_hand, empty)


def hash_of(state: State) -> int:
    """Return a hash of a position."""
    value = pack(state) + 1
    for _ in range(MIXES):
        value = mix(value, 0)
    return value


QUARTERS = 4
"""Rotations by a quarter in a full turn."""


def rotate(squares: int) -> int:
    """Rotate every square by a quarter: 0 becomes 2, and 7 becomes 1."""
    return ((squares << 2) & 0xFCFCFCFCFCFC) | ((squares >> 6) & 0x030303030303)


def reflect(squares: int) -> int:
    """Reflect every square: 1 becomes 7, 2 becomes 6, and 0 stays."""
    squares = ((squares << 4) & 0xF0F0F0F0F0F0) | ((squares >> 4) & 0x0F0F0F0F0F0F)
    squares = ((squares << 2) & 0xCCCCCCCCCCCC) | ((squares >> 2) & 0x333333333333)
    squares = ((squares << 1) & 0xAAAAAAAAAAAA) | ((squares >> 1) & 0x555555555555)
    # the bytes are reversed, so 0 is 7 now; one step around makes it 0 again
    return ((squares << 1) & 0xFEFEFEFEFEFE) | ((squares >> 7) & 0x010101010101)


def exchange_squares(squares: int) -> int:
    """Exchange the outer and the inner square."""
    return (squares & 0x00FF0000FF00) | ((squares << 16) & 0xFF0000FF0000) | ((squares >> 16) & 0x0000FF0000FF)


def canonical(state: State) -> State:
    """Return the representative of all symmetric positions: the smallest number of both sets together."""
    squares = state.own | (state.other << FIELDS)
    other_way = reflect(squares)
    least = squares
    for _ in range(QUARTERS):
        least = min(least, squares, exchange_squares(squares), other_way, exchange_squares(other_way))
        squares, other_way = rotate(squares), rotate(other_way)
    return State(least & BOARD, least >> FIELDS, state.own_hand, state.other_hand, state.side)
