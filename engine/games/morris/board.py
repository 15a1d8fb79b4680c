"""The text form of positions of nine men's morris, both ways, and what can be wrong with one."""

import re
from functools import cache

from engine.compiling.binding import popcount
from engine.games.boards.layout import BESIDE, Layout, Place, Stroke
from engine.games.interface import BadPosition
from engine.games.morris.rules import FIELDS, PIECES, State

LETTERS = "WB"
"""The letters of the sides, the one that begins first."""

SIDES = ("white", "black")
"""The names of the sides, the one that begins first."""


def start() -> State:
    """Return the state at the start: an empty board, nine pieces in each hand."""
    return State(0, 0, PIECES, PIECES, 0)


def pieces_of(state: State) -> tuple[int, int]:
    """Return the fields of white's pieces and of black's."""
    return (state.own, state.other) if state.side == 0 else (state.other, state.own)


def hands_of(state: State) -> tuple[int, int]:
    """Return how many pieces white and black have in hand."""
    return (state.own_hand, state.other_hand) if state.side == 0 else (state.other_hand, state.own_hand)


def piece_at(state: State, field: int) -> str:
    """Return the letter of the piece on a field, given by its number, ``_`` for none."""
    for letter, pieces in zip(LETTERS, pieces_of(state), strict=True):
        if pieces >> field & 1:
            return letter
    return "_"


def write(state: State) -> str:
    """Return the text of a position: hands and side to move, then the fields, lines ended by newlines."""
    white_hand, black_hand = hands_of(state)
    fields = "".join(piece_at(state, field) for field in range(FIELDS))
    return f"{white_hand} {black_hand} {LETTERS[state.side]}\n{fields}\n"


def read(text: str) -> State:
    """Read a position; the 24 fields may stand in any number of lines, with spaces between them or without.

    Raises `BadPosition` with the first code that applies: WRONG_HEADER for the first line, WRONG_BOARD_FIELD,
    WRONG_NUMBER_OF_FIELDS, WRONG_NUMBER_OF_WHITE_PIECES, WRONG_NUMBER_OF_BLACK_PIECES.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise BadPosition("WRONG_HEADER", "the text is empty; a position begins with a line like 9 9 W")
    number, words = lines[0]
    hands, side = _read_header(number, words)
    fields = _read_fields([(number, words[3:]), *lines[1:]])
    white, black = (sum(1 << field for field in range(FIELDS) if fields[field] == letter) for letter in LETTERS)
    for name, pieces, hand in zip(SIDES, (white, black), hands, strict=True):
        if popcount(pieces) + hand > PIECES:
            sentence = f"{name}'s pieces: {popcount(pieces)} on the board and {hand} in hand, of {PIECES} in all"
            raise BadPosition(f"WRONG_NUMBER_OF_{name.upper()}_PIECES", sentence, lines[-1][0])
    if side == 0:
        return State(white, black, hands[0], hands[1], side)
    return State(black, white, hands[1], hands[0], side)


def _read_header(number: int, words: list[str]) -> tuple[tuple[int, int], int]:
    """Return both hands and the side to move."""
    header = words[:3]
    if (
        len(header) != 3
        or not all(re.fullmatch("[0-9]{1,6}", word) for word in header[:2])
        or header[2] not in ("W", "B")
    ):
        sentence = f"expected both hands and the side to move, as in 9 9 W; not {' '.join(header)!r}"
        raise BadPosition("WRONG_HEADER", sentence, number)
    hands = int(header[0]), int(header[1])
    for name, hand in zip(SIDES, hands, strict=True):
        if hand > PIECES:
            raise BadPosition("WRONG_HEADER", f"{name}'s pieces: {hand} in hand, of {PIECES} in all", number)
    return hands, LETTERS.index(header[2])


def _read_fields(lines: list[tuple[int, list[str]]]) -> str:
    """Return the letters of all fields, in the order of their numbers."""
    fields = ""
    for number, words in lines:
        for letter in "".join(words):
            if letter not in "WB_":
                raise BadPosition("WRONG_BOARD_FIELD", f"a field is W, B or _, not {letter!r}", number)
            fields += letter
    count = 0
    for number, words in lines:
        count += len("".join(words))
        if count > FIELDS:
            sentence = f"the board has {FIELDS} fields; with this line there are {count}"
            raise BadPosition("WRONG_NUMBER_OF_FIELDS", sentence, number)
    if count < FIELDS:
        raise BadPosition("WRONG_NUMBER_OF_FIELDS", f"the board ends after {count} of {FIELDS} fields", lines[-1][0])
    return fields


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
