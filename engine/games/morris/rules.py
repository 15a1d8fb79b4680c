"""The rules of nine men's morris as plain functions over integers, and what the search needs to know of a position.

The board has 24 fields; a set of them is the bits of a number, field j bit j. The three squares, from the outermost in,
are three bytes, and each is counted around from a corner: even bits are corners, odd ones middles of sides. A step
around all squares at once is therefore a rotation of three bytes, a step from square to square a shift by eight bits,
and a question about all fields takes a handful of operations, without a loop.

`engine.games.morris.position.bind` gives back copies of them, interpreted or compiled. Sets of fields are laid out as
`engine.games.morris.rules` says. A position is looked at from the side to move, so that no function asks which it is.
In an arena, a flat list or array, a position takes a single number. Compiled code has no bounds checks: what writes
positions counts them first, and raises OverflowError where there is no room for them.

The evaluation counts usual features: pieces, lines that lack one piece to a mill, pieces that leave one mill for
another, blocked pieces and free neighbours (Petcu and Holban 2008, "Nine Men's Morris: Evaluation Functions"), and
beside them the mills that the next move can make.

The board looks the same turned by a quarter, in a mirror, and with the outer and the inner square exchanged: 16
symmetries. Each is done to all pieces of both sides at once, six squares in six bytes.
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
