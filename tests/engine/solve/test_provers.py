"""Proof-number search, with cycles and without: against the definition on random graphs.

With ARENA_CAMPAIGN=1 there are twenty times as many graphs.
"""

import os
from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.rules import DRAWN, LOST, WON
from engine.solve import certificate, proof_table, provers
from engine.solve.certificate import Claim, strategy
from engine.solve.provers import CyclicProver, Prover
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
        if prover.value is not None or prover.is_exhausted:
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
            if prover.is_exhausted:  # a draw that too few plies seem to be the reason of, however many there are
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
@pytest.mark.parametrize(
    ("seed", "memory", "constants"),
    [
        (0, MEMORY, {}),
        (100_000, 0, {"CyclicProver.FIRST_ENTRIES": 8, "FIRST_HORIZON": 40}),
        (200_000, MEMORY, {"CyclicProver.FIRST_ENTRIES": 8, "CyclicProver.FIRST_PLACES": 4}),
        (300_000, MEMORY, {"FIRST_HORIZON": 2}),
    ],
    ids=["usual", "a table that forgets nearly everything", "a table and an arena that grow", "few plies at first"],
)
def test_values_are_those_of_the_definition(
    monkeypatch: pytest.MonkeyPatch, seed: int, memory: int, constants: dict[str, int]
) -> None:
    for name, value in constants.items():
        monkeypatch.setattr(f"engine.solve.provers.{name}", value)
    if memory == 0:
        monkeypatch.setattr(proof_table, "PROBES", 2)
    assert min(check_random_graphs(seed, memory).values()) > GRAPHS // 2


def test_a_game_deeper_than_any_horizon_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "MAX_DEPTH", 20)
    moves = [[node + 1] for node in range(60)] + [[]]
    prover = solved(CyclicProver(toy.kernel(moves), memory=MEMORY), 100)
    assert (prover.value, prover.is_exhausted) == (None, True)


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
    plies, _ = certificate.check(Claim(position, 1, None, moves))
    assert solution.plies is not None
    assert plies >= solution.plies


ACYCLIC_MEMORY = 1 << 24


def acyclic(chance: Random, nodes: int, most: int) -> list[list[int]]:
    """Return a graph whose moves all lead to later nodes, many of them to the same ones."""
    graph: list[list[int]] = []
    for node in range(nodes):
        later = range(node + 1, min(nodes, node + 1 + 2 * most))
        graph.append(chance.sample(later, min(len(later), chance.randint(0 if node > 3 else 1, most))))
    return graph


def values(moves: toy.Moves, drawn: frozenset[int]) -> list[int]:
    """Return the value of each node."""
    return [DRAWN if plies is None else WON if plies % 2 else LOST for plies in toy.truth(moves, drawn)]


@pytest.mark.parametrize("seed", range(80))
def test_values_of_games_that_end_are_those_of_the_definition(seed: int) -> None:
    chance = Random(seed)
    moves = acyclic(chance, chance.randint(2, 60), chance.randint(1, 5))
    drawn = frozenset(node for node in range(len(moves)) if chance.random() < chance.choice([0, 0.5]))
    expected = values(moves, drawn)
    searcher = Prover(toy.kernel(moves, drawn), memory=ACYCLIC_MEMORY)
    for root in chance.sample(range(len(moves)), min(8, len(moves))):
        kernel = toy.kernel(moves, drawn, root)
        assert searcher.solve(kernel.state) == expected[root]
        assert Prover(kernel, memory=ACYCLIC_MEMORY).solve(kernel.state) == expected[root]


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
        assert value == values(moves, drawn)[0]
    assert portions > 10


def test_tables_and_arenas_that_are_too_small_grow_or_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither changes a value."""
    monkeypatch.setattr(Prover, "FIRST_ENTRIES", 8)
    monkeypatch.setattr(Prover, "FIRST_PLACES", 4)
    monkeypatch.setattr(proof_table, "PROBES", 2)
    chance = Random(5)
    moves = acyclic(chance, 400, 5)
    drawn = frozenset(range(0, 400, 7))
    expected = values(moves, drawn)
    growing = Prover(toy.kernel(moves, drawn), memory=ACYCLIC_MEMORY)
    forgetting = Prover(toy.kernel(moves, drawn), memory=0)
    for root in range(0, 400, 20):
        assert growing.solve(toy.Node(root)) == expected[root]
        assert forgetting.solve(toy.Node(root)) == expected[root]
