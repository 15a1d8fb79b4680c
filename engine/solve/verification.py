"""Verifies layers by the rules alone: each value has to follow from those of the positions that moves lead to.

That proves a whole tablebase in which it holds everywhere. What is lost in 0 plies is lost by the rules; a win or a
loss in n plies rests on values of fewer; and from a draw no move wins, but one leads to another draw, for ever.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, count

from engine.compiling.binding import popcount
from engine.games.gipf.kernel import GipfLayerRules
from engine.games.gipf.rules import State
from engine.games.interface import UNDECIDED
from engine.search.memory import ROOM
from engine.solve.layers import Judgement, Layers, Name

Place = tuple[Name, int]
"""A layer, and the number of a place in it."""


def all_places(layers: Layers, names: Sequence[Name]) -> Iterator[Place]:
    """Yield every place of some layers, in their order."""
    return ((name, number) for name in names for number in range(layers.sizes[name]))


def random_places(layers: Layers, names: Sequence[Name], seed: int) -> Iterator[Place]:
    """Yield places of some layers without end, each with the same chance; a seed gives the same ones everywhere."""
    ends = list(accumulate(layers.sizes[name] for name in names))
    for drawn in count():
        number = int.from_bytes(blake2b(f"{seed} {drawn}".encode(), digest_size=16).digest()) % ends[-1]
        at = bisect_right(ends, number)
        yield names[at], ends[at] - 1 - number


def position_at(layers: Layers, place: Place) -> State | None:
    """Return the position in a place; None where no position has it."""
    rules, ((mine, theirs), number) = layers.rules, place
    assert isinstance(rules, GipfLayerRules)
    sets = len(rules.index.least) + 1
    row = min(theirs, rules.FIELDS) * sets
    own, other = rules.sets_at(
        number, bisect_right(rules.index.firsts, number, row, row + sets) - row - 1, theirs, rules.index
    )
    if rules.has_run(other) or rules.place_of(own, other, theirs, rules.index)[0] != number:
        return None
    return State(own, other, mine - popcount(own), theirs - popcount(other), 0)


def expected_value(layers: Layers, state: State) -> Judgement:
    """Return the value that follows by the rules from those of the positions that moves lead to."""
    rules = layers.kernel.rules
    if rules.verdict(state) != UNDECIDED:
        return Judgement(-1, 0)
    arena = layers.kernel.arena(ROOM)
    end = rules.children(state, arena, 0)
    after = [layers.judgement(rules.load(arena, number)) for number in range(end)]
    lost = [known.plies for known in after if known is not None and known.result < 0]
    won = [known.plies for known in after if known is not None and known.result > 0]
    if lost:
        return Judgement(1, min(lost) + 1)
    return Judgement(-1, max(won) + 1) if len(won) == end else Judgement(0, 0)
