"""The search functions bound to one game's kernel: compiled with it, or interpreted like it."""

from array import array
from dataclasses import fields
from functools import lru_cache
from typing import Any, TypeVarTuple, cast

from engine.compiling.binding import Numbers, specialise
from engine.games.interface import Arena, Kernel, LayerRules, Rules
from engine.search.capabilities import WORDS

MAX_BOUND = 256
"""Bindings that are kept, the latest used: some for each board that is searched, and one board may follow another."""

Functions = TypeVarTuple("Functions")


def bind(functions: tuple[*Functions], kernel: Kernel) -> tuple[*Functions]:
    """Return copies of search functions, bound to a kernel's rules with all that they call; each binding is made once.

    Where the rules have a function of the same name, that takes its place.
    """
    return cast(tuple[*Functions], _bind(functions, kernel.rules, kernel.compiled))


@lru_cache(MAX_BOUND)
def _bind(functions: tuple[Any, ...], rules: Rules, compiled: bool) -> tuple[Any, ...]:
    read = fields(LayerRules if isinstance(rules, LayerRules) else Rules)
    constants = {field.name: value for field in read if (value := getattr(rules, field.name)) is not None}
    return specialise(functions, rules.label, constants, compile=compiled)


def numbers(kernel: Kernel, typecode: str, count: int) -> Numbers:
    """Make an array of that many zeros for a kernel's search: ``h``, ``i`` and ``q`` for 16, 32 and 64 bits."""
    if not kernel.compiled:
        return array(typecode, bytes(array(typecode).itemsize * count))
    import numpy

    return numpy.zeros(count, dtype=typecode)


def longer(kernel: Kernel, values: Numbers, count: int) -> Numbers:
    """Return an array or arena with the same beginning, lengthened by zeros to that many numbers."""
    more = count - len(values)
    if isinstance(values, list):
        return values + [0] * more
    if isinstance(values, array):
        return values + array(values.typecode, bytes(values.itemsize * more))
    import numpy

    numbers = cast(numpy.ndarray[Any, Any], values)
    return cast(Numbers, numpy.concatenate((numbers, numpy.zeros(more, dtype=numbers.dtype))))


def same(arena: Arena, at: int, other: Arena, there: int) -> bool:
    """Tell whether two places of two arenas hold the same numbers. One of the functions to bind."""
    word = 0
    while word < WORDS and arena[at * WORDS + word] == other[there * WORDS + word]:
        word += 1
    return word == WORDS
