"""Moves, ends, pictures and summaries as text in each game, and the sentences about what is wrong with a move."""

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import BadMove, Position

THIRD = "0 0 W\nWB_W_B__B___WWW____W_B_W\n"
"""Position III of docs/rules.md, 3.3."""

MILL = "6 5 W\nWW______BBB_B___________\n"
"""White can complete 0 1 2; of black's pieces, 12 alone stands in no mill."""

START = "6 5\n1 1\n6 5\n2 6\n3 3\n1 5\n"
OUT = f"{START}moves: 0 7\n"
"""Boards of arrows; on the second one the first player has lost."""

BAD_MOVES = [
    (
        "arrows",
        OUT,
        "",
        "BAD_MOVE_IS_NO_DIRECTION",
        "''",
    ),
    (
        "arrows",
        OUT,
        "8",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'8'",
    ),
    (
        "arrows",
        OUT,
        "-1",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'-1'",
    ),
    (
        "arrows",
        OUT,
        "07",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'07'",
    ),
    (
        "arrows",
        OUT,
        "1 2",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'1 2'",
    ),
    (
        "arrows",
        OUT,
        "up",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'up'",
    ),
    (
        "arrows",
        OUT,
        "٣",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'٣'",
    ),
    (
        "arrows",
        OUT,
        "2.0",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'2.0'",
    ),
    (
        "arrows",
        OUT,
        "25",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'25'",
    ),
    (
        "arrows",
        OUT,
        "2 5 5",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'2 5 5'",
    ),
    (
        "arrows",
        START,
        "8",
        "BAD_MOVE_IS_NO_DIRECTION",
        "'8'",
    ),
    (
        "arrows",
        START,
        " 255 ",
        "BAD_MOVE_MEANS_NONE",
        "no move is possible",
    ),
    (
        "arrows",
        OUT,
        "255",
        "BAD_MOVE_MEANS_NONE",
        "no move is possible",
    ),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a0", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a1 b1", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a100", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "1a", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a１", "BAD_MOVE_IS_NO_FIELD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "d1", "BAD_MOVE_OUTSIDE_BOARD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a4", "BAD_MOVE_OUTSIDE_BOARD", ""),
    ("mnk", "3 3 3 2\n1 0 0\n0 0 0\n0 0 0\n", "a3", "BAD_MOVE_FIELD_IS_TAKEN", ""),
    (
        "morris",
        THIRD,
        "14-15",
        "BAD_MOVE_IS_UNREADABLE",
        "one to three numbers of fields, 0 to 23, separated by blanks; not '14-15'",
    ),
    ("morris", THIRD, "14 15 1 5", "BAD_MOVE_IS_UNREADABLE", "not '14 15 1 5'"),
    ("morris", THIRD, "٣", "BAD_MOVE_IS_UNREADABLE", "not '٣'"),
    ("morris", THIRD, "24 1", "BAD_MOVE_IS_UNREADABLE", "0 to 23"),
    (
        "morris",
        THIRD,
        "15",
        "BAD_MOVE_HAND_IS_EMPTY",
        "white has no piece in hand and moves one on the board: f t or f t c",
    ),
    (
        "morris",
        THIRD,
        "1 2",
        "BAD_MOVE_1_IS_NOT_YOURS",
        "its pieces stand on 0, 3, 12, 13, 14, 19, 23",
    ),
    (
        "morris",
        THIRD,
        "0 1",
        "BAD_MOVE_1_IS_OCCUPIED",
        "white brings a piece to 1, but a piece stands there",
    ),
    (
        "morris",
        THIRD,
        "0 2",
        "BAD_MOVE_2_IS_NO_NEIGHBOUR",
        "2 is no neighbour of 0, whose free neighbours are: 7",
    ),
    (
        "morris",
        THIRD,
        "13 2",
        "BAD_MOVE_2_IS_NO_NEIGHBOUR",
        "whose free neighbours are: none",
    ),
    (
        "morris",
        THIRD,
        "0 7 1",
        "BAD_MOVE_CAPTURE_IS_NOT_DUE",
        "but it makes no mill",
    ),
    (
        "morris",
        MILL,
        "3 4 12",
        "BAD_MOVE_HAND_IS_NOT_EMPTY",
        "as long as there is one in hand, 6 now: p or p t",
    ),
    (
        "morris",
        MILL,
        "0 2",
        "BAD_MOVE_0_IS_OCCUPIED",
        "white brings a piece to 0, but a piece stands there",
    ),
    ("morris", MILL, "2", "BAD_MOVE_CAPTURE_IS_DUE", "name one of 12 after it"),
    (
        "morris",
        MILL,
        "2 8",
        "BAD_MOVE_8_STANDS_IN_A_MILL",
        "one of 12 can be taken, which stand in none",
    ),
    (
        "morris",
        MILL,
        "2 0",
        "BAD_MOVE_0_IS_NO_PIECE_TO_TAKE",
        "no piece of black stands on 0; one of 12 can be taken",
    ),
    (
        "morris",
        "7 9 W\nWW______________________\n",
        "2 5",
        "BAD_MOVE_CAPTURE_IS_NOT_DUE",
        "or black has no piece to take",
    ),
    ("morris", "0 0 W\nWW______BBBB____________\n", "0 7", "BAD_MOVE_GAME_IS_OVER", "there is no move to make"),
]
"""Board, move, code and a part of the sentence."""

