"""The oracle of GIPF judged alone, by hand-made boards."""

import pytest

from tests.oracles import gipf as oracle
from tests.oracles.gipf_boards import board_text, read_board


def board(*lines: str) -> oracle.Position:
    """Read a position from its lines."""
    return read_board("\n".join(lines))


def texts_from(position: oracle.Position, push: str) -> list[str]:
    """Return the legal moves that begin with this push."""
    return [move.text for move in oracle.moves(position) if move.text.split()[0] == push]


def refusal(position: oracle.Position, text: str) -> str:
    """Return the error for a move; a move that is accepted is an empty error."""
    try:
        oracle.apply(position, text)
    except oracle.Refused as error:
        return str(error)
    return ""


CROSSING = board(
    "3 3 9 9", "4 5 W",
    "  _ _ W",
    " _ _ W _",
    "W W _ _ _",
    " _ B _ _",
    "  _ _ B",
)  # fmt: skip
"""a1-b2 completes the column d6 to d4 and the printed row b2 to d4, which share d4."""


def test_the_start_is_printed_as_the_rules_show_it() -> None:
    """The picture of section 1.8, read back as well."""
    shown = "4 4 15 15\n12 12 W\n" + "\n".join(
        ["   W _ _ B", "  _ _ _ _ _", " _ _ _ _ _ _", "B _ _ _ _ _ W", " _ _ _ _ _ _", "  _ _ _ _ _", "   W _ _ B", ""]
    )
    assert board_text(oracle.start(4, 4, 15, 15)) == shown
    assert read_board(shown) == oracle.start(4, 4, 15, 15)


def test_white_wins_the_smallest_game_by_a_dead_lock() -> None:
    """(2,3,5,5) is won in one: the only free field is filled."""
    after = oracle.moves(oracle.start(2, 3, 5, 5))[0].position
    assert oracle.outcome(after) == "dead_lock black"
    assert oracle.moves(after) == []


def test_a_mover_without_reserve_has_lost_and_cannot_move() -> None:
    """An empty reserve ends the game even where pushes are possible, and even when it is not the only end."""
    position = board("2 3 4 4", "0 1 W", "W B", "B _ W", "W B")
    assert oracle.outcome(position) == "black_win"
    assert oracle.moves(position) == []
    assert refusal(position, "a1-b2") == oracle.RESERVE_IS_EMPTY
    assert oracle.outcome(board("2 3 4 4", "1 0 W", "W B", "B _ W", "W B")) == "in_progress"
    assert oracle.outcome(board("2 3 4 4", "0 1 W", "W B", "B W W", "W B")) == "black_win"


def test_a_row_is_taken_with_the_other_colour_in_it() -> None:
    """A run of three white ones and the black one behind it: three go back, one leaves the game."""
    position = board("3 3 9 9", "4 5 W", "_ _ B", "_ _ _ _", "W W B _ _", "_ _ _ _", "_ _ _")
    after = oracle.apply(position, "a1-b2").position
    assert board_text(after) == "3 3 9 9\n6 5 B\n  _ _ B\n _ _ _ _\n_ _ _ _ _\n _ _ _ _\n  _ _ _\n"


def test_crossing_rows_are_a_choice_diagonals_before_columns_before_printed_rows() -> None:
    """The order of section 1.10, with the ends named from the top."""
    assert texts_from(CROSSING, "a1-b2") == ["a1-b2 w: d6 d4", "a1-b2 w: b2 d4"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a1-b2", oracle.WRONG_INDEX),
        ("a1-b2 w: d6 d5", oracle.WRONG_INDEX),
        ("a1-b2 w: d6", oracle.WRONG_INDEX),
        ("a1-b2 x: d6 d4", oracle.WRONG_COLOR),
        ("a1-b2 w:", oracle.WRONG_INDEX),
        ("a1-b2 w: d6 d4 d4", oracle.WRONG_COLOR),
        ("a1-b2 b: d6 d4", oracle.WRONG_COLOR),
        ("a1-b2 b: d6 d5", oracle.WRONG_COLOR),
        ("a1-b2 w: d6 d4 w: b2 d4", oracle.WRONG_COLOR),
        ("a1-b2 w: d6 d4 b: b2 d4", oracle.WRONG_COLOR),
        ("d1-d2 w: d6 d4", oracle.WRONG_COLOR),
        ("a1-z9 w: d6", "BAD_MOVE_z9_IS_WRONG_INDEX"),
    ],
)
def test_a_wrong_choice_is_refused(text: str, error: str) -> None:
    """Missing, not there, unreadable, of the wrong colour, one too many."""
    assert refusal(CROSSING, text) == error


def test_taking_the_movers_row_first_can_break_a_row_of_the_opponent() -> None:
    """The white row takes the middle of the black run with it: the other two black ones stay."""
    position = board(
        "3 3 9 9", "7 6 W",
        "  _ _ _",
        " _ _ _ B",
        "W W B _ _",
        " _ _ B _",
        "  _ _ _",
    )  # fmt: skip
    assert texts_from(position, "a1-b2") == ["a1-b2"]
    after = oracle.apply(position, "a1-b2").position
    assert [field for field, piece in after.fields.items() if piece == "B"] == [(1, 3), (3, 3)]
    assert after.reserve == {"W": 9, "B": 6}


def test_a_row_with_two_runs_is_one_row_and_answers_to_both() -> None:
    """Two white runs in one stretch do not cross each other: nothing is to be chosen."""
    position = board("3 2 9 9", "5 5 W", "_ _ _", "_ _ _ _", "W B W _ W", "_ _ _ _", "_ _ _")
    assert texts_from(position, "a1-b2") == ["a1-b2"]
    after = oracle.apply(position, "a1-b2").position
    assert after.reserve == {"W": 8, "B": 5}
    assert set(after.fields.values()) == {"_"}
    for text in ("a1-b2 b2 c3", "a1-b2 w: f4 e4"):
        assert oracle.apply(position, text) == oracle.Move("a1-b2", after)
    assert refusal(position, "a1-b2 b2 c3 w: f4 e4") == oracle.WRONG_COLOR
