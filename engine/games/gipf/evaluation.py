"""The evaluation of GIPF positions, and more functions of the rules for search and solver.

The functions are bound and compiled together with `engine.games.gipf.rules`, and share its constants.

**Patterns.** On boards with tables (`engine.games.gipf.patterns`), there is an entry for the content of each line, and
one for both reserves. An entry has a weight and three factors. The value is the sum of all weights, plus the products
of the factors over all pairs of entries. This is a factorization machine of rank 3 (S. Rendle 2010), computed from the
squares of three sums. Patterns with weights fitted to scores of searches began with M. Buro's Logistello (1997). An
entry is one word: the three factors, made positive by a constant, are in the lowest 48 bits, and the weight is above
them. So one addition for each line adds all four numbers.

**Symmetry.** The hexagon has twelve symmetries: six rotations, and six with a reflection. Two alternating reflections
lead through all of them. One exchanges rows and columns, the other one reverses each row.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from engine.compiling.binding import UNBOUND, popcount
from engine.compiling.wide_integers import HASH_FACTOR, HASH_MASK, mix
from engine.games.boards.symmetry import reflect
from engine.games.gipf.geometry import fields_of
from engine.games.gipf.rules import (
    AXIS_STEPS,
    CENTRE,
    LINE,
    ONE,
    VALUE,
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

LANE_BITS = 16
LANE_MASK = (1 << LANE_BITS) - 1
WEIGHT_SHIFT = 3 * LANE_BITS

FRACTION_BITS = 10
"""Fraction bits of the squared sums."""

SURPLUS = 100
"""Value of each piece in reserve beyond those in the tables."""

PATTERN_MARGIN = 28
"""`engine.games.interface.Rules.MARGIN` with patterns, whose values change less from move to move."""

# bound by engine.games.gipf.kernel
WIDTH: int = UNBOUND  # number of rows of the board, of columns and of diagonals
ENTRIES: Sequence[int] = UNBOUND  # the tables of all lengths of lines
RESERVES: int = UNBOUND  # number of reserves with entries, from 0 on
RESERVE_ENTRIES: Sequence[int] = UNBOUND  # a row for each reserve of the side to move
LANE_ZERO: int = UNBOUND  # constant in each sum of factors, which makes it positive
ROW_SHIFTS: Sequence[int] = UNBOUND  # for each row: shift and mask of its fields, and its first place in the *_NUMBERS
ROW_MASKS: Sequence[int] = UNBOUND
ROW_STARTS: Sequence[int] = UNBOUND
FIRST_WORD: int = UNBOUND  # number of columns, and of diagonals, whose contents are in the lowest word
NEXT_WORD: int = UNBOUND  # first bit of the other contents
# for rows, columns (down) and diagonals: first entry of each line, numbers of contents, and their shifts and masks
ROW_ENTRIES: Sequence[int] = UNBOUND
ROW_NUMBERS: Sequence[int] = UNBOUND
DOWN_ENTRIES: Sequence[int] = UNBOUND
DOWN_NUMBERS: Sequence[int] = UNBOUND
DOWN_SHIFTS: Sequence[int] = UNBOUND
DOWN_MASKS: Sequence[int] = UNBOUND
DIAGONAL_ENTRIES: Sequence[int] = UNBOUND
DIAGONAL_NUMBERS: Sequence[int] = UNBOUND
DIAGONAL_SHIFTS: Sequence[int] = UNBOUND
DIAGONAL_MASKS: Sequence[int] = UNBOUND


def pattern_value(own: int, other: int, reserve: int, other_reserve: int) -> int:
    """Evaluate a position by patterns, for the side to move."""
    last = RESERVES - 1
    total = RESERVE_ENTRIES[min(reserve, last) * RESERVES + min(other_reserve, last)]
    down = diagonal = 0
    own_left, other_left = own, other
    for row in range(WIDTH):
        mine = ROW_STARTS[row] + ((int(own_left) >> ROW_SHIFTS[row]) & ROW_MASKS[row])
        theirs = ROW_STARTS[row] + ((int(other_left) >> ROW_SHIFTS[row]) & ROW_MASKS[row])
        own_left >>= WIDTH
        other_left >>= WIDTH
        total += ENTRIES[ROW_ENTRIES[row] + ROW_NUMBERS[mine] + 2 * ROW_NUMBERS[theirs]]
        down += DOWN_NUMBERS[mine] + (DOWN_NUMBERS[theirs] << 1)
        diagonal += DIAGONAL_NUMBERS[mine] + (DIAGONAL_NUMBERS[theirs] << 1)
    down_word, diagonal_word = int(down), int(diagonal)
    for line in range(FIRST_WORD):
        total += ENTRIES[DOWN_ENTRIES[line] + ((down_word >> DOWN_SHIFTS[line]) & DOWN_MASKS[line])]
        total += ENTRIES[DIAGONAL_ENTRIES[line] + ((diagonal_word >> DIAGONAL_SHIFTS[line]) & DIAGONAL_MASKS[line])]
    down_word, diagonal_word = int(down >> NEXT_WORD), int(diagonal >> NEXT_WORD)
    for line in range(FIRST_WORD, WIDTH):
        total += ENTRIES[DOWN_ENTRIES[line] + ((down_word >> DOWN_SHIFTS[line]) & DOWN_MASKS[line])]
        total += ENTRIES[DIAGONAL_ENTRIES[line] + ((diagonal_word >> DIAGONAL_SHIFTS[line]) & DIAGONAL_MASKS[line])]
    first = (total & LANE_MASK) - LANE_ZERO
    second = ((total >> LANE_BITS) & LANE_MASK) - LANE_ZERO
    third = ((total >> (2 * LANE_BITS)) & LANE_MASK) - LANE_ZERO
    surplus = max(reserve - last, 0) - max(other_reserve - last, 0)
    products = first * first - second * second + third * third
    return (total >> WEIGHT_SHIFT) + (products >> FRACTION_BITS) + SURPLUS * surplus


# bound by engine.games.gipf.kernel
HAS_TABLES: bool = UNBOUND  # whether positions are evaluated by patterns; then the weights are not used
RUN: int = UNBOUND  # K
PIECE: int = UNBOUND  # this and the next ones are the fields of `Weights`
RING: int = UNBOUND
PAIR: int = UNBOUND
BOARD: int = UNBOUND
GAP: int = UNBOUND
THREAT: int = UNBOUND
TEMPO: int = UNBOUND
RESERVE: Sequence[int] = UNBOUND


class Weights(NamedTuple):
    """The weights of features, as whole numbers.

    M. Wentink names centre, clustering and exchanges as features (Analysis and Implementation of the game Gipf,
    Maastricht 2001). All numbers but the last one were fitted to results of games of 4 4 15 15.
    """

    piece: int = 100
    """A piece on the board or in reserve."""
    ring: int = 6
    """A piece on the board: once on the edge, and once more for each step towards the centre."""
    pair: int = 11
    """Two neighbouring pieces of one colour."""
    reserve_0: int = -657
    """An empty reserve: the side loses on its turn."""
    reserve_1: int = -94
    """A reserve of one piece, and so on."""
    reserve_2: int = -65
    reserve_3: int = -29
    reserve_4: int = -9
    board: int = -19
    """A piece on the board: it is no longer in reserve."""
    gap: int = 10
    """Two pieces of one colour with an empty field between them."""
    threat: int = 18
    """A piece of the opponent next to K-1 pieces on K neighbouring fields of its line, so that a row would capture it.

    It counts for the side that has just moved. The search plays the threats of the side to move."""
    tempo: int = 20
    """The right to move. It makes evaluations of odd and even depths comparable."""

    @classmethod
    def named(cls, named: Mapping[str, object]) -> "Weights":
        """Return weights, some of them given by name; raises ValueError for unknown names and other values."""
        for name, number in named.items():
            if name not in cls._fields or type(number) is not int:
                names = ", ".join(cls._fields)
                raise ValueError(f"{name}, {number!r} is no weight; weights are whole numbers named {names}")
        return cls(**cast(dict[str, int], named))

    def constants(self) -> dict[str, Any]:
        """Return the weights by the global names that functions read."""
        single = ("piece", "ring", "pair", "board", "gap", "threat", "tempo")
        return {name.upper(): getattr(self, name) for name in single} | {"RESERVE": self.reserves}

    @property
    def reserves(self) -> tuple[int, ...]:
        """The weights of reserves of 0, 1, 2 … pieces."""
        return tuple(weight for name, weight in self._asdict().items() if name.startswith("reserve_"))


WEIGHTS = Weights()


MARGIN = 40
"""See `engine.games.interface.Rules`."""


def verdict(state: State) -> int:
    """Return LOST if the side to move cannot push. GIPF has no other end on the board."""
    return UNDECIDED if can_push(state) else LOST


def side_value(pieces: int, empty: int, reserve: int) -> int:
    """Evaluate one side by its features."""
    value = PIECE * (popcount(pieces) + reserve) + BOARD * popcount(pieces)
    for distance in range(len(CENTRE)):
        value += RING * popcount(pieces & CENTRE[distance])
    for step in AXIS_STEPS:
        value += PAIR * popcount(pieces & (pieces >> step))
        value += GAP * popcount(pieces & (empty >> step) & (pieces >> (2 * step)))
    if reserve < len(RESERVE):
        value += RESERVE[reserve]
    return value


def threatened(pieces: int, other: int) -> int:
    """Count the pieces of ``other`` next to K-1 of ``pieces`` on K neighbouring fields of a line, for each line."""
    missing = CENTRE[-1] & ~pieces
    count = 0
    for step in AXIS_STEPS:
        # fields at which a stretch begins: all its fields have a piece (whole), or all but one, not the first (gapped)
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
    """Evaluate a position for the side to move. A piece is worth 100."""
    own, other, reserve = of_mover(state)
    other_reserve = state.white_reserve + state.black_reserve - reserve
    if HAS_TABLES:
        return pattern_value(own, other, reserve, other_reserve)
    empty = CENTRE[-1] & ~(own | other)
    value = side_value(own, empty, reserve) - side_value(other, empty, other_reserve)
    return value - THREAT * threatened(other, own) + TEMPO


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after every push that makes a run; return their end. Some may occur twice."""
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
    """Mix a number of any width into a hash of 62 bits. Wide and 64-bit integers have the same result."""
    while True:
        value = mix(value, int(more & HASH_MASK))
        more >>= 62
        if more == 0:
            return value


