"""Parameters and boards as text in each game, and the sentences about what is wrong with them."""

import pytest
from inline_snapshot import snapshot

from engine.games.catalogue import GAMES
from engine.games.interface import BadParameters, BadPosition

FILE = """# a game of the contest

6 5
1 1   # the first player
6 5
2 6
3 3   # blocked
1 5
"""
"""A board file of arrows."""

THIRD = "0 0 W\nWB_W_B__B___WWW____W_B_W\n"
"""Position III of docs/rules.md, 3.3."""

CANONICAL = [
    ("arrows", "8 8", "8 8"),
    ("arrows", "  4,10 ", "4 10"),
    ("arrows", "10, 4", "10 4"),
    ("arrows", "08\t8", "8 8"),
    ("arrows", "6 5 1 1 6 5 2 6", "6 5"),
    ("arrows", "6 5 1 1 6 5 3 7", "6 5 1 1 6 5 3 7"),
    ("arrows", "6 5 6 5 1 1 6 2", "6 5 6 5 1 1 6 2"),
    ("arrows", "6,5, 1,1, 6,5, 2,6, 3,3", "6 5 1 1 6 5 2 6 3 3"),
    ("arrows", "6 5 1 1 6 5 2 6 4 2 1 3 2 2 1 2", "6 5 1 1 6 5 2 6 1 2 2 2 4 2 1 3"),
    ("mnk", "3 4 3", "3 4 3"),
    ("mnk", "3,4,3", "3 4 3"),
    ("mnk", " 3, 4 ,3 ", "3 4 3"),
    ("mnk", "03\t4\n3", "3 4 3"),
]
"""Parameters, and how they are written."""

BAD_PARAMETERS = [
    ("arrows", "", "arrows takes columns and rows, .* not ''"),
    ("arrows", "8", "not '8'$"),
    ("arrows", "8 8 8", "not '8 8 8'$"),
    ("arrows", "8 8 1 1 8 8", "not '8 8 1 1 8 8'$"),
    ("arrows", "8 8 1 1 8 8 2 6 4", "not '8 8 1 1 8 8 2 6 4'$"),
    ("arrows", "8 x", "takes columns and rows"),
    ("arrows", "8 -8", "takes columns and rows"),
    ("arrows", "8 8.5", "takes columns and rows"),
    ("arrows", "8 ٨", "takes columns and rows"),
    ("arrows", "8 8888888", "takes columns and rows"),
    ("arrows", "3 8", "the board has 3 columns, but it can have 4 to 10"),
    ("arrows", "8 11", "the board has 11 rows, but it can have 4 to 10"),
    ("arrows", "0 0", "the board has 0 columns"),
    (
        "arrows",
        "8 7 0 1 8 7 2 6",
        "\\(0, 1\\) is off the board: x goes from 1 to 8, y from 1 to 7",
    ),
    ("arrows", "8 7 1 1 8 8 2 6", "\\(8, 8\\) is off the board"),
    ("arrows", "8 8 3 4 3 4 2 6", "\\(3, 4\\) is named twice"),
    ("arrows", "8 8 1 1 8 8 8 6", "8 is no direction; directions are 0 \\(up\\) to 7 \\(up left\\), clockwise"),
    ("arrows", "8 8 1 1 8 8 2 255", "255 is no direction"),
    ("arrows", "8 8 1 1 8 8 2 6 9 1", "\\(9, 1\\) is off the board"),
    ("arrows", "8 8 1 1 8 8 2 6 2 2 8 8", "\\(8, 8\\) is named twice"),
    ("arrows", "8 8 1 1 8 8 2 6 1 1", "\\(1, 1\\) is named twice"),
    ("arrows", "8 8 1 1 8 8 2 6 2 3 3 2 2 3", "\\(2, 3\\) is named twice"),
    ("mnk", "", "three numbers"),
    ("mnk", "3 3", "three numbers"),
    ("mnk", "3 3 3 3", "three numbers"),
    ("mnk", "3 3 x", "three numbers"),
    ("mnk", "3 3 -3", "three numbers"),
    ("mnk", "0 3 3", "N is 0"),
    ("mnk", "3 20 3", "M is 20"),
    ("mnk", "3 3 0", "K is 0"),
    ("mnk", "3 3 100", "K is 100"),
    ("morris", "9", "takes no parameters; not '9'"),
]
"""Parameters and a pattern of the sentence that refuses them."""

