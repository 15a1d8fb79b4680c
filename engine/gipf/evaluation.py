"""What the search needs to know of a GIPF position: is it over, what is it worth, what is its hash.

Bound and compiled together with `engine.gipf.rules`, whose constants these functions share.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.compiled import popcount
from engine.game import LOST, UNDECIDED
from engine.gipf.rules import State, can_push, finals, of_mover, open_pushes

# bound by engine.gipf.kernel
CENTRE: Any = ()  # fields around the centre, the innermost set first
AXIS_STEPS = (0, 0, 0)
LINE: Any = ()
PIECE = RING = PAIR = 0
RESERVE: Any = ()


class Weights(NamedTuple):
    """What the features of a position are worth to the side that has them; whole numbers.

    The defaults were found by games between candidates on the board of 4 4 15 15, at 10 ms a move.
    """

    piece: int = 100
    """A piece that is still in the game, on the board or in reserve."""
    ring: int = 4
    """A piece, for each ring that it stands nearer to the centre."""
    pair: int = 5
    """Two neighbouring pieces of one colour: they support each other, and grow into runs."""
    reserve_0: int = 0
    """A reserve of no piece: a side without one loses on its turn."""
    reserve_1: int = -200
    """A reserve of one piece; the next ones likewise."""
    reserve_2: int = -75
    reserve_3: int = -30
    reserve_4: int = -10

    @classmethod
    def named(cls, named: Mapping[str, object]) -> "Weights":
        """Return weights of which some are named; raises ValueError for other names and other than whole numbers."""
        numbers: dict[str, int] = {}
        for name, number in named.items():
            if name not in cls._fields:
                raise ValueError(f"there is no weight {name!r}; the weights are {', '.join(cls._fields)}")
            if not isinstance(number, int) or isinstance(number, bool):
                raise ValueError(f"the weight {name} is {number!r}, but it has to be a whole number")
            numbers[name] = number
        return cls(**numbers)

    def constants(self) -> dict[str, Any]:
        """Return what the functions here read, by global name."""
        return {"PIECE": self.piece, "RING": self.ring, "PAIR": self.pair, "RESERVE": self[3:]}


WEIGHTS = Weights()

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
