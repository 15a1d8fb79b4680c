"""Rules, evaluation and symmetry of nine men's morris bound together, interpreted or compiled."""

from functools import cache
from types import SimpleNamespace

from engine.compiling.binding import specialise
from engine.games.morris import evaluation, fields, rules, symmetry

Bound = SimpleNamespace
"""The functions of `engine.games.morris.rules` and the modules beside it, bound together."""


@cache
def bind(*, compile: bool = False) -> Bound:
    """Return the rules as a namespace of functions; compiled ones take arenas that are flat int64 arrays."""
    functions = fields.FUNCTIONS + rules.FUNCTIONS + evaluation.FUNCTIONS + symmetry.FUNCTIONS
    return specialise(functions, "morris", {"WORDS": rules.WORDS}, compile=compile)
