"""The text form and the drawing of positions of nine men's morris."""

from functools import cache

from engine.compiling.binding import popcount
from engine.games.boards.layout import LABEL_DISTANCE, Layout, Place, Stroke
from engine.games.interface import BadPosition
from engine.games.morris.rules import FIELDS, PIECES, State
from engine.games.texts import lines_of, read_hands

LETTERS = "WB"
"""The letters of white and black."""

SIDES = ("white", "black")
"""The names of the sides. White begins."""


def start() -> State:
    """Return the start position: an empty board, and nine pieces in each hand."""
    return State(0, 0, PIECES, PIECES, 0)


def pieces_of(state: State) -> tuple[int, int]:
    """Return the fields of white's pieces and of black's."""
    return (state.own, state.other) if state.side == 0 else (state.other, state.own)


def hands_of(state: State) -> tuple[int, int]:
    """Return the numbers of pieces in hand of white and black."""
    return (state.own_hand, state.other_hand) if state.side == 0 else (state.other_hand, state.own_hand)


def piece_at(state: State, field: int) -> str:
    """Return the letter of the piece on the field with a number, ``_`` for none."""
    for letter, pieces in zip(LETTERS, pieces_of(state), strict=True):
        if pieces >> field & 1:
            return letter
    return "_"


def write(state: State) -> str:
    """Return the text form of a position: a line of hands and side to move, and a line of fields."""
    white_hand, black_hand = hands_of(state)
    fields = "".join(piece_at(state, field) for field in range(FIELDS))
    return f"{white_hand} {black_hand} {LETTERS[state.side]}\n{fields}\n"


def read(text: str) -> State:
    """Read the text form of a position. The 24 fields may have any lines and spaces between them.

    Raises `BadPosition` with the first of these codes that applies: WRONG_HEADER for the first line, WRONG_BOARD_FIELD,
    WRONG_NUMBER_OF_FIELDS, WRONG_NUMBER_OF_WHITE_PIECES, WRONG_NUMBER_OF_BLACK_PIECES.
    """
    (first, words), *lines = lines_of(text, "WRONG_HEADER", "9 9 W")
    *hands, side = read_hands((first, words[:3]), "WRONG_HEADER")
    if max(hands) > PIECES:
        raise BadPosition("WRONG_HEADER", f"a side has {PIECES} pieces in all, not {max(hands)} in hand", first)
    fields, last = "", first
    for last, letters in [(first, words[3:]), *lines]:
        for letter in "".join(letters):
            if letter not in "WB_":
                raise BadPosition("WRONG_BOARD_FIELD", f"a field is W, B or _, not {letter!r}", last)
            fields += letter
    if len(fields) != FIELDS:
        raise BadPosition("WRONG_NUMBER_OF_FIELDS", f"the board has {FIELDS} fields, not {len(fields)}", last)
    white, black = (sum(1 << field for field in range(FIELDS) if fields[field] == letter) for letter in LETTERS)
    for name, pieces, hand in zip(SIDES, (white, black), hands, strict=True):
        if popcount(pieces) + hand > PIECES:
            raise BadPosition(
                f"WRONG_NUMBER_OF_{name.upper()}_PIECES",
                f"{name}'s pieces: {popcount(pieces)} on the board and {hand} in hand, of {PIECES} in all",
                last,
            )
    sets = (white, black)
    return State(sets[side], sets[1 - side], hands[side], hands[1 - side], side)


MARKS = ("●", "○")
"""The characters of white and black: on a dark terminal the filled disc looks white."""

SYMBOLS = {"W": MARKS[0], "B": MARKS[1], "_": "·"}

SIZE = 7
"""Lines and columns of the grid of the board, with the centre at (3, 3)."""

CENTRE = SIZE // 2

COLUMN = 3
"""Characters between columns of the grid."""

EMPTY = """\
 ·────────·────────·    0        1        2
 │  ·─────·─────·  │       8     9    10
 │  │  ·──·──·  │  │         16 17 18
 ·──·──·     ·──·──·    7 15 23    19 11  3
 │  │  ·──·──·  │  │         22 21 20
 │  ·─────·─────·  │      14    13    12
 ·────────·────────·    6        5        4
"""
"""The empty board, with the numbers of its fields."""

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
"""Directions of the fields of a square from the centre, in the order of their numbers, as (row, column)."""


def place(field: int) -> tuple[int, int]:
    """Return the (row, column) of a field on the grid."""
    square, number = divmod(field, len(AROUND))
    distance = CENTRE - square
    return CENTRE + distance * AROUND[number][0], CENTRE + distance * AROUND[number][1]


@cache
def layout() -> Layout:
    """Return the layout: three nested squares, joined at the middles of their sides."""
    fields = []
    for field in range(FIELDS):
        row, column = place(field)
        fields.append(Place(str(field), column - CENTRE, row - CENTRE))
    around = len(AROUND)
    strokes = []
    for field in range(FIELDS):
        square, number = divmod(field, around)
        strokes.append(Stroke(*fields[field][1:], *fields[square * around + (number + 1) % around][1:]))
        if number % 2 and field + around < FIELDS:
            strokes.append(Stroke(*fields[field][1:], *fields[field + around][1:]))
    side = 2 * CENTRE + 2 * LABEL_DISTANCE
    return Layout(kind="squares", width=side, height=side, fields=tuple(fields), strokes=tuple(strokes))


def draw(state: State, marked: int = -1) -> str:
    """Draw the board as text, with the numbers of its fields. The field ``marked`` is in brackets."""
    lines = [list(line) for line in EMPTY.splitlines()]
    for field in range(FIELDS):
        row, column = place(field)
        at = 1 + COLUMN * column
        lines[row][at] = SYMBOLS[piece_at(state, field)]
        if field == marked:
            lines[row][at - 1 : at + 2] = ["[", lines[row][at], "]"]
    return "".join("".join(line) + "\n" for line in lines)
