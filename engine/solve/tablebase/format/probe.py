"""Looks a position of GIPF up in a tablebase: a reader of the format in README.md that uses nothing but Python.

python probe.py gipf_3_3.layers POSITION.txt   prints win, loss or draw for the side to move, and the plies to the end
"""

import sys
from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import BinaryIO


@cache
def fields_of(size: int) -> list[tuple[int, ...]]:
    """Return the fields of a board row by row, as cube coordinates."""
    reach = range(1 - size, size)
    return [(x, y, -x - y) for y in reach for x in reach if abs(x + y) < size]


@cache
def images_of(size: int) -> list[list[int]]:
    """Return for each of the twelve symmetries where it moves each field."""
    fields = fields_of(size)
    return [
        [fields.index(tuple(sign * field[axis] for axis in axes)) for field in fields]
        for axes in permutations(range(3))
        for sign in (1, -1)
    ]


@cache
def runs_of(size: int, run: int) -> list[int]:
    """Return all sets of `run` neighbouring fields in a line."""
    fields, found = fields_of(size), list[int]()
    for x, y, _ in fields:
        for right, down in ((1, 0), (0, 1), (1, -1)):
            line = [(x + right * i, y + down * i, -x - y - (right + down) * i) for i in range(run)]
            if all(field in fields for field in line):
                found.append(sum(1 << fields.index(field) for field in line))
    return found


def image(fields: int, moved: list[int]) -> int:
    """Return a set of fields, a bit each, under a symmetry."""
    return sum(1 << to for at, to in enumerate(moved) if fields >> at & 1)


@cache
def numbered(size: int, run: int, pieces: int) -> dict[int, int]:
    """Return the numbers of the sets of so many pieces without a run that are least of their images."""
    found = (sum(1 << field for field in chosen) for chosen in combinations(range(len(fields_of(size))), pieces))
    free = [one for one in found if not any(one & row == row for row in runs_of(size, run))]
    least = [one for one in free if all(image(one, moved) >= one for moved in images_of(size))]
    return {one: number for number, one in enumerate(sorted(least))}


def subsets(fields: int, most: int) -> int:
    """Return how many sets of at most so many of these fields there are."""
    return sum(comb(fields, pieces) for pieces in range(min(fields, most) + 1))


def first_place(size: int, run: int, theirs: int, pieces: int) -> int:
    """Return how many places come before the first set of so many pieces."""
    count = len(fields_of(size))
    return sum(len(numbered(size, run, fewer)) * subsets(count - fewer, theirs) for fewer in range(pieces))


def place_of(size: int, run: int, own: int, other: int, theirs: int) -> int:
    """Return the place of a position in its layer; `own` are the fields of the side to move."""
    count, pieces = len(fields_of(size)), own.bit_count()
    least = min(image(own, moved) for moved in images_of(size))
    turned = [image(other, moved) for moved in images_of(size) if image(own, moved) == least]
    free = [field for field in range(count) if not least >> field & 1]
    rank = min(sum((one >> field & 1) << at for at, field in enumerate(free)) for one in turned)
    smaller, left = 0, rank  # how many smaller numbers have as many bits set
    while left:
        high = left.bit_length() - 1
        smaller += comb(high, left.bit_count())
        left ^= 1 << high
    before = first_place(size, run, theirs, pieces)
    before += numbered(size, run, pieces)[least] * subsets(len(free), theirs)
    return before + subsets(len(free), rank.bit_count() - 1) + smaller


def layer_size(size: int, run: int, mine: int, theirs: int) -> int:
    """Return how many places a layer has."""
    return first_place(size, run, theirs, min(mine, len(fields_of(size))) + 1)


def offset_of(size: int, run: int, layer: tuple[int, int]) -> int:
    """Return where a layer begins in the file."""
    total = 0
    for number in range(max(layer) + 1):
        for name in [(number, theirs) for theirs in range(number + 1)] + [(mine, number) for mine in range(number)]:
            if name == layer:
                return total
            total += layer_size(size, run, *name)
    raise ValueError(layer)


def probe(file: BinaryIO, text: str) -> tuple[int, int]:
    """Return the result for the side to move, 1, 0 or -1, and the plies to the end."""
    parameters, state, *rows = text.strip().splitlines()
    size, run = map(int, parameters.split()[:2])
    white, black, side = state.split()
    letters = "".join("".join(row.split()) for row in rows)
    own, other = (sum(1 << at for at, letter in enumerate(letters) if letter == colour) for colour in "WB")
    mine, theirs = own.bit_count() + int(white), other.bit_count() + int(black)
    if side == "B":
        own, other, mine, theirs = other, own, theirs, mine
    file.seek(offset_of(size, run, (mine, theirs)) + place_of(size, run, own, other, theirs))
    value = file.read(1)[0]
    return (0, 0) if value == 0 else (-1 if value % 2 else 1, value - 1)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as layers, open(sys.argv[2]) as position:
        result, plies = probe(layers, position.read())
    print("draw" if result == 0 else f"{'win' if result > 0 else 'loss'} in {plies}")
