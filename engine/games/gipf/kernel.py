"""The rules and the evaluation of GIPF bound to one board, interpreted or compiled."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from engine.compiling.binding import FieldSets, bind_fields, is_installed, table
from engine.compiling.wide_integers import WORD_BITS, CompiledOnly, run_shifts, width_for
from engine.games.boards.symmetry import swaps_of
from engine.games.gipf import evaluation, layers, rules
from engine.games.gipf.geometry import AXES, fields_of, geometry, parse
from engine.games.gipf.patterns import ARRAYS, NUMBERS, Tables, read, shipped
from engine.games.interface import Arena, Kernel, LayerRules, Rules

WORD_SIZE = 4
"""Largest S of a board that fits a signed 64-bit word: its highest bit is (2S-1)**2 - 1 = 48. Others take several
words."""

MAX_BOUND = 384
"""Cached bindings: there are 132 pairs of S and K, interpreted and compiled, and more with other weights.

Each takes 0.1 to 0.2 MB, more with large tables, and some 60 MB if a board of several words was compiled."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GipfRules(Rules):
    """The rules of GIPF bound to one board, with functions for the notation and for layers."""

    BITS: int
    AXIS_STEPS: Sequence[int]
    LINE: Sequence[int]
    FIRST: Sequence[int]
    STEP: Sequence[int]
    UPWARD: Sequence[int]
    can_push: Callable[[rules.State], bool]
    open_pushes: Callable[[int, int], tuple[int, int]]
    after_push: Callable[[rules.State, int], rules.State]
    has_run: Callable[[int], bool]
    run_starts: Callable[[int, int], int]
    stretch: Callable[[int, int, int], int]
    rows_to_collect: Callable[[int, int, Arena, int], tuple[int, int]]
    collect: Callable[[rules.State, int, int], rules.State]
    finals: Callable[[rules.State, int, Arena, int], int]


@dataclass(frozen=True, kw_only=True, eq=False)
class GipfLayerRules(GipfRules, LayerRules):
    """The rules with the places of positions (`engine.games.gipf.layers`)."""

    canonical: Callable[[rules.State], rules.State]
    place_of: Callable[[int, int, int, layers.Index], tuple[int, int]]
    sets_at: Callable[[int, int, int, layers.Index], tuple[int, int]]
    FIELDS: int
    """Number of fields of the board."""


def field_sets(size: int, *, compile: bool) -> FieldSets:
    """Return the representation of sets of fields of a board of side ``size``."""
    return FieldSets(compile, width_for((2 * size - 1) ** 2))


@lru_cache(MAX_BOUND)
def bind(
    size: int, run: int, *, compile: bool = False, weights: evaluation.Weights | Tables | None = None
) -> GipfRules:
    """Return the rules for a board side S and a run length K.

    Sets of fields are represented as in `field_sets`. The default weights are the tables of the board, or `WEIGHTS`.
    """
    if weights is None:
        weights = shipped(size, run) or evaluation.WEIGHTS
    board = geometry(size)
    pushes = range(len(board.entries))
    up = [n for n in pushes if board.entries[n].step > 0]
    down = [n for n in pushes if board.entries[n].step < 0]

    sets = field_sets(size, compile=compile)

    def numbers(values: list[int]) -> Sequence[int]:
        return table(values, compile=compile)

    constants: dict[str, Any] = {
        **sets.constants(),
        "WORDS": rules.WHITE + 2 * sets.constants()["SET_WORDS"],
        "IS_WIDE": sets.is_wide,
        "ONE": sets.number(1) if len(pushes) >= WORD_BITS - 1 else 1,
        "RUN_SHIFTS": run_shifts(run),
        "RUN": run,
        "BITS": board.width**2,
        "CENTRE": sets.table([_around_centre(size, distance) for distance in range(size)]),
        "AXIS_STEPS": tuple(down * board.width + right for down, right in AXES),
        "UPWARD": numbers([int(board.entries[n].step > 0) for n in pushes]),
        "UP_PUSHES": numbers(up),
        "DOWN_PUSHES": numbers(down),
        **_evaluation_constants(weights, compile=compile),
    }
    for prefix, chosen in (("", pushes), ("UP_", up), ("DOWN_", down)):
        constants[prefix + "LINE"] = sets.table([board.entries[n].line for n in chosen])
        constants[prefix + "FIRST"] = sets.table([board.entries[n].first for n in chosen])
        constants[prefix + "STEP"] = numbers([abs(board.entries[n].step) for n in chosen])
    if size <= WORD_SIZE:
        starts, distances, lower = swaps_of(evaluation.reflections(size))
        constants |= {
            "SWAPS_FROM": tuple(starts),
            "DISTANCES": numbers(distances),
            "LOWER": numbers(lower),
        }
    else:  # too large for the solver
        constants["canonical"] = None
    if sets.is_wide:
        constants["smear_down"] = CompiledOnly("smear_down")
    label = f"gipf_{size}_{run}"
    if weights is not evaluation.WEIGHTS:
        label += f"_{zlib.crc32(repr(weights).encode()):08x}"
    if size <= layers.MAX_SIZE and is_installed("numpy"):
        constants["layers"] = partial(bind_layers, size, run, compile=compile)
    return bind_fields(GipfRules, (rules, evaluation), label, constants, compile=compile)


