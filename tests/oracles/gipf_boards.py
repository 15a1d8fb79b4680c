"""Positions of `tests.oracles.gipf` as text, both ways, and what the rules refuse of a board."""

from tests.oracles.gipf import NAMES, Position, Refused, board_fields, lines, runs_in


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
    """Read a position; raises `Refused` with the first error of LOAD_GAME_BOARD that applies.

    The two lines before the rows must be right: the rules have no error for them.
    """
    words = [line.split() for line in text.split("\n") if line.split()]
    size, length, white, black = [int(word) for word in words[0]]
    reserve = {"W": int(words[1][0]), "B": int(words[1][1])}
    check_shape(size, words[2:])
    pieces = [piece for line in words[2:] for piece in line]
    fields = dict(zip(board_fields(size), pieces, strict=True))
    position = Position(size, length, {"W": white, "B": black}, fields, reserve, words[1][2])
    check_pieces(position)
    return position


def check_shape(size: int, words: list[list[str]]) -> None:
    """Refuse a board that has not the right number of fields in every row."""
    lengths = [2 * size - 1 - abs(size - 1 - row) for row in range(2 * size - 1)]
    if [len(line) for line in words] != lengths:
        raise Refused("WRONG_BOARD_ROW_LENGTH")


def check_pieces(position: Position) -> None:
    """Refuse a board with too many pieces of a colour, or with a run on it."""
    for colour in "WB":
        on_board = list(position.fields.values()).count(colour)
        if on_board + position.reserve[colour] > position.total[colour]:
            raise Refused(f"WRONG_{NAMES[colour].upper()}_PAWNS_NUMBER")
    number = count_runs(position)
    if number == 1:
        raise Refused("ERROR_FOUND_1_ROW_OF_LENGTH_K")
    if number > 1:
        raise Refused(f"ERROR_FOUND_{number}_ROWS_OF_LENGTH_K")


def count_runs(position: Position) -> int:
    """Count the runs of both colours on all lines."""
    return sum(len(runs_in(position, line, colour)) for line in lines(position.size) for colour in "WB")
