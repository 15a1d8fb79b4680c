"""The rules of m,n,k-games, and all about them, bound to one board and one K, interpreted or compiled.

Field (row r, column c), both from 0 at the top left, is bit ``r * M + c`` on a board of M columns. Along a line the
fields are then always equally many bits apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.compiling.binding import FieldSets, bind_fields, table
from engine.compiling.wide_integers import WORD_BITS, WideInteger, run_shifts, width_for
from engine.games.boards.symmetry import swaps_of
from engine.games.interface import Rules
from engine.games.mnk import evaluation, rules
from engine.games.mnk.board import Parameters

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four directions of lines as (row, column) steps: rows, columns and both diagonals."""


MAX_WINDOWS = 64
"""Boards and Ks of which all lines are kept, of up to 100 KB each, the latest used."""


def bit(columns: int, row: int, column: int) -> int:
    """Return the bit of a field."""
    return 1 << (row * columns + column)


def lines(rows: int, columns: int, run: int) -> tuple[tuple[int, int], ...]:
    """Return the lines of ``run`` fields in each of the four directions.

    These are the bits from a field to the next one, 0 where no line fits, and the fields, as bits, from which ``run``
    fields in the direction stay on the board.
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
"""An open line is worth so many times what it is with one piece less. On 8 8 5, 3 plays alike and 8 worse."""

FLAT = 6
"""Lines that lack so many pieces or more are worth 1, or nothing where they are empty."""

MAX_BOARDS = 2048
"""Bindings that are kept, the latest used, of 60 KB each, and some megabytes where a process has compiled one: there
are 5000 boards and Ks that somebody may ask for, but no more matches than that run at once on a server, unless its
settings say so."""


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
    """Return the rules of a board and K.

    Where they are compiled, the sets of fields in their states are as `compiled_set` makes them.
    """
    rows, columns, run = parameters
    # all lines that do not fit are alike
    run = min(run, max(rows, columns) + 1)
    return _bind(rows, columns, run, compile)


def compiled_set(word: int, fields: int) -> int:
    """Return a set of fields as the compiled rules want it: on a board of 64 the last one is the sign of a word."""
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
        "WORTH": numbers([STEEPNESS ** max(0, FLAT - (run - count)) if count else 0 for count in range(run + 1)]),
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
    modules = rules, evaluation
    return bind_fields(MnkRules, modules, f"mnk_{rows}_{columns}_{run}", constants, compile=compile)


def _heads(fields: int, path: list[dict[int, int]]) -> list[int]:
    """Return, after each reflection of a path, the fields that are mirrored to themselves or to a higher one."""
    places = list(range(fields))
    found = []
    for images in path:
        places = [images[place] for place in places]
        found.append(sum(1 << field for field, place in enumerate(places) if place >= field))
    return found
