"""Reflections of boards as lists of delta swaps (Knuth, The Art of Computer Programming 4A, 7.1.3).

A delta swap exchanges all pairs of fields with the same distance at once. Symmetries are sequences of reflections.
"""

from collections.abc import Mapping, Sequence

from engine.compiling.binding import UNBOUND

# constants of a board, from `swaps_of`
SWAPS_FROM: Sequence[int] = UNBOUND
DISTANCES: Sequence[int] = UNBOUND
LOWER: Sequence[int] = UNBOUND


def reflect(fields: int, kind: int) -> int:
    """Return the image of a set of fields under the reflection with a number."""
    for i in range(SWAPS_FROM[kind], SWAPS_FROM[kind + 1]):
        different = (fields ^ (fields >> DISTANCES[i])) & LOWER[i]
        fields ^= different ^ (different << DISTANCES[i])
    return fields


def swaps_of(reflections: Sequence[Mapping[int, int]]) -> tuple[list[int], list[int], list[int]]:
    """Return the delta swaps of reflections, each given as the image of each field. Fields are numbers of bits.

    The result is three lists:

    - for each reflection the place at which its swaps begin, and at last their end;
    - for each swap the distance of its pairs, in bits;
    - for each swap the lower fields of its pairs.
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