def hash_of(state: State) -> int:
    """Return a hash of a position."""
    seed = ((state.white_reserve * 1024 + state.black_reserve) * 2 + state.side + 1) * HASH_FACTOR
    return mix_wide(mix_wide(seed & HASH_MASK, state.white), state.black)


def kind_of(state: State, child: State) -> int:
    """Return a hash of the changes of a move on the board."""
    return mix_wide(int((state.white ^ child.white) & HASH_MASK), state.black ^ child.black) >> 40


def least_plies(state: State, winning: bool) -> int:
    """Return a lower bound of the plies in which the side to move wins (``winning``), or loses.

    A side loses on its turn if its reserve is empty or the board is full. A move takes one piece from the reserve of
    its side, and occupies at most one more field. Collected rows only delay the end.
    """
    own, other = state.white_reserve, state.black_reserve
    if state.side != 0:
        own, other = other, own
    return min(popcount(CENTRE[-1] & ~(state.white | state.black)), 2 * other + 1 if winning else 2 * own)


def is_win_among(arena: Arena, first: int, end: int) -> bool:
    """Tell whether the side to move has lost in one of the places, and copy the first such position to the front."""
    for at in range(first, end):
        if not can_push(load(arena, at)):
            copy(arena, at, first)
            return True
    return False


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children that include a best one, in the order of their evaluations; return their end.

    A child that wins at once is written alone. If the opponent has an empty reserve, nearly every push wins, so pushes
    are tried one by one.
    """
    own, other = state.white_reserve, state.black_reserve
    if state.side != 0:
        own, other = other, own
    if own != 0 and other == 0:
        occupied = state.white | state.black
        for number in range(len(LINE)):
            if LINE[number] & ~occupied != 0 and is_win_among(arena, first, finals(state, number, arena, first)):
                return first + 1
    end = children(state, arena, first)
    if is_win_among(arena, first, end):
        return first + 1
    for at in range(first, end):
        arena[at * WORDS + VALUE] = evaluate(load(arena, at))
    for unsorted in range(first + 1, end):
        # stable insertion sort
        state = load(arena, unsorted)
        value = arena[unsorted * WORDS + VALUE]
        at = unsorted
        while at > first and arena[(at - 1) * WORDS + VALUE] > value:
            copy(arena, at - 1, at)
            at -= 1
        store(arena, at, state, value)
    return end


SYMMETRIES = 12


def canonical(state: State) -> State:
    """Return the representative of all symmetric positions: the one with the smallest sets of fields."""
    white, black = state.white, state.black
    least_white, least_black = white, black
    for turn in range(SYMMETRIES - 1):
        white, black = reflect(white, turn & 1), reflect(black, turn & 1)
        if white < least_white or (white == least_white and black < least_black):
            least_white, least_black = white, black
    return State(least_white, least_black, state.white_reserve, state.black_reserve, state.side)


def reflections(size: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the image of each field under both reflections of a board. Fields are numbers of bits."""
    last = 2 * size - 2
    exchanged, mirrored = {}, {}
    for row, column in fields_of(size):
        first, end = max(0, row - size + 1), min(last, size - 1 + row)  # the columns of the row
        exchanged[row * (last + 1) + column] = column * (last + 1) + row
        mirrored[row * (last + 1) + column] = row * (last + 1) + first + end - column
    return exchanged, mirrored
