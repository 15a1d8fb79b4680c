"""What the search needs to know of a position of nine men's morris: is it over, what is it worth, what is its hash.

Bound and compiled together with `engine.games.morris.rules`. What is counted are usual features: pieces, lines that
lack one piece to a mill, pieces that leave one mill for another, blocked pieces and free neighbours (Petcu and Holban
2008, "Nine Men's Morris: Evaluation Functions"), and beside them the mills that the next move can make.
"""

from engine.compiling.binding import popcount
from engine.compiling.bits import mix
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON
from engine.games.morris.fields import BOARD, neighbours, pairs
from engine.games.morris.rules import FLYING, State, can_move, count_mill_slides, count_slides, pack, too_few

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
