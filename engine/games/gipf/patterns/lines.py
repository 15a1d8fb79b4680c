"""The lines of a board, numbers for what they hold, and how all of these numbers are found at once.

A line holds a digit a field: 0 for an empty one, 1 for a piece of the side to move, 2 for one of the other side. In
base 3, with the field of the lowest bit first, this makes the number of its content. A number is a sum over pieces, and
so a sum over the rows of the board: what a row adds to all lines of one direction is looked up by its pieces, in one
word in which each of these lines has some bits of its own. So it takes a lookup for each row and direction, not for
each field.
"""

from functools import cache
from typing import NamedTuple

from engine.games.gipf.geometry import geometry

LARGEST = 4
"""The largest S for which the numbers of all lines of one direction fit a word: 62 bits where S is 4."""


class Direction(NamedTuple):
    """Tables by which the numbers of all lines of one direction are found."""

    lengths: list[int]
    """Of the lines, in the order of `lines`."""
    numbers: list[int]
    """For each row of the board and each set of pieces on it, as bits, what they add to the word of all lines."""
    shifts: list[int]
    """Where in the word each line has its number; none for rows, which have a word each."""
    masks: list[int]
    """A mask of as many bits as the number of each line takes."""


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
    for number in range(3**length):
        mirrored = _mirrored(number, length)
        places.append(places[mirrored] if mirrored < number else count)
        count += mirrored >= number
    return tuple(places)


def distinct(length: int) -> int:
    """Return how many contents a line of that length can have, mirror images being the same."""
    return (3**length + 3 ** ((length + 1) // 2)) // 2


@cache
def rows(size: int) -> Direction:
    """Return the tables of the rows of a board, each of which has a word for itself."""
    width = geometry(size).width
    found = Direction([], [], [], [])
    for row, line in enumerate(lines(size)[:width]):
        found.lengths.append(len(line))
        weights = {place - row * width: 3**at for at, place in enumerate(line)}
        found.numbers.extend(_weighed(weights, pieces) for pieces in range(1 << width))
    return found


@cache
def crossing(size: int, direction: int) -> Direction:
    """Return the tables of lines that cross the rows: 0 for columns, 1 for diagonals; ``size`` is `LARGEST` at most."""
    width = geometry(size).width
    found = Direction([], [], [], [])
    weights: dict[int, int] = {}
    shift = 0
    for line in lines(size)[(1 + direction) * width : (2 + direction) * width]:
        weights |= {place: 3**at << shift for at, place in enumerate(line)}
        bits = (3 ** len(line) - 1).bit_length()
        found.lengths.append(len(line))
        found.shifts.append(shift)
        found.masks.append((1 << bits) - 1)
        shift += bits
    assert shift < 64
    for row in range(width):
        of_row = {place - row * width: weight for place, weight in weights.items() if place // width == row}
        found.numbers.extend(_weighed(of_row, pieces) for pieces in range(1 << width))
    return found


def _weighed(weights: dict[int, int], pieces: int) -> int:
    """Add up the weights of places that hold a piece."""
    return sum(weight for place, weight in weights.items() if pieces >> place & 1)


def _mirrored(number: int, length: int) -> int:
    """Return the number of a content that is read from the other end."""
    mirrored = 0
    for _ in range(length):
        number, digit = divmod(number, 3)
        mirrored = 3 * mirrored + digit
    return mirrored
