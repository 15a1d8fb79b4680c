"""Texts of m,n,k-games: parameters, positions, moves and pictures, and what is wrong with them."""

import pytest

from engine.games.interface import BadMove, BadParameters, BadPosition, moves
from engine.games.mnk.position import MNK

START = "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0\n"


@pytest.mark.parametrize("text", ["3 4 3", "3,4,3", " 3, 4 ,3 ", "03\t4\n3"])
def test_parameters_may_be_parted_by_blanks_and_commas(text: str) -> None:
    assert MNK.parameters(text) == "3 4 3"
    assert MNK.start(text).text() == START
    assert MNK.warning(text) == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "three numbers"),
        ("3 3", "three numbers"),
        ("3 3 3 3", "three numbers"),
        ("3 3 x", "three numbers"),
        ("3 3 -3", "three numbers"),
        ("0 3 3", "N is 0"),
        ("3 20 3", "M is 20"),
        ("3 3 0", "K is 0"),
        ("3 3 100", "K is 100"),
    ],
)
def test_bad_parameters_are_named(text: str, fault: str) -> None:
    with pytest.raises(BadParameters, match=fault):
        MNK.start(text)


@pytest.mark.parametrize(("text", "warning"), [("3 4 5", "more than a board"), ("3 3 1", "first piece wins")])
def test_odd_parameters_are_allowed_with_a_warning(text: str, warning: str) -> None:
    assert warning in MNK.warning(text)
    assert MNK.start(text).verdict() is None


@pytest.mark.parametrize(
    "text",
    [START, START.replace("\n", "\r\n"), "\n\n 3  4 3\t1\n\n0 0 0 0\n 0 0 0 0 \n\n0\t0 0  0", START.rstrip()],
)
def test_reading_overlooks_blanks_and_blank_lines(text: str) -> None:
    assert MNK.read(text).text() == START


def test_boards_may_hold_any_numbers_of_pieces() -> None:
    for text in ("2 2 2 2\n1 1\n1 1\n", "2 2 3 1\n2 2\n2 0\n"):
        assert MNK.read(text).text() == text


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "WRONG_GAME_PARAMETERS", "the text is empty"),
        ("\n3 3 3\n", "WRONG_GAME_PARAMETERS", "line 2: expected N M K and the player"),
        ("3 x 3 1\n", "WRONG_GAME_PARAMETERS", "line 1: "),
        ("20 3 3 1\n", "WRONG_GAME_PARAMETERS", "line 1: N is 20"),
        ("3 3 3 3\n", "WRONG_PLAYER", "line 1: the player"),
        ("3 3 3 12\n", "WRONG_PLAYER", "line 1: the player"),
        ("2 2 2 1\n0 0\n0 3\n", "WRONG_BOARD_FIELD", "line 3: a field"),
        ("2 2 2 1\n00\n0 0\n", "WRONG_BOARD_FIELD", "line 2: a field"),
        ("2 2 2 1\n0 0\n\n0\n", "WRONG_BOARD_ROW_LENGTH", "line 4: row 2 has M = 2 fields, not 1"),
        ("2 2 2 1\n0 0 0\n0 0\n", "WRONG_BOARD_ROW_LENGTH", "line 2: row 1"),
        ("2 2 2 1\n0 0\n", "WRONG_BOARD_ROW_NUMBER", "line 2: the board ends after 1 of N = 2 rows"),
        ("2 2 2 1\n", "WRONG_BOARD_ROW_NUMBER", "line 1: the board ends after 0"),
        ("2 2 2 1\n0 0\n0 0\n0 0\n", "WRONG_BOARD_ROW_NUMBER", "line 4: the board has N = 2 rows"),
    ],
)
def test_bad_positions_are_refused_with_their_line(text: str, code: str, place: str) -> None:
    with pytest.raises(BadPosition) as refused:
        MNK.read(text)
    assert refused.value.code == code
    assert str(refused.value).startswith(place)


def test_moves_are_named_by_column_from_the_left_and_row_from_the_bottom() -> None:
    start = MNK.read(START)
    assert " ".join(moves(start)) == "a3 b3 c3 d3 a2 b2 c2 d2 a1 b1 c1 d1"
    assert start.resolve(" D1 ").move == "d1"
    assert start.resolve("d1").position.text() == "3 4 3 2\n0 0 0 0\n0 0 0 0\n0 0 0 1\n"
    large = MNK.start("19 19 5").resolve("s19").position
    assert large.text().splitlines()[1].endswith("0 1")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "BAD_MOVE_IS_NO_FIELD"),
        ("a", "BAD_MOVE_IS_NO_FIELD"),
        ("a0", "BAD_MOVE_IS_NO_FIELD"),
        ("a1 b1", "BAD_MOVE_IS_NO_FIELD"),
        ("a100", "BAD_MOVE_IS_NO_FIELD"),
        ("1a", "BAD_MOVE_IS_NO_FIELD"),
        ("a１", "BAD_MOVE_IS_NO_FIELD"),
        ("d1", "BAD_MOVE_OUTSIDE_BOARD"),
        ("a4", "BAD_MOVE_OUTSIDE_BOARD"),
        ("a3", "BAD_MOVE_FIELD_IS_TAKEN"),
    ],
)
def test_bad_moves_are_refused(text: str, code: str) -> None:
    position = MNK.read("3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n")
    with pytest.raises(BadMove) as refused:
        position.resolve(text)
    assert refused.value.code == code


def test_the_end_of_a_game_is_told() -> None:
    won = MNK.read("3 3 3 2\n1 0 2\n0 1 2\n0 0 1\n").verdict()
    assert won is not None and (won.winner, won.termination) == (0, "line")
    assert won.detail == "first has 3 in a line, a3 to c1"
    both = MNK.read("3 3 3 1\n1 1 1\n0 0 0\n2 2 2\n").verdict()
    assert both is not None and (both.winner, both.detail) == (1, "second has 3 in a line, a1 to c1")
    full = MNK.read("2 2 3 1\n1 2\n1 2\n").verdict()
    assert full is not None and (full.winner, full.termination) == (None, "board_full")
    assert "nobody has 3" in full.detail


def test_a_position_is_drawn_with_its_last_move_in_brackets() -> None:
    last = MNK.read("2 3 3 1\n1 0 0\n0 2 0\n").resolve("c1")
    assert last.position.picture(last) == "    a  b  c\n 2  ×  ·  ·  2\n 1  · [○][×] 1\n    a  b  c\n".replace(
        "[○]", " ○ "
    )
    assert last.position.summary() == "3 in a line win; pieces: first 2, second 1"
