"""Perft: the tables of perft.txt in both conventions; counts behind each move; arenas."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from engine.games import perft
from engine.games.catalogue import GAMES
from engine.games.interface import Arena, Kernel, Position
from engine.games.perft import Counter, count
from tests.engine.search import toy


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


def named(table: object) -> str:
    assert isinstance(table, Table)
    return f"{table.game} {table.start} {'U' if table.unique else 'M'}"


@pytest.mark.parametrize("table", TABLES, ids=named)
def test_interpreted_perft_is_that_of_the_table(table: Table) -> None:
    """Deep enough for the first captures; to depth two on boards that do not fit a machine word."""
    depth = table.interpreted_depth
    assert table.counted(depth, compile=False) == table.counts[:depth]


def start(parameters: str) -> Position:
    return GAMES["gipf"].start(parameters)


def divide(position: Position, depth: int, *, unique: bool = False) -> list[tuple[str, int]]:
    return Counter(unique=unique, is_compiled=lambda _: False).divide(position, depth)


def capturing() -> Position:
    """Return a position with captures and a choice between rows (docs/rules.md, 1.5)."""
    rows = ["W _ _ _", "W _ _ _ _", "W _ _ _ _ _", "_ W W W B _ _", "_ _ _ _ _ _", "_ _ _ _ _", "_ _ _ _"]
    return GAMES["gipf"].read("\n".join(["4 4 15 15", "9 14 W", *rows]))


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
def test_leaves_behind_the_moves_add_up(unique: bool, depth: int) -> None:
    for position in (start("3 3 9 9"), start("2 3 5 5"), capturing()):
        branches = divide(position, depth, unique=unique)
        assert sum(leaves for _, leaves in branches) == count(position, depth, unique=unique, compile=False)
        moves = [child.move for child in position.children()]
        assert [move for move, _ in branches] == sorted({move for move, _ in branches}, key=moves.index)
        assert (len(branches) < len(moves)) == unique


@pytest.mark.parametrize(("unique", "pieces"), [(False, 0), (False, 10_000), (True, 1), (True, 5), (True, 10_000)])
def test_counting_in_pieces_gives_the_same_whenever_compiled_rules_come(unique: bool, pieces: int) -> None:
    told: list[int] = []

    def is_compiled(leaves: int) -> bool:
        told.append(leaves)
        return len(told) > pieces

    position = start("2 2 5 5")
    branches = Counter(unique=unique, is_compiled=is_compiled).divide(position, 3)
    assert branches == divide(position, 3, unique=unique)
    assert pieces < 10_000 or 0 < sum(told) < sum(leaves for _, leaves in branches)


def test_a_finished_game_has_no_leaves_beyond_itself() -> None:
    over = GAMES["gipf"].read("2 3 5 5\n0 2 W\n_ _\n_ _ _\n_ _\n")
    assert [count(over, depth, compile=False) for depth in (0, 1, 2)] == [1, 0, 0]
    assert divide(over, 2) == []


def demanding(places: int) -> Any:
    """Return a stand-in for a position that cannot be counted in fewer places than these."""

    def leaves(state: object, depth: int, unique: bool, arena: Arena, first: int) -> int:
        if len(arena) < places:
            raise OverflowError("no room")
        return 123

    kernel = Kernel(replace(toy.kernel([]).rules, WORDS=1, perft=leaves), False, None)
    return SimpleNamespace(kernel=lambda compile: kernel)


def test_the_arena_grows_until_the_count_has_room() -> None:
    assert count(demanding(perft.FIRST_PLACES + 1), 1) == 123
    assert count(demanding(perft.MAX_PLACES), 1) == 123


def test_an_arena_that_cannot_grow_any_more_is_an_error() -> None:
    with pytest.raises(OverflowError, match="more children than"):
        count(demanding(perft.MAX_PLACES + 1), 1)
