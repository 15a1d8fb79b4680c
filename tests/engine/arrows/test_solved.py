"""Boards with the players in opposite corners, solved: the tables of docs/rules.md, 2.4, and what symmetry demands."""

import pytest

from engine.games.arrows.position import ARROWS
from engine.games.interface import WON
from engine.solve.acyclic import Prover

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

WINS = {(4, 4): 18, (4, 5): 21, (5, 4): 21, (5, 5): 21}


def first_wins(columns: int, rows: int, first: int, second: int) -> bool:
    kernel = ARROWS.start(f"{columns} {rows} 1 1 {columns} {rows} {first} {second}").kernel()
    return Prover(kernel, memory=MEMORY).settle(kernel.state) == WON


@pytest.mark.slow
@pytest.mark.parametrize(("board", "results"), [*TABLE.items(), *FOUND.items()], ids=str)
def test_tables_of_the_rules(board: tuple[int, int], results: str) -> None:
    shown = ["w" if first_wins(*board, d, (d + 4) % 8) else "l" for d in (RIGHT, DOWN_RIGHT, DOWN)]
    assert "".join(shown) == results


@pytest.mark.slow
def test_all_directions_and_their_mirror_images() -> None:
    for columns, rows in WINS:
        won = 0
        for first in range(8):
            for second in range(8):
                wins = first_wins(columns, rows, first, second)
                # rows and columns exchanged: right becomes down, and up becomes left
                assert wins == first_wins(rows, columns, (6 - first) % 8, (6 - second) % 8)
                won += wins
        assert won == WINS[columns, rows]
