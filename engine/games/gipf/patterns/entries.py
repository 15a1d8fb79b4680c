"""The entries of the tables that positions have, and tables from numbers that were found for entries: for training."""

from collections.abc import Sequence
from typing import Any

from engine.games.gipf.parameters import Parameters
from engine.games.gipf.patterns.lines import LARGEST, distinct, lengths, lines, shared
from engine.games.gipf.patterns.tables import Entry, Tables, read, write
from engine.games.gipf.patterns.value import FRACTION_BITS
from engine.games.gipf.rules import State
from engine.games.interface import Patterns


def patterns_of(variant: Parameters) -> Patterns | None:
    """Return the patterns of a variant; None for boards whose lines are too long for tables."""
    if variant.size > LARGEST:
        return None
    return Patterns(
        entry_count(variant),
        lambda states: entries_of(variant, states),
        lambda numbers, unit: write(tables_from(variant, numbers, unit)),
    )


def reserve_count(variant: Parameters) -> int:
    """Return the reserves that tables of a variant tell apart: those up to the one at the start."""
    return max(variant.white, variant.black) - 2


def entry_count(variant: Parameters) -> int:
    """Return the number of entries of all tables: those of lines, the shortest first, then those of reserves."""
    return sum(map(distinct, lengths(variant.size))) + reserve_count(variant) ** 2


def entries_of(variant: Parameters, states: Sequence[State]) -> Any:
    """Return the numbers of the entries of each position, a row a position: one for each line, one for the reserves."""
    import numpy

    fields = numpy.array(states, dtype=numpy.int64)
    white, black, white_reserve, black_reserve, side = fields.T
    own, other = numpy.where(side == 0, white, black), numpy.where(side == 0, black, white)
    starts, tables, end = {}, {}, 0
    for length in lengths(variant.size):
        starts[length], tables[length] = end, numpy.array(shared(length))
        end += distinct(length)
    all_lines = lines(variant.size)
    found = numpy.empty((len(states), len(all_lines) + 1), dtype=numpy.int32)
    for column, line in enumerate(all_lines):
        number = sum(((own >> place & 1) + 2 * (other >> place & 1)) * 3**at for at, place in enumerate(line))
        found[:, column] = starts[len(line)] + tables[len(line)][number]
    count = reserve_count(variant)
    mine, theirs = numpy.where(side == 0, (white_reserve, black_reserve), (black_reserve, white_reserve))
    found[:, -1] = end + numpy.minimum(mine, count - 1) * count + numpy.minimum(theirs, count - 1)
    return found


def tables_from(variant: Parameters, numbers: Any, unit: float) -> Tables:
    """Return the tables for numbers of all entries: weights in logits of ``unit``, factors in roots of such."""
    import numpy

    root = (unit * (1 << FRACTION_BITS)) ** 0.5
    scaled = numpy.rint(numbers * [unit, root, root, root]).astype(int).tolist()
    entries: list[Entry] = [(weight, first, second, third) for weight, first, second, third in scaled]
    found, start = {}, 0
    for length in lengths(variant.size):
        found[length] = entries[start : start + distinct(length)]
        start += distinct(length)
    tables = Tables(variant.size, variant.run, found, entries[start:])
    read(write(tables))  # which tells whether they are too large
    return tables