@lru_cache(MAX_BOUND)
def bind_layers(size: int, run: int, *, compile: bool) -> GipfLayerRules:
    """Return the rules for a board of side `layers.MAX_SIZE` or less, with layers."""
    rules = bind(size, run, compile=compile)
    tables = layers.tables(size)
    index = layers.make_index(size, run, tables["IMAGES"])
    if not compile:
        tables = {name: tuple(table.tolist()) for name, table in tables.items()}
    more = {"index": index, "HAS_LAYERS": True, "MOVE_NUMBERS": layers.MOVE_NUMBERS, "WEIGHT": layers.WEIGHT}
    constants = {**vars(rules), **tables, **more, "FIELDS": len(fields_of(size))}
    return bind_fields(GipfLayerRules, (layers,), f"layers_{size}_{run}", constants, compile=compile)


def reweigher(parameters: str, named: Mapping[str, object]) -> Callable[[Kernel], Kernel]:
    """Return a function that replaces the weights of the evaluation in a kernel of a variant.

    ``parameters`` is L as text. ``named`` is the content of a file of tables, or weights by name; missing weights are
    those of `WEIGHTS`. Raises ValueError as `Weights.named` and `patterns.read` do, and for tables of another board.
    """
    variant = parse(parameters)
    weights: evaluation.Weights | Tables
    if "lines" in named:
        weights = read(named)
        if (weights.size, weights.run) != variant[:2]:
            board = f"S = {weights.size} and K = {weights.run}"
            raise ValueError(f"these tables are for {board}, but the variant is {variant}")
    else:
        weights = evaluation.Weights.named(named)
    size, run, *_ = variant
    return lambda kernel: kernel._replace(rules=bind(size, run, compile=kernel.compiled, weights=weights))


def _evaluation_constants(weights: evaluation.Weights | Tables, *, compile: bool) -> dict[str, Any]:
    """Return the constants of the evaluation by global name. Without tables, their names have unused values."""
    if isinstance(weights, Tables):
        found = {**evaluation.WEIGHTS.constants(), **weights.constants(compile=compile)}
        return {**found, "HAS_TABLES": True, "MARGIN": evaluation.PATTERN_MARGIN}
    found = {**dict.fromkeys(ARRAYS, table([0], compile=compile)), **dict.fromkeys(NUMBERS, 0), **weights.constants()}
    return {**found, "HAS_TABLES": False, "MARGIN": evaluation.MARGIN}


def _around_centre(size: int, distance: int) -> int:
    """Return the fields at most ``distance`` steps from the centre of the board."""
    centre = size - 1
    return sum(
        1 << (row * (2 * size - 1) + column)
        for row, column in fields_of(size)
        if max(abs(row - centre), abs(column - centre), abs(row - column)) <= distance
    )
