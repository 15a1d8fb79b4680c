"""Words of sentences: similar names, and paths without their folders."""

import pytest

from engine.wire.words import nearest, without_code, without_folders


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the program /usr/bin/python3 'a b.py' ended", "the program python3 'a b.py' ended"),
        ("No such file: '/home/ann/my bots/book.bin'", "No such file: 'book.bin'"),
        ('File "/home/ann/bot.py", line 3', 'File "bot.py", line 3'),
        (r"--book=C:\Users\ann\book.bin is damaged", "--book=book.bin is damaged"),
        (r"open('C:\\Users\\my bots\\bot.py')", "open('bot.py')"),
        ("see https://host/a/b and bots/bot.py, 3/4", "see https://host/a/b and bots/bot.py, 3/4"),
    ],
)
def test_public_sentences_have_names_of_files_and_no_folders(text: str, shown: str) -> None:
    assert without_folders(text) == shown


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("ann (white) played 'x', BAD_MOVE_x_IS_WRONG_INDEX: x is no field", "ann (white) played 'x', x is no field"),
        ('bob played "it\'s", UNKNOWN_MOVE_DIRECTION: A1: B2', 'bob played "it\'s", A1: B2'),
        ("ann (white) resigned, BY_HAND: so it is", "ann (white) resigned, BY_HAND: so it is"),
    ],
)
def test_people_read_no_codes_of_illegal_moves(sentence: str, shown: str) -> None:
    assert without_code(sentence) == shown


@pytest.mark.parametrize(
    ("word", "meant"),
    [("chose", "choose"), ("Choose", "choose"), ("bbo", "bob"), ("alcie", "Alice"), ("eve", ""), ("", "")],
)
def test_the_nearest_word_is_found(word: str, meant: str) -> None:
    assert nearest(word, ["choose", "Alice", "bob"]) == meant
