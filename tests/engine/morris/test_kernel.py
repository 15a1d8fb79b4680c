"""The kernel of nine men's morris: compiled and interpreted alike, within its room, hashing well, judging sanely."""

from random import Random
from typing import Any

import pytest

from engine.games.interface import EVALUATION_LIMIT, Position
from engine.games.morris.position import MORRIS, MorrisRules
from tests.engine.morris.samples import sample
from tests.oracles import morris as oracle


def positions(seed: int, number: int) -> list[Position]:
    """Return a sample of positions."""
    return [MORRIS.read(oracle.text_of(position)) for position in sample(Random(seed), number)]


@pytest.mark.slow
def test_compiled_and_interpreted_rules_agree() -> None:
    """What every function of the kernel answers, on positions that may come up in a search."""
    for position in positions(1, 500):
        interpreted, compiled = (position.kernel(compile=compile) for compile in (False, True))
        answers: list[list[Any]] = []
        for kernel in (interpreted, compiled):
            rules, state = kernel.rules, kernel.state
            assert isinstance(rules, MorrisRules)
            arena = kernel.arena(3000)
            answers.append(
                [
                    rules.evaluate(state),
                    rules.verdict(state),
                    rules.hash_of(state),
                    tuple(rules.canonical(state)),
                    rules.perft(state, 2, False, arena, 0),
                ]
            )
        assert answers[0] == answers[1]
        assert abs(answers[0][0]) < EVALUATION_LIMIT
        assert 0 <= answers[0][2] < 1 << 62


def test_hashes_of_neighbouring_positions_differ_in_half_of_their_bits() -> None:
    """And those of thousands of positions are all different, also in their low bits."""
    seen = set()
    distances = []
    for position in positions(4, 100):
        kernel = position.kernel(compile=False)
        for after in position.successors():
            state = after.position.kernel(compile=False).state
            seen.add(kernel.rules.hash_of(state))
            distances.append((kernel.rules.hash_of(state) ^ kernel.rules.hash_of(kernel.state)).bit_count())
    assert 29 < sum(distances) / len(distances) < 33
    assert len({value & 0xFFFFFF for value in seen}) > 0.999 * len(seen)


def test_a_better_position_is_worth_more() -> None:
    """A piece more, and mills that the next move can make; and the same seen by the other side."""

    def value(header: str, fields: str) -> int:
        kernel = MORRIS.read(f"{header}\n{fields:_<24}\n").kernel(compile=False)
        return int(kernel.rules.evaluate(kernel.state))

    even = value("0 0 W", "W__W__W__B__B__B")
    assert value("0 0 W", "W__W__W_WB__B__B") > even
    assert value("0 0 B", "W__W__W_WB__B__B") == -value("0 0 W", "W__W__W_WB__B__B")
    assert value("0 0 W", "WW_WW__WB_B_B__B") > value("0 0 W", "W_W_W_W_B_B_B__B")
