"""What the search needs to know of a GIPF position: is it over, what is it worth, what is its hash.

Bound and compiled together with `engine.gipf.rules`, whose constants these functions share.
"""

from typing import Any

from engine.compiled import popcount
from engine.game import LOST, UNDECIDED
from engine.gipf.rules import State, can_push, finals, of_mover, open_pushes

# bound by engine.gipf.kernel
CENTRE: Any = ()  # fields around the centre, the innermost set first
AXIS_STEPS = (0, 0, 0)
LINE: Any = ()

PIECE = 100
"""Worth of a piece that is still in the game, on the board or in reserve."""

RESERVE = (0, -200, -75, -30, -10)
"""What a reserve of so few pieces costs the side that has it: a side without one loses on its turn."""

RING = 4
"""Worth of a piece for each ring that it stands nearer to the centre."""

PAIR = 5
"""Worth of two neighbouring pieces of one colour: they support each other, and grow into runs."""

# The four were found by games between candidates on the board of 4 4 15 15, at 10 ms a move.

HASH_FACTOR = 0x2545F4914F6CDD1D
HASH_MASK = (1 << 62) - 1


def verdict(state: State) -> int:
    """Tell whether the side to move has lost; GIPF knows no other end on the board."""
    return UNDECIDED if can_push(state) else LOST


def worth(pieces: int, reserve: int) -> int:
    """Evaluate one side: pieces, reserve, places and pairs."""
    value = PIECE * (popcount(pieces) + reserve)
    for ring in CENTRE:
        value += RING * popcount(pieces & ring)
    for step in AXIS_STEPS:
        value += PAIR * popcount(pieces & (pieces >> step))
    if reserve < len(RESERVE):
        value += RESERVE[reserve]
    return value


def evaluate(state: State) -> int:
    """Guess the value of a position for the side to move, a piece being worth 100."""
    value = worth(state.white, state.white_reserve) - worth(state.black, state.black_reserve)
    return value if state.side == 0 else -value


def loud_children(state: State, arena: Any, first: int) -> int:
    """Write the positions after every push that collects rows, some perhaps twice; return their end."""
    own, other, reserve = of_mover(state)
    if reserve == 0:
        return first
    _, loud = open_pushes(own, other)
    end = first
    for number in range(len(LINE)):
        if loud & (1 << number):
            end = finals(state, number, arena, end)
    return end


def mix(value: int, more: int) -> int:
    """Stir a number >= 0 of any width into a hash of 62 bits; wide and 64-bit integers give the same one."""
    while True:
        value = ((value ^ (more & HASH_MASK)) * HASH_FACTOR) & HASH_MASK
        value ^= value >> 31
        more >>= 62
        if more == 0:
            return value


def hash_of(state: State) -> int:
    """Hash a position: board, reserves and side."""
    seed = ((state.white_reserve * 1024 + state.black_reserve) * 2 + state.side + 1) * HASH_FACTOR
    return mix(mix(seed & HASH_MASK, state.white), state.black)


FUNCTIONS = (verdict, worth, evaluate, loud_children, mix, hash_of)