ENDS = [
    ("mnk", "3 3 3 2\n1 0 2\n0 1 2\n0 0 1\n", "first", "line", "first has 3 in a line, a3 to c1"),
    ("mnk", "3 3 3 1\n1 1 1\n0 0 0\n2 2 2\n", "second", "line", "second has 3 in a line, a1 to c1"),
    ("mnk", "2 2 3 1\n1 2\n1 2\n", "draw", "board_full", "the board is full, and nobody has 3 in a line"),
    (
        "morris",
        "0 0 W\nWW______BBBB____________\n",
        "black",
        "too_few_pieces",
        "white has 2 pieces left, fewer than three",
    ),
    (
        "morris",
        "0 0 B\nWW______BBBB____________\n",
        "black",
        "too_few_pieces",
        "white has 2 pieces left, fewer than three",
    ),
    (
        "morris",
        "0 0 W\nWW______BB______________\n",
        "draw",
        "too_few_pieces",
        "both sides have fewer than three pieces left",
    ),
    ("morris", "0 0 W\nWBWBWBWB________________\n", "black", "no_move", "white is to move and has no piece that can"),
    (
        "arrows",
        OUT,
        "second",
        "off_board",
        "first cannot place an arrow on (2, 0), which is off the board",
    ),
]
"""Board, result, termination and sentence."""


def after(moves: str, parameters: str = "6 5 1 1 6 5 2 6 3 3 1 5") -> Position:
    """Return the position of arrows after some moves."""
    position = GAMES["arrows"].start(parameters)
    for move in moves.split():
        position = position.play(move)
    return position


@pytest.mark.parametrize(("name", "board", "move", "code", "sentence"), BAD_MOVES)
def test_bad_moves_are_refused_in_a_sentence(name: str, board: str, move: str, code: str, sentence: str) -> None:
    with pytest.raises(BadMove) as refused:
        GAMES[name].read(board).child(move)
    assert refused.value.code == code
    assert sentence in str(refused.value)


@pytest.mark.parametrize(("name", "board", "result", "termination", "sentence"), ENDS)
def test_ends_are_explained(name: str, board: str, result: str, termination: str, sentence: str) -> None:
    outcome = GAMES[name].read(board).outcome
    assert outcome is not None
    assert (outcome.result(GAMES[name].sides), outcome.reason, outcome.detail) == (result, termination, sentence)


FLYING = "0 0 W\nWW______W_______BBB_BB__\n"
MOVES = [
    ("mnk", "3 4 3 1\n" + "0 0 0 0\n" * 3, "a3, b3, c3, d3, a2, b2, c2, d2, a1, b1, c1, d1"),
    ("morris", "9 9 W\n" + "_" * 24, ", ".join(map(str, range(24)))),
    (
        "morris",
        THIRD,
        "0 7, 3 2, 3 4, 3 11, 12 11 1, 12 11 5, 12 11 8, 12 11 21, 14 15, 19 11, 19 18, 19 20, 23 15, 23 16, 23 22",
    ),
]


