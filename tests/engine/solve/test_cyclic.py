"""Proof-number search where play can go round: against the definition on random graphs full of cycles.

With ARENA_CAMPAIGN=1 there are twenty times as many graphs.
"""

import os
from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import DRAWN, LOST, WON
from engine.solve import certificate, cyclic, proof_table
from engine.solve.certificate import Claim, strategy
from engine.solve.cyclic import CyclicProver
from engine.solve.solver import Result, solve
from tests.engine.search import toy

TIMES = 20 if os.environ.get("ARENA_CAMPAIGN") else 1
GRAPHS = 60 * TIMES
ROOTS = 6
MEMORY = 1 << 22
MAX_PORTIONS = 400


def expected_value(plies: int | None) -> int:
    return DRAWN if plies is None else WON if plies % 2 == 1 else LOST


def solved(prover: CyclicProver, portion: int) -> CyclicProver:
    """Search in portions, each a quarter larger than the last one."""
    for _ in range(MAX_PORTIONS):
        if prover.value is not None or prover.hopeless:
            break
        prover.search(portion)
        portion += 1 + portion // 4
    return prover


def check_random_graphs(first_seed: int, memory: int) -> dict[int, int]:
    """Compare values with the definition; return how often each value came up."""
    values = {WON: 0, LOST: 0, DRAWN: 0}
    given_up = 0
    for seed in range(first_seed, first_seed + GRAPHS):
        chance = Random(seed)
        moves = toy.random_moves(
            chance, chance.randint(5, 60), chance.randint(1, 5), chance.choice([0.03, 0.1, 0.2, 0.4])
        )
        drawn = frozenset(node for node in range(len(moves)) if chance.random() < chance.choice([0, 0.5]))
        known = toy.truth(moves, drawn)
        for root in chance.sample(range(len(moves)), min(ROOTS, len(moves))):
            prover = CyclicProver(toy.kernel(moves, drawn, root), memory=memory)
            solved(prover, chance.choice([3, 50, 1 << 30]))
            plies = known[root]
            if prover.hopeless:  # a draw that too few plies seem to be the reason of, however many there are
                given_up += 1
                assert plies is None
                continue
            assert prover.value == expected_value(plies)
            values[expected_value(plies)] += 1
            if plies is None:
                assert prover.within is None
            else:
                assert prover.within is not None
                assert prover.within >= plies
                assert (prover.within - plies) % 2 == 0
    assert given_up <= GRAPHS // 200
    return values


@pytest.mark.slow
def test_values_are_those_of_the_definition() -> None:
    assert min(check_random_graphs(0, MEMORY).values()) > GRAPHS // 2


@pytest.mark.slow
def test_a_table_that_forgets_nearly_everything_changes_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CyclicProver, "FIRST_ENTRIES", 8)
    monkeypatch.setattr(proof_table, "PROBES", 2)
    monkeypatch.setattr(cyclic, "FIRST_HORIZON", 40)
    assert min(check_random_graphs(100_000, 0).values()) > GRAPHS // 2


@pytest.mark.slow("interpreted")
def test_a_table_and_an_arena_that_grow_change_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CyclicProver, "FIRST_ENTRIES", 8)
    monkeypatch.setattr(CyclicProver, "FIRST_PLACES", 4)
    assert min(check_random_graphs(200_000, MEMORY).values()) > GRAPHS // 2


@pytest.mark.slow
def test_a_search_that_sees_a_few_plies_at_first_goes_deeper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cyclic, "FIRST_HORIZON", 2)
    assert min(check_random_graphs(300_000, MEMORY).values()) > GRAPHS // 2


def test_a_disproof_by_repetition_is_not_taken_for_true_elsewhere() -> None:
    """From 1 the way by 2, 3 and 4 comes back to 1 and fails; from 0 it leads to 1, and wins."""
    moves = [[2, 4], [2, 5], [3], [4], [1], []]
    known = toy.truth(moves, frozenset())
    for root in range(len(moves)):
        prover = solved(CyclicProver(toy.kernel(moves, root=root), memory=MEMORY), 1)
        assert prover.value == expected_value(known[root])


def test_a_game_that_goes_round_for_ever_is_a_draw() -> None:
    assert solved(CyclicProver(toy.kernel([[0]]), memory=MEMORY), 10).value == DRAWN
    circle = [[(node + 1) % 41, (node + 7) % 41] for node in range(41)]
    assert solved(CyclicProver(toy.kernel(circle), memory=MEMORY), 10).value == DRAWN


def test_a_game_deeper_than_any_horizon_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cyclic, "MAX_DEPTH", 20)
    moves = [[node + 1] for node in range(60)] + [[]]
    prover = solved(CyclicProver(toy.kernel(moves), memory=MEMORY), 100)
    assert (prover.value, prover.hopeless) == (None, True)


@pytest.mark.parametrize(("verdict", "plies"), [(WON, 0), (LOST, 0), (DRAWN, None)])
def test_a_finished_game_needs_no_search(verdict: int, plies: int | None) -> None:
    prover = CyclicProver(toy.kernel([[0]], root_verdict=verdict), memory=MEMORY)
    prover.search(1)
    assert (prover.value, prover.within, prover.nodes) == (verdict, plies, 0)


@pytest.mark.slow
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
    checked = certificate.check(Claim(position, 1, None, moves))
    assert solution.plies is not None
    assert checked.plies >= solution.plies
