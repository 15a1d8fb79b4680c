"""What the search needs to know of a GIPF position: is it over, what is it worth, what is its hash.

Bound and compiled together with `engine.gipf.rules`, whose constants these functions share.
"""

from typing import Any

from engine.compiled import popcount
from engine.game import LOST, UNDECIDED
from engine.gipf.rules import State, can_push

CENTRE: Any = ()  # bound by engine.gipf.kernel: fields around the centre, the innermost set first

PIECE = 100
"""Worth of a piece that is still in the game, on the board or in reserve."""

RESERVE = (0, -400, -150, -60, -20)
"""What a reserve of so few pieces costs the side that has it: a side without one loses on its turn."""

RING = 3
"""Worth of a piece for each ring that it stands nearer to the centre."""

HASH_FACTOR = 0x2545F4914F6CDD1D
HASH_MASK = (1 << 62) - 1


def verdict(state: State) -> int:
    """Tell whether the side to move has lost; GIPF knows no other end on the board."""
    return UNDECIDED if can_push(state) else LOST


def worth(pieces: int, reserve: int) -> int:
    """Evaluate one side: pieces, reserve, place."""
    value = PIECE * (popcount(pieces) + reserve)
    for ring in CENTRE:
        value += RING * popcount(pieces & ring)
    if reserve < len(RESERVE):
        value += RESERVE[reserve]
    return value


def evaluate(state: State) -> int:
    """Guess the value of a position for the side to move, a piece being worth 100."""
    value = worth(state.white, state.white_reserve) - worth(state.black, state.black_reserve)
    return value if state.side == 0 else -value


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
    return mix(mix(mix(state.white_reserve * 2048 + state.black_reserve * 2 + state.side, 0), state.white), state.black)


FUNCTIONS = (verdict, worth, evaluate, mix, hash_of)
