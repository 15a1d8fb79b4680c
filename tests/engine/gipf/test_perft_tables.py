"""The engine of GIPF counts the leaves that docs/rules.md gives, in both conventions, interpreted and compiled."""

from pathlib import Path
from typing import NamedTuple

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import Kernel


class Table(NamedTuple):
    """The counts of one start position in one convention, by depth from 1 on."""

    parameters: str
    unique: bool
    counts: list[int]


def tables() -> list[Table]:
    """Read the counts that stand beside this file."""
    found = []
    for line in (Path(__file__).parent / "perft.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            words = line.split()
            assert words[4] in ("M", "U")
            found.append(Table(" ".join(words[:4]), words[4] == "U", [int(word) for word in words[5:]]))
    return found


TABLES = tables()


def case_name(table: object) -> str:
    """Name a test case by what it counts."""
    assert isinstance(table, Table)
    return f"{table.parameters} {'U' if table.unique else 'M'}"


def count(kernel: Kernel, depth: int, *, unique: bool) -> int:
    """Return the leaves of the tree of that depth."""
    return int(kernel.rules.perft(kernel.state, depth, unique, kernel.arena(20000), 0))


def test_the_tables_cover_both_conventions_of_two_boards() -> None:
    """Nothing that is read below is missing from the file."""
    assert sorted((table.parameters, table.unique, len(table.counts)) for table in TABLES) == [
        ("3 3 9 9", False, 5),
        ("3 3 9 9", True, 5),
        ("4 4 15 15", False, 5),
        ("4 4 15 15", True, 5),
    ]


@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_interpreted_perft_is_that_of_the_table_to_depth_three(table: Table) -> None:
    """Deep enough for the first captures."""
    kernel = GAMES["gipf"].start(table.parameters).kernel(compile=False)
    found = [count(kernel, depth, unique=table.unique) for depth in (1, 2, 3)]
    assert found == table.counts[:3]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_compiled_perft_is_that_of_the_table_to_its_end(table: Table) -> None:
    """All depths of the table."""
    kernel = GAMES["gipf"].start(table.parameters).kernel(compile=True)
    assert kernel.compiled
    assert [count(kernel, depth, unique=table.unique) for depth in range(1, len(table.counts) + 1)] == table.counts
