"""A board of arrows drawn for people."""

from collections.abc import Iterable
from functools import cache

from engine.games.arrows.board import arrows
from engine.games.arrows.parameters import Field, Setup
from engine.games.boards.layout import Layout, cells

ARROWS = "↑↗→↘↓↙←↖"
"""The directions, 0 to 7. The player's number, 1 or 2, stands before each arrow."""

MARKS = ("1", "2")
"""The players' numbers."""

EMPTY, BLOCKED = "·", "■"

TO_USE, BOTH_USE = "?", "??"
"""Stands behind the number of the player who has to place the next arrow on a field, or where both have to."""


@cache
def layout(columns: int, rows: int) -> Layout:
    """Return where everything lies: field ``x,y``, both counted from 1 at the top left."""
    fields = (f"{x},{y}" for y in range(1, rows + 1) for x in range(1, columns + 1))
    numbers = [[str(i) for i in range(1, length + 1)] for length in (columns, rows)]
    return cells(columns, rows, fields, *numbers)


def draw(setup: Setup, moves: Iterable[int], *, mark_last: bool) -> str:
    """Draw the board, x along the top and y down the left side; the last arrow may be marked with brackets."""
    placed = arrows(setup, moves)
    cells: dict[Field, str] = {}
    for arrow in placed[-2:]:
        cells[arrow.target] = BOTH_USE if arrow.target in cells else MARKS[arrow.side] + TO_USE
    cells |= {arrow.field: MARKS[arrow.side] + ARROWS[arrow.direction] for arrow in placed}
    cells |= dict.fromkeys(setup.blocked, BLOCKED)
    marked = placed[-1].field if mark_last else None
    lines = ["   " + "".join(f"{x:>3} " for x in range(1, setup.columns + 1)).rstrip()]
    for y in range(1, setup.rows + 1):
        row = ""
        for x in range(1, setup.columns + 1):
            text = cells.get((x, y), EMPTY)
            row += f"[{text}]" if (x, y) == marked else f" {text:>2} "
        lines.append(f"{y:>2} {row}".rstrip())
    return "\n".join(lines) + "\n"
