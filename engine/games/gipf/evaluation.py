"""What the search needs to know of a GIPF position: is it over, what is it worth, what is its hash.

Bound and compiled together with `engine.games.gipf.rules`, whose constants these functions share.

Solvers ask which moves to try first, and how far off the end is at least: `candidates` and `least_plies`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.compiling.bits import HASH_FACTOR, HASH_MASK, mix
from engine.games.gipf.patterns.value import pattern_value
from engine.games.gipf.rules import (
    AXIS_STEPS,
    CENTRE,
    LINE,
    ONE,
    PATH,
    WORDS,
    State,
    can_push,
    children,
    copy,
    finals,
    load,
    of_mover,
    open_pushes,
    store,
)
from engine.games.interface import LOST, UNDECIDED, Arena

# bound by engine.games.gipf.kernel
HAS_TABLES: bool = UNBOUND  # whether positions are evaluated by tables of patterns; then the weights mean nothing
RUN: int = UNBOUND  # K
PIECE: int = UNBOUND  # this and the next ones: the weights of that name
RING: int = UNBOUND
PAIR: int = UNBOUND
BOARD: int = UNBOUND
GAP: int = UNBOUND
THREAT: int = UNBOUND
TEMPO: int = UNBOUND
RESERVE: Sequence[int] = UNBOUND


class Weights(NamedTuple):
    """What the features of a position are worth to the side that has them; whole numbers.

    Centre, clustering and exchanges are features that M. Wentink names (Analysis and Implementation of the game Gipf,
    Maastricht 2001). Lines with more pieces than the opponent's told nothing beside the others. All but the last number
    were fitted to the results of games on the board of 4 4 15 15: see docs/duel.md.
    """

    piece: int = 100
    """A piece that is still in the game, on the board or in reserve."""
    ring: int = 6
    """A piece on the board, for each ring that it stands nearer to the centre; on the edge 1."""
    pair: int = 11
    """Two neighbouring pieces of one colour: they support each other, and grow into runs."""
    reserve_0: int = -657
    """A reserve of no piece: a side without one loses on its turn."""
    reserve_1: int = -94
    """A reserve of one piece; the next ones likewise."""
    reserve_2: int = -65
    reserve_3: int = -29
    reserve_4: int = -9
    board: int = -19
    """A piece on the board, wherever it stands: it cannot be pushed in any more."""
    gap: int = 10
    """Two pieces of one colour with an empty field between them."""
    threat: int = 18
    """A piece of the opponent beside K-1 pieces of K neighbouring fields, in their line: a row would take it.

    This counts for the side that has just moved; what the side to move threatens, the search carries out."""
    tempo: int = 20
    """The right to move. It makes evaluations of odd and even depths comparable, which a selective search lives on."""

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
        single = ("piece", "ring", "pair", "board", "gap", "threat", "tempo")
        return {name.upper(): getattr(self, name) for name in single} | {"RESERVE": self.reserves}

    @property
    def reserves(self) -> tuple[int, ...]:
        """What reserves are worth, that of no piece first."""
        return tuple(weight for name, weight in self._asdict().items() if name.startswith("reserve_"))


WEIGHTS = Weights()


MARGIN = 40
"""See `engine.games.interface.Rules`."""


def verdict(state: State) -> int:
    """Tell whether the side to move has lost; GIPF knows no other end on the board."""
    return UNDECIDED if can_push(state) else LOST


def worth(pieces: int, empty: int, reserve: int) -> int:
    """Evaluate one side: pieces, reserve, places, and how the pieces stand to each other."""
    value = PIECE * (popcount(pieces) + reserve) + BOARD * popcount(pieces)
    for ring in CENTRE:
        value += RING * popcount(pieces & ring)
    for step in AXIS_STEPS:
        value += PAIR * popcount(pieces & (pieces >> step))
        value += GAP * popcount(pieces & (empty >> step) & (pieces >> (2 * step)))
    if reserve < len(RESERVE):
        value += RESERVE[reserve]
    return value


def threatened(pieces: int, other: int) -> int:
    """Count the pieces of ``other`` beside K-1 ``pieces`` on K neighbouring fields of their line; a line each."""
    missing = CENTRE[-1] & ~pieces
    count = 0
    for step in AXIS_STEPS:
        # fields at which so many fields with a piece begin, and those at which all but one hold a piece, not the first
        whole, gapped = pieces, 0
        for distance in range(1, RUN - 1):
            shift = distance * step
            gapped = (gapped & (pieces >> shift)) | (whole & (missing >> shift))
            whole &= pieces >> shift
        gapped &= pieces >> ((RUN - 1) * step)
        beside = ((whole | gapped) >> step) | (whole << ((RUN - 1) * step)) | (gapped << (RUN * step))
        count += popcount(other & beside)
    return count


def evaluate(state: State) -> int:
    """Guess the value of a position for the side to move, a piece being worth 100."""
    own, other, reserve = of_mover(state)
    other_reserve = state.white_reserve + state.black_reserve - reserve
    if HAS_TABLES:
        return pattern_value(own, other, reserve, other_reserve)
    empty = CENTRE[-1] & ~(own | other)
    value = worth(own, empty, reserve) - worth(other, empty, other_reserve)
    return value - THREAT * threatened(other, own) + TEMPO


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after every push that collects rows, some perhaps twice; return their end."""
    own, other, reserve = of_mover(state)
    if reserve == 0:
        return first
    _, tactical = open_pushes(own, other)
    end = first
    for number in range(len(LINE)):
        if tactical & (ONE << number):
            end = finals(state, number, arena, end)
    return end


