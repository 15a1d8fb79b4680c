"""The text form and the drawing of GIPF positions."""

import re
from functools import cache
from itertools import chain
from math import sqrt

from engine.compiling.binding import popcount
from engine.games.boards.layout import Layout, Place, Stroke
from engine.games.gipf.geometry import AXES, Parameters, fields_of, geometry, is_field, parse
from engine.games.gipf.kernel import bind
from engine.games.gipf.notation import names
from engine.games.gipf.rules import State
from engine.games.interface import BadParameters, BadPosition
from engine.games.texts import lines_of, read_hands, read_rows

PIECES = "WB"
"""The letters of white and black."""


def start(parameters: Parameters) -> State:
    """Return the start position: three pieces of each side on alternate corners, white on the top left one."""
    corners = geometry(parameters.size).corners
    return State(sum(corners[::2]), sum(corners[1::2]), parameters.white - 3, parameters.black - 3, 0)


@cache
def rows(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the fields of each printed row as bits, from the top."""
    width = 2 * size - 1
    return tuple(tuple(1 << (r * width + c) for row, c in fields_of(size) if row == r) for r in range(width))


def piece_at(state: State, field: int) -> str:
    """Return the letter of the piece on a field, ``_`` for none."""
    if state.white & field:
        return "W"
    return "B" if state.black & field else "_"


def write(parameters: Parameters, state: State) -> str:
    """Return the text form of a position, with a newline after each line."""
    lines = [str(parameters), f"{state.white_reserve} {state.black_reserve} {PIECES[state.side]}"]
    for number, fields in enumerate(rows(parameters.size)):
        lines.append(" " * abs(parameters.size - 1 - number) + " ".join(piece_at(state, field) for field in fields))
    return "\n".join(lines) + "\n"


def parameters_of(line: str) -> Parameters:
    """Read L from the first line of a board. A letter of a side after the numbers is ignored."""
    return parse(re.sub(r"\s[WB]\s*$", "", line))


def read(text: str) -> tuple[Parameters, State]:
    """Read the text form of a position. Blank lines and any indentation are allowed.

    Raises `BadPosition` with the first of these codes that applies: WRONG_GAME_PARAMETERS for the two header lines,
    WRONG_BOARD_FIELD, WRONG_BOARD_ROW_LENGTH, WRONG_WHITE_PAWNS_NUMBER, WRONG_BLACK_PAWNS_NUMBER,
    ERROR_FOUND_1_ROW_OF_LENGTH_K or ERROR_FOUND_<N>_ROWS_OF_LENGTH_K.
    """
    (number, words), *lines = lines_of(text, "WRONG_GAME_PARAMETERS", "S K GW GB")
    try:
        parameters = parameters_of(" ".join(words))
    except BadParameters as error:
        raise BadPosition("WRONG_GAME_PARAMETERS", str(error), number) from None
    if not lines:
        raise BadPosition("WRONG_GAME_PARAMETERS", "the line of reserves and side to move is missing", number + 1)
    white_reserve, black_reserve, side = read_hands(lines[0], "WRONG_GAME_PARAMETERS")
    expected = rows(parameters.size)
    letters = read_rows(lines[1:], list(map(len, expected)), "WB_", lines[0][0], "WRONG_BOARD_ROW_LENGTH")
    fields = list(zip(letters, chain(*expected), strict=True))
    white, black = (sum(field for letter, field in fields if letter == piece) for piece in PIECES)
    state = State(white, black, white_reserve, black_reserve, side)
    _check(parameters, state)
    return parameters, state


def _check(parameters: Parameters, state: State) -> None:
    for name, pieces, reserve, most in (
        ("white", state.white, state.white_reserve, parameters.white),
        ("black", state.black, state.black_reserve, parameters.black),
    ):
        count = popcount(pieces)
        if count + reserve > most:
            raise BadPosition(
                f"WRONG_{name.upper()}_PAWNS_NUMBER",
                f"{name}'s pieces: {count} on the board and {reserve} in reserve, of {most} in all",
            )
    found = count_runs(parameters, state)
    if found:
        raise BadPosition(
            "ERROR_FOUND_1_ROW_OF_LENGTH_K" if found == 1 else f"ERROR_FOUND_{found}_ROWS_OF_LENGTH_K",
            f"runs of {parameters.run} or more pieces on the board: {found}; they would have been collected",
        )


def count_runs(parameters: Parameters, state: State) -> int:
    """Count the maximal runs of at least K pieces of one colour. Crossing runs count separately."""
    rules = bind(parameters.size, parameters.run)
    width = geometry(parameters.size).width
    total = 0
    for pieces in (state.white, state.black):
        for down, right in AXES:
            step = down * width + right
            starts = rules.run_starts(pieces, step)
            total += popcount(starts & ~(starts << step))
    return total


MARKS = ("●", "○")
"""The characters of white and black: on a dark terminal the filled disc looks white."""

SYMBOLS = {"W": MARKS[0], "B": MARKS[1], "_": "·"}

DOT = "∙"

COLUMN = sqrt(3) / 2
"""Distance between columns of the hexagon, whose fields are corners of equilateral triangles."""


@cache
def layout(size: int) -> Layout:
    """Return the layout of the board of side ``size`` with its dots and upright columns."""
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
    return Place(name, round((column - size) * COLUMN, 3), (2 * size + 2 - abs(size - column)) / 2 - number)


def draw(size: int, state: State, marked: str = "") -> str:
    """Draw the board as text, one line for each printed row. The field ``marked`` is in brackets."""
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
