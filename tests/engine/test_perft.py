"""Counting leaves of any game: totals, counts behind each move, and arenas that are never overrun."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest

from engine.games import perft
from engine.games.catalogue import GAMES
from engine.games.interface import Arena, Kernel, Position
from engine.games.perft import Branch, Counter, count
from tests.engine.search import toy


def start(parameters: str) -> Position:
    return GAMES["gipf"].start(parameters)


def divide(position: Position, depth: int, *, unique: bool = False) -> list[Branch]:
    return Counter(unique=unique, is_compiled=lambda _: False).divide(position, depth)


def capturing() -> Position:
    """Return a position with captures and a choice between rows (docs/rules.md, 1.5)."""
    rows = ["W _ _ _", "W _ _ _ _", "W _ _ _ _ _", "_ W W W B _ _", "_ _ _ _ _ _", "_ _ _ _ _", "_ _ _ _"]
    return GAMES["gipf"].read("\n".join(["4 4 15 15", "9 14 W", *rows]))


@pytest.mark.parametrize("unique", [False, True])
def test_the_tree_of_no_moves_has_one_leaf(unique: bool) -> None:
    assert count(start("4 4 15 15"), 0, unique=unique, compile=False) == 1


@pytest.mark.parametrize(("unique", "expected"), [(False, [30, 852, 22968]), (True, [18, 336, 5934])])
def test_counts_are_those_of_the_rules(unique: bool, expected: list[int]) -> None:
    found = [count(start("3 3 9 9"), depth, unique=unique, compile=False) for depth in (1, 2, 3)]
    assert found == expected


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
def test_leaves_behind_the_moves_add_up(unique: bool, depth: int) -> None:
    for position in (start("3 3 9 9"), start("2 3 5 5"), capturing()):
        branches = divide(position, depth, unique=unique)
        assert sum(branch.leaves for branch in branches) == count(position, depth, unique=unique, compile=False)
        moves = [successor.move for successor in position.successors()]
        assert [branch.move for branch in branches] == sorted({b.move for b in branches}, key=moves.index)
        assert (len(branches) < len(moves)) == unique


def test_every_choice_of_a_row_has_its_own_line() -> None:
    moves = {branch.move for branch in divide(capturing(), 1)}
    assert {"a1-b2 w: b5 b2", "a1-b2 w: b2 e5"} <= moves


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("pieces", [0, 1, 5, 10_000])
def test_counting_in_pieces_gives_the_same_whenever_compiled_rules_come(
    unique: bool, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []

    def is_compiled(leaves: int) -> bool:
        told.append(leaves)
        return len(told) > pieces

    position = start("3 3 9 9")
    branches = divide(position, 3, unique=unique)
    asked: list[bool] = []
    kernel = type(position).kernel

    def watched(self: object, *, compile: bool = True) -> object:
        asked.append(compile)
        return kernel(self, compile=False)  # type: ignore[arg-type]

    monkeypatch.setattr(type(position), "kernel", watched)
    counter = Counter(unique=unique, is_compiled=is_compiled)
    assert counter.divide(position, 3) == branches
    assert (True in asked, False in asked) == (pieces < 10_000, pieces > 0)
    assert pieces < 10_000 or sum(told) + counter._leaves == sum(branch.leaves for branch in branches)


def test_a_finished_game_has_no_leaves_beyond_itself() -> None:
    over = GAMES["gipf"].read("2 3 5 5\n0 2 W\n_ _\n_ _ _\n_ _\n")
    assert [count(over, depth, compile=False) for depth in (0, 1, 2)] == [1, 0, 0]
    assert divide(over, 2) == []


@pytest.mark.parametrize(("function", "depth"), [(count, -1), (divide, 0)])
def test_depths_that_make_no_sense_are_refused(function: object, depth: int) -> None:
    assert callable(function)
    with pytest.raises(ValueError, match=f"the depth is {depth}"):
        function(start("3 3 9 9"), depth)


def demanding(places: int) -> Position:
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


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("parameters", ["2 2 9 9", "3 3 9 9"])
def test_nothing_is_written_behind_the_end_of_an_arena(parameters: str) -> None:
    """Compiled rules do not notice it; the interpreted ones, from the same source, end in an IndexError."""
    chance = Random(1)
    position = start(parameters)
    refused = 0
    for _ in range(12):
        kernel = position.kernel(compile=False)
        for places in range(0, 70, 3):
            try:
                kernel.rules.children(kernel.state, kernel.arena(places), 0)
                kernel.rules.perft(kernel.state, 2, False, kernel.arena(places), 0)
            except OverflowError:
                refused += 1
        successors = list(position.successors())
        position = chance.choice(successors).position if successors else start(parameters)
    assert refused > 100
