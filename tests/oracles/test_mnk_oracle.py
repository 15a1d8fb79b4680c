"""The oracle of m,n,k-games judged alone: by hand-made boards and by the truth of docs/rules.md."""

import pytest

from tests.oracles import mnk as oracle


def board(length: int, player: int, *rows: str) -> oracle.Position:
    """Make a position from rows without spaces."""
    return oracle.Position(tuple(tuple(map(int, row)) for row in rows), length, player)


@pytest.mark.parametrize(
    ("position", "ended"),
    [
        (board(3, 2, "111", "220", "000"), "1"),
        (board(3, 1, "102", "012", "012"), "2"),
        (board(3, 2, "120", "012", "001"), "1"),
        (board(3, 1, "012", "021", "200"), "2"),
        (board(3, 1, "121", "122", "211"), "draw"),
        (board(3, 1, "121", "122", "210"), ""),
        (board(3, 1, "111", "222", "000"), "2"),
        (board(3, 2, "111", "222", "000"), "1"),
        (board(4, 2, "111", "220", "000"), ""),
    ],
)
def test_ends_of_games(position: oracle.Position, ended: str) -> None:
    assert oracle.outcome(position) == ended


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "value"),
    [((2, 2, 2), 1), ((3, 3, 3), 0), ((2, 4, 3), 0), ((1, 5, 3), 0), ((2, 2, 3), 0)],
)
def test_small_boards_have_the_known_values(parameters: tuple[int, int, int], value: int) -> None:
    """Section 4.3 of the rules, as far as plain minimax goes."""
    assert oracle.value(oracle.empty(*parameters)) == value


@pytest.mark.campaign
def test_a_board_just_large_enough_is_won() -> None:
    """By a first move in the middle; to look at the other first moves would take ten times as long."""
    assert oracle.value(oracle.placed(oracle.empty(3, 4, 3), (1, 1))) == -1
