"""A number for every position of GIPF, the same for all that mirror each other, when the reserves are left aside.

Such a position is two disjoint sets of fields: those of the side to move, and those of the other side. The symmetry
that makes the first set the least of its twelve images is applied to both. The sets that are least among their images,
and hold no run, are sorted, those of fewer pieces first; each has one *place* for every set of fields that it leaves
free. So the number is that of the first place of the mover's set, plus the rank of the other set among the subsets of
the free fields. Where the mover's set is its own image, several places stand for positions that mirror each other: the
first of them counts, and the others are never used; nor are those where the other set holds a run.

Sets are *packed* here: bit f is the f-th field of the board, without the gaps of the rules' layout. What is to be known
of a set is looked up for each half of it. With the digits 0 for a field that is free, 1 for one of the mover and 2 for
one of the other side, the halves of both sets are one number in base 3, for which the rank is looked up.

`engine.games.gipf.kernel.bind_layers` binds the functions, beside those of `engine.games.gipf.rules`.

Source: index functions of endgame databases, which rank a set among the subsets of what others leave free (Nalimov,
Haworth and Heinz 2000), with the symmetry chosen by the first set.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.solving.symmetry import SYMMETRIES

LARGEST = 3
"""The largest S whose positions are numbered; with S = 4 they would be 3**37."""

HALF = 10
"""Packed fields of the lower half of a set; no board has more than 2 * HALF of them."""
LOW = (1 << HALF) - 1

LAYOUT_HALF = 13
"""Bits of the lower half of a set in the rules' layout; none has more than 2 * LAYOUT_HALF."""
LAYOUT_LOW = (1 << LAYOUT_HALF) - 1

# A number for each set tells, from the lowest bits on, which symmetry makes it the least of its images, which set that
# is, whether it is its own image in several ways, and its first place.
SYMMETRY_BITS, SET_BITS = 4, 2 * HALF
OWN_IMAGE = 1 << (SYMMETRY_BITS + SET_BITS)
PLACE_SHIFT = SYMMETRY_BITS + SET_BITS + 1


# What `engine.games.gipf.kernel.bind_layers` puts in the place of these: tables, as `tables` computes them.
PACKED: Sequence[int] = UNBOUND
LAID: Sequence[int] = UNBOUND
IMAGES: Sequence[int] = UNBOUND
TERNARY: Sequence[int] = UNBOUND
RANKS: Sequence[int] = UNBOUND
SUBSETS: Sequence[int] = UNBOUND
SUBSETS_OF: Sequence[int] = UNBOUND


class Index(NamedTuple):
    """The larger tables, for the places; lists, or arrays for compiled functions, which no one type names."""

    sets: Any
    """For each packed set without a run what is said above, at SYMMETRY_BITS."""
    least: Any
    """The sets that are least of their images, in the order of their places…"""
    firsts: Any
    """… and their first places; the number of all places at the end."""


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


def place_of(own: int, other: int, index: Index) -> tuple[int, int]:
    """Return the place of two disjoint sets without runs, and how many symmetries leave both of them alone.

    ``own`` are the pieces of the side to move. Both sets are in the rules' layout.
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
    return (known >> PLACE_SHIFT) + rank, alike


def number_at(place: int, near: int, index: Index) -> int:
    """Return the number of the mover's set in a place; ``near`` is that of an earlier place, or 0."""
    while index.firsts[near + 1] <= place:
        near += 1
    return near


def sets_at(place: int, number: int, index: Index) -> tuple[int, int]:
    """Return the two sets that have a place: of the side to move, which is the one of that number, and of the other.

    Both are in the rules' layout. This undoes `rank_of`.
    """
    own = index.least[number] + 0  # a wide integer, where the table is of narrow ones
    rank = place - index.firsts[number]
    low_free = HALF - popcount(own & LOW)
    low = SUBSETS[SUBSETS_OF[own & LOW] + (rank & ((1 << low_free) - 1))]
    high = SUBSETS[SUBSETS_OF[own >> HALF] + (rank >> low_free)]
    return lay(own), lay(low | (high << HALF))


