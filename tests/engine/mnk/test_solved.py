"""Solved games: the table of docs/rules.md, 4.3, through the solver that everybody uses."""

import os

import pytest

from engine.games.mnk.position import MNK
from engine.solve.solver import Result, SolverLimits, solve

WINS = ["2 2 2", "3 4 3", "4 3 3", "4 4 3"]
TIES = ["3 3 3", "2 5 3", "3 5 4", "3 6 4", "3 7 4", "4 4 4", "4 5 4", "5 5 5"]
LONGER = [
    ("5 6 4", Result.FIRST),
    ("6 6 4", Result.FIRST),
    ("4 6 4", Result.DRAW),
    ("4 7 4", Result.DRAW),
    ("5 5 4", Result.DRAW),
    ("6 6 5", Result.DRAW),
]
"""Those that compiled rules are needed for, and first one that comes close to it."""

NODES = 1 << 30


@pytest.mark.parametrize(
    ("parameters", "result"), [*((p, Result.FIRST) for p in WINS), *((p, Result.DRAW) for p in TIES)], ids=str
)
def test_short_ones(parameters: str, result: Result) -> None:
    assert solve(MNK.start(parameters)).result == result


@pytest.mark.slow
@pytest.mark.parametrize(("parameters", "result"), LONGER if os.environ.get("ARENA_CAMPAIGN") else LONGER[:1], ids=str)
def test_longer_ones(parameters: str, result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is only there to end a search that has gone astray; to compile takes longer than the first of them."""
    if not os.environ.get("ARENA_CAMPAIGN"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert solve(MNK.start(parameters), SolverLimits(nodes=NODES)).result == result
