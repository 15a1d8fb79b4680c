"""Verifies a tablebase by the rules alone: each value has to follow from those of the positions that moves lead to.

That proves a whole tablebase in which it holds everywhere. What is lost in 0 plies is lost by the rules; a win or a
loss in n plies rests on values of fewer; and from a draw no move wins, but one leads to another draw, for ever.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from engine.compiling.binding import popcount
from engine.games.gipf.kernel import GipfLayerRules
from engine.games.gipf.rules import State
from engine.games.interface import UNDECIDED, Kernel
from engine.search.memory import ROOM
from engine.solve.layers import Judgement, Layers, Name, layer_rules, needed


class Place(NamedTuple):
    """A place of a tablebase."""

    layer: Name
    number: int


class Fault(NamedTuple):
    """A position with a value that does not follow from the rules."""

    place: Place
    state: State
    found: Judgement | None
    """The value that it has."""
    expected: Judgement


def layers_up_to(largest: Name) -> list[Name]:
    """List a layer and all below it, smaller ones first."""
    return [name for pair in needed(largest) for name in dict.fromkeys((pair, pair[::-1]))]


def all_places(kernel: Kernel, layers: Sequence[Name]) -> Iterator[Place]:
    """Yield every place of some layers, in their order."""
    for layer, count in _sizes(kernel, layers):
        for number in range(count):
            yield Place(layer, number)


def random_places(kernel: Kernel, layers: Sequence[Name], seed: int) -> Iterator[Place]:
    """Yield places of some layers without end, each with the same chance; a seed gives the same ones everywhere."""
    sizes = _sizes(kernel, layers)
    total = sum(count for _, count in sizes)
    drawn = 0
    while True:
        number = int.from_bytes(blake2b(f"{seed} {drawn}".encode(), digest_size=16).digest()) % total
        drawn += 1
        for layer, count in sizes:
            if number < count:
                yield Place(layer, number)
                break
            number -= count


def position_at(kernel: Kernel, place: Place) -> State | None:
    """Return the position in a place; None where no position has it."""
    rules = layer_rules(kernel)
    assert isinstance(rules, GipfLayerRules)
    mine, theirs = place.layer
    number = _set_number(rules, place)
    own, other = rules.sets_at(place.number, number, theirs, rules.index)
    if rules.has_run(other) or rules.place_of(own, other, theirs, rules.index)[0] != place.number:
        return None
    return State(own, other, mine - popcount(own), theirs - popcount(other), 0)


def fault_at(kernel: Kernel, layers: Layers, place: Place, state: State) -> Fault | None:
    """Return what is wrong with the value of a position, None where it follows from the rules."""
    expected = _expected(kernel._replace(state=state), layers)
    found = layers.judgement(state)
    return None if found == expected else Fault(place, state, found, expected)


def _expected(kernel: Kernel, layers: Layers) -> Judgement:
    rules = kernel.rules
    if rules.verdict(kernel.state) != UNDECIDED:
        return Judgement(-1, 0)
    arena = kernel.arena(ROOM)
    count = rules.children(kernel.state, arena, 0)
    after = [layers.judgement(rules.load(arena, number)) for number in range(count)]
    lost = [known.plies for known in after if known is not None and known.result < 0]
    if lost:
        return Judgement(1, min(lost) + 1)
    won = [known.plies for known in after if known is not None and known.result > 0]
    return Judgement(-1, max(won) + 1) if len(won) == count else Judgement(0, 0)


def _sizes(kernel: Kernel, layers: Sequence[Name]) -> list[tuple[Name, int]]:
    """Return how many places each layer has."""
    rules = layer_rules(kernel)
    return [(name, int(rules.places(*name, rules.index))) for name in layers]


def _set_number(rules: GipfLayerRules, place: Place) -> int:
    """Return `number_at` a place, found by halving: from 0 on it would be looked for one by one."""
    low, high = 0, len(rules.index.least)
    row = rules.index.firsts[min(place.layer[1], rules.FIELDS) * (high + 1) :]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if row[middle] <= place.number else (low, middle)
    return low
