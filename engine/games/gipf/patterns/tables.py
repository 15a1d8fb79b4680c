"""Tables of weights from files, and as the evaluation reads them.

A file is JSON: the board, a list of entries for each length of line, and one for both reserves. An entry is four whole
numbers: a weight, and the three that `engine.games.gipf.patterns.value` multiplies. Contents of lines stand in the
order of `engine.games.gipf.patterns.lines.shared`, mirror images once. Reserves stand row by row, a row for each
reserve of the side to move, and the last row and column hold for larger ones too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import isqrt
from pathlib import Path
from typing import Any

import msgspec

from engine.compiling.binding import table
from engine.compiling.field_sets import FieldSets
from engine.compiling.wide_integers import WORD_BITS, width_for
from engine.games.gipf.patterns.lines import LARGEST, crossing, distinct, lengths, lines, places, rows, shared
from engine.games.gipf.patterns.value import FRACTION_BITS, LANE_BITS, LANE_MASK, SURPLUS, WEIGHT_SHIFT
from engine.games.interface import EVALUATION_LIMIT

Entry = tuple[int, int, int, int]
"""A weight in hundredths of a piece, and three numbers whose products are worth 1/1024 of that."""

MOST_PIECES = 1000
"""More than a side can have in reserve."""


NUMBERS = ("WIDTH", "RESERVES", "LANE_ZERO", "FIRST_WORD", "NEXT_WORD")
ARRAYS = (
    *("ENTRIES", "RESERVE_ENTRIES", "ROW_ENTRIES", "ROW_NUMBERS", "ROW_SHIFTS", "ROW_MASKS", "ROW_STARTS"),
    *("DOWN_ENTRIES", "DOWN_NUMBERS", "DOWN_SHIFTS", "DOWN_MASKS"),
    *("DIAGONAL_ENTRIES", "DIAGONAL_NUMBERS", "DIAGONAL_SHIFTS", "DIAGONAL_MASKS"),
)
"""Global names that `engine.games.gipf.patterns.value` reads: of numbers, and of arrays."""


class BadTables(ValueError):
    """A file that holds no tables. ``str(error)`` says what is wrong."""


class _Content(msgspec.Struct, forbid_unknown_fields=True):
    size: int
    run: int
    lines: dict[int, list[Entry]]
    reserves: list[Entry]


_CONTENT = msgspec.json.Decoder(_Content)


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of a board and K."""

    size: int
    run: int
    lines: Mapping[int, list[Entry]]
    """For each length of line, the entries of its contents."""
    reserves: list[Entry]

    @property
    def reserve_count(self) -> int:
        """Reserves of a side for which there are entries."""
        return isqrt(len(self.reserves))

    def constants(self, *, compile: bool) -> dict[str, Any]:
        """Return what the evaluation reads, by global name."""
        width = 2 * self.size - 1
        zero = max(
            abs(number) for entries in (*self.lines.values(), self.reserves) for _, *more in entries for number in more
        )
        words: list[int] = []
        starts = {}
        for length, entries in self.lines.items():
            starts[length] = len(words)
            of_length = [_word(entry, zero) for entry in entries]
            words.extend(of_length[place] for place in shared(length))
        of_rows, at = rows(self.size), places(self.size)
        found = {"ENTRIES": words, "RESERVE_ENTRIES": [_word(entry, zero) for entry in self.reserves]}
        found |= {"ROW_ENTRIES": [starts[length] for length in of_rows.lengths], "ROW_NUMBERS": of_rows.numbers}
        found |= {"ROW_SHIFTS": at.shifts, "ROW_MASKS": at.masks, "ROW_STARTS": at.starts}
        single = {"WIDTH": width, "RESERVES": self.reserve_count, "LANE_ZERO": zero * (3 * width + 1)}
        wide = {}
        for name, direction in {"DOWN": crossing(self.size, 0), "DIAGONAL": crossing(self.size, 1)}.items():
            found[f"{name}_ENTRIES"] = [starts[length] for length in direction.lengths]
            found |= {f"{name}_SHIFTS": direction.shifts, f"{name}_MASKS": direction.masks}
            next_word = WORD_BITS if direction.first_word < width else 0
            of_words = FieldSets(compile, width_for(next_word))
            wide[f"{name}_NUMBERS"] = of_words.table(direction.numbers)
            single |= {"FIRST_WORD": direction.first_word, "NEXT_WORD": next_word}
        return {name: table(values, compile=compile) for name, values in found.items()} | wide | single


