"""A GIPF board drawn for people, with the ring of dots and their names, and where everything lies in a picture."""

from functools import cache
from math import sqrt

from engine.games.boards.layout import Layout, Place, Stroke
from engine.games.gipf.board import piece_at
from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.notation import names
from engine.games.gipf.rules import State

MARKS = ("●", "○")
"""How pieces are drawn, white first: on a dark terminal the filled disc is the white one."""

SYMBOLS = {"W": MARKS[0], "B": MARKS[1], "_": "·"}

DOT = "∙"

COLUMN = sqrt(3) / 2
"""From a column of a hexagon to the next: its fields are corners of equilateral triangles."""


@cache
def layout(size: int) -> Layout:
    """Return where everything lies on the board of side ``size``, columns upright, with its ring of dots."""
    at = {where: _in_hexagon(size, name) for name, where in names(size).places.items()}
    fields = tuple(place for where, place in at.items() if is_field(size, *where))
    dots = tuple(place for where, place in at.items() if not is_field(size, *where))
    strokes = {}
    for entry in geometry(size).entries:
        down, right = (entry.target[i] - entry.dot[i] for i in (0, 1))
        row, column = entry.target
        while is_field(size, row, column):
            row, column = row + down, column + right
        ends = at[entry.dot], at[row, column]
        strokes[frozenset(ends)] = Stroke(*ends[0][1:], *ends[1][1:])
    return Layout(
        kind="hexagon",
        width=round(2 * size * COLUMN + 2, 3),
        height=2 * size + 2,
        fields=fields,
        dots=dots,
        strokes=tuple(strokes.values()),
    )


def _in_hexagon(size: int, name: str) -> Place:
    column, number = ord(name[0]) - ord("a"), int(name[1:])
    length = 2 * size + 1 - abs(size - column)
    return Place(name, round((column - size) * COLUMN, 3), (length + 1) / 2 - number)


def draw(size: int, state: State, marked: str = "") -> str:
    """Draw the board, a line a printed row of the ring; the field called ``marked`` stands in brackets."""
    name_of = names(size).by_place
    width = 2 * size - 1
    lines = []
    for row in range(-1, width + 1):
        places = [place for place in sorted(name_of) if place[0] == row]
        cells = []
        for place in places:
            symbol = SYMBOLS[piece_at(state, 1 << (place[0] * width + place[1]))] if is_field(size, *place) else DOT
            cells.append(f"[{symbol}]" if name_of[place] == marked else f" {symbol} ")
        indent = " " * (2 * abs(size - 1 - row))
        lines.append(f"{indent}{name_of[places[0]]:>4} {' '.join(cells)} {name_of[places[-1]]}")
    return "\n".join(lines) + "\n"