@pytest.mark.parametrize(("name", "board", "expected"), MOVES)
def test_moves_come_in_the_documented_order(name: str, board: str, expected: str) -> None:
    assert GAMES[name].read(board).legal_moves == expected.split(", ")


def test_the_last_field_of_the_largest_board_of_mnk_is_s19() -> None:
    after = GAMES["mnk"].start("19 19 5").child(" S19 ")
    assert after.move == "s19" and after.position.text().splitlines()[1].endswith("0 1")


def test_pieces_that_fly_take_as_well() -> None:
    flying = GAMES["morris"].read(FLYING).legal_moves
    assert flying[:7] == ["0 2", "0 3", "0 4", "0 5", "0 6", "0 7", "0 9"]
    assert [move for move in flying if move.count(" ") == 2] == ["8 2 20", "8 2 21"]


def test_a_mill_that_opens_and_closes_takes_each_time() -> None:
    position = GAMES["morris"].read("0 0 W\nWWW_W___B_B_B__B_B______\n")
    for move in ("2 3", "17 18", "3 2 8", "18 17", "2 3", "17 16", "3 2 10"):
        position = position.play(move)
    assert position.summary() == "white: 0 in hand, 4 left, moving; black: 0 in hand, 3 left, flying"


PICTURES = [
    (
        "mnk",
        "2 3 3 1\n1 0 0\n0 2 0\n",
        "c1",
        "    a  b  c\n 2  ×  ·  ·  2\n 1  ·  ○ [×] 1\n    a  b  c\n",
        "3 in a line win; pieces: first 2, second 1",
    ),
    (
        "morris",
        THIRD,
        "14 15",
        """\
 ●────────○────────·    0        1        2
 │  ○─────·─────·  │       8     9    10
 │  │  ·──·──·  │  │         16 17 18
 ·─[●]─●     ●──·──●    7 15 23    19 11  3
 │  │  ·──○──·  │  │         22 21 20
 │  ·─────●─────●  │      14    13    12
 ·────────○────────·    6        5        4
""",
        "white: 0 in hand, 7 left, moving; black: 0 in hand, 4 left, moving",
    ),
    (
        "arrows",
        after("3 7 4").text(),
        "6",
        "     1   2   3   4   5   6\n"
        " 1  1→  1↘   ·   ·   ·   ·\n"
        " 2   ·   ·  1↓   ·   ·   ·\n"
        " 3   ·   ·   ■   ·   ·   ·\n"
        " 4   ·   ·  2? [2←]  ·   ·\n"
        " 5   ■   ·   ·   ·  2↖  2←\n",
        "first: next on (3, 3); second: next on (3, 4); 22 free fields",
    ),
]


@pytest.mark.parametrize(("name", "board", "move", "picture", "summary"), PICTURES)
def test_pictures_show_the_last_move_and_summaries_the_rest(
    name: str, board: str, move: str, picture: str, summary: str
) -> None:
    last = GAMES[name].read(board).child(move)
    assert last.position.picture(last) == picture
    assert last.position.summary() == summary
    assert "[" not in last.position.picture()


@pytest.mark.parametrize(
    ("before", "move", "mark"),
    [
        (MILL, "2 12", "[●]   0"),
        ("0 0 B\nW_W_W___BB_______B______\n", "17 10 2", "[○]"),
    ],
)
def test_a_piece_that_takes_another_is_marked(before: str, move: str, mark: str) -> None:
    last = GAMES["morris"].read(before).child(move)
    assert last.position.picture(last).count("[") == 1
    assert mark in last.position.picture(last)


def test_a_field_of_arrows_that_both_have_to_use_is_marked() -> None:
    assert after("", "4 4 1 1 3 1 2 6").picture().splitlines()[1] == " 1  1→  ??  2←   ·"


def test_summaries_say_what_comes_next() -> None:
    assert after("").summary() == "first: next on (2, 1); second: next on (5, 5); 26 free fields"
    assert after("0 7").summary() == "first: next on (2, 0); second: next on (4, 4); 24 free fields"
    assert GAMES["morris"].start("").summary() == (
        "white: 9 in hand, 9 left, placing; black: 9 in hand, 9 left, placing"
    )
