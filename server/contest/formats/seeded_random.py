"""A reproducible shuffle: a seed gives the same order on every machine and in every version."""

from collections.abc import Sequence
from typing import TypeVar

from engine.duel.openings import split_mix

Item = TypeVar("Item")


def shuffled(items: Sequence[Item], seed: int) -> tuple[Item, ...]:
    """Return the items in an order that depends on the seed alone (Fisher and Yates 1938)."""
    order = list(items)
    numbers = split_mix(seed)
    for last in range(len(order) - 1, 0, -1):
        other = next(numbers) % (last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
