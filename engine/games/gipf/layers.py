"""Layers of GIPF's positions: those with the same total of pieces, on the board and in reserve, of each side.

Pieces never come into the game, so no move leads to a larger layer. A layer is named by the mover's total and the
other side's: a move that captures nothing leads from layer (m, o) to (o, m). In a layer a position is known by the
two sets of fields, since the reserves follow.

What `engine.solve.layer_values` asks of a game, bound and compiled together with `engine.games.gipf.rules`. The moves
that can be taken back without knowing more than the position after them are those that make no run; they are counted
only. The others are made.

Every position of a layer has a number, the same for all positions that mirror each other. Such a position is two
disjoint sets of fields: those of the side to move, and those of the other side; the reserves follow from the layer. The
symmetry that makes the first set the least of its twelve images is applied to both. The sets that are least among their
images, and hold no run, are sorted, those of fewer pieces first; each has one *place* for every set of fields that it
leaves free and that has no more pieces than the other side has left, those of fewer pieces first here too. So the
number is that of the first place of the mover's set, plus the rank of the other set among such subsets of the free
fields. Where the mover's set is its own image, several places stand for positions that mirror each other: the first of
them counts, and the others are never used; nor are those where the other set holds a run.

Sets are *packed* here: bit f is the f-th field of the board, without the gaps of the rules' layout. What is to be known
of a set is looked up for each half of it. With the digits 0 for a field that is free, 1 for one of the mover and 2 for
one of the other side, the halves of both sets are one number in base 3, for which the rank is looked up.

`engine.games.gipf.kernel.bind_layers` binds the functions, beside those of `engine.games.gipf.rules`.

Source: index functions of endgame databases, which rank a set among the subsets of what others leave free (Nalimov,
Haworth and Heinz 2000), with the symmetry chosen by the first set. Subsets of the same number of pieces are ranked in
the order of their numbers, which is the combinatorial number system (Lehmer 1964): there the rank does not depend on
how many fields are free.
"""

from array import array
from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.games.gipf.evaluation import SYMMETRIES, reflections
from engine.games.gipf.geometry import fields_of, windows
from engine.games.gipf.rules import FIRST, LINE, STEP, UPWARD, State, finals, has_run, load, open_pushes
from engine.games.interface import LOST, UNDECIDED, Arena

LARGEST = 3
"""The largest S whose positions are numbered; with S = 4 they would be 3**37."""

HALF = 10
"""Packed fields of the lower half of a set; no board has more than 2 * HALF of them."""
LOW = (1 << HALF) - 1

LAYOUT_HALF = 13
"""Bits of the lower half of a set in the rules' layout; none has more than 2 * LAYOUT_HALF."""
LAYOUT_LOW = (1 << LAYOUT_HALF) - 1

# A number for each set tells, from the lowest bits on, which symmetry makes it the least of its images, which set that
# is, whether it is its own image in several ways, and its number among those that are least.
SYMMETRY_BITS, SET_BITS = 4, 2 * HALF
OWN_IMAGE = 1 << (SYMMETRY_BITS + SET_BITS)
NUMBER_SHIFT = SYMMETRY_BITS + SET_BITS + 1


# What `engine.games.gipf.kernel.bind_layers` puts in the place of these: tables, as `tables` computes them.
PACKED: Sequence[int] = UNBOUND
LAID: Sequence[int] = UNBOUND
IMAGES: Sequence[int] = UNBOUND
TERNARY: Sequence[int] = UNBOUND
RANKS: Sequence[int] = UNBOUND
SUBSETS: Sequence[int] = UNBOUND
SUBSETS_OF: Sequence[int] = UNBOUND
FEWER: Sequence[int] = UNBOUND
FIELDS: int = UNBOUND  # of the board


class Index(NamedTuple):
    """The larger tables, for the places: arrays, for interpreted functions too."""

    sets: Any
    """For each packed set without a run what is said above, at SYMMETRY_BITS."""
    least: Any
    """The sets that are least of their images, in the order of their numbers."""
    counts: Any
    """How many of these have at most so many pieces, 0 to FIELDS."""
    firsts: Any
    """A row for each number of pieces that the other side has left, 0 to FIELDS: the first places of those sets, and
    the number of all places at the end."""
    ranks: Any
    """For each number below 2**FIELDS how many smaller ones have as many bits set…"""
    ordered: Any
    """… and all these numbers, those with fewer bits first, and the smaller ones of these first."""


def pack(fields: int) -> int:
    """Pack a set of fields."""
    packed: int = PACKED[fields & LAYOUT_LOW] | PACKED[(1 << LAYOUT_HALF) + (fields >> LAYOUT_HALF)]
    return packed


