"""The oracle of arrows against what is known, and against examples that were worked out by hand."""

import pytest

from tests.oracles import arrows as oracle
from tests.oracles.arrows import Arrow

RIGHT, DOWN_RIGHT, DOWN = 2, 3, 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "rows", "wins"),
    [(4, 4, [True, True, True]), pytest.param(5, 4, [False, False, False], marks=pytest.mark.campaign)],
    ids=["4x4", "5x4"],
)
def test_solved_boards(columns: int, rows: int, wins: list[bool]) -> None:
    """Section 2.4 of the rules, as far as a plain search gets."""
    starts = [oracle.in_corners(columns, rows, direction) for direction in (RIGHT, DOWN_RIGHT, DOWN)]
    assert [oracle.wins(start, {}) for start in starts] == wins


def played(start: oracle.Position, *moves: int) -> oracle.Position:
    for move in moves:
        assert oracle.outcome(start) == ""
        start = oracle.play(start, move)
    return start


def test_ends() -> None:
    """Each reason why an arrow cannot be placed, on the turn of its owner."""
    start = oracle.start(4, 4, Arrow(1, 1, 2), Arrow(4, 4, 6), frozenset({(3, 2)}))
    assert oracle.outcome(played(start, 0, 7)) == "off_board"
    assert oracle.outcome(played(start, 6, 7)) == "occupied"
    assert oracle.outcome(played(start, 3, 7)) == "blocked"
    assert oracle.outcome(played(start, 0)) == ""
    # the first player goes to (2, 1) and (2, 2) and points at (3, 3), where the second is about to place
    assert oracle.outcome(played(start, 4, 0, 3)) == "taken"