def mix_wide(value: int, more: int) -> int:
    """Stir a number >= 0 of any width into a hash of 62 bits; wide and 64-bit integers give the same one."""
    while True:
        value = mix(value, int(more & HASH_MASK))
        more >>= 62
        if more == 0:
            return value


def hash_of(state: State) -> int:
    """Hash a position: board, reserves and side."""
    seed = ((state.white_reserve * 1024 + state.black_reserve) * 2 + state.side + 1) * HASH_FACTOR
    return mix_wide(mix_wide(seed & HASH_MASK, state.white), state.black)


def kind_of(state: State, child: State) -> int:
    """Return a number for what a move has changed on the board, which tells pushes apart well enough."""
    return mix_wide(int((state.white ^ child.white) & HASH_MASK), state.black ^ child.black) >> 40


VALUE = PATH
"""Where a place holds the evaluation that it is sorted by: with candidates nobody asks for the path of choices."""


def least_plies(state: State, winning: bool) -> int:
    """Return a number of plies before which the side to move does not win (``winning``), or does not lose.

    Who loses is to move with no piece in reserve, which each move of a side takes one from; or all fields are taken,
    of which a move takes no more than one. Rows give pieces and fields back.
    """
    own, other = state.white_reserve, state.black_reserve
    if state.side != 0:
        own, other = other, own
    return min(popcount(CENTRE[-1] & ~(state.white | state.black)), 2 * other + 1 if winning else 2 * own)


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best, those with the best evaluation first; return their end.

    A win on the spot is enough.
    """
    end = children(state, arena, first)
    for at in range(first, end):
        if not can_push(load(arena, at)):
            copy(arena, at, first)
            return first + 1
    for at in range(first, end):
        arena[at * WORDS + VALUE] = evaluate(load(arena, at))
    for unsorted in range(first + 1, end):
        # insertion sort, in which equal ones keep their order
        state = load(arena, unsorted)
        value = arena[unsorted * WORDS + VALUE]
        at = unsorted
        while at > first and arena[(at - 1) * WORDS + VALUE] > value:
            copy(arena, at - 1, at)
            at -= 1
        store(arena, at, state, value)
    return end
