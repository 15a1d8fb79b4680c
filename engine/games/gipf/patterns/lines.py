"""The lines of a board, numbers for what they hold, and how all of these numbers are found at once.

A line holds a digit a field: 0 for an empty one, 1 for a piece of the side to move, 2 for one of the other side. In
base 3, with the field of the lowest bit first, this makes the number of its content. A number is a sum over pieces, and
so a sum over the rows of the board: what a row adds to all lines of one direction is looked up by its pieces, in one
number in which each of these lines has some bits of its own. So it takes a lookup for each row and direction, not for
each field. That number takes one machine word where S is 4, and two where S is 5.
"""

from functools import cache
from typing import NamedTuple

from engine.compiling.wide_integers import WORD_BITS
from engine.games.gipf.geometry import geometry

LARGEST = 5
"""The largest S whose lines are short enough: one of 9 fields has 9963 contents that are no mirror images."""


class Rows(NamedTuple):
    """Where the rows of a board are, for tables that have a number for each row and each set of pieces on it."""

    shifts: list[int]
    """How far each row's first field is from the first place of the row."""
    masks: list[int]
    """A mask of as many bits as each row has fields."""
    starts: list[int]
    """Where in tables the numbers of each row begin."""


class Direction(NamedTuple):
    """Tables by which the numbers of all lines of one direction are found."""

    lengths: list[int]
    """Of the lines, in the order of `lines`."""
    numbers: list[int]
    """For each row of the board and each set of pieces on it, as bits, what they add to the number of all lines."""
    shifts: list[int]
    """Where in its word each line has its own number; none for rows, which are looked up one by one."""
    masks: list[int]
    """A mask of as many bits as the number of each line takes."""
    first_word: int
    """So many lines, the first ones, have their numbers in the lowest word, the others in the next one."""


def lines(size: int) -> list[tuple[int, ...]]:
    """Return every line once, as places of bits from the lowest one: rows from the top, then direction by direction."""
    board = geometry(size)
    found = []
    for entry in board.entries:
        if entry.step > 0:
            row, column = entry.target
            first = row * board.width + column
            found.append((entry.step, tuple(first + entry.step * at for at in range(entry.line.bit_count()))))
    return [places for _, places in sorted(found)]


def lengths(size: int) -> range:
    """Return how long lines can be."""
    return range(size, 2 * size)


@cache
def shared(length: int) -> tuple[int, ...]:
    """Return for each content of a line of that length its place among contents that are no mirror images."""
    places: list[int] = []
    count = 0
    for number, mirrored in enumerate(_mirrored(length)):
        places.append(places[mirrored] if mirrored < number else count)
        count += mirrored >= number
    return tuple(places)


def distinct(length: int) -> int:
    """Return how many contents a line of that length can have, mirror images being the same."""
    return (3**length + 3 ** ((length + 1) // 2)) // 2


@cache
def places(size: int) -> Rows:
    """Return where the rows of a board are."""
    width = geometry(size).width
    found = Rows([], [], [])
    start = 0
    for row, line in enumerate(lines(size)[:width]):
        found.shifts.append(line[0] - row * width)
        found.masks.append((1 << len(line)) - 1)
        found.starts.append(start)
        start += 1 << len(line)
    return found


@cache
def rows(size: int) -> Direction:
    """Return the tables of the rows of a board, each of which is looked up for itself."""
    of_rows = lines(size)[: geometry(size).width]
    numbers = [number for line in of_rows for number in _sums([3**at for at in range(len(line))])]
    return Direction(list(map(len, of_rows)), numbers, [], [], 0)


@cache
def crossing(size: int, direction: int) -> Direction:
    """Return the tables of lines that cross the rows: 0 for columns, 1 for diagonals; ``size`` is `LARGEST` at most."""
    width = geometry(size).width
    crossed = lines(size)[(1 + direction) * width : (2 + direction) * width]
    bits = [(3 ** len(line) - 1).bit_length() for line in crossed]
    weights: dict[int, int] = {}
    shifts: list[int] = []
    words = [0]
    for line, count in zip(crossed, bits, strict=True):
        if words[-1] + count >= WORD_BITS:
            words.append(0)
        shifts.append(words[-1])
        words[-1] += count
        start = WORD_BITS * (len(words) - 1) + shifts[-1]
        weights |= {place: 3**at << start for at, place in enumerate(line)}
    assert len(words) <= 2
    numbers = [number for row in lines(size)[:width] for number in _sums([weights[place] for place in row])]
    first_word = width if len(words) == 1 else shifts.index(0, 1)
    return Direction(list(map(len, crossed)), numbers, shifts, [(1 << count) - 1 for count in bits], first_word)


def _sums(weights: list[int]) -> list[int]:
    """Return the sum of each set of weights, in the order of the sets as bits."""
    sums = [0]
    for weight in weights:
        sums += [weight + others for others in sums]
    return sums


def _mirrored(length: int) -> list[int]:
    """Return for each content of a line of that length the number of that which is read from the other end."""
    found = [0]
    for _ in range(length):
        found = [3 * mirrored + digit for digit in range(3) for mirrored in found]
    return found
