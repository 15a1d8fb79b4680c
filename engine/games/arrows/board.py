"""The set-up of a game of arrows, the text form of positions, and their drawing.

A set-up is a list of pairs of numbers: columns and rows, the start of each player, both directions, and blocked fields.
As parameters, all pairs are in one line, and columns and rows are enough for the
usual set-up. In a board file each pair has a line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, repeat
from typing import NamedTuple

from engine.games.arrows.rules import STEPS
from engine.games.boards.layout import Layout, cells
from engine.games.interface import BadParameters, BadPosition
from engine.games.texts import NUMBER, numbers

SIDES = ("first", "second")
"""The names of the sides."""

LENGTHS = range(4, 11)
"""Allowed numbers of columns and of rows."""

RIGHT, LEFT = 2, 6
"""Directions of the first arrows in the usual set-up."""

Field = tuple[int, int]
"""A field (x, y): x from 1 at the left, y from 1 at the top."""


class SetupPair(NamedTuple):
    """Two numbers of a set-up, and their line, counted from 1; 0 in parameters."""

    first: int
    second: int
    line: int = 0


class Setup(NamedTuple):
    """The set-up of a game."""

    columns: int
    rows: int
    starts: tuple[Field, Field]
    """The field of each player's first arrow."""
    directions: tuple[int, int]
    """The directions of these arrows, 0 to 7."""
    blocked: tuple[Field, ...]
    """The blocked fields in reading order."""

    def __str__(self) -> str:
        """Return the parameters: all pairs, or columns and rows for the usual set-up."""
        pairs = self.pairs[:1] if self == usual(self.columns, self.rows) else self.pairs
        return " ".join(f"{first} {second}" for first, second in pairs)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs of numbers, in the order of a board file."""
        return ((self.columns, self.rows), *self.starts, self.directions, *self.blocked)

    def target(self, side: int) -> Field:
        """Return the field at which a player's first arrow points. It may lie off the board."""
        return beyond(self.starts[side], self.directions[side])

    def has(self, field: Field) -> bool:
        """Tell whether a field lies on the board."""
        return 1 <= field[0] <= self.columns and 1 <= field[1] <= self.rows

    @property
    def warning(self) -> str:
        """A sentence on a player who cannot place the first arrow; empty for other set-ups."""
        for side, name in enumerate(SIDES):
            target = self.target(side)
            if not self.has(target) or target in self.starts or target in self.blocked:
                return f"the {name} player cannot place an arrow: nothing can be placed on {_pair(target)}"
        if self.target(0) == self.target(1):
            target = self.target(0)
            return f"the first player cannot place an arrow: the second one's points at {_pair(target)}, too"
        return ""


def _pair(field: Field) -> str:
    return f"({field[0]}, {field[1]})"


def beyond(field: Field, direction: int) -> Field:
    """Return the neighbour of a field in a direction."""
    right, down = STEPS[direction]
    return field[0] + right, field[1] + down


def usual(columns: int, rows: int) -> Setup:
    """Return the set-up with the players in opposite corners, and arrows to the right and to the left."""
    return Setup(columns, rows, ((1, 1), (columns, rows)), (RIGHT, LEFT), ())


COMMENTS = (
    "columns and rows",
    "start of the first player",
    "start of the second player",
    "directions of the first and the second player's arrow",
)
"""Comments of the first pairs. Further pairs are blocked fields."""


def parse(text: str) -> Setup:
    """Read parameters; raises `BadParameters`."""
    found = numbers(text)
    if len(found) != 2 and (len(found) % 2 or len(found) < 2 * len(COMMENTS)):
        sentence = "arrows takes columns and rows, as in 8 8, or pairs for size, starts, directions and blocked fields"
        raise BadParameters("bad_parameters", f"{sentence}; not {text!r}")
    try:
        return build([SetupPair(*pair) for pair in zip(found[::2], found[1::2], strict=True)])
    except BadPosition as error:
        raise BadParameters("bad_parameters", str(error)) from None


def build(pairs: Sequence[SetupPair]) -> Setup:
    """Return the set-up of four or more pairs, or the usual set-up for one pair of columns and rows.

    Raises `BadPosition` with the line of the wrong pair. Its codes are WRONG_BOARD_SIZE, WRONG_START, WRONG_DIRECTION
    and WRONG_BLOCKED_FIELD.
    """
    columns, rows, line = pairs[0]
    for name, length in (("columns", columns), ("rows", rows)):
        if length not in LENGTHS:
            raise BadPosition(
                "WRONG_BOARD_SIZE",
                f"the board has {length} {name}, but it can have {LENGTHS[0]} to {LENGTHS[-1]}",
                line,
            )
    if len(pairs) == 1:
        return usual(columns, rows)
    _, first, second, directions, *blocked = pairs
    fields = tuple(sorted((pair[:2] for pair in blocked), key=lambda field: (field[1], field[0])))
    setup = Setup(columns, rows, (first[:2], second[:2]), directions[:2], fields)
    taken: set[Field] = set()
    for number, (x, y, line) in enumerate((first, second, *blocked)):
        code = "WRONG_BLOCKED_FIELD" if number > 1 else "WRONG_START"
        if not setup.has((x, y)):
            raise BadPosition(
                code, f"({x}, {y}) is off the board: x goes from 1 to {columns}, y from 1 to {rows}", line
            )
        if (x, y) in taken:
            raise BadPosition(code, f"({x}, {y}) is named twice", line)
        taken.add((x, y))
    for direction in setup.directions:
        if direction not in range(len(STEPS)):
            raise BadPosition(
                "WRONG_DIRECTION",
                f"{direction} is no direction; directions are 0 (up) to 7 (up left), clockwise",
                directions.line,
            )
    return setup


