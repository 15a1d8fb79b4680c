"""Functions that read parameters and boards, shared by the games."""

import re
from collections.abc import Sequence

from engine.games.interface import BadPosition

NUMBER = "[0-9]{1,6}"
"""A number in a text."""

Line = tuple[int, list[str]]
"""The number of a line, counted from 1, and its words."""


def numbers(text: str) -> list[int]:
    """Return the numbers of a text, separated by spaces or commas. Empty if a word is not a number."""
    words = re.split(r"[,\s]+", text.strip())
    return [int(word) for word in words] if all(re.fullmatch(NUMBER, word) for word in words) else []


def lines_of(text: str, code: str, first: str) -> list[Line]:
    """Return the non-blank lines of a board.

    Raises `BadPosition` with a code if there are none. ``first`` is an example of the first line.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise BadPosition(code, f"the text is empty; a position begins with a line {first}")
    return lines


def read_hands(line: Line, code: str) -> tuple[int, int, int]:
    """Read the pieces of each side beside the board, and the side to move: ``9 9 W`` is 9, 9 and 0.

    Raises `BadPosition` with a code.
    """
    number, words = line
    if len(words) != 3 or not all(re.fullmatch(NUMBER, word) for word in words[:2]) or words[2] not in ("W", "B"):
        sentence = "expected the pieces of both sides beside the board and the side to move, as in 9 9 W; "
        raise BadPosition(code, f"{sentence}not {' '.join(words)!r}", number)
    return int(words[0]), int(words[1]), "WB".index(words[2])


def read_rows(lines: Sequence[Line], lengths: Sequence[int], letters: str, header: int, code: str) -> str:
    """Return the letters of all fields, row by row. ``lengths`` has the number of fields of each row.

    Raises `BadPosition` with the code WRONG_BOARD_FIELD or WRONG_BOARD_ROW_LENGTH, or with ``code`` for a wrong number
    of rows. ``header`` is the number of the line before the rows.
    """
    for number, words in lines:
        for word in words:
            if word not in tuple(letters):
                raise BadPosition(
                    "WRONG_BOARD_FIELD", f"a field is {', '.join(letters[:-1])} or {letters[-1]}, not {word!r}", number
                )
    for row, (number, words) in enumerate(lines, 1):
        if row > len(lengths):
            raise BadPosition(code, f"the board has {len(lengths)} rows; this is one more", number)
        if len(words) != lengths[row - 1]:
            raise BadPosition(
                "WRONG_BOARD_ROW_LENGTH", f"row {row} has {lengths[row - 1]} fields, not {len(words)}", number
            )
    if len(lines) < len(lengths):
        last = lines[-1][0] if lines else header
        raise BadPosition(code, f"the board ends after {len(lines)} of {len(lengths)} rows", last)
    return "".join("".join(words) for _, words in lines)
