"""Tables of weights from files, and as the evaluation reads them.

A file is JSON: the board, a list of entries for each length of line, and one for both reserves. An entry is four whole
numbers: a weight, and the three that `engine.games.gipf.evaluation` multiplies. Contents of lines stand in the
order of `engine.games.gipf.patterns.shared`, mirror images once. Reserves stand row by row, a row for each
reserve of the side to move, and the last row and column hold for larger ones too.

A line holds a digit a field: 0 for an empty one, 1 for a piece of the side to move, 2 for one of the other side. In
base 3, with the field of the lowest bit first, this makes the number of its content. A number is a sum over pieces, and
so a sum over the rows of the board: a row adds to all lines of one direction one number, in which each of these lines
has some bits of its own. So it takes a lookup for each row and direction, not for each field. That number takes one
machine word where S is 4, and two where S is 5.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import isqrt
from pathlib import Path
from typing import Any

import msgspec

from engine.compiling.binding import FieldSets, table
from engine.compiling.wide_integers import WORD_BITS, width_for
from engine.games.gipf.evaluation import FRACTION_BITS, LANE_BITS, WEIGHT_SHIFT
from engine.games.gipf.geometry import Parameters, geometry
from engine.games.gipf.rules import State
from engine.games.interface import Patterns

LARGEST = 5
"""The largest S whose lines are short enough: one of 9 fields has 9963 contents that are no mirror images."""

Entry = tuple[int, int, int, int]
"""A weight in hundredths of a piece, and three numbers whose products are worth 1/1024 of that."""

NUMBERS = ("WIDTH", "RESERVES", "LANE_ZERO", "FIRST_WORD", "NEXT_WORD")
ARRAYS = (
    *("ENTRIES", "RESERVE_ENTRIES", "ROW_ENTRIES", "ROW_NUMBERS", "ROW_SHIFTS", "ROW_MASKS", "ROW_STARTS"),
    *("DOWN_ENTRIES", "DOWN_NUMBERS", "DOWN_SHIFTS", "DOWN_MASKS"),
    *("DIAGONAL_ENTRIES", "DIAGONAL_NUMBERS", "DIAGONAL_SHIFTS", "DIAGONAL_MASKS"),
)
"""Global names that `engine.games.gipf.evaluation` reads: of numbers, and of arrays."""


# Lines and their contents


@cache
def lines(size: int) -> tuple[tuple[int, ...], ...]:
    """Return every line once, as places of bits from the lowest one: rows from the top, then direction by direction."""
    found = []
    for entry in geometry(size).entries:
        if entry.step > 0:
            first = entry.first.bit_length() - 1
            found.append((entry.step, tuple(first + entry.step * at for at in range(entry.line.bit_count()))))
    return tuple(places for _, places in sorted(found))


def lengths(size: int) -> range:
    """Return how long lines can be."""
    return range(size, 2 * size)


@cache
def shared(length: int) -> tuple[int, ...]:
    """Return for each content of a line of that length its place among contents that are no mirror images."""
    mirrored = [0]
    for _ in range(length):
        mirrored = [3 * other + digit for digit in range(3) for other in mirrored]
    places: list[int] = []
    count = 0
    for number, other in enumerate(mirrored):
        places.append(places[other] if other < number else count)
        count += other >= number
    return tuple(places)


def distinct(length: int) -> int:
    """Return how many contents a line of that length can have, mirror images being the same."""
    return (3**length + 3 ** ((length + 1) // 2)) // 2


def _sums(weights: Sequence[int]) -> list[int]:
    """Return the sum of each set of weights, in the order of the sets as bits."""
    sums = [0]
    for weight in weights:
        sums += [weight + others for others in sums]
    return sums


# Tables


class Tables(msgspec.Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """The tables of a board and K."""

    size: int
    run: int
    lines: dict[int, list[Entry]]
    """For each length of line, the entries of its contents."""
    reserves: list[Entry]

    @property
    def reserve_count(self) -> int:
        """Reserves of a side for which there are entries."""
        return isqrt(len(self.reserves))

    def constants(self, *, compile: bool) -> dict[str, Any]:
        """Return what the evaluation reads, by global name."""
        width = 2 * self.size - 1
        every = lines(self.size)
        rows = every[:width]
        entries = [*self.reserves, *(entry for of_length in self.lines.values() for entry in of_length)]
        zero = max(abs(number) for _, *numbers in entries for number in numbers)
        words: list[int] = []
        starts = {}
        for length, of_length in self.lines.items():
            starts[length] = len(words)
            found = [_word(entry, zero) for entry in of_length]
            words.extend(found[place] for place in shared(length))
        sets = [1 << len(row) for row in rows]
        arrays: dict[str, list[int]] = {
            "ENTRIES": words,
            "RESERVE_ENTRIES": [_word(entry, zero) for entry in self.reserves],
            "ROW_ENTRIES": [starts[len(row)] for row in rows],
            "ROW_NUMBERS": [number for row in rows for number in _sums([3**at for at in range(len(row))])],
            "ROW_SHIFTS": [row[0] - number * width for number, row in enumerate(rows)],
            "ROW_MASKS": [count - 1 for count in sets],
            "ROW_STARTS": [sum(sets[:number]) for number in range(width)],
        }
        constants: dict[str, Any] = {
            "WIDTH": width,
            "RESERVES": self.reserve_count,
            "LANE_ZERO": zero * (3 * width + 1),
        }
        for name, crossed in (("DOWN", every[width : 2 * width]), ("DIAGONAL", every[2 * width :])):
            bits = [(3 ** len(line) - 1).bit_length() for line in crossed]
            places = _places(bits)
            weights = {
                place: 3**at << start
                for line, start in zip(crossed, places, strict=True)
                for at, place in enumerate(line)
            }
            in_first = sum(place < WORD_BITS for place in places)
            next_word = WORD_BITS if in_first < width else 0
            numbers = [number for row in rows for number in _sums([weights[place] for place in row])]
            arrays[f"{name}_ENTRIES"] = [starts[len(line)] for line in crossed]
            arrays[f"{name}_SHIFTS"] = [place % WORD_BITS for place in places]
            arrays[f"{name}_MASKS"] = [(1 << count) - 1 for count in bits]
            constants[f"{name}_NUMBERS"] = FieldSets(compile, width_for(next_word)).table(numbers)
            constants |= {"FIRST_WORD": in_first, "NEXT_WORD": next_word}
        return constants | {name: table(values, compile=compile) for name, values in arrays.items()}


def _places(bits: Sequence[int]) -> list[int]:
    """Return where numbers of so many bits begin that stand one behind the other, none of them in two words."""
    places = []
    end = 0
    for count in bits:
        if end % WORD_BITS + count >= WORD_BITS:
            end = -(-end // WORD_BITS) * WORD_BITS
        places.append(end)
        end += count
    return places


def _word(entry: Entry, zero: int) -> int:
    weight, *numbers = entry
    return (weight << WEIGHT_SHIFT) + sum((number + zero) << (LANE_BITS * at) for at, number in enumerate(numbers))


# Files


_DECODER = msgspec.json.Decoder(Tables)


@cache
def shipped(size: int, run: int) -> Tables | None:
    """Return the tables that come with this package; None for boards that have none."""
    file = Path(__file__).with_name(f"tables_{size}_{run}.json")
    return read(file.read_bytes()) if file.exists() else None


def read(content: bytes | Mapping[str, object]) -> Tables:
    """Return the tables that a file holds, or the object that was read from it; raises ValueError."""
    try:
        if isinstance(content, bytes):
            found = _DECODER.decode(content)
        else:
            found = msgspec.convert(content, type=Tables, strict=False)  # noqa: TID251 - ready by then
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"these are no tables of an evaluation: {error}") from None
    _check(found)
    return found


def write(tables: Tables) -> bytes:
    """Return the content of a file."""
    return msgspec.json.encode(tables)


def _check(found: Tables) -> None:
    """Raise ValueError for tables that do not fit their board."""
    if not 2 <= found.size <= LARGEST:
        raise ValueError(f"S is {found.size}, but there are tables for boards of side 2 to {LARGEST} alone")
    counts = {length: len(entries) for length, entries in found.lines.items()}
    expected = {length: distinct(length) for length in lengths(found.size)}
    if counts != expected:
        raise ValueError(f"for S = {found.size} lines have {expected} entries by their length, not {counts}")
    if not found.reserves or found.reserve_count**2 != len(found.reserves):
        raise ValueError(f"reserves have {len(found.reserves)} entries, but they need a square number, at least 1")


# Training


def patterns_of(variant: Parameters) -> Patterns | None:
    """Return the patterns of a variant; None for boards whose lines are too long for tables."""
    if variant.size > LARGEST:
        return None
    return Patterns(
        # entries of lines, the shortest first, then those of reserves
        sum(map(distinct, lengths(variant.size))) + reserve_count(variant) ** 2,
        lambda states: entries_of(variant, states),
        lambda numbers, unit: write(tables_from(variant, numbers, unit)),
    )


def reserve_count(variant: Parameters) -> int:
    """Return the reserves that tables of a variant tell apart: those up to the one at the start."""
    return max(variant.white, variant.black) - 2


def entries_of(variant: Parameters, states: Sequence[State]) -> Any:
    """Return the numbers of the entries of each position, a row a position: one for each line, and one for reserves."""
    import numpy

    is_white = numpy.array([state.side == 0 for state in states])
    white, black = (_fields(variant.size, sets) for sets in zip(*(state[:2] for state in states), strict=True))
    held = numpy.where(is_white[:, None], white + 2 * black, black + 2 * white)
    starts, end = {}, 0
    for length in lengths(variant.size):
        starts[length] = end
        end += distinct(length)
    columns = []
    for line in lines(variant.size):
        contents = held[:, line] @ 3 ** numpy.arange(len(line))
        columns.append(starts[len(line)] + numpy.array(shared(len(line)))[contents])
    count = reserve_count(variant)
    white_reserve, black_reserve = numpy.array([state[2:4] for state in states]).clip(max=count - 1).T
    mine, theirs = numpy.where(is_white, (white_reserve, black_reserve), (black_reserve, white_reserve))
    return numpy.stack([*columns, end + mine * count + theirs], axis=1).astype(numpy.int32)


def tables_from(variant: Parameters, numbers: Any, unit: float) -> Tables:
    """Return the tables for numbers of all entries: weights in logits of ``unit``, factors in roots of such."""
    import numpy

    root = (unit * (1 << FRACTION_BITS)) ** 0.5
    scaled = numpy.rint(numbers * [unit, root, root, root]).astype(int).tolist()
    entries = [(weight, first, second, third) for weight, first, second, third in scaled]
    found: dict[int, list[Entry]] = {}
    start = 0
    for length in lengths(variant.size):
        found[length] = entries[start : start + distinct(length)]
        start += distinct(length)
    tables = Tables(variant.size, variant.run, found, entries[start:])
    _check(tables)
    return tables


def _fields(size: int, sets: Sequence[int]) -> Any:
    """Return a row for each set of fields: 1 for a field that it holds, 0 for another."""
    import numpy

    count = -(-((2 * size - 1) ** 2) // 8)
    packed = numpy.frombuffer(b"".join(fields.to_bytes(count, "little") for fields in sets), dtype=numpy.uint8)
    return numpy.unpackbits(packed.reshape(len(sets), count), axis=1, bitorder="little")
