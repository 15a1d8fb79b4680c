"""Board files, moves, pictures and summaries of arrows."""

import pytest

from engine.games.arrows.position import ARROWS
from engine.games.interface import BadMove, BadPosition, Position, play

FILE = """# a game of the contest

6 5
1 1   # the first player
6 5
2 6
3 3   # blocked
1 5
"""


def after(moves: str, parameters: str = "6 5 1 1 6 5 2 6 3 3 1 5") -> Position:
    position = ARROWS.start(parameters)
    for move in moves.split():
        position = play(position, move)
    return position


# Board files


def test_a_board_file_is_read() -> None:
    assert ARROWS.read(FILE) == after("")
    assert ARROWS.read(FILE.replace("\n", "\r\n")) == after("")
    assert ARROWS.read(FILE + "moves: 3 7 4") == after("3 7 4")
    assert ARROWS.read(FILE + "moves:\n3 7 # two\n\n4") == after("3 7 4")
    assert ARROWS.read(FILE + "moves: # none") == after("")


def test_the_text_explains_itself() -> None:
    assert after("3 7 4").text() == (
        "6 5    # columns and rows\n"
        "1 1    # start of the first player\n"
        "6 5    # start of the second player\n"
        "2 6    # directions of the first and the second player's arrow\n"
        "3 3    # blocked\n"
        "1 5    # blocked\n"
        "moves: 3 7 4\n"
    )
    assert "moves" not in after("").text()


PAIRS = ["6 5", "1 1", "6 5", "2 6", "3 3", "1 5"]


def file(*changed: tuple[int, str]) -> str:
    """Return the board file with a comment above, and some of its lines changed; the pairs begin in line 2."""
    lines = ["# comment", *PAIRS]
    for line, text in changed:
        lines[line - 1 : line] = [text]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "code", "line", "sentence"),
    [
        ("", "MISSING_PAIR", 1, "columns and rows"),
        ("\n# nothing\n\n", "MISSING_PAIR", 3, "columns and rows"),
        ("6 5\n1 1\n", "MISSING_PAIR", 2, "start of the second player"),
        ("6 5\n1 1\n6 5\n\nmoves: 1", "MISSING_PAIR", 5, "directions"),
        (file((2, "6")), "WRONG_PAIR", 2, "expected a pair of numbers, or moves:, not '6'"),
        (file((3, "1 1 1")), "WRONG_PAIR", 3, "'1 1 1'"),
        (file((4, "6 five")), "WRONG_PAIR", 4, "'6 five'"),
        (file((7, "-1 5")), "WRONG_PAIR", 7, "'-1 5'"),
        (file((7, "1 ５")), "WRONG_PAIR", 7, "1 ５"),
        (file((7, "3 moves: 3")), "WRONG_PAIR", 7, "moves:"),
        (file((2, "3 5")), "WRONG_BOARD_SIZE", 2, "3 columns"),
        (file((2, "6 11")), "WRONG_BOARD_SIZE", 2, "11 rows"),
        (file((3, "7 1")), "WRONG_START", 3, "the first player's start, (7, 1), is off the board"),
        (file((4, "6 0")), "WRONG_START", 4, "the second player's start, (6, 0), is off the board"),
        (file((4, "1 1")), "WRONG_START", 4, "both players start on (1, 1)"),
        (file((5, "2 8")), "WRONG_DIRECTION", 5, "8 is no direction"),
        (file((6, "7 3")), "WRONG_BLOCKED_FIELD", 6, "(7, 3), is off the board"),
        (file((7, "6 5")), "WRONG_BLOCKED_FIELD", 7, "the second player starts there"),
        (file((7, "3 3")), "WRONG_BLOCKED_FIELD", 7, "(3, 3) is blocked twice"),
        (file((7, "1 5\nmoves: 3 7\n8 0")), "BAD_MOVE_IS_NO_DIRECTION", 9, "move 3: '8' is no direction"),
        (file((7, "1 5\nmoves: 3 x")), "BAD_MOVE_IS_NO_DIRECTION", 8, "move 2: 'x' is no direction"),
        (file((7, "1 5\nmoves: 3 moves: 7")), "BAD_MOVE_IS_NO_DIRECTION", 8, "move 2: 'moves:'"),
        (file((7, "1 5\nmoves: 3 255")), "BAD_MOVE_MEANS_NONE", 8, "move 2: 255 says"),
        (file((7, "1 5\nmoves: 0\n7\n3")), "BAD_MOVE_GAME_IS_OVER", 10, "move 3: the game is over: first cannot"),
        (file((3, "6 4"), (4, "1 1"), (7, "1 5\nmoves: 3")), "BAD_MOVE_GAME_IS_OVER", 8, "move 1: the game is over"),
    ],
)
def test_every_fault_is_named_with_its_line(text: str, code: str, line: int, sentence: str) -> None:
    for end in ("\n", "\r\n"):
        with pytest.raises(BadPosition) as refused:
            ARROWS.read(text.replace("\n", end))
        assert (refused.value.code, refused.value.line) == (code, line), str(refused.value)
        assert str(refused.value).startswith(f"line {line}: ")
        assert sentence in str(refused.value)


# Moves and ends


@pytest.mark.parametrize("text", ["", "8", "-1", "07", "1 2", "up", "٣", "2.0", "25", "2 5 5"])
def test_what_is_no_direction_is_unreadable(text: str) -> None:
    for position in (after(""), after("0 7")):
        with pytest.raises(BadMove) as refused:
            position.resolve(text)
        assert refused.value.code == "BAD_MOVE_IS_NO_DIRECTION"
        assert repr(text) in str(refused.value)


def test_255_is_explained() -> None:
    for position in (after(""), after("0 7")):
        with pytest.raises(BadMove) as refused:
            position.resolve(" 255 ")
        assert refused.value.code == "BAD_MOVE_MEANS_NONE"
        assert "no move is possible" in str(refused.value)


# Pictures


def test_picture() -> None:
    position = after("3 7 4")
    successor = position.resolve("6")
    assert successor.position.picture(successor) == (
        "     1   2   3   4   5   6\n"
        " 1  1→  1↘   ·   ·   ·   ·\n"
        " 2   ·   ·  1↓   ·   ·   ·\n"
        " 3   ·   ·   ■   ·   ·   ·\n"
        " 4   ·   ·  2? [2←]  ·   ·\n"
        " 5   ■   ·   ·   ·  2↖  2←\n"
    )
    assert "[" not in successor.position.picture()
    assert after("").picture(None).count("?") == 2


def test_picture_of_a_field_that_both_have_to_use() -> None:
    rows = ARROWS.start("4 4 1 1 3 1 2 6").picture().splitlines()
    assert rows[1] == " 1  1→  ??  2←   ·"


def test_summary() -> None:
    assert after("").summary() == "first: next on (2, 1); second: next on (5, 5); 26 free fields"
    assert after("3").summary() == "first: next on (3, 2); second: next on (5, 5); 25 free fields"
    assert after("3 7").summary() == "first: next on (3, 2); second: next on (4, 4); 24 free fields"
    assert after("0 7").summary() == "first: next on (2, 0); second: next on (4, 4); 24 free fields"
