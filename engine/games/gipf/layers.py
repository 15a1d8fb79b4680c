"""Layers of GIPF positions for retrograde analysis, and the numbering of positions in a layer.

A layer (m, o) has all positions with m pieces of the side to move and o pieces of the other side, on the board and in
reserve. The number of pieces never grows, so no move leads to a larger layer. A move without a capture leads from (m,
o) to (o, m).

`engine.solve.layer_values` uses these functions, which are bound together with `engine.games.gipf.rules`
(`engine.games.gipf.kernel.bind_layers`). A move that makes no run can be taken back from the position after it, so it
is only counted. Other moves are played.

**Places.** In a layer a position is two disjoint sets of fields, since the reserves follow. Symmetric positions have
the same place:

1. The symmetry that makes the set of the side to move the smallest of its twelve images is applied to both sets.
2. The sets without a run that are the smallest of their images are sorted, by their number of pieces first.
3. Each of them has a place for every subset of its free fields with at most the pieces of the other side. These subsets
   are sorted in the same way.

So a place is the first place of the mover's set, plus the rank of the other set among the subsets of the free fields.
If several symmetries leave the mover's set unchanged, symmetric positions have several places. The first one counts,
and the others are unused. Places with a run of the other set are also unused.

**Packed sets.** Bit f of a packed set is field f of the board, without the gaps of the layout. Tables have an entry for
each half of a set. For the rank, each half of both sets together is a number in base 3. Digit 0 is a free field, 1 a
piece of the side to move, 2 a piece of the other side.

Sources: index functions of endgame databases (Nalimov, Haworth and Heinz 2000); combinatorial number system (Lehmer
1964).
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

MAX_SIZE = 3
"""Largest S of boards with layers. For S = 4 there would be up to 3**37 positions."""

HALF = 10
"""Bits of the lower half of a packed set. A board has at most 2 * HALF fields."""
LOW = (1 << HALF) - 1

LAYOUT_HALF = 13
"""Bits of the lower half of a set in the layout of the rules. A board has at most 2 * LAYOUT_HALF bits."""
LAYOUT_LOW = (1 << LAYOUT_HALF) - 1

# The entry of a set in `Index.sets`, from the lowest bits up: the symmetry that makes it the smallest of its images,
# this smallest image, whether several symmetries do so, and the number of the smallest image.
SYMMETRY_BITS, SET_BITS = 4, 2 * HALF
OWN_IMAGE = 1 << (SYMMETRY_BITS + SET_BITS)
NUMBER_SHIFT = SYMMETRY_BITS + SET_BITS + 1


# bound by `engine.games.gipf.kernel.bind_layers`; `tables` computes them
PACKED: Sequence[int] = UNBOUND
LAID: Sequence[int] = UNBOUND
IMAGES: Sequence[int] = UNBOUND
TERNARY: Sequence[int] = UNBOUND
RANKS: Sequence[int] = UNBOUND
SUBSETS: Sequence[int] = UNBOUND
SUBSETS_OF: Sequence[int] = UNBOUND
FEWER: Sequence[int] = UNBOUND
FIELDS: int = UNBOUND  # number of fields of the board


class Index(NamedTuple):
    """The larger tables of the numbering. They are arrays for interpreted functions, too."""

    sets: Any
    """The entry of each packed set without a run (SYMMETRY_BITS)."""
    least: Any
    """The sets that are the smallest of their images, in the order of their numbers."""
    counts: Any
    """How many of these sets have at most 0, 1, … FIELDS pieces."""
    firsts: Any
    """A row for each number of pieces of the other side, 0 to FIELDS: the first place of each set, then the number of
    all places."""
    ranks: Any
    """For each number below 2**FIELDS, how many smaller numbers have the same number of set bits."""
    ordered: Any
    """All numbers below 2**FIELDS, sorted by their number of set bits, then by size."""


def pack(fields: int) -> int:
    """Return the packed form of a set of fields."""
    packed: int = PACKED[fields & LAYOUT_LOW] | PACKED[(1 << LAYOUT_HALF) + (fields >> LAYOUT_HALF)]
    return packed


def lay(packed: int) -> int:
    """Return a packed set in the layout of the rules."""
    fields: int = LAID[packed & LOW] | LAID[(1 << HALF) + (packed >> HALF)]
    return fields


def image(packed: int, symmetry: int) -> int:
    """Return the image of a packed set under a symmetry, 0 to 11."""
    table = symmetry << (HALF + 1)
    seen: int = IMAGES[table + (packed & LOW)] | IMAGES[table + (1 << HALF) + (packed >> HALF)]
    return seen


def rank_of(own: int, other: int) -> int:
    """Return the rank of the packed set ``other`` among the subsets of the fields that ``own`` leaves free."""
    low: int = RANKS[TERNARY[own & LOW] + 2 * TERNARY[other & LOW]]
    high: int = RANKS[TERNARY[own >> HALF] + 2 * TERNARY[other >> HALF]]
    return (high << (HALF - popcount(own & LOW))) | low


def fewer(free: int, pieces: int) -> int:
    """Return how many subsets of ``free`` fields have fewer than ``pieces`` pieces, which is at most FIELDS + 1."""
    return FEWER[free * (FIELDS + 2) + pieces]


def row_of(theirs: int, index: Index) -> int:
    """Return the beginning of the row of ``index.firsts`` for a number of pieces of the other side."""
    return min(theirs, FIELDS) * (len(index.least) + 1)


def place_of(own: int, other: int, theirs: int, index: Index) -> tuple[int, int]:
    """Return the place of two disjoint sets without runs, and the number of symmetries that leave both unchanged.

    ``own`` is the set of the side to move. ``theirs`` is the number of pieces of the other side, also those in reserve.
    Both sets are in the layout of the rules.
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
    """Return the number of the mover's set in a place. ``near`` is the number of an earlier place, or 0."""
    row = row_of(theirs, index)
    while index.firsts[row + near + 1] <= place:
        near += 1
    return near


