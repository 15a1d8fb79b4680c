"""What search and solvers need to know of a GIPF position: is it over, what is it worth, what mirrors it.

Bound and compiled together with `engine.games.gipf.rules`, whose constants these functions share.

**Patterns.** On boards with tables (`engine.games.gipf.patterns`) the content of each line, and both reserves together,
have an entry: a weight, and three more numbers that weigh them against each other. The value is the sum of all weights,
and of the products of these numbers over all pairs of entries: a factorization machine of rank 3, computed as the
squares of three sums (S. Rendle, Factorization machines, 2010). Patterns whose weights were fitted to scores of
searches began with M. Buro's Logistello (Experiments with Multi-ProbCut and a new high-quality evaluation function for
Othello, 1997). An entry is one word: in its lowest 48 bits the three numbers, made positive by a constant, and the
weight above them. So one addition a line adds all four.

**Symmetry.** The hexagon has twelve symmetries: six turns, and each turn in a mirror. Two reflections, made in turn,
lead through all of them: rows exchanged with columns, and each row read backwards.
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
"""Of the squares of sums, which are taken to be fractions."""

SURPLUS = 100
"""What a piece in reserve is worth beyond those for which there are tables."""

PATTERN_MARGIN = 28
"""See `engine.games.interface.Rules`. Values of patterns change less from move to move than those of features do."""

# bound by engine.games.gipf.kernel
WIDTH: int = UNBOUND  # rows of the board, and lines of each direction
ENTRIES: Sequence[int] = UNBOUND  # the tables of all lengths, one behind the other
RESERVES: int = UNBOUND  # reserves for which there are entries, 0 to one less
RESERVE_ENTRIES: Sequence[int] = UNBOUND  # row by row, for each reserve of the side to move those of the other one
LANE_ZERO: int = UNBOUND  # what was added to each sum of numbers
ROW_SHIFTS: Sequence[int] = UNBOUND  # this and the next two: `Rows`
ROW_MASKS: Sequence[int] = UNBOUND
ROW_STARTS: Sequence[int] = UNBOUND
FIRST_WORD: int = UNBOUND  # columns, and diagonals, whose numbers are in the lowest word
NEXT_WORD: int = UNBOUND  # where the numbers of the others begin
# of the rows, the columns (down) and the diagonals: where in ENTRIES the table of each line begins, and `Direction`
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
    """Evaluate a position for the side to move, from its pieces, those of the other side, and both reserves."""
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
    were fitted to the results of games on the board of 4 4 15 15: see docs/engine.md.
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
        for name, number in named.items():
            if name not in cls._fields or type(number) is not int:
                names = ", ".join(cls._fields)
                raise ValueError(f"{name}, {number!r} is no weight; weights are whole numbers named {names}")
        return cls(**cast(dict[str, int], named))

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
    for distance in range(len(CENTRE)):
        value += RING * popcount(pieces & CENTRE[distance])
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


def least_plies(state: State, winning: bool) -> int:
    """Return a number of plies before which the side to move does not win (``winning``), or does not lose.

    Who loses is to move with no piece in reserve, which each move of a side takes one from; or all fields are taken,
    of which a move takes no more than one. Rows give pieces and fields back.
    """
    own, other = state.white_reserve, state.black_reserve
    if state.side != 0:
        own, other = other, own
    return min(popcount(CENTRE[-1] & ~(state.white | state.black)), 2 * other + 1 if winning else 2 * own)


def is_win_among(arena: Arena, first: int, end: int) -> bool:
    """Tell whether the side to move has lost in one of some places, and copy the first such position to the front."""
    for at in range(first, end):
        if not can_push(load(arena, at)):
            copy(arena, at, first)
            return True
    return False


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best, those with the best evaluation first; return their end.

    A win on the spot is enough. Where the opponent has no piece in reserve, nearly every push wins: pushes are made one
    by one until one does.
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
        # insertion sort, in which equal ones keep their order
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
    """Return the position that stands for all that mirror this one: the one with the least sets of fields."""
    white, black = state.white, state.black
    least_white, least_black = white, black
    for turn in range(SYMMETRIES - 1):
        white, black = reflect(white, turn & 1), reflect(black, turn & 1)
        if white < least_white or (white == least_white and black < least_black):
            least_white, least_black = white, black
    return State(least_white, least_black, state.white_reserve, state.black_reserve, state.side)


def reflections(size: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the image of each field under both reflections, on boards of a side; fields are numbers of bits."""
    last = 2 * size - 2
    exchanged, mirrored = {}, {}
    for row, column in fields_of(size):
        first, end = max(0, row - size + 1), min(last, size - 1 + row)  # the columns of the row
        exchanged[row * (last + 1) + column] = column * (last + 1) + row
        mirrored[row * (last + 1) + column] = row * (last + 1) + first + end - column
    return exchanged, mirrored
