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

Where lines are long, most contents of a line are rare, and training meets them too seldom. So there each window of a
few neighbouring fields has an entry, too, the same for all lines: the numbers of a content are added to those of its
windows. Tables hold the sums, so windows cost an evaluation nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from engine.compiling.binding import FieldSets, table
from engine.compiling.wide_integers import WORD_BITS, width_for
from engine.games.gipf.evaluation import FRACTION_BITS, LANE_BITS, LANE_MASK, SURPLUS, WEIGHT_SHIFT
from engine.games.gipf.geometry import Parameters, geometry
from engine.games.gipf.rules import State
from engine.games.interface import EVALUATION_LIMIT, Patterns

LARGEST = 5
"""The largest S whose lines are short enough: one of 9 fields has 9963 contents that are no mirror images."""


class Rows(NamedTuple):
    """Where the rows of a board are, for tables that have a number for each row and each set of pieces on it."""

    shifts: list[int]
    """How far each row's first field is from the first place of the row."""
    masks: list[int]
    """A mask of as many bits as each row has fields."""
    starts: list[int]
    """Where in tables the numbers of each row begin."""


class Direction(NamedTuple):
    """Tables by which the numbers of all lines of one direction are found."""

    lengths: list[int]
    """Of the lines, in the order of `lines`."""
    numbers: list[int]
    """For each row of the board and each set of pieces on it, as bits, what they add to the number of all lines."""
    shifts: list[int]
    """Where in its word each line has its own number; none for rows, which are looked up one by one."""
    masks: list[int]
    """A mask of as many bits as the number of each line takes."""
    first_word: int
    """So many lines, the first ones, have their numbers in the lowest word, the others in the next one."""


def lines(size: int) -> list[tuple[int, ...]]:
    """Return every line once, as places of bits from the lowest one: rows from the top, then direction by direction."""
    board = geometry(size)
    found = []
    for entry in board.entries:
        if entry.step > 0:
            row, column = entry.target
            first = row * board.width + column
            found.append((entry.step, tuple(first + entry.step * at for at in range(entry.line.bit_count()))))
    return [places for _, places in sorted(found)]


def lengths(size: int) -> range:
    """Return how long lines can be."""
    return range(size, 2 * size)


@cache
def shared(length: int) -> tuple[int, ...]:
    """Return for each content of a line of that length its place among contents that are no mirror images."""
    places: list[int] = []
    count = 0
    for number, mirrored in enumerate(_mirrored(length)):
        places.append(places[mirrored] if mirrored < number else count)
        count += mirrored >= number
    return tuple(places)


def distinct(length: int) -> int:
    """Return how many contents a line of that length can have, mirror images being the same."""
    return (3**length + 3 ** ((length + 1) // 2)) // 2


@cache
def places(size: int) -> Rows:
    """Return where the rows of a board are."""
    width = geometry(size).width
    found = Rows([], [], [])
    start = 0
    for row, line in enumerate(lines(size)[:width]):
        found.shifts.append(line[0] - row * width)
        found.masks.append((1 << len(line)) - 1)
        found.starts.append(start)
        start += 1 << len(line)
    return found


@cache
def rows(size: int) -> Direction:
    """Return the tables of the rows of a board, each of which is looked up for itself."""
    of_rows = lines(size)[: geometry(size).width]
    numbers = [number for line in of_rows for number in _sums([3**at for at in range(len(line))])]
    return Direction(list(map(len, of_rows)), numbers, [], [], 0)


@cache
def crossing(size: int, direction: int) -> Direction:
    """Return the tables of lines that cross the rows: 0 for columns, 1 for diagonals; ``size`` is `LARGEST` at most."""
    width = geometry(size).width
    crossed = lines(size)[(1 + direction) * width : (2 + direction) * width]
    bits = [(3 ** len(line) - 1).bit_length() for line in crossed]
    weights: dict[int, int] = {}
    shifts: list[int] = []
    words = [0]
    for line, count in zip(crossed, bits, strict=True):
        if words[-1] + count >= WORD_BITS:
            words.append(0)
        shifts.append(words[-1])
        words[-1] += count
        start = WORD_BITS * (len(words) - 1) + shifts[-1]
        weights |= {place: 3**at << start for at, place in enumerate(line)}
    assert len(words) <= 2
    numbers = [number for row in lines(size)[:width] for number in _sums([weights[place] for place in row])]
    first_word = width if len(words) == 1 else shifts.index(0, 1)
    return Direction(list(map(len, crossed)), numbers, shifts, [(1 << count) - 1 for count in bits], first_word)


def _sums(weights: list[int]) -> list[int]:
    """Return the sum of each set of weights, in the order of the sets as bits."""
    sums = [0]
    for weight in weights:
        sums += [weight + others for others in sums]
    return sums


def _mirrored(length: int) -> list[int]:
    """Return for each content of a line of that length the number of that which is read from the other end."""
    found = [0]
    for _ in range(length):
        found = [3 * mirrored + digit for digit in range(3) for mirrored in found]
    return found


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
"""Global names that `engine.games.gipf.evaluation` reads: of numbers, and of arrays."""


class BadTables(ValueError):
    """A file that holds no tables. ``str(error)`` says what is wrong."""


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


_DECODER = msgspec.json.Decoder(Tables)

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
            found = _DECODER.decode(content)
        else:
            found = msgspec.convert(content, type=Tables, strict=False)  # noqa: TID251 - ready by then
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadTables(f"these are no tables of an evaluation: {error}") from None
    _check(found)
    return found


def write(tables: Tables) -> bytes:
    """Return the content of a file, an entry a line."""
    parts = [f'{{"size": {tables.size}, "run": {tables.run}, "lines": {{']
    for length, entries in tables.lines.items():
        parts.append(f'"{length}": [\n{_entries(entries)}]{"" if length == max(tables.lines) else ","}')
    parts.append(f'}}, "reserves": [\n{_entries(tables.reserves)}]}}')
    return ("\n".join(parts) + "\n").encode()


def _entries(entries: list[Entry]) -> str:
    return ",\n".join(str(list(entry)).replace(" ", "") for entry in entries)


def _check(found: Tables) -> None:
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
        # entries of lines, the shortest first, then those of reserves and of windows
        _end_of_tables(variant) + (distinct(WINDOW) if has_windows(variant.size) else 0),
        lambda states: entries_of(variant, states),
        lambda numbers, unit: write(tables_from(variant, numbers, unit)),
    )


def reserve_count(variant: Parameters) -> int:
    """Return the reserves that tables of a variant tell apart: those up to the one at the start."""
    return max(variant.white, variant.black) - 2


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
