"""Lines of fields on any board: how far each side has filled them. For bots: search and rules have faster ways."""

from collections.abc import Iterator, Sequence

Counts = tuple[int, ...]
"""How many lines hold 0, 1, 2 … pieces of a side, and none of the other."""


def count_lines(lines: Sequence[int], length: int, own: int, other: int) -> Counts:
    """Count the lines of so many fields that hold no piece of ``other``, by the number of pieces of ``own`` in them.

    Lines and pieces are sets of fields, a bit a field. The result has an entry for each number from 0 to ``length``.
    """
    counts = [0] * (length + 1)
    for line in lines:
        if not line & other:
            counts[(line & own).bit_count()] += 1
    return tuple(counts)


def completing_fields(lines: Sequence[int], length: int, own: int, other: int) -> int:
    """Return the fields on which a piece of ``own`` fills a line; none of them holds a piece."""
    found = 0
    for line in lines:
        if not line & other and (line & own).bit_count() == length - 1:
            found |= line & ~own
    return found


def each_field(fields: int) -> Iterator[int]:
    """Yield the fields of a set, a bit each, the lowest first."""
    while fields:
        field = fields & -fields
        yield field
        fields ^= field
