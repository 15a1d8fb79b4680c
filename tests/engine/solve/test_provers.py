"""Proof-number search: portions, and certificates of what it has proven."""

from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import DRAWN, LOST, WON
from engine.solve import certificate
from engine.solve.certificate import Claim, strategy
from engine.solve.provers import CyclicProver, Prover
from engine.solve.solver import Result, solve
from tests.engine.search import toy

MEMORY = 1 << 22


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("forgets", [pytest.param(False, marks=pytest.mark.campaign), True])
def test_a_win_of_which_the_length_is_not_known_has_a_certificate(
    forgets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Well-founded, though the positions of the game can repeat; also where the table has lost parts of the proof."""
    if forgets:
        monkeypatch.setattr(CyclicProver, "FIRST_ENTRIES", 1 << 8)
    position = GAMES["gipf"].start("3 4 5 5")
    solution = solve(position)
    assert solution.result == Result.SECOND
    moves = strategy(position, solution._replace(plies=None), memory=0 if forgets else MEMORY, most=100_000)
    plies, _ = certificate.check(Claim(position, 1, None, moves))
    assert solution.plies is not None
    assert plies >= solution.plies


ACYCLIC_MEMORY = 1 << 24


@pytest.mark.slow("interpreted")
def test_a_search_goes_on_where_it_was_stopped() -> None:
    """Games of ten moves, of which a portion sees a few."""
    portions = 0
    for seed in range(10):
        chance = Random(seed)
        moves: list[list[int]] = []
        for node in range(600):
            layer = node // 60
            moves.append([] if layer == 9 else chance.sample(range(60 * layer + 60, 60 * layer + 120), 4))
        drawn = frozenset(chance.sample(range(540, 600), 50))
        searcher = Prover(toy.kernel(moves, drawn), memory=ACYCLIC_MEMORY)
        while (value := searcher.solve(toy.Node(0), 30)) is None:
            portions += 1
            assert portions < 10_000
        plies = toy.truth(moves, drawn)[0]
        assert value == (DRAWN if plies is None else WON if plies % 2 else LOST)
    assert portions > 10
