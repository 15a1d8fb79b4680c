"""Tables of patterns: files, constants of the evaluation, and entries for training.

A file is JSON. It has the board, a list of entries for each length of line, and a list for both reserves. An entry is
four whole numbers: a weight and three factors (`engine.games.gipf.evaluation`). Contents of lines are in the order of
`shared`, with mirror images once. Reserves have a row for each reserve of the side to move. The last row and column
also apply to larger reserves.

The content of a line is a number in base 3, with the field of the lowest bit first. A digit is 0 for an empty field, 1
for a piece of the side to move, 2 for a piece of the other side. This number is a sum over the rows of the board. So
one lookup for each row adds to all columns, and one to all diagonals: a word has some bits for each of these lines. It
needs one machine word for S = 4, and two for S = 5.
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

MAX_SIZE = 5
"""Largest S with tables: a line of 9 fields has 9963 contents without mirror images."""

Entry = tuple[int, int, int, int]
"""A weight in hundredths of a piece, and three factors, whose products count in units of 1/1024 of that."""

NUMBERS = ("WIDTH", "RESERVES", "LANE_ZERO", "FIRST_WORD", "NEXT_WORD")
ARRAYS = (
    *("ENTRIES", "RESERVE_ENTRIES", "ROW_ENTRIES", "ROW_NUMBERS", "ROW_SHIFTS", "ROW_MASKS", "ROW_STARTS"),
    *("DOWN_ENTRIES", "DOWN_NUMBERS", "DOWN_SHIFTS", "DOWN_MASKS"),
    *("DIAGONAL_ENTRIES", "DIAGONAL_NUMBERS", "DIAGONAL_SHIFTS", "DIAGONAL_MASKS"),
)
"""Global names of `engine.games.gipf.evaluation` for numbers, and for arrays."""


# Lines and their contents


@cache
def lines(size: int) -> tuple[tuple[int, ...], ...]:
    """Return every line as numbers of bits in ascending order: first all rows, then the other two directions."""
    found = []
    for entry in geometry(size).entries:
        if entry.step > 0:
            first = entry.first.bit_length() - 1
            found.append((entry.step, tuple(first + entry.step * at for at in range(entry.line.bit_count()))))
    return tuple(places for _, places in sorted(found))


def lengths(size: int) -> range:
    """Return the lengths of lines."""
    return range(size, 2 * size)


@cache
def shared(length: int) -> tuple[int, ...]:
    """Return for each content of a line its place among the contents without mirror images."""
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
    """Return the number of contents of a line without mirror images."""
    return (3**length + 3 ** ((length + 1) // 2)) // 2


def _sums(weights: Sequence[int]) -> list[int]:
    """Return the sum of each subset of the weights, in the order of the subsets as bits."""
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
    """The entries of contents, by the length of the line."""
    reserves: list[Entry]

    @property
    def reserve_count(self) -> int:
        """Number of reserves of a side with entries."""
        return isqrt(len(self.reserves))

    def constants(self, *, compile: bool) -> dict[str, Any]:
        """Return the constants of the evaluation by global name."""
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
    """Return the first bits of consecutive numbers with these numbers of bits. No number crosses a word."""
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
    """Return the tables of a board in this package, or None."""
    file = Path(__file__).with_name(f"tables_{size}_{run}.json")
    return read(file.read_bytes()) if file.exists() else None


def read(content: bytes | Mapping[str, object]) -> Tables:
    """Read tables from the content of a file, or from its JSON object; raises ValueError."""
    try:
        if isinstance(content, bytes):
            found = _DECODER.decode(content)
        else:
            found = msgspec.convert(content, type=Tables, strict=False)  # noqa: TID251 - ready by then
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"this is no file of pattern tables: {error}") from None
    _check(found)
    return found


def write(tables: Tables) -> bytes:
    """Return the content of a file of tables."""
    return msgspec.json.encode(tables)


def _check(found: Tables) -> None:
    """Raise ValueError for tables that do not fit their board."""
    if not 2 <= found.size <= MAX_SIZE:
        raise ValueError(f"S is {found.size}, but only boards of side 2 to {MAX_SIZE} have tables")
    counts = {length: len(entries) for length, entries in found.lines.items()}
    expected = {length: distinct(length) for length in lengths(found.size)}
    if counts != expected:
        raise ValueError(f"for S = {found.size} lines have {expected} entries by their length, not {counts}")
    if not found.reserves or found.reserve_count**2 != len(found.reserves):
        raise ValueError(f"reserves have {len(found.reserves)} entries, but they need a square number, at least 1")


# Training


def patterns_of(variant: Parameters) -> Patterns | None:
    """Return the patterns of a variant, or None if its lines are too long for tables."""
    if variant.size > MAX_SIZE:
        return None
    return Patterns(
        # entries of lines in the order of lengths, then entries of reserves
        sum(map(distinct, lengths(variant.size))) + reserve_count(variant) ** 2,
        lambda states: entries_of(variant, states),
        lambda numbers, unit: write(tables_from(variant, numbers, unit)),
    )


def reserve_count(variant: Parameters) -> int:
    """Return the number of reserves with entries: 0 up to the reserve at the start."""
    return max(variant.white, variant.black) - 2


def entries_of(variant: Parameters, states: Sequence[State]) -> Any:
    """Return a row for each position: the number of the entry of each line, and of the reserves."""
    import numpy

    is_white = numpy.array([state.side == 0 for state in states])
    white, black = (_fields(variant.size, sets) for sets in zip(*(state[:2] for state in states), strict=True))
    held = numpy.where(is_white[:, None], white + 2 * black, black + 2 * white)
    starts, end = {}, 0
    for length in lengths(variant.size):
        starts[length] = end
        end += distinct(length)
    columns = [
        starts[len(line)] + numpy.array(shared(len(line)))[held[:, line] @ 3 ** numpy.arange(len(line))]
        for line in lines(variant.size)
    ]
    count = reserve_count(variant)
    white_reserve, black_reserve = numpy.array([state[2:4] for state in states]).clip(max=count - 1).T
    mine, theirs = numpy.where(is_white, (white_reserve, black_reserve), (black_reserve, white_reserve))
    return numpy.stack([*columns, end + mine * count + theirs], axis=1).astype(numpy.int32)


def tables_from(variant: Parameters, numbers: Any, unit: float) -> Tables:
    """Return the tables for all entries: weights in logits of ``unit``, and factors in square roots of it."""
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
    """Return a row for each set of fields: 1 for a field in it, else 0."""
    import numpy

    count = -(-((2 * size - 1) ** 2) // 8)
    packed = numpy.frombuffer(b"".join(fields.to_bytes(count, "little") for fields in sets), dtype=numpy.uint8)
    return numpy.unpackbits(packed.reshape(len(sets), count), axis=1, bitorder="little")
