"""The oracle of nine men's morris judged alone: by hand-made positions."""

import pytest

from tests.oracles import morris as oracle


def position(header: str, white: set[int], black: set[int]) -> oracle.Position:
    """Return a position from the numbers of the fields on which pieces stand."""
    fields = "".join("W" if field in white else "B" if field in black else "_" for field in oracle.FIELDS)
    return oracle.read(f"{header}\n{fields}\n")


def texts(state: oracle.Position) -> list[str]:
    """Return the legal moves as text."""
    return [move.text for move in oracle.moves(state)]


THIRD = position("0 0 W", {0, 3, 12, 13, 14, 19, 23}, {1, 5, 8, 21})
"""Position III of section 3.3."""


def test_the_published_line_wins() -> None:
    """White takes the last piece but two."""
    state = THIRD
    for text in ("14 15", "21 22", "0 7 22", "8 0", "15 14 0"):
        assert oracle.outcome(state) == "in_progress"
        state = oracle.apply(state, text).position
    assert oracle.outcome(state) == "white too_few_pieces"


def test_a_mill_takes_a_piece_that_stands_in_none_or_any_if_all_do() -> None:
    """0 1 2 is a mill of black's; 12 stands in none."""
    assert texts(position("7 5 W", {16, 17}, {0, 1, 2, 12})).count("18 12") == 1
    assert "18 0" not in texts(position("7 5 W", {16, 17}, {0, 1, 2, 12}))
    assert [text for text in texts(position("7 5 W", {16, 17}, {0, 1, 2})) if text[:3] == "18 "] == [
        "18 0", "18 1", "18 2",
    ]  # fmt: skip


def test_three_pieces_fly_and_two_do_not() -> None:
    """With two pieces and an empty hand the game goes on as long as the opponent still places."""
    assert len(texts(position("0 0 W", {0, 8, 20}, {3, 4, 10}))) == 3 * 18
    assert texts(position("0 4 W", {0, 8}, {3, 4, 10})) == ["0 1", "0 7", "8 9", "8 15"]
    assert len(texts(position("1 0 W", {0, 8, 20}, {3, 4, 10}))) == 18


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (position("0 0 W", {0, 8}, {3, 4, 10}), "black too_few_pieces"),
        (position("0 0 B", {0, 8}, {3, 4, 10}), "black too_few_pieces"),
        (position("0 0 W", {0, 8}, {3, 4}), "draw too_few_pieces"),
        (position("0 1 W", {0, 8}, {3, 4, 10}), "in_progress"),
        (position("0 1 W", set(), {3, 4, 10}), "black no_move"),
        (position("0 0 W", {0, 2, 4, 6}, {1, 3, 5, 7}), "black no_move"),
        (position("0 0 B", {0, 2, 4, 6}, {1, 3, 5, 7}), "in_progress"),
        (position("1 0 W", {0, 2, 4, 6}, {1, 3, 5, 7}), "in_progress"),
    ],
)
def test_the_game_ends_where_the_rules_say(state: oracle.Position, outcome: str) -> None:
    """Too few pieces with both hands empty, on either side's turn; no move for the side to move."""
    assert oracle.outcome(state) == outcome
    assert bool(texts(state)) == (outcome == "in_progress")
