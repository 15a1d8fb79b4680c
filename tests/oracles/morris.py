"""A second implementation of the rules of nine men's morris: slow, plain, and made to be read beside docs/rules.md.

It judges the fast one, so it shares nothing with it and imports nothing from the project. A board is a dictionary
from the fields 0 to 23 to ``W``, ``B`` or ``_``. Wherever a rule could be made faster by being cleverer, it was left
alone.
"""

import re
from dataclasses import dataclass

OTHER = {"W": "B", "B": "W"}
NAMES = {"W": "white", "B": "black"}

FIELDS = range(24)
PIECES = 9

MILLS = [
    # the sides of the squares
    (0, 1, 2), (2, 3, 4), (4, 5, 6), (6, 7, 0),
    (8, 9, 10), (10, 11, 12), (12, 13, 14), (14, 15, 8),
    (16, 17, 18), (18, 19, 20), (20, 21, 22), (22, 23, 16),
    # the lines across them
    (1, 9, 17), (3, 11, 19), (5, 13, 21), (7, 15, 23),
]  # fmt: skip

GAME_IS_OVER = "BAD_MOVE_GAME_IS_OVER"
UNREADABLE = "BAD_MOVE_IS_UNREADABLE"
HAND_IS_EMPTY = "BAD_MOVE_HAND_IS_EMPTY"
HAND_IS_NOT_EMPTY = "BAD_MOVE_HAND_IS_NOT_EMPTY"
CAPTURE_IS_DUE = "BAD_MOVE_CAPTURE_IS_DUE"
CAPTURE_IS_NOT_DUE = "BAD_MOVE_CAPTURE_IS_NOT_DUE"


class Refused(Exception):
    """A move or a position that the rules refuse; the text of the error is its code."""


@dataclass(frozen=True)
class Position:
    """The board, how many pieces each side has in hand, and whose turn it is."""

    board: dict[int, str]
    hand: dict[str, int]
    turn: str


@dataclass(frozen=True)
class Move:
    """A legal move: its numbers and the position after it."""

    numbers: tuple[int, ...]
    position: Position

    @property
    def text(self) -> str:
        """The move as it is written."""
        return " ".join(map(str, self.numbers))


def start() -> Position:
    """Return the position at the start."""
    return Position(dict.fromkeys(FIELDS, "_"), {"W": PIECES, "B": PIECES}, "W")


def neighbours(field: int) -> set[int]:
    """Return the neighbours of a field: around its square, and for a middle on the next squares."""
    square, number = field // 8, field % 8
    found = {square * 8 + (number + 1) % 8, square * 8 + (number + 7) % 8}
    if number % 2 == 1:
        if square > 0:
            found.add(field - 8)
        if square < 2:
            found.add(field + 8)
    return found


def standing(board: dict[int, str], colour: str) -> list[int]:
    """Return the fields of a side's pieces, or with ``_`` the empty ones."""
    return [field for field in FIELDS if board[field] == colour]


def in_mill(board: dict[int, str], field: int) -> bool:
    """Tell whether the piece on a field stands in a mill."""
    return any(field in mill and all(board[other] == board[field] for other in mill) for mill in MILLS)


def takeable(board: dict[int, str], colour: str) -> list[int]:
    """Return which pieces of a side may be taken: those in no mill, or all if all stand in mills."""
    pieces = standing(board, colour)
    return [field for field in pieces if not in_mill(board, field)] or pieces


def reachable(position: Position, field: int) -> list[int]:
    """Return the empty fields to which the mover's piece on a field may go when his hand is empty."""
    empty = standing(position.board, "_")
    if len(standing(position.board, position.turn)) == 3:
        return empty
    return [target for target in empty if target in neighbours(field)]


def moves(position: Position) -> list[Move]:
    """Return the legal moves, by field left, field reached and field of the piece taken."""
    return steps(position) if outcome(position) == "in_progress" else []


