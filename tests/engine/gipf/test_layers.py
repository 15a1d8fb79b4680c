"""Moves inside layers of GIPF, and moves taken back."""

from collections import Counter

import pytest

from engine.games.gipf.kernel import bind_layers
from engine.games.gipf.layers import MOVE_NUMBERS, WEIGHT
from engine.games.gipf.rules import State
from engine.games.rules import LOST, UNDECIDED


@pytest.mark.parametrize(("run", "mine", "theirs"), [(2, 5, 4), (3, 4, 5), (3, 7, 7)])
def test_moves_are_those_of_the_rules_and_those_taken_back_lead_to_where_they_came_from(
    run: int, mine: int, theirs: int
) -> None:
    """Every position of the smallest board, against the moves that the rules make of it."""
    rules = bind_layers(2, run, compile=False)
    index = rules.index
    arena, found = [0] * 20_000, [0] * 2_000
    forward: Counter[tuple[int, int]] = Counter()
    back: Counter[tuple[int, int]] = Counter()
    for place in range(rules.places(mine, theirs, index)):
        number = rules.number_at(place, 0, theirs, index)
        own, other = rules.sets_at(place, number, theirs, index)
        state = State(own, other, mine - own.bit_count(), theirs - other.bit_count(), 0)
        verdict, inside, listed = rules.moves_from(place, number, mine, theirs, index, arena, found)
        if verdict in (LOST, UNDECIDED):
            assert rules.verdict(state) == verdict
        if verdict == UNDECIDED:
            layers = Counter(tuple(found[at * MOVE_NUMBERS : (at + 1) * MOVE_NUMBERS]) for at in range(listed))
            expected: Counter[tuple[int, int, int]] = Counter()
            for push in range(len(rules.LINE)):
                if not rules.LINE[push] & ~(own | other):
                    continue
                after = rules.after_push(state, push)
                tactical = rules.has_run(after.white) or rules.has_run(after.black)
                for at in range(rules.finals(state, push, arena, 0)):
                    final = rules.load(arena, at)
                    child = rules.place_in_layer(final, index)
                    if tactical:
                        expected[(*rules.layer_of(final), child)] += 1
                    else:
                        forward[place, child] += WEIGHT
            assert layers == expected
            assert inside == sum(count for (at, _), count in forward.items() if at == place) // WEIGHT
    for place in range(rules.places(theirs, mine, index)):
        # as the position after a move: in the layer that belongs to that one
        number = rules.number_at(place, 0, mine, index)
        if rules.moves_from(place, number, theirs, mine, index, arena, found)[0] >= 0:
            for way in range(rules.origins_of(place, number, theirs, mine, index, found)):
                back[found[2 * way], place] += found[2 * way + 1]
    assert forward == back
    assert sum(forward.values()) > 1000
