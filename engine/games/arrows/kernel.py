"""The rules and the evaluation of arrows bound to the one layout of all boards, interpreted or compiled."""

from functools import cache
from types import SimpleNamespace
from typing import Any

from engine.compiling.binding import specialise
from engine.games.arrows import endgame, evaluation, rules
from engine.games.arrows.geometry import layout

Bound = SimpleNamespace
"""The functions of `engine.games.arrows.rules` and `engine.games.arrows.evaluation`, and their tables."""


@cache
def bind(*, compile: bool = False) -> Bound:
    """Return the rules of all boards as a namespace of functions. Compiled ones take arenas that are int64 arrays."""

    def table(values: tuple[int, ...]) -> Any:
        if not compile:
            return values
        import numpy

        return numpy.array(values, dtype=numpy.int64)

    tables = {name.upper(): table(values) for name, values in layout()._asdict().items()}
    functions = rules.FUNCTIONS + endgame.FUNCTIONS + evaluation.FUNCTIONS
    return specialise(functions, "arrows", {"WORDS": rules.WORDS, **tables}, compile=compile)
