"""Proof-number search: against the definition on random graphs without cycles, and with tables of the least size."""

from random import Random

import pytest

from engine.games.interface import DRAWN, LOST, WON
from engine.solve import proof_table
from engine.solve.acyclic import Prover
from tests.engine.search import toy

MEMORY = 1 << 24


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
def test_values_are_those_of_the_definition(seed: int) -> None:
    chance = Random(seed)
    moves = acyclic(chance, chance.randint(2, 60), chance.randint(1, 5))
    drawn = frozenset(node for node in range(len(moves)) if chance.random() < chance.choice([0, 0.5]))
    expected = values(moves, drawn)
    searcher = Prover(toy.kernel(moves, drawn), memory=MEMORY)
    for root in chance.sample(range(len(moves)), min(8, len(moves))):
        kernel = toy.kernel(moves, drawn, root)
        assert searcher.settle(kernel.state) == expected[root]
        assert Prover(kernel, memory=MEMORY).settle(kernel.state) == expected[root]


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
        searcher = Prover(toy.kernel(moves, drawn), memory=MEMORY)
        while (value := searcher.settle(toy.Node(0), 30)) is None:
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
    growing = Prover(toy.kernel(moves, drawn), memory=MEMORY)
    forgetting = Prover(toy.kernel(moves, drawn), memory=0)
    for root in range(0, 400, 20):
        assert growing.settle(toy.Node(root)) == expected[root]
        assert forgetting.settle(toy.Node(root)) == expected[root]
