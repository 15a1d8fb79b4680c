"""Reflections of boards, each a list of *delta swaps*: pairs of fields with the same distance change places at once.

Knuth, The Art of Computer Programming 4A, 7.1.3. Symmetries are made of reflections, one after the other.
"""

from collections.abc import Mapping, Sequence

from engine.compiling.binding import UNBOUND

# bound with the constants of a board, as `swaps_of` returns them
SWAPS_FROM: Sequence[int] = UNBOUND
DISTANCES: Sequence[int] = UNBOUND
LOWER: Sequence[int] = UNBOUND


def reflect(fields: int, kind: int) -> int:
    """Return a set of fields under a reflection, given by its number."""
    for i in range(SWAPS_FROM[kind], SWAPS_FROM[kind + 1]):
        different = (fields ^ (fields >> DISTANCES[i])) & LOWER[i]
        fields ^= different ^ (different << DISTANCES[i])
    return fields


def swaps_of(reflections: Sequence[Mapping[int, int]]) -> tuple[list[int], list[int], list[int]]:
    """Return the swaps of reflections, each given as the image of each field; fields are numbers of bits.

    These are the places at which the swaps of each reflection begin, and the end of the last ones; for each swap the
    bits between the two fields of each pair; and for each swap the fields with the lower bit of each pair.
    """
    starts: list[int] = [0]
    distances: list[int] = []
    lower_fields: list[int] = []
    for images in reflections:
        lower: dict[int, int] = {}
        for field, image in images.items():
            if field < image:
                lower[image - field] = lower.get(image - field, 0) | 1 << field
        distances.extend(lower)
        lower_fields.extend(lower.values())
        starts.append(len(lower_fields))
    return starts, distances, lower_fields