def steps(position: Position) -> list[Move]:
    """Return what the mover can do, whether the game is over or not."""
    found = []
    if position.hand[position.turn] > 0:
        for target in standing(position.board, "_"):
            found += landings(position, None, target)
    else:
        for source in standing(position.board, position.turn):
            for target in reachable(position, source):
                found += landings(position, source, target)
    return found


def landings(position: Position, source: int | None, target: int) -> list[Move]:
    """Return the moves that bring a piece from a field, or from the hand, to another: several if they take one."""
    me, you = position.turn, OTHER[position.turn]
    board = dict(position.board)
    hand = dict(position.hand)
    numbers: tuple[int, ...]
    if source is None:
        hand[me] -= 1
        numbers = (target,)
    else:
        board[source] = "_"
        numbers = (source, target)
    board[target] = me
    if not in_mill(board, target) or not standing(board, you):
        return [Move(numbers, Position(board, hand, you))]
    return [Move((*numbers, taken), Position({**board, taken: "_"}, hand, you)) for taken in takeable(board, you)]


def outcome(position: Position) -> str:
    """Say how the game stands: in_progress, or who has won and how, or that both have lost."""
    if position.hand == {"W": 0, "B": 0}:
        few = [colour for colour in "WB" if len(standing(position.board, colour)) < 3]
        if len(few) == 2:
            return "draw too_few_pieces"
        if few:
            return f"{NAMES[OTHER[few[0]]]} too_few_pieces"
    return "in_progress" if steps(position) else f"{NAMES[OTHER[position.turn]]} no_move"


def apply(position: Position, text: str) -> Move:
    """Return the legal move that a text names; raises `Refused` with the code of what is wrong."""
    words = text.split()
    if len(words) not in (1, 2, 3) or not all(re.fullmatch("[0-9][0-9]?", word) for word in words):
        raise Refused(UNREADABLE)
    numbers = tuple(map(int, words))
    if not all(number in FIELDS for number in numbers):
        raise Refused(UNREADABLE)
    if outcome(position) != "in_progress":
        raise Refused(GAME_IS_OVER)
    for move in moves(position):
        if move.numbers == numbers:
            return move
    raise Refused(explain(position, list(numbers)))


def explain(position: Position, numbers: list[int]) -> str:
    """Return what is wrong with a move that is not legal."""
    placing = position.hand[position.turn] > 0
    if placing and len(numbers) == 3:
        return HAND_IS_NOT_EMPTY
    if not placing and len(numbers) == 1:
        return HAND_IS_EMPTY
    source = None if placing else numbers.pop(0)
    target = numbers.pop(0)
    if source is not None and position.board[source] != position.turn:
        return f"BAD_MOVE_{source}_IS_NOT_YOURS"
    if position.board[target] != "_":
        return f"BAD_MOVE_{target}_IS_OCCUPIED"
    if source is not None and target not in reachable(position, source):
        return f"BAD_MOVE_{target}_IS_NO_NEIGHBOUR"
    taking = [move.numbers[-1] for move in landings(position, source, target) if len(move.numbers) > 2 - placing]
    if not numbers:
        assert taking
        return CAPTURE_IS_DUE
    if not taking:
        return CAPTURE_IS_NOT_DUE
    if position.board[numbers[0]] != OTHER[position.turn]:
        return f"BAD_MOVE_{numbers[0]}_IS_NO_PIECE_TO_TAKE"
    return f"BAD_MOVE_{numbers[0]}_STANDS_IN_A_MILL"


def text_of(position: Position) -> str:
    """Return the text of a position: hands and turn, then the 24 fields."""
    fields = "".join(position.board[field] for field in FIELDS)
    return f"{position.hand['W']} {position.hand['B']} {position.turn}\n{fields}\n"


def read(text: str) -> Position:
    """Read the text of a position, in which nothing is wrong."""
    white, black, turn, fields = text.split()
    return Position(dict(enumerate(fields)), {"W": int(white), "B": int(black)}, turn)
