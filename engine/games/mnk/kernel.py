"""The rules and the evaluation of m,n,k-games bound to one board and one K, interpreted or compiled.

Field (row r, column c), line_counts from 0 at the top left, is bit ``r * M + c`` on a board of M columns. So the fields
of a line have equal distances in bits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.compiling.binding import FieldSets, bind_fields, table
from engine.compiling.wide_integers import WORD_BITS, WideInteger, run_shifts, width_for
from engine.games.boards.symmetry import swaps_of
from engine.games.mnk import evaluation, rules
from engine.games.mnk.board import Parameters
from engine.games.rules import Rules

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four directions of lines as (row, column) steps: rows, columns and both diagonals."""


MAX_WINDOWS = 64
"""Most recently used results of `windows` that are cached, of up to 100 KB each."""


def bit(columns: int, row: int, column: int) -> int:
    """Return the bit of a field."""
    return 1 << (row * columns + column)


def lines(rows: int, columns: int, run: int) -> tuple[tuple[int, int], ...]:
    """Return the step and the first fields of the lines of ``run`` fields, for each of the four directions.

    The step is the distance in bits to the next field, or 0 if no line fits on the board.
    """
    found = []
    for down, right in DIRECTIONS:
        starts = 0
        for row in range(rows - (run - 1) * down):
            for column in range(columns):
                if 0 <= column + (run - 1) * right < columns:
                    starts |= bit(columns, row, column)
        found.append((down * columns + right if starts else 0, starts))
    return tuple(found)


@lru_cache(MAX_WINDOWS)
def windows(rows: int, columns: int, run: int) -> tuple[int, ...]:
    """Return all lines of ``run`` fields on a board, as sets of fields."""
    found = []
    for step, starts in lines(rows, columns, run):
        first = sum(1 << (step * i) for i in range(run)) if step else 1
        found += [first << start for start in range(rows * columns) if starts >> start & 1]
    return tuple(found)


HASH_BITS = 62
"""Fields that are mixed into a hash at once."""

STEEPNESS = 4
"""Factor of the value of an open line for each piece in it. On 8 8 5, a factor of 3 plays alike, and 8 plays worse."""

FLAT = 6
"""Missing pieces from which on an open line has the value 1. An empty line has the value 0."""

MAX_BOARDS = 2048
"""Most recently used bindings that are cached, of 60 KB each, and some megabytes if compiled. There are 5000 pairs of
board and K, and by default fewer matches at a time on a server."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MnkRules(Rules):
    """The rules of m,n,k-games, bound to one board and one K."""

    STEPS: Sequence[int]
    STARTS: Sequence[int]
    SHIFTS: Sequence[int]
    after: Callable[[rules.State, int], rules.State]
    own_of: Callable[[rules.State], int]
    other_of: Callable[[rules.State], int]
    empty_of: Callable[[rules.State], int]
    winning_fields: Callable[[int, int], int]
    has_line: Callable[[int], bool]


def bind(parameters: Parameters, *, compile: bool = False) -> MnkRules:
    """Return the rules of a board and K. Compiled rules use the sets of `compiled_set`."""
    rows, columns, run = parameters
    # all K that are too large have the same rules
    run = min(run, max(rows, columns) + 1)
    return _bind(rows, columns, run, compile)


def compiled_set(word: int, fields: int) -> int:
    """Return a set of fields for compiled rules. On a board of 64 fields the last field is the sign of a word."""
    if fields > WORD_BITS:
        return WideInteger(word, width_for(fields))
    return word - (1 << WORD_BITS) if fields == WORD_BITS and word >> (WORD_BITS - 1) else word


@lru_cache(MAX_BOARDS)
def _bind(rows: int, columns: int, run: int, compile: bool) -> MnkRules:
    fields = rows * columns
    sets = FieldSets(compile, WORD_BITS if fields <= WORD_BITS else width_for(fields))

    def words(values: list[int]) -> Sequence[int]:
        if sets.is_wide:
            return sets.table(values)
        return tuple(compiled_set(value, fields) for value in values) if compile else tuple(values)

    def numbers(values: list[int]) -> Sequence[int]:
        return table(values, compile=compile)

    of_directions = lines(rows, columns, run)
    places = [(row, column) for row in range(rows) for column in range(columns)]
    reflections = [
        {row * columns + column: row * columns + columns - 1 - column for row, column in places},
        {row * columns + column: (rows - 1 - row) * columns + column for row, column in places},
    ]
    path = [0, 1, 0]
    if rows == columns:
        reflections.append({row * columns + column: column * columns + row for row, column in places})
        path += [2, *path]
    starts, distances, lower = swaps_of(reflections)
    constants: dict[str, Any] = {
        **sets.constants(),
        "WORDS": rules.FIRST + 2 * sets.constants()["SET_WORDS"],
        "BOARD": words([(1 << fields) - 1])[0],
        "K": run,
        "STEPS": tuple(step for step, _ in of_directions),
        "STARTS": words([starts for _, starts in of_directions]),
        "SHIFTS": run_shifts(run) or (0,),
        "LINE_VALUES": numbers([STEEPNESS ** max(0, FLAT - (run - count)) if count else 0 for count in range(run + 1)]),
        "HASH_PARTS": tuple((1 << min(HASH_BITS, fields - at)) - 1 for at in range(0, fields, HASH_BITS)),
        "MARGIN": evaluation.MARGIN,
        "BREADTH": evaluation.BREADTH,
        "CHUNKS": -(-fields // evaluation.CHUNK_BITS),
        "POWERS": numbers([1 << count for count in range(run + 1)]),
        "SWAPS_FROM": tuple(starts),
        "DISTANCES": numbers(distances),
        "LOWER": sets.table(words(lower)),
        "PATH": tuple(path),
        "HEADS": words(_heads(fields, [reflections[number] for number in path])),
        "SIGN": words([1 << (WORD_BITS - 1)])[0] if compile and fields == WORD_BITS else 0,
    }
    return bind_fields(MnkRules, (rules, evaluation), f"mnk_{rows}_{columns}_{run}", constants, compile=compile)


def _heads(fields: int, path: list[dict[int, int]]) -> list[int]:
    """Return for each reflection of a path the fields whose image is the field itself or a higher one."""
    places = list(range(fields))
    found = []
    for images in path:
        places = [images[place] for place in places]
        found.append(sum(1 << field for field, place in enumerate(places) if place >= field))
    return found