SHIPPED = {(4, 3), (4, 4), (4, 5), (5, 3), (5, 4)}
"""Boards and runs, S and K, with tables in this package."""

FOLDER = Path(__file__).parent


@cache
def shipped(size: int, run: int) -> Tables | None:
    """Return the tables that come with this package; None for boards that have none. Raises `BadTables`."""
    file = FOLDER / f"tables_{size}_{run}.json"
    if (size, run) not in SHIPPED:
        return None
    try:
        return read(file.read_bytes())
    except (OSError, BadTables) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadTables(f"{file}: {reason}: install this program again") from None


def read(content: bytes | Mapping[str, object]) -> Tables:
    """Return the tables that a file holds, or the object that was read from it; raises `BadTables`."""
    try:
        if isinstance(content, bytes):
            found = _CONTENT.decode(content)
        else:
            found = msgspec.convert(content, type=_Content, strict=False)  # noqa: TID251 - ready by then
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadTables(f"these are no tables of an evaluation: {error}") from None
    _check(found)
    return Tables(found.size, found.run, found.lines, found.reserves)


def write(tables: Tables) -> bytes:
    """Return the content of a file, an entry a line."""
    parts = [f'{{"size": {tables.size}, "run": {tables.run}, "lines": {{']
    for length, entries in tables.lines.items():
        parts.append(f'"{length}": [\n{_entries(entries)}]{"" if length == max(tables.lines) else ","}')
    parts.append(f'}}, "reserves": [\n{_entries(tables.reserves)}]}}')
    return ("\n".join(parts) + "\n").encode()


def _entries(entries: list[Entry]) -> str:
    return ",\n".join(str(list(entry)).replace(" ", "") for entry in entries)


def _check(found: _Content) -> None:
    """Hold tables to the board, and to what fits the words that they are kept in."""
    if not 2 <= found.size <= LARGEST:
        raise BadTables(f"S is {found.size}, but there are tables for boards of side 2 to {LARGEST} alone")
    if list(found.lines) != list(lengths(found.size)):
        needed = ", ".join(map(str, lengths(found.size)))
        raise BadTables(
            f"lines have the lengths {', '.join(map(str, found.lines))}, but for S = {found.size} they have {needed}"
        )
    for length, entries in found.lines.items():
        if len(entries) != distinct(length):
            raise BadTables(f"lines of {length} have {len(entries)} entries, but they need {distinct(length)}")
    if not found.reserves or isqrt(len(found.reserves)) ** 2 != len(found.reserves):
        raise BadTables(f"reserves have {len(found.reserves)} entries, but they need a square number, at least 1")
    counts = [len(line) for line in lines(found.size)]
    largest = [
        sum(max(abs(entry[part]) for entry in found.lines[length]) for length in counts)
        + max(abs(entry[part]) for entry in found.reserves)
        for part in range(4)
    ]
    most = max(
        abs(number) for entries in (*found.lines.values(), found.reserves) for entry in entries for number in entry[1:]
    )
    if 2 * most * (len(counts) + 1) > LANE_MASK or largest[0] >= 1 << (63 - WEIGHT_SHIFT):
        raise BadTables(f"the entries are too large: sums of them do not fit {LANE_BITS} bits")
    products = max(largest[1] ** 2 + largest[3] ** 2, largest[2] ** 2) >> FRACTION_BITS
    if largest[0] + products + MOST_PIECES * SURPLUS > EVALUATION_LIMIT:
        raise BadTables(f"with such large entries an evaluation may go beyond {EVALUATION_LIMIT}, which means a win")


def _word(entry: Entry, zero: int) -> int:
    weight, *numbers = entry
    return (weight << WEIGHT_SHIFT) + sum((number + zero) << (LANE_BITS * at) for at, number in enumerate(numbers))
