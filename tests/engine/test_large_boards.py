"""Compiled code of boards of several machine words finds what interpreted code does, in the solver and in duels."""

from pathlib import Path

import pytest

from engine.commands.duel.engine_process import EngineProcess
from engine.commands.duel.processes import OURS, EngineSetup
from engine.duel.engine_config import read
from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.search import game_engine
from engine.solve.solver import Solution, SolverLimits, solve
from tests.engine.code_after import CodeAfter

pytestmark = pytest.mark.slow

BOARDS = [("gipf", "5 4 20 20"), ("mnk", "15 15 5")]

NEVER, AT_ONCE = float("inf"), 0


def solved(start: Position, looks: float) -> Solution:
    limits = SolverLimits(memory=1 << 24, nodes=400)
    return solve(start, limits, trial=16, code=CodeAfter(looks))


def moves_of(start: Position, looks: float, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Return three moves of a side of a duel, and the nodes of each."""
    monkeypatch.setattr(game_engine, "compiled_code", lambda position: CodeAfter(looks))
    process = EngineProcess(EngineSetup("A", read("nodes=1000"), Path(OURS), {}, start).first_message)
    found: list[tuple[str, int]] = []
    for _ in range(3):
        told = process.move({"game": 0, "moves": [move for move, _ in found], "left": None}, 0.0)
        found.append((told["move"], told["nodes"]))
    return found


@pytest.mark.parametrize(("game", "parameters"), [BOARDS[0], pytest.param(*BOARDS[1], marks=pytest.mark.campaign)])
def test_the_solver_finds_the_same(game: str, parameters: str) -> None:
    start = start_of(game, parameters)
    assert start.kernel().compiled
    assert solved(start, AT_ONCE) == solved(start, NEVER)


@pytest.mark.parametrize(("game", "parameters"), BOARDS)
def test_a_side_of_a_duel_plays_the_same(game: str, parameters: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start = start_of(game, parameters)
    compiled = moves_of(start, AT_ONCE, monkeypatch)
    assert compiled == moves_of(start, NEVER, monkeypatch)
    assert min(nodes for _, nodes in compiled) > 100