WARNINGS = [
    ("arrows", "8 8", ""),
    ("arrows", "4 4 1 1 4 4 3 7", ""),
    ("arrows", "8 8 1 1 8 8 0 6", "the first player cannot place an arrow: nothing can be placed on (1, 0)"),
    ("arrows", "8 8 1 1 8 8 2 4", "the second player cannot place an arrow: nothing can be placed on (8, 9)"),
    ("arrows", "8 8 1 1 8 8 2 6 2 1", "the first player cannot place an arrow: nothing can be placed on (2, 1)"),
    ("arrows", "8 8 1 1 8 8 2 6 7 8", "the second player cannot place an arrow: nothing can be placed on (7, 8)"),
    ("arrows", "8 8 1 1 2 1 2 2", "the first player cannot place an arrow: nothing can be placed on (2, 1)"),
    ("arrows", "8 8 1 1 3 1 2 6", "the first player cannot place an arrow: the second one's points at (2, 1), too"),
    ("arrows", "8 8 1 1 8 8 0 4", "the first player cannot place an arrow: nothing can be placed on (1, 0)"),
    ("mnk", "3 4 5", "more than a board"),
    ("mnk", "3 3 1", "first piece wins"),
    ("mnk", "3 4 3", ""),
]
"""Parameters that are taken, and the warning."""

SAME_BOARDS = [
    ("mnk", "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0\n"),
    ("mnk", "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", "3 4 3 1\r\n0 0 0 0\r\n0 0 0 0\r\n0 0 0 0\r\n"),
    ("mnk", "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", "\n\n 3  4 3\t1\n\n0 0 0 0\n 0 0 0 0 \n\n0\t0 0  0"),
    ("mnk", "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", "3 4 3 1\n0 0 0 0\n0 0 0 0\n0 0 0 0"),
    ("mnk", "2 2 2 2\n1 1\n1 1\n", "2 2 2 2\n1 1\n1 1\n"),
    ("mnk", "2 2 3 1\n2 2\n2 0\n", "2 2 3 1\n2 2\n2 0\n"),
    ("morris", THIRD, "0 0 W WB_W_B__\r\n\r\nB___WWW_\r\n\t_ _ _ W _ B _ W\r\n"),
]
"""A board and another text of it."""

