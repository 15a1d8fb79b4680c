"""A second implementation of m,n,k-games: slow, plain, and made to be read beside docs/rules.md.

It judges the fast one, so it shares nothing with it and imports nothing from the project. A board is a tuple of
rows, a row a tuple of 0, 1 and 2. Fields are (row, column), from 0 at the top left.
"""

from functools import cache
from typing import NamedTuple

Field = tuple[int, int]
Board = tuple[tuple[int, ...], ...]

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Position(NamedTuple):
    """A board, how many make a line, and the player to move: 1 or 2."""

    board: Board
    length: int
    player: int

    @property
    def rows(self) -> int:
        return len(self.board)

    @property
    def columns(self) -> int:
        return len(self.board[0])


def empty(rows: int, columns: int, length: int) -> Position:
    """Return the position in which a game begins."""
    return Position(((0,) * columns,) * rows, length, 1)


@cache
def lines(rows: int, columns: int, length: int) -> list[list[Field]]:
    """Return all lines of the board, each a list of its fields."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in DIRECTIONS:
                line = [(row + i * down, column + i * right) for i in range(length)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in line):
                    found.append(line)
    return found


def all_lines(position: Position) -> list[list[Field]]:
    """Return the lines of a position's board."""
    return lines(position.rows, position.columns, position.length)


def pieces_in(position: Position, line: list[Field]) -> list[int]:
    """Return what stands on the fields of a line."""
    return [position.board[row][column] for row, column in line]


def has_line(position: Position, player: int) -> bool:
    """Tell whether a player has a line."""
    return any(pieces_in(position, line) == [player] * position.length for line in all_lines(position))


def empty_fields(position: Position) -> list[Field]:
    """Return the empty fields, row by row."""
    return [(r, c) for r in range(position.rows) for c in range(position.columns) if position.board[r][c] == 0]


def outcome(position: Position) -> str:
    """Return ``1``, ``2`` or ``draw``, or nothing while the game goes on; who moved last is looked at first."""
    for player in (3 - position.player, position.player):
        if has_line(position, player):
            return str(player)
    return "" if empty_fields(position) else "draw"


def placed(position: Position, field: Field) -> Position:
    """Return the position after a piece was placed on a field."""
    board = [list(row) for row in position.board]
    board[field[0]][field[1]] = position.player
    return Position(tuple(tuple(row) for row in board), position.length, 3 - position.player)


def moves(position: Position) -> list[Field]:
    """Return the fields on which a piece may be placed, row by row; none when the game is over."""
    return [] if outcome(position) else empty_fields(position)


def name(position: Position, field: Field) -> str:
    """Name a field: letters from the left, numbers from the bottom."""
    return "abcdefghijklmnopqrs"[field[1]] + str(position.rows - field[0])


def text(position: Position) -> str:
    """Print a position."""
    header = f"{position.rows} {position.columns} {position.length} {position.player}\n"
    return header + "".join(" ".join(map(str, row)) + "\n" for row in position.board)


@cache
@cache
def value(position: Position) -> int:
    """Return 1 where the player to move wins with perfect play, 0 for a draw, -1 for a loss: plain minimax."""
    ended = outcome(position)
    if ended == "draw":
        return 0
    if ended:
        return 1 if ended == str(position.player) else -1
    return max(-value(placed(position, field)) for field in moves(position))


def images(position: Position) -> list[Position]:
    """Return the position mirrored and turned in all ways that give a board of the same rows and columns."""
    boards = [position.board]
    boards += [board[::-1] for board in boards]
    boards += [tuple(row[::-1] for row in board) for board in boards]
    boards += [tuple(zip(*board, strict=True)) for board in boards] if position.rows == position.columns else []
    return [position._replace(board=board) for board in boards]


# The shell


def generated(position: Position, *, cut: bool) -> str:
    """Return the answer of GEN_ALL_POS_MOV, or of GEN_ALL_POS_MOV_CUT_IF_GAME_OVER."""
    after = [placed(position, field) for field in moves(position)]
    if cut:
        ends = [child for child in after if outcome(child)]
        after = ends[:1] or after
    return "".join([f"{len(after)}\n", *(text(child).partition("\n")[2] for child in after)])


def solved(position: Position) -> str:
    """Return the answer of SOLVE_GAME_STATE."""
    result = value(position)
    if result == 0:
        return "BOTH_PLAYERS_TIE"
    winner = position.player if result > 0 else 3 - position.player
    return "FIRST_PLAYER_WINS" if winner == 1 else "SECOND_PLAYER_WINS"