MOVES = "moves:"
"""The word before the moves."""


class Arrow(NamedTuple):
    """An arrow on the board."""

    side: int
    field: Field
    direction: int

    @property
    def target(self) -> Field:
        """The field at which the arrow points. It may lie off the board."""
        return beyond(self.field, self.direction)


def arrows(setup: Setup, moves: Iterable[int]) -> list[Arrow]:
    """Return all arrows in the order of placement, first the arrows of the set-up."""
    placed = [Arrow(side, setup.starts[side], setup.directions[side]) for side in (0, 1)]
    for direction in moves:
        before = placed[-2]
        placed.append(Arrow(before.side, before.target, direction))
    return placed


def write(setup: Setup, moves: tuple[int, ...]) -> str:
    """Return the text form of a position, with a newline after each line."""
    comments = chain(COMMENTS, repeat("blocked"))
    lines = [f"{f'{x} {y}':<5}  # {comment}" for (x, y), comment in zip(setup.pairs, comments, strict=False)]
    if moves:
        lines.append(f"{MOVES} {' '.join(map(str, moves))}")
    return "\n".join(lines) + "\n"


def read(text: str) -> tuple[Setup, list[tuple[int, str]]]:
    """Read a set-up and its moves. Each move is a text with its line, counted from 1.

    Each pair has a line. Comments, blank lines and CRLF are allowed. Moves follow ``moves:``, on any number of lines.
    Spaces or commas separate numbers. Raises `BadPosition` with the codes of `build`, WRONG_PAIR for a line that is no
    pair, and MISSING_PAIR.
    """
    pairs: list[SetupPair] = []
    lines = list(_lines(text))
    while lines and lines[0][1][0] != MOVES:
        line, words = lines.pop(0)
        if len(words) != 2 or not all(re.fullmatch(NUMBER, word) for word in words):
            raise BadPosition("WRONG_PAIR", f"expected a pair of numbers, or {MOVES}, not {' '.join(words)!r}", line)
        pairs.append(SetupPair(int(words[0]), int(words[1]), line))
    if len(pairs) < len(COMMENTS):
        line = lines[0][0] if lines else max(1, len(text.splitlines()))
        raise BadPosition("MISSING_PAIR", f"the text ends before this pair: {COMMENTS[len(pairs)]}", line)
    return build(pairs), [(line, word) for line, words in lines for word in words][1:]


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each non-blank line. ``moves:`` is a separate word."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").replace(MOVES, f" {MOVES} ").split()
        if words:
            yield number, words


ARROWS = "↑↗→↘↓↙←↖"
"""The characters of the directions 0 to 7."""

MARKS = ("1", "2")
"""The numbers of the players, in front of their arrows."""

EMPTY, BLOCKED = "·", "■"

NEXT, NEXT_OF_BOTH = "?", "??"
"""Marks of the field of a player's next arrow, after the player's number, and of the next field of both players."""


@cache
def layout(columns: int, rows: int) -> Layout:
    """Return the layout of a board with fields ``x,y``, counted from 1 at the top left."""
    fields = (f"{x},{y}" for y in range(1, rows + 1) for x in range(1, columns + 1))
    return cells(columns, rows, fields, *[[str(i) for i in range(1, length + 1)] for length in (columns, rows)])


def draw(setup: Setup, moves: Iterable[int], *, mark_last: bool) -> str:
    """Draw the board as text, with x at the top and y at the left. With ``mark_last`` the last arrow is in brackets."""
    placed = arrows(setup, moves)
    cells: dict[Field, str] = {}
    for arrow in placed[-2:]:
        cells[arrow.target] = NEXT_OF_BOTH if arrow.target in cells else MARKS[arrow.side] + NEXT
    cells |= {arrow.field: MARKS[arrow.side] + ARROWS[arrow.direction] for arrow in placed}
    cells |= dict.fromkeys(setup.blocked, BLOCKED)
    marked = placed[-1].field if mark_last else None
    lines = ["   " + "".join(f"{x:>3} " for x in range(1, setup.columns + 1)).rstrip()]
    for y in range(1, setup.rows + 1):
        row = ""
        for x in range(1, setup.columns + 1):
            text = cells.get((x, y), EMPTY)
            row += f"[{text}]" if (x, y) == marked else f" {text:>2} "
        lines.append(f"{y:>2} {row}".rstrip())
    return "\n".join(lines) + "\n"
