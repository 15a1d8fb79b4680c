"""Solved boards of docs/rules.md, 2.4 and 4.3, and what symmetry demands of arrows."""

import pytest

from engine.games.arrows.position import ARROWS
from engine.games.interface import WON
from engine.games.mnk.position import MNK
from engine.solve.provers import Prover
from engine.solve.solver import Result, SolverLimits, solve

MEMORY = 1 << 26

RIGHT, DOWN_RIGHT, DOWN = 2, 3, 4

TABLE = {
    (4, 4): "www",
    (5, 4): "lll",
    (5, 5): "lll",
    (6, 4): "lww",
}
"""By M and N what becomes of the first player; the arrow points right, down right or down, the other's back."""

FOUND = {(4, 5): "lll", (4, 6): "wwl", (5, 6): "lwl", (6, 5): "lwl", (7, 4): "lll", (4, 7): "lll"}
"""The same, found by this engine."""


def first_wins(columns: int, rows: int, first: int, second: int) -> bool:
    kernel = ARROWS.start(f"{columns} {rows} 1 1 {columns} {rows} {first} {second}").kernel()
    return Prover(kernel, memory=MEMORY).solve(kernel.state) == WON


@pytest.mark.parametrize(
    ("board", "results"),
    [
        *(
            pytest.param(*item, marks=[pytest.mark.slow, pytest.mark.thorough] * (item[0] != (4, 4)))
            for item in TABLE.items()
        ),
        *(pytest.param(*item, marks=[pytest.mark.slow, pytest.mark.campaign]) for item in FOUND.items()),
    ],
    ids=str,
)
def test_tables_of_the_rules(board: tuple[int, int], results: str) -> None:
    shown = ["w" if first_wins(*board, d, (d + 4) % 8) else "l" for d in (RIGHT, DOWN_RIGHT, DOWN)]
    assert "".join(shown) == results


WINS = ["2 2 2", "3 4 3", "4 3 3", "4 4 3"]
TIES = ["3 3 3", "2 5 3", "3 5 4", "3 6 4", "4 4 4", "5 5 5"]
LONGER = [
    ("3 7 4", Result.DRAW),
    ("4 5 4", Result.DRAW),
    ("5 6 4", Result.FIRST),
    ("6 6 4", Result.FIRST),
    ("4 6 4", Result.DRAW),
    ("4 7 4", Result.DRAW),
    ("5 5 4", Result.DRAW),
    ("6 6 5", Result.DRAW),
]
"""Boards that need compiled rules."""

NODES = 1 << 30


@pytest.mark.parametrize(
    ("parameters", "result"), [*((p, Result.FIRST) for p in WINS), *((p, Result.DRAW) for p in TIES)], ids=str
)
def test_short_ones(parameters: str, result: Result) -> None:
    assert solve(MNK.start(parameters)).result == result


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize(("parameters", "result"), LONGER, ids=str)
def test_longer_ones(parameters: str, result: Result) -> None:
    """The limit is only there to end a search that has gone astray."""
    assert solve(MNK.start(parameters), SolverLimits(nodes=NODES)).result == result
