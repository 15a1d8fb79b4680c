"""What people see of nine men's morris: positions, pictures, summaries, ends, and sentences on what is wrong."""

import pytest

from engine.games.interface import BadMove, BadParameters, BadPosition, moves, play
from engine.games.morris.position import MORRIS

THIRD = "0 0 W\nWB_W_B__B___WWW____W_B_W\n"
"""Position III of docs/rules.md, 3.3."""


def test_there_are_no_parameters() -> None:
    with pytest.raises(BadParameters, match="takes no parameters; not '9'"):
        MORRIS.start("9")
    with pytest.raises(BadParameters):
        MORRIS.warning("9")


def test_moves_come_in_the_documented_order() -> None:
    assert moves(MORRIS.start("")) == [str(field) for field in range(24)]
    third = "0 7, 3 2, 3 4, 3 11, 12 11 1, 12 11 5, 12 11 8, 12 11 21, 14 15, 19 11, 19 18, 19 20, 23 15, 23 16, 23 22"
    assert moves(MORRIS.read(THIRD)) == third.split(", ")
    flying = MORRIS.read("0 0 W\nWW______W_______BBB_BB__\n")
    assert moves(flying)[:7] == ["0 2", "0 3", "0 4", "0 5", "0 6", "0 7", "0 9"]
    assert [move for move in moves(flying) if move.count(" ") == 2] == ["8 2 20", "8 2 21"]


def test_a_position_may_stand_in_a_square_and_on_the_line_of_its_header() -> None:
    wanted = MORRIS.read(THIRD)
    assert MORRIS.read("0 0 W WB_W_B__\r\n\r\nB___WWW_\r\n\t_ _ _ W _ B _ W\r\n") == wanted


@pytest.mark.parametrize(
    ("text", "code", "line", "sentence"),
    [
        ("", "WRONG_HEADER", 0, "the text is empty"),
        ("\n9 9\n", "WRONG_HEADER", 2, "as in 9 9 W; not '9 9'"),
        ("9 9 WB\n", "WRONG_HEADER", 1, "not '9 9 WB'"),
        ("9 -1 W\n", "WRONG_HEADER", 1, "not '9 -1 W'"),
        ("9 10 W\n", "WRONG_HEADER", 1, "black's pieces: 10 in hand, of 9 in all"),
        ("9 9 W\n", "WRONG_NUMBER_OF_FIELDS", 1, "the board ends after 0 of 24 fields"),
        ("9 9 W\n________\n________\n_______\n", "WRONG_NUMBER_OF_FIELDS", 4, "after 23 of 24"),
        ("9 9 W\n________\n________\n_________\n", "WRONG_NUMBER_OF_FIELDS", 4, "with this line there are 25"),
        ("9 9 W\n________\n____w___\n________\n", "WRONG_BOARD_FIELD", 3, "W, B or _, not 'w'"),
        ("9 9 W\n________________________\n1", "WRONG_BOARD_FIELD", 3, "not '1'"),
        (
            "9 9 W\nW_______________________\n",
            "WRONG_NUMBER_OF_WHITE_PIECES",
            2,
            "white's pieces: 1 on the board and 9",
        ),
        (
            "0 1 W\nBBBBBBBBB_______________\n",
            "WRONG_NUMBER_OF_BLACK_PIECES",
            2,
            "black's pieces: 9 on the board and 1",
        ),
    ],
)
def test_what_is_wrong_with_a_position_is_said_with_its_line(text: str, code: str, line: int, sentence: str) -> None:
    with pytest.raises(BadPosition) as refused:
        MORRIS.read(text)
    assert (refused.value.code, refused.value.line) == (code, line)
    assert sentence in str(refused.value)


MILL = "6 5 W\nWW______BBB_B___________\n"
"""White can complete 0 1 2; of black's pieces, 12 alone stands in no mill."""


