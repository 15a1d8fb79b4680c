"""The parameters N, M and K of m,n,k-games, and the text form of their positions and moves.

A move is text like ``d4``, as in renju and chess. The letter is the column, from a on the left. The number is the row,
from 1 at the bottom. Capital letters are also read.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.games.boards.layout import Layout, cells
from engine.games.interface import BadMove, BadParameters, BadPosition
from engine.games.mnk.rules import State
from engine.games.texts import lines_of, numbers, read_rows

SIZES = range(1, 20)
"""Allowed N and M. 19 is the board of go, the largest for gomoku."""

RUNS = range(1, 100)
"""Allowed K. Nobody can win if K is larger than the board."""


class Parameters(NamedTuple):
    """N rows, M columns, K pieces in a line."""

    rows: int
    columns: int
    run: int

    def __str__(self) -> str:
        """Return the numbers as in the first line of a position."""
        return " ".join(map(str, self))

    @property
    def warning(self) -> str:
        """A sentence on K of 1 or larger than the board; empty for other parameters."""
        if self.run > max(self.rows, self.columns):
            return f"K = {self.run} is more than a board of {self.rows} rows and {self.columns} columns has in a line"
        if self.run == 1:
            return "K = 1: the first piece wins"
        return ""


def parse(text: str) -> Parameters:
    """Read three numbers separated by spaces or commas; raises `BadParameters`."""
    found = numbers(text)
    if len(found) != 3:
        raise BadParameters(
            "bad_parameters", f"m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not {text!r}"
        )
    parameters = Parameters(*found)
    for name, count in zip(("N", "M"), parameters[:2], strict=True):
        if count not in SIZES:
            raise BadParameters("bad_parameters", f"{name} is {count}, but boards have 1 to 19 rows and columns")
    if parameters.run not in RUNS:
        raise BadParameters("bad_parameters", f"K is {parameters.run}, but it lies between 1 and 99")
    return parameters


PLAYERS = "12"
"""The digits of the players' pieces. The digit of an empty field is 0."""

FIELDS = "0" + PLAYERS

_ONLY_FIRST = str.maketrans("012", "010")
_ONLY_SECOND = str.maketrans("012", "001")


def digits(parameters: Parameters, state: State) -> str:
    """Return the digits of all fields in row-major order."""
    fields = range(parameters.rows * parameters.columns)
    return "".join(FIELDS[(state.first >> i & 1) + 2 * (state.second >> i & 1)] for i in fields)


def pieces(fields: str) -> tuple[int, int]:
    """Return the sets of both players from the digits of all fields, 0, 1 or 2, in row-major order."""
    backwards = fields[::-1]
    return int(backwards.translate(_ONLY_FIRST), 2), int(backwards.translate(_ONLY_SECOND), 2)


def rows(parameters: Parameters, fields: str) -> str:
    """Return a line for each row from the digits of all fields, without the last newline."""
    width = parameters.columns
    return "\n".join(" ".join(fields[at : at + width]) for at in range(0, len(fields), width))


def write(parameters: Parameters, state: State) -> str:
    """Return the text form of a position, with a newline after each line."""
    return f"{parameters} {PLAYERS[state.side]}\n{rows(parameters, digits(parameters, state))}\n"


def read_header(words: Sequence[str]) -> tuple[Parameters, int]:
    """Read N, M, K and the player to move: 1 is returned as 0, and 2 as 1.

    Raises `BadPosition`, code WRONG_GAME_PARAMETERS or WRONG_PLAYER, without a line.
    """
    if len(words) != 4:
        raise BadPosition(
            "WRONG_GAME_PARAMETERS", f"expected N M K and the player to move, as in 3 3 3 1; not {' '.join(words)!r}"
        )
    try:
        parameters = parse(" ".join(words[:3]))
    except BadParameters as error:
        raise BadPosition("WRONG_GAME_PARAMETERS", str(error)) from None
    if words[3] not in tuple(PLAYERS):
        raise BadPosition("WRONG_PLAYER", f"the player to move is 1 or 2, not {words[3]!r}")
    return parameters, PLAYERS.index(words[3])


def read(text: str) -> tuple[Parameters, State]:
    """Read the text form of a position. Blank lines, any spaces and any numbers of pieces are allowed.

    Raises `BadPosition` with the first of these codes that applies: WRONG_GAME_PARAMETERS, WRONG_PLAYER,
    WRONG_BOARD_FIELD, WRONG_BOARD_ROW_LENGTH, WRONG_BOARD_ROW_NUMBER.
    """
    (number, words), *lines = lines_of(text, "WRONG_GAME_PARAMETERS", "N M K player")
    try:
        parameters, side = read_header(words)
    except BadPosition as error:
        raise BadPosition(error.code, str(error), number) from None
    fields = read_rows(lines, [parameters.columns] * parameters.rows, FIELDS, number, "WRONG_BOARD_ROW_NUMBER")
    return parameters, State(*pieces(fields), side)


SIDES = ("first", "second")
"""The names of the sides."""


def letter(column: int) -> str:
    """Return the letter of a column, counted from 0 at the left."""
    return chr(ord("a") + column)


def name(parameters: Parameters, field: int) -> str:
    """Return the name of a field, given as its bit."""
    row, column = divmod(field.bit_length() - 1, parameters.columns)
    return f"{letter(column)}{parameters.rows - row}"


def field(parameters: Parameters, text: str) -> int:
    """Return the bit of the field of a move.

    Raises `BadMove`, code BAD_MOVE_IS_NO_FIELD or BAD_MOVE_OUTSIDE_BOARD.
    """
    match = re.fullmatch("([a-zA-Z])([1-9][0-9]?)", text.strip())
    if match is None:
        raise BadMove(
            "BAD_MOVE_IS_NO_FIELD", f"{text!r} names no field; a move is a column's letter and a row's number, as in a1"
        )
    column, number = ord(match[1].lower()) - ord("a"), int(match[2])
    if column >= parameters.columns or number > parameters.rows:
        last = f"{letter(parameters.columns - 1)}{parameters.rows}"
        raise BadMove("BAD_MOVE_OUTSIDE_BOARD", f"{text!r} lies outside the board, which has the fields a1 to {last}")
    return 1 << ((parameters.rows - number) * parameters.columns + column)


MARKS = ("×", "○")
"""The characters of the players' pieces."""

MAX_LAYOUTS = 64
"""Most recently used layouts that are cached, of up to 70 KB each. A new one takes 2 ms."""

SYMBOLS = ("·", *MARKS)
"""The characters of fields, by digit."""


@lru_cache(MAX_LAYOUTS)
def layout(columns: int, rows: int) -> Layout:
    """Return the layout of a board with letters for columns and numbers for rows, from 1 at the bottom."""
    fields = (f"{letter(x)}{rows - y}" for y in range(rows) for x in range(columns))
    return cells(columns, rows, fields, [letter(x) for x in range(columns)], [str(rows - y) for y in range(rows)])


def draw(parameters: Parameters, state: State, marked: int = 0) -> str:
    """Draw the board as text. The field ``marked``, a bit, is in brackets."""
    fields = digits(parameters, state)
    columns = "   " + "".join(f" {letter(column)} " for column in range(parameters.columns)).rstrip()
    lines = [columns]
    for row in range(parameters.rows):
        number = parameters.rows - row
        cells = ""
        for at in range(row * parameters.columns, (row + 1) * parameters.columns):
            symbol = SYMBOLS[int(fields[at])]
            cells += f"[{symbol}]" if marked == 1 << at else f" {symbol} "
        lines.append(f"{number:>2} {cells} {number}")
    return "\n".join([*lines, columns]) + "\n"
