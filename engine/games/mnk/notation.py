"""Moves of m,n,k-games as text, both ways: ``d4``, as in renju and chess.

The letter is the column, a on the left; the number is the row, 1 at the bottom. Reading takes capital letters too.
"""

import re

from engine.games.interface import IllegalMove, UnreadableMove
from engine.games.mnk.parameters import Parameters

SIDES = ("first", "second")
"""The sides, the one that begins first."""


def letter(column: int) -> str:
    """Name a column, counted from 0 at the left."""
    return chr(ord("a") + column)


def name(parameters: Parameters, field: int) -> str:
    """Name a field, given as its bit."""
    row, column = divmod(field.bit_length() - 1, parameters.columns)
    return f"{letter(column)}{parameters.rows - row}"


def field(parameters: Parameters, text: str) -> int:
    """Return the bit of the field that a move names.

    Raises `UnreadableMove`, code BAD_MOVE_IS_NO_FIELD, or `IllegalMove`, code BAD_MOVE_OUTSIDE_BOARD.
    """
    match = re.fullmatch("([a-zA-Z])([1-9][0-9]?)", text.strip())
    if match is None:
        sentence = f"{text!r} names no field; a move is a column's letter and a row's number, as in a1"
        raise UnreadableMove("BAD_MOVE_IS_NO_FIELD", sentence)
    column, number = ord(match[1].lower()) - ord("a"), int(match[2])
    if column >= parameters.columns or number > parameters.rows:
        last = f"{letter(parameters.columns - 1)}{parameters.rows}"
        raise IllegalMove(
            "BAD_MOVE_OUTSIDE_BOARD", f"{text!r} lies outside the board, which has the fields a1 to {last}"
        )
    return 1 << ((parameters.rows - number) * parameters.columns + column)
