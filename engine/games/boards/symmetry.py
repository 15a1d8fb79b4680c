"""Reflections of boards, each a list of *delta swaps*: pairs of fields with the same distance change places at once.

Knuth, The Art of Computer Programming 4A, 7.1.3. Symmetries are made of reflections, one after the other.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND

# bound with the constants of a board, as `Swaps` has them
SWAPS_FROM: Sequence[int] = UNBOUND
DISTANCES: Sequence[int] = UNBOUND
LOWER: Sequence[int] = UNBOUND


def reflect(fields: int, kind: int) -> int:
    """Return a set of fields under a reflection, given by its number."""
    for i in range(SWAPS_FROM[kind], SWAPS_FROM[kind + 1]):
        different = (fields ^ (fields >> DISTANCES[i])) & LOWER[i]
        fields ^= different ^ (different << DISTANCES[i])
    return fields


class Swaps(NamedTuple):
    """The swaps of all reflections of a board."""

    starts: list[int]
    """Where the swaps of each reflection begin, and where the last ones end."""
    distances: list[int]
    """Bits between the two fields of each pair, for each swap."""
    lower: list[int]
    """The fields with the lower bit of each pair, for each swap."""


def swaps_of(reflections: Sequence[Mapping[int, int]]) -> Swaps:
    """Return the swaps of reflections, each given as the image of each field; fields are numbers of bits."""
    found = Swaps([0], [], [])
    for images in reflections:
        lower: dict[int, int] = {}
        for field, image in images.items():
            if field < image:
                lower[image - field] = lower.get(image - field, 0) | 1 << field
        found.distances.extend(lower)
        found.lower.extend(lower.values())
        found.starts.append(len(found.lower))
    return found