BAD_BOARDS = [
    ("arrows", "", "MISSING_PAIR", 1, "columns and rows"),
    ("arrows", "\n# nothing\n\n", "MISSING_PAIR", 3, "columns and rows"),
    ("arrows", "6 5\n1 1\n", "MISSING_PAIR", 2, "start of the second player"),
    ("arrows", "6 5\n1 1\n6 5\n\nmoves: 1", "MISSING_PAIR", 5, "directions"),
    (
        "arrows",
        "# comment\n6\n1 1\n6 5\n2 6\n3 3\n1 5",
        "WRONG_PAIR",
        2,
        "expected a pair of numbers, or moves:, not '6'",
    ),
    ("arrows", "# comment\n6 5\n1 1 1\n6 5\n2 6\n3 3\n1 5", "WRONG_PAIR", 3, "'1 1 1'"),
    ("arrows", "# comment\n6 5\n1 1\n6 five\n2 6\n3 3\n1 5", "WRONG_PAIR", 4, "'6 five'"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n-1 5", "WRONG_PAIR", 7, "'-1 5'"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n1 ５", "WRONG_PAIR", 7, "1 ５"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n3 moves: 3", "WRONG_PAIR", 7, "moves:"),
    ("arrows", "# comment\n3 5\n1 1\n6 5\n2 6\n3 3\n1 5", "WRONG_BOARD_SIZE", 2, "3 columns"),
    ("arrows", "# comment\n6 11\n1 1\n6 5\n2 6\n3 3\n1 5", "WRONG_BOARD_SIZE", 2, "11 rows"),
    (
        "arrows",
        "# comment\n6 5\n7 1\n6 5\n2 6\n3 3\n1 5",
        "WRONG_START",
        3,
        "(7, 1) is off the board",
    ),
    (
        "arrows",
        "# comment\n6 5\n1 1\n6 0\n2 6\n3 3\n1 5",
        "WRONG_START",
        4,
        "(6, 0) is off the board",
    ),
    ("arrows", "# comment\n6 5\n1 1\n1 1\n2 6\n3 3\n1 5", "WRONG_START", 4, "(1, 1) is named twice"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 8\n3 3\n1 5", "WRONG_DIRECTION", 5, "8 is no direction"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n7 3\n1 5", "WRONG_BLOCKED_FIELD", 6, "(7, 3) is off the board"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n6 5", "WRONG_BLOCKED_FIELD", 7, "(6, 5) is named twice"),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n3 3", "WRONG_BLOCKED_FIELD", 7, "(3, 3) is named twice"),
    (
        "arrows",
        "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n1 5\nmoves: 3 7\n8 0",
        "BAD_MOVE_IS_NO_DIRECTION",
        9,
        "move 3: '8' is no direction",
    ),
    (
        "arrows",
        "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n1 5\nmoves: 3 x",
        "BAD_MOVE_IS_NO_DIRECTION",
        8,
        "move 2: 'x' is no direction",
    ),
    (
        "arrows",
        "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n1 5\nmoves: 3 moves: 7",
        "BAD_MOVE_IS_NO_DIRECTION",
        8,
        "move 2: 'moves:'",
    ),
    ("arrows", "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n1 5\nmoves: 3 255", "BAD_MOVE_MEANS_NONE", 8, "move 2: 255 says"),
    (
        "arrows",
        "# comment\n6 5\n1 1\n6 5\n2 6\n3 3\n1 5\nmoves: 0\n7\n3",
        "BAD_MOVE_GAME_IS_OVER",
        10,
        "move 3: the game is over: first cannot",
    ),
    (
        "arrows",
        "# comment\n6 5\n6 4\n1 1\n2 6\n3 3\n1 5\nmoves: 3",
        "BAD_MOVE_GAME_IS_OVER",
        8,
        "move 1: the game is over",
    ),
    ("mnk", "", "WRONG_GAME_PARAMETERS", 0, "the text is empty"),
    ("mnk", "\n3 3 3\n", "WRONG_GAME_PARAMETERS", 2, "line 2: expected N M K and the player"),
    ("mnk", "3 x 3 1\n", "WRONG_GAME_PARAMETERS", 1, "line 1: "),
    ("mnk", "20 3 3 1\n", "WRONG_GAME_PARAMETERS", 1, "line 1: N is 20"),
    ("mnk", "3 3 3 3\n", "WRONG_PLAYER", 1, "line 1: the player"),
    ("mnk", "3 3 3 12\n", "WRONG_PLAYER", 1, "line 1: the player"),
    ("mnk", "2 2 2 1\n0 0\n0 3\n", "WRONG_BOARD_FIELD", 3, "line 3: a field"),
    ("mnk", "2 2 2 1\n00\n0 0\n", "WRONG_BOARD_FIELD", 2, "line 2: a field"),
    ("mnk", "2 2 2 1\n0 0\n\n0\n", "WRONG_BOARD_ROW_LENGTH", 4, "line 4: row 2 has 2 fields, not 1"),
    ("mnk", "2 2 2 1\n0 0 0\n0 0\n", "WRONG_BOARD_ROW_LENGTH", 2, "line 2: row 1"),
    ("mnk", "2 2 2 1\n0 0\n", "WRONG_BOARD_ROW_NUMBER", 2, "line 2: the board ends after 1 of 2 rows"),
    ("mnk", "2 2 2 1\n", "WRONG_BOARD_ROW_NUMBER", 1, "line 1: the board ends after 0"),
    ("mnk", "2 2 2 1\n0 0\n0 0\n0 0\n", "WRONG_BOARD_ROW_NUMBER", 4, "line 4: the board has 2 rows"),
    ("morris", "", "WRONG_HEADER", 0, "the text is empty"),
    ("morris", "\n9 9\n", "WRONG_HEADER", 2, "as in 9 9 W; not '9 9'"),
    ("morris", "9 9 WB\n", "WRONG_HEADER", 1, "not '9 9 WB'"),
    ("morris", "9 -1 W\n", "WRONG_HEADER", 1, "not '9 -1 W'"),
    ("morris", "9 10 W\n", "WRONG_HEADER", 1, "a side has 9 pieces in all, not 10 in hand"),
    ("morris", "9 9 W\n", "WRONG_NUMBER_OF_FIELDS", 1, "the board has 24 fields, not 0"),
    ("morris", "9 9 W\n________\n________\n_______\n", "WRONG_NUMBER_OF_FIELDS", 4, "24 fields, not 23"),
    ("morris", "9 9 W\n________\n________\n_________\n", "WRONG_NUMBER_OF_FIELDS", 4, "24 fields, not 25"),
    ("morris", "9 9 W\n________\n____w___\n________\n", "WRONG_BOARD_FIELD", 3, "W, B or _, not 'w'"),
    ("morris", "9 9 W\n________________________\n1", "WRONG_BOARD_FIELD", 3, "not '1'"),
    (
        "morris",
        "9 9 W\nW_______________________\n",
        "WRONG_NUMBER_OF_WHITE_PIECES",
        2,
        "white's pieces: 1 on the board and 9",
    ),
    (
        "morris",
        "0 1 W\nBBBBBBBBB_______________\n",
        "WRONG_NUMBER_OF_BLACK_PIECES",
        2,
        "black's pieces: 9 on the board and 1",
    ),
]
"""Text, code, line (0: the whole text) and a part of the sentence."""


@pytest.mark.parametrize(("name", "text", "canonical"), CANONICAL)
def test_parameters_have_a_canonical_text(name: str, text: str, canonical: str) -> None:
    game = GAMES[name]
    assert game.parameters(text) == game.parameters(canonical) == game.start(text).parameters == canonical
    assert game.start(text) == game.start(canonical)


@pytest.mark.parametrize(("name", "text", "sentence"), BAD_PARAMETERS)
def test_bad_parameters_are_refused_in_a_sentence(name: str, text: str, sentence: str) -> None:
    for accept in (GAMES[name].parameters, GAMES[name].start, GAMES[name].warning):
        with pytest.raises(BadParameters, match=sentence) as refused:
            accept(text)
        assert refused.value.code == "bad_parameters"


@pytest.mark.parametrize(("name", "text", "warning"), WARNINGS)
def test_odd_parameters_are_allowed_with_a_warning(name: str, text: str, warning: str) -> None:
    found = GAMES[name].warning(text)
    assert warning in found and bool(warning) == bool(found)
    assert GAMES[name].start(text).parameters


@pytest.mark.parametrize(("name", "board", "text"), SAME_BOARDS)
def test_boards_are_read_whatever_blanks_and_comments_they_have(name: str, board: str, text: str) -> None:
    for end in ("\n", "\r\n"):
        assert GAMES[name].read(text.replace("\n", end)) == GAMES[name].read(board)
    assert GAMES[name].read(board).text() == board


@pytest.mark.parametrize(("name", "text", "code", "line", "sentence"), BAD_BOARDS)
def test_bad_boards_are_refused_with_their_line(name: str, text: str, code: str, line: int, sentence: str) -> None:
    for end in ("\n", "\r\n"):
        with pytest.raises(BadPosition) as refused:
            GAMES[name].read(text.replace("\n", end))
        assert (refused.value.code, refused.value.line) == (code, line)
        assert sentence in str(refused.value)
        assert str(refused.value).startswith(f"line {line}: ") or line == 0


@pytest.mark.parametrize("more", ["moves: 3 7 4", "moves:\n3 7 # two\n\n4", "moves: # none"])
def test_board_files_of_arrows_hold_moves(more: str) -> None:
    assert GAMES["arrows"].read(FILE + more) == GAMES["arrows"].read(FILE + "moves: 3 7 4" if "3" in more else FILE)


def test_board_files_of_arrows_explain_themselves() -> None:
    assert GAMES["arrows"].read(FILE + "moves: 3 7 4").text() == snapshot("""\
6 5    # columns and rows
1 1    # start of the first player
6 5    # start of the second player
2 6    # directions of the first and the second player's arrow
3 3    # blocked
1 5    # blocked
moves: 3 7 4
""")
    assert "moves" not in GAMES["arrows"].read(FILE).text()
