"""A GIPF board drawn for people, with the ring of dots and their names."""

from engine.games.gipf.board import piece_at
from engine.games.gipf.geometry import is_field
from engine.games.gipf.notation import names
from engine.games.gipf.rules import State

MARKS = ("●", "○")
"""How pieces are drawn, white first: on a dark terminal the filled disc is the white one."""

SYMBOLS = {"W": MARKS[0], "B": MARKS[1], "_": "·"}

DOT = "∙"


def draw(size: int, state: State, marked: str = "") -> str:
    """Draw the board, a line a printed row of the ring; the field called ``marked`` stands in brackets."""
    name_of = {place: name for name, place in names(size).places.items()}
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
