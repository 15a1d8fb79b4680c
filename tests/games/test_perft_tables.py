"""Every game counts the leaves of perft.txt, in both conventions, interpreted and compiled."""

from pathlib import Path
from typing import NamedTuple

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf.kernel import WORD_SIZE
from engine.games.interface import Position
from engine.games.perft import count


class Table(NamedTuple):
    """The counts of one position in one convention, by depth from 1 on."""

    game: str
    start: str
    unique: bool
    interpreted_depth: int
    counts: list[int]

    @property
    def position(self) -> Position:
        game = GAMES[self.game]
        return game.read(self.start.replace("/", "\n")) if "/" in self.start else game.start(self.start)

    @property
    def is_wide(self) -> bool:
        """Whether compiled sets of fields take several machine words."""
        return self.game == "gipf" and int(self.start.split()[0]) > WORD_SIZE

    def counted(self, depth: int, *, compile: bool) -> list[int]:
        depths = range(1, depth + 1)
        return [count(self.position, plies, unique=self.unique, compile=compile) for plies in depths]


def tables() -> list[Table]:
    found = []
    for line in (Path(__file__).parent / "perft.txt").read_text().splitlines():
        if not line.startswith("#"):
            game, start, kind, depth, counts = map(str.strip, line.split("|"))
            assert kind in ("M", "U")
            found.append(Table(game, start, kind == "U", int(depth), [int(word) for word in counts.split()]))
    return found


TABLES = tables()

COMPILED = [
    pytest.param(table, marks=pytest.mark.campaign) if table.is_wide and table.start != "5 4 20 20" else table
    for table in TABLES
]
"""Those that compiled code is held against; but for campaigns, of the larger boards only the smallest."""


def named(table: object) -> str:
    assert isinstance(table, Table)
    return f"{table.game} {table.start} {'U' if table.unique else 'M'}"


def test_both_conventions_of_all_boards_are_there() -> None:
    assert len(TABLES) == 26 and len({(table.game, table.start) for table in TABLES}) == 14
    assert min(len(table.counts) for table in TABLES) == 4


@pytest.mark.parametrize("table", TABLES, ids=named)
def test_interpreted_perft_is_that_of_the_table(table: Table) -> None:
    """Deep enough for the first captures; to depth two on boards that do not fit a machine word."""
    depth = table.interpreted_depth
    assert table.counted(depth, compile=False) == table.counts[:depth]


@pytest.mark.campaign
@pytest.mark.parametrize("table", [table for table in TABLES if table.is_wide], ids=named)
def test_interpreted_perft_of_a_larger_board_is_that_of_the_table_at_depth_three(table: Table) -> None:
    assert table.counted(3, compile=False) == table.counts[:3]


@pytest.mark.slow
@pytest.mark.parametrize("table", COMPILED, ids=named)
def test_compiled_perft_is_that_of_the_table_to_its_end(table: Table) -> None:
    assert table.position.kernel().compiled
    assert table.counted(len(table.counts), compile=True) == table.counts