@pytest.mark.parametrize(
    ("text", "move", "code", "sentence"),
    [
        (
            THIRD,
            "14-15",
            "BAD_MOVE_IS_UNREADABLE",
            "one to three numbers of fields, 0 to 23, parted by blanks; not '14-15'",
        ),
        (THIRD, "14 15 1 5", "BAD_MOVE_IS_UNREADABLE", "not '14 15 1 5'"),
        (THIRD, "٣", "BAD_MOVE_IS_UNREADABLE", "not '٣'"),
        (THIRD, "24 1", "BAD_MOVE_IS_UNREADABLE", "0 to 23"),
        (THIRD, "15", "BAD_MOVE_HAND_IS_EMPTY", "white has no piece in hand and moves one on the board: f t or f t c"),
        (THIRD, "1 2", "BAD_MOVE_1_IS_NOT_YOURS", "its pieces stand on 0, 3, 12, 13, 14, 19, 23"),
        (THIRD, "0 1", "BAD_MOVE_1_IS_OCCUPIED", "white moves a piece from 0 to 1, but that field is occupied"),
        (THIRD, "0 2", "BAD_MOVE_2_IS_NO_NEIGHBOUR", "2 is no neighbour of 0, whose free neighbours are: 7"),
        (THIRD, "13 2", "BAD_MOVE_2_IS_NO_NEIGHBOUR", "whose free neighbours are: none"),
        (THIRD, "0 7 1", "BAD_MOVE_CAPTURE_IS_NOT_DUE", "but the move takes none, for it makes no mill"),
        (MILL, "3 4 12", "BAD_MOVE_HAND_IS_NOT_EMPTY", "as long as there is one in hand, 6 now: p or p t"),
        (
            MILL,
            "0 2",
            "BAD_MOVE_0_IS_OCCUPIED",
            "white has 6 in hand and places a piece on 0, but that field is occupied",
        ),
        (MILL, "2", "BAD_MOVE_CAPTURE_IS_DUE", "name one of 12 after it"),
        (MILL, "2 8", "BAD_MOVE_8_STANDS_IN_A_MILL", "one of 12 can be taken, which stand in none"),
        (MILL, "2 0", "BAD_MOVE_0_IS_NO_PIECE_TO_TAKE", "no piece of black stands on 0; one of 12 can be taken"),
        ("7 9 W\nWW______________________\n", "2 5", "BAD_MOVE_CAPTURE_IS_NOT_DUE", "black has no piece on the board"),
        ("0 0 W\nWW______BBBB____________\n", "0 7", "BAD_MOVE_GAME_IS_OVER", "there is no move to make"),
    ],
)
def test_what_is_wrong_with_a_move_is_said(text: str, move: str, code: str, sentence: str) -> None:
    with pytest.raises(BadMove) as refused:
        MORRIS.read(text).resolve(move)
    assert refused.value.code == code
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "result", "ending", "detail"),
    [
        ("0 0 W\nWW______BBBB____________\n", "black", "too_few_pieces", "white has 2 pieces left, fewer than three"),
        ("0 0 B\nWW______BBBB____________\n", "black", "too_few_pieces", "white has 2 pieces left, fewer than three"),
        ("0 0 W\nWW______BB______________\n", "draw", "too_few_pieces", "both sides have fewer than three pieces left"),
        ("0 0 W\nWBWBWBWB________________\n", "black", "no_move", "white is to move and has no piece that can"),
    ],
)
def test_the_end_is_told(text: str, result: str, ending: str, detail: str) -> None:
    outcome = MORRIS.read(text).verdict()
    assert outcome is not None
    assert (outcome.result(MORRIS.sides), outcome.termination, outcome.detail) == (result, ending, detail)


def test_a_mill_that_opens_and_closes_takes_each_time() -> None:
    position = MORRIS.read("0 0 W\nWWW_W___B_B_B__B_B______\n")
    for move in ("2 3", "17 18", "3 2 8", "18 17", "2 3", "17 16", "3 2 10"):
        position = play(position, move)
    assert position.summary() == "white: 0 in hand, 4 left, moving; black: 0 in hand, 3 left, flying"


PICTURE = """\
 ●────────○────────·    0        1        2
 │  ○─────·─────·  │       8     9    10
 │  │  ·──·──·  │  │         16 17 18
 ·─[●]─●     ●──·──●    7 15 23    19 11  3
 │  │  ·──○──·  │  │         22 21 20
 │  ·─────●─────●  │      14    13    12
 ·────────○────────·    6        5        4
"""


def test_the_picture_shows_pieces_numbers_and_the_last_move() -> None:
    last = MORRIS.read(THIRD).resolve("14 15")
    assert last.position.picture(last) == PICTURE
    assert last.position.picture() == PICTURE.replace("─[●]─", "──●──")


@pytest.mark.parametrize(
    ("before", "move", "mark"), [(MILL, "2 12", "[●]   0"), ("0 0 B\nW_W_W___BB_______B______\n", "17 10 2", "[○]")]
)
def test_a_piece_that_takes_another_is_marked(before: str, move: str, mark: str) -> None:
    last = MORRIS.read(before).resolve(move)
    assert last.position.picture(last).count("[") == 1
    assert mark in last.position.picture(last)


def test_the_summary_tells_hands_pieces_and_phases() -> None:
    assert MORRIS.start("").summary() == "white: 9 in hand, 9 left, placing; black: 9 in hand, 9 left, placing"
    flying = MORRIS.read("0 0 W\nWWW_____BBBB____________\n")
    assert flying.summary() == "white: 0 in hand, 3 left, flying; black: 0 in hand, 4 left, moving"
