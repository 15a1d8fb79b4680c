"""Solvers on the graph of any game, with cycles and without, against the definition of won, lost and drawn."""

from typing import Any, TypeAlias

import pytest
from hypothesis import given, strategies as st

from engine.games.interface import DRAWN, LOST, WON
from engine.solve.forced_wins import ForcedWin
from engine.solve.provers import CyclicProver, Prover
from tests.engine.forced_wins import forced_win
from tests.engine.search import toy

Graph: TypeAlias = tuple[list[list[int]], frozenset[int]]
"""The moves from each node, and the nodes that are a draw if they have no moves."""

MEMORY = 1 << 22
MAX_PORTIONS = 400
ROOTS = 2
"""Nodes of a graph that are solved."""

SMALL_TABLES = {"provers.Prover.FIRST_ENTRIES": 8, "provers.Prover.FIRST_PLACES": 4, "proof_table.PROBES": 2}
"""Tables and arenas that have to grow, or to forget entries."""

GROWING = {"provers.CyclicProver.FIRST_ENTRIES": 8, "provers.CyclicProver.FIRST_PLACES": 4}


@st.composite
def graphs(draw: st.DrawFn, *, ends: bool = False) -> Graph:
    """Draw a graph; in a game that ends, every move leads to a later node."""
    count = draw(st.integers(2, 30))
    moves: list[list[int]] = []
    for node in range(count):
        near = range(node + 1, min(count, node + 9)) if ends else range(count)
        moves.append(draw(st.lists(st.sampled_from(near), max_size=4, unique=True)) if near else [])
    return moves, draw(st.frozensets(st.integers(0, count - 1)))


def value_of(plies: int | None) -> int:
    return DRAWN if plies is None else WON if plies % 2 else LOST


def solved(prover: CyclicProver, portion: int) -> CyclicProver:
    """Search in portions, each a quarter larger than the last one."""
    for _ in range(MAX_PORTIONS):
        if prover.value is not None or prover.is_exhausted:
            break
        prover.search(portion)
        portion += 1 + portion // 4
    return prover


def constants(patch: pytest.MonkeyPatch, changed: dict[str, Any]) -> None:
    for name, value in changed.items():
        patch.setattr(f"engine.solve.{name}", value)


@given(graphs())
def test_forced_wins_are_as_short_as_the_definition_says(graph: Graph) -> None:
    moves, drawn = graph
    for root, plies in enumerate(toy.truth(moves, drawn)[:ROOTS]):
        expected = None if plies is None or plies > 12 else ForcedWin(plies % 2 == 1, plies)
        assert forced_win(toy.kernel(moves, drawn, root), 12) == expected


@pytest.mark.parametrize(
    ("memory", "changed"),
    [
        (MEMORY, {}),
        (0, {"provers.CyclicProver.FIRST_ENTRIES": 8, "provers.FIRST_HORIZON": 40, "proof_table.PROBES": 2}),
        pytest.param(MEMORY, GROWING | {"provers.FIRST_HORIZON": 2}, marks=pytest.mark.thorough),
        pytest.param(MEMORY, GROWING, marks=pytest.mark.campaign),
        pytest.param(MEMORY, {"provers.FIRST_HORIZON": 2}, marks=pytest.mark.campaign),
    ],
    ids=[
        "usual",
        "a table that forgets nearly everything",
        "all that grows",
        "a table and an arena",
        "few plies at first",
    ],
)
@pytest.mark.slow("interpreted")
@given(graph=graphs(), portion=st.sampled_from([3, 50, 1 << 30]))
def test_proofs_with_cycles_have_the_value_of_the_definition(
    memory: int, changed: dict[str, Any], graph: Graph, portion: int
) -> None:
    moves, drawn = graph
    with pytest.MonkeyPatch.context() as patch:
        constants(patch, changed)
        for root, plies in enumerate(toy.truth(moves, drawn)[:ROOTS]):
            prover = solved(CyclicProver(toy.kernel(moves, drawn, root), memory=memory), portion)
            if prover.is_exhausted:  # a draw for which too few plies seem to be the reason
                assert plies is None
                continue
            assert prover.value == value_of(plies)
            assert (prover.within is None) == (plies is None)
            if plies is not None and prover.within is not None:
                assert prover.within >= plies and (prover.within - plies) % 2 == 0


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(
    "changed", [{}, pytest.param(SMALL_TABLES, marks=pytest.mark.thorough)], ids=["usual", "small tables"]
)
@given(graph=graphs(ends=True))
def test_proofs_of_games_that_end_have_the_value_of_the_definition(changed: dict[str, Any], graph: Graph) -> None:
    moves, drawn = graph
    with pytest.MonkeyPatch.context() as patch:
        constants(patch, changed)
        growing, forgetting = (Prover(toy.kernel(moves, drawn), memory=memory) for memory in (MEMORY, 0))
        for root, plies in enumerate(toy.truth(moves, drawn)[:ROOTS]):
            state = toy.Node(root)
            assert growing.solve(state) == forgetting.solve(state) == value_of(plies)


def test_a_game_deeper_than_any_horizon_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    constants(monkeypatch, {"provers.MAX_DEPTH": 20})
    moves = [[node + 1] for node in range(60)] + [[]]
    prover = solved(CyclicProver(toy.kernel(moves), memory=MEMORY), 100)
    assert (prover.value, prover.is_exhausted) == (None, True)