def lay(packed: int) -> int:
    """Return a packed set in the rules' layout."""
    fields: int = LAID[packed & LOW] | LAID[(1 << HALF) + (packed >> HALF)]
    return fields


def image(packed: int, symmetry: int) -> int:
    """Return the image of a packed set under a symmetry, 0 to 11."""
    table = symmetry << (HALF + 1)
    seen: int = IMAGES[table + (packed & LOW)] | IMAGES[table + (1 << HALF) + (packed >> HALF)]
    return seen


def rank_of(own: int, other: int) -> int:
    """Return the number of a packed set among the subsets of the fields that another one leaves free."""
    low: int = RANKS[TERNARY[own & LOW] + 2 * TERNARY[other & LOW]]
    high: int = RANKS[TERNARY[own >> HALF] + 2 * TERNARY[other >> HALF]]
    return (high << (HALF - popcount(own & LOW))) | low


def fewer(free: int, pieces: int) -> int:
    """Return how many sets of so many free fields, 0 to FIELDS, have fewer pieces than that, at most FIELDS + 1."""
    return FEWER[free * (FIELDS + 2) + pieces]


def row_of(theirs: int, index: Index) -> int:
    """Return where the row of ``index.firsts`` begins for so many pieces that the other side has left."""
    return min(theirs, FIELDS) * (len(index.least) + 1)


def place_of(own: int, other: int, theirs: int, index: Index) -> tuple[int, int]:
    """Return the place of two disjoint sets without runs, and how many symmetries leave both of them alone.

    ``own`` are the pieces of the side to move; the other side has ``theirs`` left, no fewer than are on the board. Both
    sets are in the rules' layout.
    """
    known = index.sets[pack(own)]
    least = (known >> SYMMETRY_BITS) & ((1 << SET_BITS) - 1)
    other = image(pack(other), known & ((1 << SYMMETRY_BITS) - 1))
    rank = rank_of(least, other)
    alike = 1
    if known & OWN_IMAGE != 0:
        for symmetry in range(1, SYMMETRIES):
            if image(least, symmetry) == least:
                mirrored = rank_of(least, image(other, symmetry))
                if mirrored < rank:
                    rank = mirrored
                    alike = 1
                elif mirrored == rank:
                    alike += 1
    first = index.firsts[row_of(theirs, index) + (known >> NUMBER_SHIFT)]
    return first + fewer(FIELDS - popcount(least), popcount(other)) + index.ranks[rank], alike


def number_at(place: int, near: int, theirs: int, index: Index) -> int:
    """Return the number of the mover's set in a place; ``near`` is that of an earlier place, or 0."""
    row = row_of(theirs, index)
    while index.firsts[row + near + 1] <= place:
        near += 1
    return near


def sets_at(place: int, number: int, theirs: int, index: Index) -> tuple[int, int]:
    """Return the two sets that have a place: of the side to move, which is the one of that number, and of the other.

    Both are in the rules' layout. This undoes `place_of`.
    """
    own = index.least[number] + 0  # a wide integer, where the table is of narrow ones
    free = FIELDS - popcount(own)
    at = place - index.firsts[row_of(theirs, index) + number]
    pieces = 0
    while fewer(free, pieces + 1) <= at:
        pieces += 1
    rank = index.ordered[fewer(FIELDS, pieces) + at - fewer(free, pieces)] + 0
    low_free = HALF - popcount(own & LOW)
    low = SUBSETS[SUBSETS_OF[own & LOW] + (rank & ((1 << low_free) - 1))]
    high = SUBSETS[SUBSETS_OF[own >> HALF] + (rank >> low_free)]
    return lay(own), lay(low | (high << HALF))


def places(mine: int, theirs: int, index: Index) -> int:
    """Return the number of places of a layer: in the first ones, the side to move has no more than ``mine`` pieces."""
    return index.firsts[row_of(theirs, index) + index.counts[min(mine, FIELDS)]]


