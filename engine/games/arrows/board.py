"""Boards of arrows as text, both ways, and drawn for people."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, repeat
from typing import NamedTuple

from engine.games.arrows.parameters import WORD, Field, Pair, Setup, beyond, build
from engine.games.boards.layout import Layout, cells
from engine.games.interface import BadPosition

MOVES = "moves:"
"""What stands before the moves."""

COMMENTS = (
    "columns and rows",
    "start of the first player",
    "start of the second player",
    "directions of the first and the second player's arrow",
)
"""What is written beside each pair; those that follow are blocked fields."""


class Arrow(NamedTuple):
    """An arrow on the board: whose it is, where it stands and where it points."""

    side: int
    field: Field
    direction: int

    @property
    def target(self) -> Field:
        """The place that it points at; it may lie off the board."""
        return beyond(self.field, self.direction)


def arrows(setup: Setup, moves: Iterable[int]) -> list[Arrow]:
    """Return all arrows in the order in which they were placed, those of the set-up first."""
    placed = [Arrow(side, setup.starts[side], setup.directions[side]) for side in (0, 1)]
    for direction in moves:
        before = placed[-2]
        placed.append(Arrow(before.side, before.target, direction))
    return placed


def write(setup: Setup, moves: tuple[int, ...]) -> str:
    """Return the text of a position, lines ended by newlines."""
    comments = chain(COMMENTS, repeat("blocked"))
    lines = [f"{f'{x} {y}':<5}  # {comment}" for (x, y), comment in zip(setup.pairs, comments, strict=False)]
    if moves:
        lines.append(f"{MOVES} {' '.join(map(str, moves))}")
    return "\n".join(lines) + "\n"


class Word(NamedTuple):
    """A move in a text, and the line it stands in, from 1."""

    text: str
    line: int


def read(text: str) -> tuple[Setup, list[Word]]:
    """Read a set-up, and the moves behind it as they are written.

    A pair has a line of its own; comments, blank lines and CRLF are allowed. Moves begin with ``moves:`` and may go
    on over several lines. Numbers are separated by spaces or commas. Raises `BadPosition` with the codes of
    `engine.games.arrows.parameters.build`, WRONG_PAIR for a line that is no pair, and MISSING_PAIR.
    """
    pairs: list[Pair] = []
    lines = list(_lines(text))
    while lines and lines[0][1][0] != MOVES:
        line, words = lines.pop(0)
        if len(words) != 2 or not all(re.fullmatch(WORD, word) for word in words):
            sentence = f"expected a pair of numbers, or {MOVES}, not {' '.join(words)!r}"
            raise BadPosition("WRONG_PAIR", sentence, line)
        pairs.append(Pair(int(words[0]), int(words[1]), line))
    if len(pairs) < len(COMMENTS):
        line = lines[0][0] if lines else max(1, len(text.splitlines()))
        raise BadPosition("MISSING_PAIR", f"the text ends before this pair: {COMMENTS[len(pairs)]}", line)
    moves = [Word(word, line) for line, words in lines for word in words]
    return build(pairs), moves[1:]


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line that has any, with its number; ``moves:`` is a word of its own."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").replace(MOVES, f" {MOVES} ").split()
        if words:
            yield number, words


ARROWS = "↑↗→↘↓↙←↖"
"""The directions, 0 to 7. The player's number, 1 or 2, stands before each arrow."""

MARKS = ("1", "2")
"""The players' numbers."""

EMPTY, BLOCKED = "·", "■"

TO_USE, BOTH_USE = "?", "??"
"""Stands behind the number of the player who has to place the next arrow on a field, or where both have to."""


@cache
def layout(columns: int, rows: int) -> Layout:
    """Return where everything lies: field ``x,y``, both counted from 1 at the top left."""
    fields = (f"{x},{y}" for y in range(1, rows + 1) for x in range(1, columns + 1))
    numbers = [[str(i) for i in range(1, length + 1)] for length in (columns, rows)]
    return cells(columns, rows, fields, *numbers)


def draw(setup: Setup, moves: Iterable[int], *, mark_last: bool) -> str:
    """Draw the board, x along the top and y down the left side; the last arrow may be marked with brackets."""
    placed = arrows(setup, moves)
    cells: dict[Field, str] = {}
    for arrow in placed[-2:]:
        cells[arrow.target] = BOTH_USE if arrow.target in cells else MARKS[arrow.side] + TO_USE
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