def places(most: int, index: Index) -> int:
    """Return the number of places in which the side to move has at most so many pieces; they are the first ones."""
    sets = 0
    while sets < len(index.least) and popcount(index.least[sets]) <= most:
        sets += 1
    return index.firsts[sets]


def tables(size: int, reflections: tuple[Callable[[int], int], ...]) -> dict[str, Any]:
    """Compute the tables that are bound, as arrays under their names, for boards of side ``size``, at most LARGEST.

    ``reflections`` are the two that lead through all symmetries when they are made in turn, on sets of fields.

    - PACKED: half a set in the rules' layout, packed: the lower halves, then the upper ones
    - LAID: half a packed set in the rules' layout, likewise
    - IMAGES: the image of half a packed set, for each symmetry the lower halves, then the upper ones
    - TERNARY: half a packed set as a number in base 3, with the digits 0 and 1
    - RANKS: the rank of the digits 2 among the subsets of what digits 1 leave free, for a number in base 3
    - SUBSETS: the subsets of what half a set leaves free, by rank; SUBSETS_OF: where those of each half set begin
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
        "IMAGES": numpy.concatenate(_images(bits, reflections)),
        "TERNARY": ternary,
        "RANKS": ranks,
        "SUBSETS": subsets,
        "SUBSETS_OF": subsets_of.astype(numpy.int32),
    }


def make_index(size: int, run: int, images: Any) -> Index:
    """Number the places of boards of side ``size``, at most LARGEST, and run length ``run``; ``images`` are IMAGES."""
    import numpy

    bits = _bits(size)
    count = len(bits)
    every = numpy.arange(1 << count)
    pieces = numpy.bitwise_count(every).astype(numpy.int64)
    has_run = numpy.zeros(1 << count, bool)
    for stretch in _runs(size, run, bits):
        has_run |= every & stretch == stretch
    seen = images.reshape(SYMMETRIES, 2, 1 << HALF)
    mirrored = seen[:, 0, every & LOW] | seen[:, 1, every >> HALF]
    least = mirrored.min(axis=0)
    chosen = numpy.flatnonzero(~has_run & (least == every))
    chosen = chosen[numpy.lexsort((chosen, pieces[chosen]))]
    firsts = numpy.concatenate(([0], numpy.cumsum(1 << (count - pieces[chosen]))))
    first_of = numpy.zeros(1 << count, numpy.int64)
    first_of[chosen] = firsts[:-1]
    own_image = numpy.where((mirrored == every).sum(axis=0) > 1, OWN_IMAGE, 0)
    sets = first_of[least] << PLACE_SHIFT | own_image | least.astype(numpy.int64) << SYMMETRY_BITS
    sets |= mirrored.argmin(axis=0)
    return Index(sets, chosen.astype(numpy.int32), firsts)


def _bits(size: int) -> list[int]:
    """Return the fields of a board as bits of the rules' layout, in the order in which they are packed."""
    width = geometry(size).width
    return [row * width + column for row in range(width) for column in range(width) if is_field(size, row, column)]


def _halves(parts: list[int], half: int) -> Any:
    """Return the sums of the parts that the bits of a set's lower ``half`` stand for, then of its upper one."""
    import numpy

    table = numpy.zeros((2, 1 << half), numpy.int32)
    for bit, part in enumerate(parts):
        table[bit // half] += numpy.where(numpy.arange(1 << half) >> bit % half & 1, part, 0).astype(numpy.int32)
    return table.reshape(-1)


def _images(bits: list[int], reflections: tuple[Callable[[int], int], ...]) -> list[Any]:
    """Return the images of the halves of packed sets under each symmetry."""
    images = []
    fields = bits
    for turn in range(SYMMETRIES):
        images.append(_halves([1 << bits.index(field) for field in fields], HALF))
        fields = [reflections[turn % 2](1 << field).bit_length() - 1 for field in fields]
    return images


def _runs(size: int, run: int, bits: list[int]) -> list[int]:
    """Return every stretch of ``run`` fields on a line, as a packed set."""
    lines = []
    for entry in geometry(size).entries:
        along = [field for field, bit in enumerate(bits) if entry.line >> bit & 1]
        lines += [along[start : start + run] for start in range(len(along) - run + 1)]
    return sorted({sum(1 << field for field in stretch) for stretch in lines})


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
