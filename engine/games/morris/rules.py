"""The rules of nine men's morris as plain functions over integers.

The board has 24 fields; a set of them is the bits of a number, field j bit j. The three squares, from the outermost in,
are three bytes, and each is counted around from a corner: even bits are corners, odd ones middles of sides. A step
around all squares at once is therefore a rotation of three bytes, a step from square to square a shift by eight bits,
and a question about all fields takes a handful of operations, without a loop.

`engine.games.morris.position.bind` gives back copies of them, interpreted or compiled. Sets of fields are laid out as
`engine.games.morris.rules` says. A position is looked at from the side to move, so that no function asks which it is.
In an arena, a flat list or array, a position takes a single number. Compiled code has no bounds checks: what writes
positions counts them first, and raises OverflowError where there is no room for them.
"""

from typing import NamedTuple

from engine.compiling.binding import popcount
from engine.games.interface import Arena

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


WORDS = 1
"""Numbers a position takes in an arena: 57 bits hold all of `State`."""

PIECES = 9
"""Pieces of each side, in hand at the start."""

FLYING = 3
"""A side with so many pieces on the board and none in hand moves to any field; one with fewer has lost."""

LOUD, QUIET, ALL = 1, 2, 3
"""Kinds of moves: those that take a piece, the others, both."""

HAND_BITS = 4

# where the parts of a position begin in its number, the mover's pieces at 0
OTHER_SHIFT = FIELDS
HAND_SHIFT = 2 * FIELDS
OTHER_HAND_SHIFT = HAND_SHIFT + HAND_BITS
SIDE_SHIFT = OTHER_HAND_SHIFT + HAND_BITS
HAND_MASK = (1 << HAND_BITS) - 1


class State(NamedTuple):
    """A position: the pieces of the side to move and of the other, both hands, and who moves (0 white, 1 black)."""

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
    """Return which of a side's pieces a mill of the other side may take: those in no mill, or all if all are in one."""
    free = pieces & ~completing(pieces)
    return free if free != 0 else pieces


def too_few(state: State) -> bool:
    """Tell whether a side has lost most of its pieces and with that the game: both hands are empty by then."""
    return (
        state.own_hand == 0
        and state.other_hand == 0
        and (popcount(state.own) < FLYING or popcount(state.other) < FLYING)
    )


def can_move(state: State) -> bool:
    """Tell whether the side to move has a move, if neither side has too few pieces."""
    if state.own_hand != 0 or popcount(state.own) == FLYING:
        return True
    return neighbours(state.own) & ~(state.own | state.other) & BOARD != 0


def slides(pieces: int, empty: int) -> tuple[int, int, int, int]:
    """Return the empty fields to which a piece can move: one step on around its square, back, inward, outward."""
    middles = pieces & MIDDLES
    return (
        empty & forward(pieces),
        empty & backward(pieces),
        empty & ((middles & OUTER_TWO) << 8),
        empty & (middles >> 8),
    )


def count_slides(pieces: int, empty: int) -> int:
    """Count the ways in which one of these pieces can move to a neighbouring field."""
    on, back, inward, outward = slides(pieces, empty)
    return popcount(on) + popcount(back) + popcount(inward) + popcount(outward)


def count_mill_slides(pieces: int, empty: int, lines: tuple[int, int, int, int]) -> int:
    """Count those of them that make a mill; ``lines`` are the `fields.pairs` of all the side's pieces.

    A piece that moves along a line cannot complete that line, but the other one through its new field.
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
    """Count the legal moves, each choice of a piece to take being one, without making them."""
    own, other = state.own, state.other
    empty = BOARD & ~(own | other)
    if state.own_hand != 0:
        moves = popcount(empty)
        mills = popcount(empty & completing(own))
    elif too_few(state):
        return 0
    elif popcount(own) == FLYING:
        moves = FLYING * popcount(empty)
        # two pieces that lack a third leave only one piece that can complete their mill
        mills = popcount(empty & completing(own))
    else:
        moves = count_slides(own, empty)
        mills = count_mill_slides(own, empty, pairs(own))
    if mills != 0 and other != 0:
        moves += mills * (popcount(removable(other)) - 1)
    return moves


def land(state: State, rest: int, targets: int, kind: int, arena: Arena, first: int) -> int:
    """Write the positions after one of the mover's pieces has come to any of ``targets``; return their end.

    ``rest`` are the mover's other pieces on the board; ``kind`` says which moves count.
    """
    mills = targets & completing(rest) if state.other != 0 else 0
    if kind == LOUD:
        targets = mills
    elif kind == QUIET:
        targets ^= mills
    prey = removable(state.other) if mills != 0 else 0
    hand = state.own_hand - 1 if state.own_hand != 0 else 0
    # the position after the move, as the opponent sees it, without the piece that lands
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

    They come in the order of the field that a piece leaves, the field that it comes to, and the field on which one
    is taken. No two moves lead to the same position.
    """
    count = count_moves(state)
    if (first + count) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    if count == 0:
        return first
    own = state.own
    empty = BOARD & ~(own | state.other)
    if state.own_hand != 0:
        return land(state, own, empty, kind, arena, first)
    flying = popcount(own) == FLYING
    end = first
    left = own
    while left != 0:
        piece = left & -left
        left ^= piece
        end = land(state, own ^ piece, empty if flying else empty & neighbours(piece), kind, arena, end)
    return end


def children(state: State, arena: Arena, first: int) -> int:
    """Write every position that a move leads to, in the documented order; return their end."""
    return generate(state, ALL, arena, first)


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after every move that takes a piece; return their end."""
    return generate(state, LOUD, arena, first)


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best of all, promising ones first; return their end.

    That is a move which takes the opponent's last piece but two, where there is one, or else all: those that take a
    piece, then the others.
    """
    end = generate(state, LOUD, arena, first)
    last_move_of_hands = state.own_hand <= 1 and state.other_hand == 0
    if end > first and last_move_of_hands and popcount(state.other) == FLYING:
        return first + 1
    return generate(state, QUIET, arena, end)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of 1 and more.

    ``unique`` makes no difference: no two moves of a node lead to the same position.
    """
    if depth == 1:
        return count_moves(state)
    end = children(state, arena, first)
    leaves = 0
    for at in range(first, end):
        leaves += perft(load(arena, at), depth - 1, unique, arena, end)
    return leaves
