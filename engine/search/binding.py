"""The search functions bound to one game's kernel: compiled with it, or interpreted like it."""

from array import array
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from engine.compiling.binding import specialise
from engine.games.interface import Kernel

RULES = (
    *("WORDS", "load", "store", "children", "verdict", "evaluate", "hash_of"),
    *(
        "tactical_children",
        "candidates",
        "can_still_win",
        "least_plies",
        "canonical",
        "plies_left",
        "kind_of",
        "MARGIN",
    ),
    *("number_at", "moves_from", "origins_of", "LISTED", "WEIGHT"),
)
"""What search functions read of a kernel, by global name, as far as the kernel has it."""

MAX_BOUND = 256
"""Bindings that are kept, the latest used: some for each board that is searched, and one board may follow another."""

WORDS = 1  # bound like the rules to a kernel's: how many numbers a place of an arena has


def bind(functions: tuple[Callable[..., Any], ...], kernel: Kernel) -> SimpleNamespace:
    """Return copies of search functions, callees first, bound to a kernel's rules; each binding is made once.

    A function that the kernel has under the same name is left out in favour of the kernel's.
    """
    rules = {name: getattr(kernel.rules, name) for name in RULES if hasattr(kernel.rules, name)}
    return _bind(functions, kernel.compiled, tuple(rules), tuple(rules.values()))


@lru_cache(MAX_BOUND)
def _bind(
    functions: tuple[Callable[..., Any], ...], compiled: bool, names: tuple[str, ...], rules: tuple[Any, ...]
) -> SimpleNamespace:
    bound = dict(zip(names, rules, strict=True))
    functions = tuple(function for function in functions if function.__name__ not in bound)
    # the rules carry their binding's label in their names, as `specialise` has put it there
    label = bound["load"].__qualname__.removeprefix("load_")
    return specialise(functions, label, bound, compile=compiled)


def numbers(kernel: Kernel, typecode: str, count: int) -> Any:
    """Make an array of that many zeros for a kernel's search: ``h``, ``i`` and ``q`` for 16, 32 and 64 bits."""
    if not kernel.compiled:
        return array(typecode, bytes(array(typecode).itemsize * count))
    import numpy

    return numpy.zeros(count, dtype=typecode)


def longer(kernel: Kernel, values: Any, count: int) -> Any:
    """Return an array or arena with the same beginning, lengthened by zeros to that many numbers."""
    more = count - len(values)
    if isinstance(values, list):
        return values + [0] * more
    if isinstance(values, array):
        return values + array(values.typecode, bytes(values.itemsize * more))
    import numpy

    return numpy.concatenate((values, numpy.zeros(more, dtype=values.dtype)))


def same(arena: Any, at: int, other: Any, there: int) -> bool:
    """Tell whether two places of two arenas hold the same numbers. One of the functions to bind."""
    word = 0
    while word < WORDS and arena[at * WORDS + word] == other[there * WORDS + word]:
        word += 1
    return word == WORDS