def tables(size: int) -> dict[str, Any]:
    """Compute the tables that are bound, as arrays under their names, for boards of side ``size``, at most LARGEST.

    - PACKED: half a set in the rules' layout, packed: the lower halves, then the upper ones
    - LAID: half a packed set in the rules' layout, likewise
    - IMAGES: the image of half a packed set, for each symmetry the lower halves, then the upper ones
    - TERNARY: half a packed set as a number in base 3, with the digits 0 and 1
    - RANKS: the rank of the digits 2 among the subsets of what digits 1 leave free, for a number in base 3
    - SUBSETS: the subsets of what half a set leaves free, by rank; SUBSETS_OF: where those of each half set begin
    - FEWER: what `fewer` looks up
    """
    import numpy

    bits = _bits(size)
    half = numpy.arange(1 << HALF)
    ternary = _halves([3**field for field in range(HALF)], HALF)[: 1 << HALF]
    ranks = _ranks()
    taken = numpy.array([packed.bit_count() for packed in range(1 << HALF)])
    subsets_of = numpy.cumsum(1 << (HALF - taken)) - (1 << (HALF - taken))
    subsets = numpy.zeros(3**HALF, numpy.int16)
    for packed in range(1 << HALF):
        disjoint = numpy.flatnonzero(half & packed == 0)
        subsets[subsets_of[packed] + ranks[ternary[packed] + 2 * ternary[disjoint]]] = disjoint
    packed_bits = [1 << bits.index(bit) if bit in bits else 0 for bit in range(bits[-1] + 1)]
    return {
        "PACKED": _halves(packed_bits, LAYOUT_HALF),
        "LAID": _halves([1 << bit for bit in bits], HALF),
        "IMAGES": numpy.concatenate(_images(size, bits)),
        "TERNARY": ternary,
        "RANKS": ranks,
        "SUBSETS": subsets,
        "SUBSETS_OF": subsets_of.astype(numpy.int32),
        "FEWER": numpy.array(_fewer(len(bits))).reshape(-1),
    }


def make_index(size: int, run: int, images: Any) -> Index:
    """Number the places of boards of side ``size``, at most LARGEST, and run length ``run``; ``images`` are IMAGES."""
    import numpy

    bits = _bits(size)
    count = len(bits)
    below = numpy.array(_fewer(count))
    every = numpy.arange(1 << count)
    pieces = numpy.bitwise_count(every).astype(numpy.int64)
    has_run = numpy.zeros(1 << count, bool)
    for fields in windows(size, run):
        stretch = sum(1 << at for at, bit in enumerate(bits) if fields >> bit & 1)
        has_run |= every & stretch == stretch
    seen = images.reshape(SYMMETRIES, 2, 1 << HALF)
    mirrored = seen[:, 0, every & LOW] | seen[:, 1, every >> HALF]
    least = mirrored.min(axis=0)
    chosen = numpy.flatnonzero(~has_run & (least == every))
    chosen = chosen[numpy.lexsort((chosen, pieces[chosen]))]
    widths = below[count - pieces[chosen], 1:].T  # a row for each number of pieces of the other side
    firsts = numpy.concatenate((numpy.zeros((count + 1, 1), numpy.int64), widths.cumsum(axis=1)), axis=1)
    counts = numpy.bincount(pieces[chosen], minlength=count + 1).cumsum()
    number_of = numpy.zeros(1 << count, numpy.int64)
    number_of[chosen] = numpy.arange(len(chosen))
    own_image = numpy.where((mirrored == every).sum(axis=0) > 1, OWN_IMAGE, 0)
    sets = number_of[least] << NUMBER_SHIFT | own_image | least.astype(numpy.int64) << SYMMETRY_BITS
    sets |= mirrored.argmin(axis=0)
    ordered = numpy.argsort(pieces, kind="stable")
    ranks = numpy.empty(1 << count, numpy.int64)
    ranks[ordered] = every - below[count, pieces[ordered]]
    columns = (("q", sets), ("i", chosen), ("i", counts), ("q", firsts), ("i", ranks), ("i", ordered))
    return Index(*(array(code, column.astype(code).tobytes()) for code, column in columns))


def _fewer(fields: int) -> list[list[int]]:
    """Return for each number of free fields, up to all, what `fewer` says of each number of pieces."""
    return [[sum(comb(free, i) for i in range(pieces)) for pieces in range(fields + 2)] for free in range(fields + 1)]


def _bits(size: int) -> list[int]:
    """Return the fields of a board as bits of the rules' layout, in the order in which they are packed."""
    return [row * (2 * size - 1) + column for row, column in fields_of(size)]


