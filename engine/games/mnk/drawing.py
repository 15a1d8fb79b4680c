"""A board drawn for people, with the names of columns and rows at the rim."""

from functools import lru_cache

from engine.games.boards.layout import Layout, cells
from engine.games.mnk.board import digits
from engine.games.mnk.notation import letter
from engine.games.mnk.parameters import Parameters
from engine.games.mnk.rules import State

MARKS = ("×", "○")
"""How pieces are drawn, the first player's first."""

MAX_LAYOUTS = 64
"""Boards of which the layout is kept, of up to 70 KB each, the latest used: a new one is made in 2 ms."""

SYMBOLS = ("·", *MARKS)
"""How a field is drawn, by its digit in a text."""


@lru_cache(MAX_LAYOUTS)
def layout(columns: int, rows: int) -> Layout:
    """Return where everything lies: letters name columns, numbers rows, row 1 at the bottom."""
    fields = (f"{letter(x)}{rows - y}" for y in range(rows) for x in range(columns))
    return cells(columns, rows, fields, [letter(x) for x in range(columns)], [str(rows - y) for y in range(rows)])


def draw(parameters: Parameters, state: State, marked: int = 0) -> str:
    """Draw the board, row 1 at the bottom; the marked field, a bit, stands in brackets."""
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
