"""The rules of m,n,k-games, and all about them, bound to one board and one K, interpreted or compiled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.compiling.binding import bind_fields, table
from engine.compiling.bits import run_shifts
from engine.compiling.field_sets import FieldSets
from engine.compiling.wide_integers import WORD_BITS, WideInteger, width_for
from engine.games.interface import Rules
from engine.games.mnk import evaluation, geometry, rules, solver_hints
from engine.games.mnk.parameters import Parameters

HASH_BITS = 62
"""Fields that are mixed into a hash at once."""

STEEPNESS = 4
"""An open line is worth so many times what it is with one piece less. On 8 8 5, 3 plays alike and 8 worse."""

FLAT = 6
"""Lines that lack so many pieces or more are worth 1, or nothing where they are empty."""

MAX_BOARDS = 2048
"""Interpreted bindings that are kept, of 60 KB each, the latest used: there are 5000 boards and Ks that somebody may
ask for, but no more matches than that run at once on a server, unless its settings say so."""

MAX_COMPILED = 64
"""Compiled ones, of some megabytes each: what a bot plays on that is met with one board after another."""


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
    canonical: Callable[[rules.State], rules.State]
    can_still_win: Callable[[rules.State], int]
    plies_left: Callable[[rules.State], int]


def bind(parameters: Parameters, *, compile: bool = False) -> MnkRules:
    """Return the rules of a board and K.

    Where they are compiled, the sets of fields in their states are as `compiled_set` makes them.
    """
    rows, columns, run = parameters
    # all lines that do not fit are alike
    run = min(run, max(rows, columns) + 1)
    return _compiled(rows, columns, run) if compile else _interpreted(rows, columns, run)


@lru_cache(MAX_BOARDS)
def _interpreted(rows: int, columns: int, run: int) -> MnkRules:
    return _bind(rows, columns, run, False)


@lru_cache(MAX_COMPILED)
def _compiled(rows: int, columns: int, run: int) -> MnkRules:
    return _bind(rows, columns, run, True)


def compiled_set(word: int, fields: int) -> int:
    """Return a set of fields as the compiled rules want it: on a board of 64 the last one is the sign of a word."""
    if fields > WORD_BITS:
        return WideInteger(word, width_for(fields))
    return word - (1 << WORD_BITS) if fields == WORD_BITS and word >> (WORD_BITS - 1) else word


def _bind(rows: int, columns: int, run: int, compile: bool) -> MnkRules:
    fields = rows * columns
    sets = FieldSets(compile, WORD_BITS if fields <= WORD_BITS else width_for(fields))

    def words(values: list[int]) -> Sequence[int]:
        if sets.is_wide:
            return sets.table(values)
        return tuple(compiled_set(value, fields) for value in values) if compile else tuple(values)

    def numbers(values: list[int]) -> Sequence[int]:
        return table(values, compile=compile)

    lines = geometry.lines(rows, columns, run)
    kinds = [geometry.mirrored_columns(rows, columns), geometry.mirrored_rows(rows, columns)]
    path = [0, 1, 0]
    if rows == columns:
        kinds.append(geometry.transposed(rows))
        path += [2, *path]
    swaps = [swap for kind in kinds for swap in kind]
    constants: dict[str, Any] = {
        **sets.constants(),
        "WORDS": rules.FIRST + 2 * sets.constants()["SET_WORDS"],
        "BOARD": words([(1 << fields) - 1])[0],
        "K": run,
        "STEPS": tuple(line.step for line in lines),
        "STARTS": words([line.starts for line in lines]),
        "SHIFTS": run_shifts(run) or (0,),
        "WORTH": numbers([STEEPNESS ** max(0, FLAT - (run - count)) if count else 0 for count in range(run + 1)]),
        "HASH_PARTS": tuple((1 << min(HASH_BITS, fields - at)) - 1 for at in range(0, fields, HASH_BITS)),
        "MARGIN": evaluation.MARGIN,
        "BREADTH": evaluation.BREADTH,
        "CHUNKS": -(-fields // evaluation.CHUNK_BITS),
        "POWERS": numbers([1 << count for count in range(run + 1)]),
        "SWAPS_FROM": tuple(sum(map(len, kinds[:number])) for number in range(len(kinds) + 1)),
        "DISTANCES": numbers([swap.distance for swap in swaps]),
        "LOWER": sets.table(words([swap.lower for swap in swaps])),
        "PATH": tuple(path),
        "HEADS": words(_heads(fields, [kinds[number] for number in path])),
        "SIGN": words([1 << (WORD_BITS - 1)])[0] if compile and fields == WORD_BITS else 0,
    }
    modules = rules, evaluation, solver_hints
    return bind_fields(MnkRules, modules, f"mnk_{rows}_{columns}_{run}", constants, compile=compile)


def _heads(fields: int, path: list[tuple[geometry.Swap, ...]]) -> list[int]:
    """Return, after each reflection of a path, the fields that are mirrored to themselves or to a higher one."""
    places = [1 << field for field in range(fields)]
    found = []
    for swaps in path:
        places = [geometry.swapped(place, swaps) for place in places]
        found.append(sum(1 << field for field, place in enumerate(places) if place >= 1 << field))
    return found
