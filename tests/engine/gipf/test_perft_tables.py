"""The engine of GIPF counts the leaves of perft.txt, in both conventions, interpreted and compiled."""

from pathlib import Path

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf.kernel import WORD_SIZE
from engine.games.interface import Kernel
from tests.engine.perft_tables import Table, case_name


def tables() -> list[Table]:
    """Read the counts that stand beside this file."""
    found = []
    for line in (Path(__file__).parent / "perft.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            words = line.split()
            assert words[4] in ("M", "U")
            found.append(Table(" ".join(words[:4]), words[4] == "U", [int(word) for word in words[5:]]))
    return found


def is_wide(table: Table) -> bool:
    """Tell whether compiled sets of fields of the board take several machine words."""
    return int(table.parameters.split()[0]) > WORD_SIZE


TABLES = tables()

COMPILED = [
    pytest.param(table, marks=pytest.mark.campaign) if is_wide(table) and table.parameters != "5 4 20 20" else table
    for table in TABLES
]
"""Those that compiled code is held against; but for campaigns, of the larger boards only the smallest."""


def count(kernel: Kernel, depth: int, *, unique: bool) -> int:
    """Return the leaves of the tree of that depth."""
    return int(kernel.rules.perft(kernel.state, depth, unique, kernel.arena(20000), 0))


def test_the_tables_cover_both_conventions_of_five_boards() -> None:
    """Nothing that is read below is missing from the file."""
    assert sorted((table.parameters, table.unique, len(table.counts)) for table in TABLES) == [
        ("3 3 9 9", False, 5),
        ("3 3 9 9", True, 5),
        ("4 4 15 15", False, 5),
        ("4 4 15 15", True, 5),
        ("5 4 20 20", False, 4),
        ("5 4 20 20", True, 4),
        ("6 4 25 25", False, 4),
        ("6 4 25 25", True, 4),
        ("7 5 30 30", False, 4),
        ("7 5 30 30", True, 4),
    ]


@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_interpreted_perft_is_that_of_the_table_to_depth_three(table: Table) -> None:
    """Deep enough for the first captures; to depth two on boards that do not fit a machine word."""
    depths = range(1, 3 if is_wide(table) else 4)
    kernel = GAMES["gipf"].start(table.parameters).kernel(compile=False)
    assert [count(kernel, depth, unique=table.unique) for depth in depths] == table.counts[: len(depths)]


@pytest.mark.campaign
@pytest.mark.parametrize("table", [table for table in TABLES if is_wide(table)], ids=case_name)
def test_interpreted_perft_of_a_larger_board_is_that_of_the_table_at_depth_three(table: Table) -> None:
    """One ply more than in the quick test."""
    kernel = GAMES["gipf"].start(table.parameters).kernel(compile=False)
    assert count(kernel, 3, unique=table.unique) == table.counts[2]


@pytest.mark.slow
@pytest.mark.parametrize("table", COMPILED, ids=case_name)
def test_compiled_perft_is_that_of_the_table_to_its_end(table: Table) -> None:
    """All depths of the table."""
    kernel = GAMES["gipf"].start(table.parameters).kernel(compile=True)
    assert kernel.compiled
    assert [count(kernel, depth, unique=table.unique) for depth in range(1, len(table.counts) + 1)] == table.counts
