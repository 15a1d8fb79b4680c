"""Positions of nine men's morris that mirror each other, and the one that stands for them all.

The board looks the same turned by a quarter, seen in a mirror, and with the outer and the inner square exchanged:
16 symmetries. Each is done to all pieces of both sides at once, six squares in six bytes.
"""

from engine.games.morris.fields import BOARD, FIELDS
from engine.games.morris.rules import State

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
