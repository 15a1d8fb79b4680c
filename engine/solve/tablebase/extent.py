"""Which layers the tablebase of a variant has, so that it stays small."""

from collections.abc import Iterator
from functools import cache

from engine.games.interface import Kernel
from engine.solve.layered.pair import layer_rules
from engine.solve.layered.solver import layer_of, needed
from engine.solve.layered.store import Name

MAX_PLACES = 1 << 26
"""Bytes of a tablebase, of which a position takes one: they are solved in less than a minute, with 0.5 GB of memory."""

MAX_NUMBER = 40
"""No layer of a tablebase has a larger number in its name: each takes some milliseconds, however small it is."""


def extent(kernel: Kernel) -> Name:
    """Return the largest layer that the tablebase of a variant has, of which the kernel has the start.

    That is where its games begin, if it is small enough with all layers below it. Otherwise it is what such games may
    come to late, when both sides have lost pieces. Of two layers that belong together the one with the larger number
    first is returned.
    """
    rules = layer_rules(kernel)

    @cache
    def places(mine: int, theirs: int) -> int:
        return int(rules.places(mine, theirs, rules.index))

    start = layer_of(kernel)
    found = (0, 0)
    for name in _growing(max(start), min(start)):
        total = sum(places(*layer) for pair in needed(name) for layer in {pair, pair[::-1]})
        if max(name) > MAX_NUMBER or total > MAX_PLACES:
            break
        found = name
    return found


def _growing(larger: int, smaller: int) -> Iterator[Name]:
    """Yield names that grow by one in one of both numbers, as evenly as they can, up to the one with these numbers."""
    for number in range(1, larger + 1):
        if number <= smaller:
            yield number, number - 1
        yield number, min(number, smaller)
