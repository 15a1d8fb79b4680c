"""Compiled code of boards of several machine words finds what interpreted code does, in the solver and in searches."""

import pytest

from engine.games.catalogue import start_of
from engine.games.history import History
from engine.games.interface import Position
from engine.search.searcher import Searcher, SearchLimits
from engine.solve.solver import Solution, SolverLimits, solve
from tests.engine.kernels_after import KernelsAfter

pytestmark = pytest.mark.slow

BOARDS = [("gipf", "5 4 20 20"), ("mnk", "15 15 5")]

NEVER, AT_ONCE = float("inf"), 0


def solved(start: Position, looks: float) -> Solution:
    limits = SolverLimits(memory=1 << 24, nodes=400)
    return solve(start, limits, kernels=KernelsAfter(start, looks))


def moves_of(start: Position, *, compile: bool) -> list[tuple[str, int]]:
    """Return three moves of a game that a searcher plays with itself, and the nodes of each."""
    searcher = Searcher(start.kernel(compile=compile))
    history = History.begin(start)
    found = []
    for _ in range(3):
        result = searcher.think(history.position, (), SearchLimits(nodes=1000), clock=lambda: 0.0)
        found.append((result.move, result.nodes))
        history = history.after(result.move)
    return found


@pytest.mark.parametrize(("game", "parameters"), [BOARDS[0], pytest.param(*BOARDS[1], marks=pytest.mark.campaign)])
def test_the_solver_finds_the_same(game: str, parameters: str) -> None:
    start = start_of(game, parameters)
    assert start.kernel().compiled
    assert solved(start, AT_ONCE) == solved(start, NEVER)


@pytest.mark.parametrize(("game", "parameters"), BOARDS)
def test_a_search_finds_the_same(game: str, parameters: str) -> None:
    start = start_of(game, parameters)
    compiled = moves_of(start, compile=True)
    assert compiled == moves_of(start, compile=False)
    assert min(nodes for _, nodes in compiled) > 100
