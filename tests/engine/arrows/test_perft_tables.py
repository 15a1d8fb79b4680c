"""The engine of arrows counts the leaves of its table, in both conventions, interpreted and compiled."""

from pathlib import Path

import pytest

from engine.games.arrows.position import ARROWS
from engine.games.perft import count
from tests.engine.perft_tables import Table, case_name
from tests.oracles import arrows as oracle

ORACLE_DEPTH, INTERPRETED_DEPTH = 4, 5


def tables() -> list[Table]:
    """Read the counts that stand beside this file."""
    found = []
    for line in (Path(__file__).parent / "perft.txt").read_text().splitlines():
        if not line.startswith("#"):
            parameters, kind, counts = map(str.strip, line.split("|"))
            found.append(Table(parameters, kind == "U", [int(word) for word in counts.split()]))
    return found


TABLES = tables()


def oracle_start(parameters: str) -> oracle.Position:
    """Return the oracle's start of a game."""
    words = [int(word) for word in parameters.split()]
    columns, rows, *more = words
    x1, y1, x2, y2, first, second, *blocked = more or [1, 1, columns, rows, 2, 6]
    return oracle.start(
        columns,
        rows,
        oracle.Arrow(x1, y1, first),
        oracle.Arrow(x2, y2, second),
        frozenset(zip(blocked[::2], blocked[1::2], strict=True)),
    )


@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_the_oracle_counts_the_same(table: Table) -> None:
    start = oracle_start(table.parameters)
    counting = oracle.perft_unique if table.unique else oracle.perft_moves
    assert [counting(start, depth) for depth in range(1, ORACLE_DEPTH + 1)] == table.counts[:ORACLE_DEPTH]


@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_interpreted_perft_is_that_of_the_table(table: Table) -> None:
    start = ARROWS.start(table.parameters)
    assert start.parameters == table.parameters
    found = [count(start, depth, unique=table.unique, compile=False) for depth in range(1, INTERPRETED_DEPTH + 1)]
    assert found == table.counts[:INTERPRETED_DEPTH]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=case_name)
def test_compiled_perft_is_that_of_the_table_to_its_end(table: Table) -> None:
    start = ARROWS.start(table.parameters)
    assert start.kernel().compiled
    depths = range(1, len(table.counts) + 1)
    assert [count(start, depth, unique=table.unique) for depth in depths] == table.counts