def _halves(parts: list[int], half: int) -> Any:
    """Return the sums of the parts that the bits of a set's lower ``half`` stand for, then of its upper one."""
    import numpy

    table = numpy.zeros((2, 1 << half), numpy.int32)
    for bit, part in enumerate(parts):
        table[bit // half] += numpy.where(numpy.arange(1 << half) >> bit % half & 1, part, 0).astype(numpy.int32)
    return table.reshape(-1)


def _images(size: int, bits: list[int]) -> list[Any]:
    """Return the images of the halves of packed sets under each symmetry."""
    images = []
    fields = bits
    for turn in range(SYMMETRIES):
        images.append(_halves([1 << bits.index(field) for field in fields], HALF))
        fields = [reflections(size)[turn % 2][field] for field in fields]
    return images


def _ranks() -> Any:
    """Return RANKS: the digits 0 and 2, lowest first, are the bits 0 and 1 of the rank; digits 1 are none."""
    import numpy

    numbers = numpy.arange(3**HALF)
    ranks = numpy.zeros(3**HALF, numpy.int16)
    width = numpy.zeros(3**HALF, numpy.int32)
    for _ in range(HALF):
        digit = numbers % 3
        ranks += numpy.where(digit == 2, 1 << width, 0).astype(numpy.int16)
        width += digit != 1
        numbers //= 3
    return ranks


NOTHING = -1
"""What stands in a place that no position has."""

WEIGHT = 12
"""The weight of a move, which the numbers of symmetries divide."""

LISTED = 3
"""Numbers of a move in a list of moves."""


def layer_of(state: State) -> tuple[int, int]:
    """Return the totals of the side to move and of the other one."""
    white = popcount(state.white) + state.white_reserve
    black = popcount(state.black) + state.black_reserve
    return (white, black) if state.side == 0 else (black, white)


def place_in_layer(state: State, index: Index) -> int:
    """Return the place of a position in its layer."""
    if state.side == 0:
        return place_of(state.white, state.black, popcount(state.black) + state.black_reserve, index)[0]
    return place_of(state.black, state.white, popcount(state.white) + state.white_reserve, index)[0]


def moves_from(
    place: int, near: int, mine: int, theirs: int, index: Index, arena: Arena, found: Arena
) -> tuple[int, int, int]:
    """Look at what stands in a place of layer (mine, theirs): its verdict, or NOTHING, and its moves.

    ``near`` is `number_at` the place. Returns the verdict, how many moves can be taken back by `origins_of`, and how
    many others there are. The others are written to ``found``, LISTED numbers each: the layer that the move leads to,
    as the mover's total there and the other one's, and the place. Raises OverflowError where there are more than
    ``found`` or the arena has room for.
    """
    own, other = sets_at(place, near, theirs, index)
    if has_run(other) or place_of(own, other, theirs, index)[0] != place:
        return NOTHING, 0, 0
    possible, tactical = open_pushes(own, other)
    reserve = mine - popcount(own)
    if reserve == 0 or possible == 0:
        return LOST, 0, 0
    state = State(own, other, reserve, theirs - popcount(other), 0)
    possible &= ~tactical
    count = number = 0
    while tactical != 0:
        if tactical & 1:
            end = finals(state, number, arena, 0)
            if (count + end) * LISTED > len(found):
                raise OverflowError("too many ways to collect rows")
            for at in range(end):
                after = load(arena, at)
                totals = layer_of(after)
                found[count * LISTED] = totals[0]
                found[count * LISTED + 1] = totals[1]
                found[count * LISTED + 2] = place_in_layer(after, index)
                count += 1
        tactical >>= 1
        number += 1
    return UNDECIDED, popcount(possible), count


def origins_of(place: int, near: int, mine: int, theirs: int, index: Index, found: Arena) -> int:
    """Write the positions from which a push that makes no run leads to the one in a place; return how many there are.

    ``near`` is `number_at` the place, which is of layer (mine, theirs). ``found`` takes two numbers for each: its
    place, in the layer that belongs to this one, and a weight. An origin may be there several times. The sum of its
    weights is WEIGHT times the number of its pushes that lead to the position, or to one that mirrors it: when a
    symmetries leave the origin alone, and b the position, each way back stands for a/b pushes.
    """
    own, other = sets_at(place, near, theirs, index)
    occupied = own | other
    weight = WEIGHT // place_of(own, other, theirs, index)[1]
    count = 0
    for number in range(len(LINE)):
        if other & FIRST[number] == 0:
            continue
        # take the pushed piece back, then one after the other the pieces that it may have shifted
        empty = FIRST[number]
        before, standing = other ^ empty, own
        while empty & occupied != 0:
            if not has_run(before) and not has_run(standing):
                origin, alike = place_of(before, standing, mine, index)
                found[2 * count] = origin
                found[2 * count + 1] = weight * alike
                count += 1
            shifted = LINE[number] & ((empty << STEP[number]) if UPWARD[number] else (empty >> STEP[number]))
            if before & shifted != 0:
                before ^= shifted | empty
            elif standing & shifted != 0:
                standing ^= shifted | empty
            empty = shifted
    return count
