"""Positions of `tests.oracles.gipf` as text, both ways."""

from itertools import chain

from tests.oracles.gipf import Position, board_fields


def board_text(position: Position) -> str:
    """Print a position as section 1.2 shows it."""
    total, reserve = position.total, position.reserve
    printed = [
        f"{position.size} {position.length} {total['W']} {total['B']}",
        f"{reserve['W']} {reserve['B']} {position.turn}",
    ]
    for row in range(2 * position.size - 1):
        pieces = [piece for field, piece in position.fields.items() if field[0] == row]
        printed.append(" " * abs(position.size - 1 - row) + " ".join(pieces))
    return "\n".join(printed) + "\n"


def read_board(text: str) -> Position:
    """Read a position, in which nothing is wrong."""
    (size, length, white, black), header, *rows = (line.split() for line in text.split("\n") if line.split())
    fields = dict(zip(board_fields(int(size)), chain(*rows), strict=True))
    reserve = {"W": int(header[0]), "B": int(header[1])}
    return Position(int(size), int(length), {"W": int(white), "B": int(black)}, fields, reserve, header[2])
