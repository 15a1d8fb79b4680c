"""The entries of the tables that positions have, and tables from numbers that were found for entries: for training.

Where lines are long, most contents of a line are rare, and training meets them too seldom. So there each window of a
few neighbouring fields has an entry, too, the same for all lines: what is found for a content of a line is added to
what is found for its windows. Tables hold the sums, so windows cost an evaluation nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from engine.games.gipf.parameters import Parameters
from engine.games.gipf.patterns.lines import LARGEST, distinct, lengths, lines, shared
from engine.games.gipf.patterns.tables import Entry, Tables, read, write
from engine.games.gipf.patterns.value import FRACTION_BITS
from engine.games.gipf.rules import State
from engine.games.interface import Patterns

LARGEST_WITHOUT_WINDOWS = 4
"""The largest S for which entries of lines alone are trained."""

WINDOW = 5
"""Fields of a window: as many as four in a row take, and what is beside them."""


class Part(NamedTuple):
    """Fields of the board, in their order, and the entries for what they hold."""

    places: tuple[int, ...]
    first: int
    """The number of their first entry."""


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
    """Return the number of entries: those of lines, the shortest first, then those of reserves and of windows."""
    return _end_of_tables(variant) + (distinct(WINDOW) if has_windows(variant.size) else 0)


def has_windows(size: int) -> bool:
    """Tell whether windows have entries on a board."""
    return size > LARGEST_WITHOUT_WINDOWS


def entries_of(variant: Parameters, states: Sequence[State]) -> Any:
    """Return the numbers of the entries of each position, a row a position.

    There is one for each line and each window, and one for the reserves.
    """
    import numpy

    is_white = numpy.array([state.side == 0 for state in states])
    white, black = (_fields(variant.size, sets) for sets in zip(*(state[:2] for state in states), strict=True))
    held = numpy.where(is_white[:, None], white + 2 * black, black + 2 * white)
    parts = list(_parts(variant))
    found = numpy.empty((len(states), len(parts) + 1), dtype=numpy.int32)
    for column, (places, first) in enumerate(parts):
        found[:, column] = first + numpy.array(shared(len(places)))[held[:, places] @ 3 ** numpy.arange(len(places))]
    count = reserve_count(variant)
    white_reserve, black_reserve = numpy.array([state[2:4] for state in states]).clip(max=count - 1).T
    mine, theirs = numpy.where(is_white, (white_reserve, black_reserve), (black_reserve, white_reserve))
    found[:, -1] = _end_of_lines(variant) + mine * count + theirs
    return found


def tables_from(variant: Parameters, numbers: Any, unit: float) -> Tables:
    """Return the tables for numbers of all entries: weights in logits of ``unit``, factors in roots of such."""
    import numpy

    root = (unit * (1 << FRACTION_BITS)) ** 0.5
    found: dict[int, list[Entry]] = {}
    start = 0
    for length in lengths(variant.size):
        of_length = numbers[start : start + distinct(length)].copy()
        if has_windows(variant.size):
            of_windows = numbers[_end_of_tables(variant) :]
            _, first = numpy.unique(shared(length), return_index=True)  # a content for each entry
            for at in range(length - WINDOW + 1):
                of_length += of_windows[numpy.array(shared(WINDOW))[first // 3**at % 3**WINDOW]]
        found[length] = _scaled(of_length, unit, root)
        start += distinct(length)
    reserves = _scaled(numbers[start : _end_of_tables(variant)], unit, root)
    tables = Tables(variant.size, variant.run, found, reserves)
    read(write(tables))  # which tells whether they are too large
    return tables


def _scaled(numbers: Any, unit: float, root: float) -> list[Entry]:
    import numpy

    scaled = numpy.rint(numbers * [unit, root, root, root]).astype(int).tolist()
    return [(weight, first, second, third) for weight, first, second, third in scaled]


def _end_of_lines(variant: Parameters) -> int:
    return sum(map(distinct, lengths(variant.size)))


def _end_of_tables(variant: Parameters) -> int:
    return _end_of_lines(variant) + reserve_count(variant) ** 2


def _parts(variant: Parameters) -> Iterator[Part]:
    """Yield every line, then every window."""
    starts, end = {}, 0
    for length in lengths(variant.size):
        starts[length] = end
        end += distinct(length)
    for line in lines(variant.size):
        yield Part(line, starts[len(line)])
    if has_windows(variant.size):
        for line in lines(variant.size):
            for at in range(len(line) - WINDOW + 1):
                yield Part(line[at : at + WINDOW], _end_of_tables(variant))


def _fields(size: int, sets: Sequence[int]) -> Any:
    """Return a row for each set of fields: 1 for a field that it holds, 0 for another."""
    import numpy

    count = -(-((2 * size - 1) ** 2) // 8)
    packed = numpy.frombuffer(b"".join(fields.to_bytes(count, "little") for fields in sets), dtype=numpy.uint8)
    return numpy.unpackbits(packed.reshape(len(sets), count), axis=1, bitorder="little")
