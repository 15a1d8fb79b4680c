"""Positions for tests of m,n,k-games, made by the oracle from a seeded source of chance."""

import os
from collections.abc import Iterator
from random import Random

from tests.oracles import mnk as oracle

CAMPAIGN = 20 if os.environ.get("ARENA_CAMPAIGN") else 1
"""With ARENA_CAMPAIGN=1 tests look at so many times as many positions."""


def random_board(chance: Random, rows: int, columns: int, length: int) -> oracle.Position:
    """Return a board with pieces put on it without regard to the rules, sparse or dense."""
    density = chance.choice([0.0, 0.2, 0.5, 0.8, 0.95, 1.0])
    favourite = chance.choice([0.5, 0.5, 0.9])
    board = tuple(
        tuple((1 if chance.random() < favourite else 2) if chance.random() < density else 0 for _ in range(columns))
        for _ in range(rows)
    )
    return oracle.Position(board, length, chance.choice([1, 2]))


def random_game(chance: Random, rows: int, columns: int, length: int) -> Iterator[oracle.Position]:
    """Yield the positions of a game of random moves, the last of which is over."""
    position = oracle.empty(rows, columns, length)
    yield position
    while found := oracle.moves(position):
        position = oracle.placed(position, chance.choice(found))
        yield position


def sample(seed: int, rows: int, columns: int, number: int) -> list[oracle.Position]:
    """Return set-up boards and played ones in turn, with lines of all lengths, mostly short ones."""
    chance = Random(1000 * seed + 20 * rows + columns)
    longest = max(rows, columns)
    positions: list[oracle.Position] = []
    while len(positions) < number * CAMPAIGN:
        length = chance.choice([1, 2, 3, 3, 4, 4, 5, 5, 6, longest, longest + 1])
        positions += [random_board(chance, rows, columns, length) for _ in range(3)]
        positions += list(random_game(chance, rows, columns, length))[-4:]
        positions.append(oracle.empty(rows, columns, length))
    return positions[: number * CAMPAIGN]