def sets_at(place: int, number: int, theirs: int, index: Index) -> tuple[int, int]:
    """Return the sets of the side to move and of the other side in a place, the inverse of `place_of`.

    ``number`` is `number_at` the place. Both sets are in the layout of the rules.
    """
    own = index.least[number] + 0  # converts the number of the table to a 64-bit integer
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
    """Return the number of places of a layer. Its positions have at most ``mine`` pieces of the side to move."""
    return index.firsts[row_of(theirs, index) + index.counts[min(mine, FIELDS)]]


def tables(size: int) -> dict[str, Any]:
    """Return the bound tables by name, as arrays, for boards of side ``size``, at most MAX_SIZE.

    - PACKED: the packed form of half a set, first all lower halves, then all upper ones
    - LAID: half a packed set in the layout of the rules, in the same order
    - IMAGES: for each symmetry the images of half a packed set, in the same order
    - TERNARY: half a packed set as a number in base 3 with the digits 0 and 1
    - RANKS: for a number in base 3, the rank of its digits 2 among the subsets of the digits other than 1
    - SUBSETS: for each half set the subsets of its free fields, by rank; they begin at SUBSETS_OF
    - FEWER: the results of `fewer`
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
    """Return the index of boards of side ``size``, at most MAX_SIZE, and run length ``run``. ``images`` is IMAGES."""
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
    """Return the results of `fewer`: a row for each number of free fields."""
    return [[sum(comb(free, i) for i in range(pieces)) for pieces in range(fields + 2)] for free in range(fields + 1)]


def _bits(size: int) -> list[int]:
    """Return the fields of a board as numbers of bits of the layout, in the order of packed sets."""
    return [row * (2 * size - 1) + column for row, column in fields_of(size)]


def _halves(parts: list[int], half: int) -> Any:
    """Return for each lower half of a set the sum of the ``parts`` of its bits, then for each upper half."""
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
    """Return RANKS. From the lowest digit on, 0 and 2 are the bits 0 and 1 of a rank, and 1 is no bit."""
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


UNUSED = -1
"""The verdict on an unused place."""

WEIGHT = 12
"""Weight of a move: a multiple of all numbers of symmetries."""

MOVE_NUMBERS = 3
"""Numbers of a move in a list."""


def layer_of(state: State) -> tuple[int, int]:
    """Return the layer of a position: the pieces of the side to move, and of the other side."""
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
    """Return the verdict on a place of layer (mine, theirs), or UNUSED, and two numbers of its moves.

    The numbers are the moves that `origins_of` can take back, and the other moves. The other moves are written to
    ``found`` as MOVE_NUMBERS numbers each: the layer after the move, and the place in it. ``near`` is `number_at` the
    place. Raises OverflowError if ``found`` or the arena is too small.
    """
    own, other = sets_at(place, near, theirs, index)
    if has_run(other) or place_of(own, other, theirs, index)[0] != place:
        return UNUSED, 0, 0
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
            if (count + end) * MOVE_NUMBERS > len(found):
                raise OverflowError("too many ways to collect rows")
            for at in range(end):
                after = load(arena, at)
                totals = layer_of(after)
                found[count * MOVE_NUMBERS] = totals[0]
                found[count * MOVE_NUMBERS + 1] = totals[1]
                found[count * MOVE_NUMBERS + 2] = place_in_layer(after, index)
                count += 1
        tactical >>= 1
        number += 1
    return UNDECIDED, popcount(possible), count


def origins_of(place: int, near: int, mine: int, theirs: int, index: Index, found: Arena) -> int:
    """Write the positions from which a push without a run leads to a place, and return their number.

    The place belongs to layer (mine, theirs), and ``near`` is `number_at` it. ``found`` gets two numbers for each
    origin: its place in layer (theirs, mine), and a weight. An origin may occur several times. The sum of its weights
    is WEIGHT times the number of its pushes to the position or to a symmetric one. If A symmetries leave the origin
    unchanged, and B the position, each way back counts as A/B pushes.
    """
    own, other = sets_at(place, near, theirs, index)
    occupied = own | other
    weight = WEIGHT // place_of(own, other, theirs, index)[1]
    count = 0
    for number in range(len(LINE)):
        if other & FIRST[number] == 0:
            continue
        # take back the pushed piece, then one by one the pieces that it may have shifted
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
