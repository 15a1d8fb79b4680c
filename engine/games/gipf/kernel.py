"""The rules and the evaluation of GIPF bound to one board, interpreted or compiled."""

import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any

from engine.compiling.binding import specialise
from engine.games.gipf import evaluation, rules, solver_hints
from engine.games.gipf.evaluation import FIXED as FIXED  # the tuner asks for it here
from engine.games.gipf.evaluation import WEIGHTS, Weights
from engine.games.gipf.geometry import AXES, geometry
from engine.games.gipf.parameters import Parameters, parse
from engine.games.gipf.rules import State
from engine.games.gipf.solving import layers, ranking, symmetry
from engine.games.interface import EVALUATION_LIMIT, Kernel

WORD_SIZE = 4
"""The largest S whose board fits a 64-bit word with its sign: bit (2S-1)**2 - 1 is bit 48."""

DIGIT = 24
"""Bits of a digit of `features`; no feature of any variant is as large as half of what they hold."""
HALF = 1 << (DIGIT - 1)

MAX_BOUND = 256
"""Bindings that are kept, of 0.1 to 0.2 MB each: there are 132 boards and Ks, 12 of them compiled, and more only where
weights are tried out."""

Bound = SimpleNamespace
"""The functions of `engine.games.gipf.rules` and `.evaluation`, and their constants, bound to one board."""


@lru_cache(MAX_BOUND)
def bind(size: int, run: int, *, compile: bool = False, weights: Weights = WEIGHTS) -> Bound:
    """Return the rules for board side ``size`` and run length ``run`` as a namespace of functions.

    Compiled rules exist for ``size`` up to WORD_SIZE and take arenas that are flat int64 arrays.
    """
    board = geometry(size)
    numbers = range(len(board.entries))
    up = [n for n in numbers if board.entries[n].step > 0]
    down = [n for n in numbers if board.entries[n].step < 0]

    def table(values: list[int]) -> Any:
        if not compile:
            return tuple(values)
        import numpy

        return numpy.array(values, dtype=numpy.int64)

    def first(number: int) -> int:
        row, column = board.entries[number].target
        return 1 << (row * board.width + column)

    constants: dict[str, Any] = {
        "WORDS": rules.WORDS,
        "RUN_SHIFTS": _run_shifts(run),
        "RUN": run,
        "BITS": board.width**2,
        "CENTRE": table([_around_centre(size, distance) for distance in range(size)]),
        "AXIS_STEPS": tuple(down * board.width + right for down, right in AXES),
        "UPWARD": table([int(board.entries[n].step > 0) for n in numbers]),
        "UP_PUSHES": table(up),
        "DOWN_PUSHES": table(down),
        "MARGIN": evaluation.MARGIN,
        **weights.constants(),
    }
    for prefix, chosen in (("", numbers), ("UP_", up), ("DOWN_", down)):
        constants[prefix + "LINE"] = table([board.entries[n].line for n in chosen])
        constants[prefix + "FIRST"] = table([first(n) for n in chosen])
        constants[prefix + "STEP"] = table([abs(board.entries[n].step) for n in chosen])
    functions: tuple[Callable[..., Any], ...] = rules.FUNCTIONS + evaluation.FUNCTIONS + solver_hints.FUNCTIONS
    if size <= WORD_SIZE:  # larger boards are beyond all solving, and their tables large
        chunks, exchanged, mirrored = symmetry.tables(size)
        constants |= {"CHUNKS": chunks, "EXCHANGED": table(exchanged), "REVERSED": table(mirrored)}
        functions += symmetry.FUNCTIONS
    label = f"gipf_{size}_{run}"
    if weights != WEIGHTS:
        label += f"_{zlib.crc32(repr(weights).encode()):08x}"
    bound = specialise(functions, label, constants, compile=compile)
    if size <= ranking.LARGEST:
        bound.layers = partial(bind_layers, size, run, compile=compile)
    return bound


@lru_cache(MAX_BOUND)
def bind_layers(size: int, run: int, *, compile: bool) -> Bound:
    """Return the rules for a board of side `ranking.LARGEST` or less, and what solving by layers needs beside."""
    interpreted, rules = bind(size, run), bind(size, run, compile=compile)
    tables = ranking.tables(size, (interpreted.exchanged, interpreted.reversed_rows))
    index = ranking.make_index(size, run, tables["IMAGES"])
    if not compile:
        tables = {name: tuple(table.tolist()) for name, table in tables.items()}
        index = ranking.Index(*(table.tolist() for table in index))
    functions = ranking.FUNCTIONS + layers.FUNCTIONS
    bound = specialise(functions, f"layers_{size}_{run}", {**vars(rules), **tables}, compile=compile)
    bound.index, bound.LISTED, bound.WEIGHT = index, layers.LISTED, layers.WEIGHT
    return bound


def reweigher(parameters: str, named: Mapping[str, object]) -> Callable[[Kernel], Kernel]:
    """Return what gives the kernels of a variant's positions other weights, each once bound and then kept.

    ``parameters`` is L as text; weights that are not named stay as they are. Raises ValueError as `Weights.named` does,
    and for numbers so large that an evaluation might look like a win.
    """
    weights, variant = Weights.named(named), parse(parameters)
    if _largest(weights, variant) > EVALUATION_LIMIT:
        raise ValueError(f"with such large weights an evaluation may go beyond {EVALUATION_LIMIT}, which means a win")

    def reweigh(kernel: Kernel) -> Kernel:
        return kernel._replace(rules=bind(variant.size, variant.run, compile=kernel.compiled, weights=weights))

    return reweigh


def features(parameters: str) -> Callable[[State], tuple[int, ...]]:
    """Return what tells how far the side to move is ahead in each feature, in the order of `Weights`.

    The evaluation is the sum of the features, each times its weight. So with the powers of a large number for weights,
    which only wide integers can be, one evaluation holds all of them, each as a digit.
    """
    variant = parse(parameters)
    powers = Weights(*(1 << (DIGIT * place) for place in range(len(Weights._fields))))
    evaluate = bind(variant.size, variant.run, weights=powers).evaluate

    def read(state: State) -> tuple[int, ...]:
        left = evaluate(state)
        digits = []
        for _ in powers:
            digit = (left + HALF) % (2 * HALF) - HALF
            digits.append(digit)
            left = (left - digit) >> DIGIT
        return tuple(digits)

    return read


def _largest(weights: Weights, variant: Parameters) -> int:
    """Return what no evaluation goes beyond: every piece in the centre, with neighbours and threats along each axis."""
    along = abs(weights.pair) + abs(weights.gap) + abs(weights.threat)
    each = abs(weights.piece) + abs(weights.board) + variant.size * abs(weights.ring) + len(AXES) * along
    return (variant.white + variant.black) * each + 2 * max(map(abs, weights.reserves)) + abs(weights.tempo)


def _run_shifts(run: int) -> tuple[int, ...]:
    """Return shifts that leave one bit of every ``run`` neighbouring ones, each as far as the ones before reach."""
    shifts = []
    length = 1
    while length < run:
        shifts.append(min(length, run - length))
        length += shifts[-1]
    return tuple(shifts)


def _around_centre(size: int, distance: int) -> int:
    """Return the fields no further than ``distance`` steps from the centre of the board."""
    width = 2 * size - 1
    fields = 0
    for row in range(-distance, distance + 1):
        for column in range(max(-distance, row - distance), min(distance, row + distance) + 1):
            fields |= 1 << ((size - 1 + row) * width + size - 1 + column)
    return fields
