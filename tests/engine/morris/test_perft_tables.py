"""The engine of nine men's morris counts the leaves that docs/rules.md gives, interpreted and compiled."""

from pathlib import Path
from typing import NamedTuple

import pytest

from engine.games.interface import Position
from engine.games.morris.position import MORRIS
from engine.games.perft import count

INTERPRETED_DEPTH = 4


class Table(NamedTuple):
    """The counts of one position, by depth from 1 on."""

    name: str
    text: str
    counts: list[int]

    @property
    def position(self) -> Position:
        """The position that is counted from."""
        return MORRIS.read(self.text)


def tables() -> list[Table]:
    """Read the counts that stand beside this file."""
    found = []
    for line in (Path(__file__).parent / "perft.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, header, fields, counts = line.split("; ")
            found.append(Table(name, f"{header}\n{fields}\n", [int(word) for word in counts.split()]))
    return found


TABLES = tables()


def case_name(table: object) -> str:
    """Name a test case by its position."""
    assert isinstance(table, Table)
    return table.name


def test_the_tables_are_complete() -> None:
    """Three positions, six depths; the first is the start."""
    assert [(table.name, len(table.counts)) for table in TABLES] == [("I", 6), ("II", 6), ("III", 6)]
    assert TABLES[0].position == MORRIS.start("")


@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_interpreted_perft_is_that_of_the_table_to_depth_four(table: Table) -> None:
    """Every position reached is a move of its own, so that counting each once changes nothing."""
    for depth in range(1, INTERPRETED_DEPTH + 1):
        assert count(table.position, depth, compile=False) == table.counts[depth - 1]
    assert count(table.position, 3, unique=True, compile=False) == table.counts[2]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_compiled_perft_is_that_of_the_table_to_its_end(table: Table) -> None:
    """All six depths: tens of millions of leaves take a fraction of a second."""
    found = [count(table.position, depth) for depth in range(1, len(table.counts) + 1)]
    assert found == table.counts
