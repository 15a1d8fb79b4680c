"""A board of nine men's morris drawn for people, with the numbers of the fields beside it."""

from functools import cache

from engine.games.boards.layout import BESIDE, Layout, Place, Stroke
from engine.games.morris.board import piece_at
from engine.games.morris.fields import FIELDS
from engine.games.morris.rules import State

MARKS = ("●", "○")
"""How pieces are drawn, white first: on a dark terminal the filled disc is the white one."""

SYMBOLS = {"W": MARKS[0], "B": MARKS[1], "_": "·"}

SIZE = 7
"""Fields and their gaps lie on a grid of seven lines and seven columns, the centre at (3, 3)."""

CENTRE = SIZE // 2

COLUMN = 3
"""Characters from a column of the grid to the next."""

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
"""Where the fields of a square lie as seen from the centre, in the order of their numbers, as (row, column)."""


def place(field: int) -> tuple[int, int]:
    """Return where a field lies on the grid, as (row, column)."""
    square, number = divmod(field, len(AROUND))
    distance = CENTRE - square
    return CENTRE + distance * AROUND[number][0], CENTRE + distance * AROUND[number][1]


@cache
def layout() -> Layout:
    """Return where everything lies: three squares one in another, joined at the middles of their sides."""
    fields = []
    for field in range(FIELDS):
        row, column = place(field)
        fields.append(Place(str(field), column - CENTRE, row - CENTRE))
    around = len(AROUND)
    strokes = []
    for field in range(FIELDS):
        square, number = divmod(field, around)
        follower = square * around + (number + 1) % around
        strokes.append(Stroke(*fields[field][1:], *fields[follower][1:]))
        if number % 2 and field + around < FIELDS:
            strokes.append(Stroke(*fields[field][1:], *fields[field + around][1:]))
    side = 2 * CENTRE + 2 * BESIDE
    return Layout(kind="squares", width=side, height=side, fields=tuple(fields), strokes=tuple(strokes))


def draw(state: State, marked: int = -1) -> str:
    """Draw the board and the numbers of its fields; the piece on the field ``marked`` stands in brackets."""
    cells = _lines()
    numbers = [[" "] * (COLUMN * SIZE) for _ in range(SIZE)]
    for field in range(FIELDS):
        row, column = place(field)
        at = 1 + COLUMN * column
        cells[row][at] = SYMBOLS[piece_at(state, field)]
        if field == marked:
            cells[row][at - 1 : at + 2] = ["[", cells[row][at], "]"]
        numbers[row][at : at + 2] = f"{field:2}"
    lines = ("".join(drawn) + " " + "".join(named) for drawn, named in zip(cells, numbers, strict=True))
    return "".join(line.rstrip() + "\n" for line in lines)


def _lines() -> list[list[str]]:
    """Return the empty board's lines as characters, with a column to spare on either side."""
    cells = [[" "] * (COLUMN * (SIZE - 1) + 3) for _ in range(SIZE)]
    for square in range(CENTRE):
        near, far = square, SIZE - 1 - square
        for row in (near, far):
            for at in range(1 + COLUMN * near, 1 + COLUMN * far):
                cells[row][at] = "─"
        for column in (near, far):
            for row in range(near, far):
                cells[row][1 + COLUMN * column] = "│"
    for column in (*range(CENTRE - 1), *range(CENTRE + 1, SIZE - 1)):
        for at in range(1 + COLUMN * column, 1 + COLUMN * (column + 1)):
            cells[CENTRE][at] = "─"
    # up and down the squares lie on neighbouring rows: the lines across them need no character there
    return cells
