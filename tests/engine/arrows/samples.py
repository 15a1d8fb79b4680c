"""Positions and boards for tests of arrows, made by the oracle from a seeded source of chance."""

import os
from collections.abc import Iterator
from random import Random

from tests.oracles import arrows as oracle
from tests.oracles.arrows import Arrow, Position

TIMES = 20 if os.environ.get("ARENA_CAMPAIGN") else 1


def random_start(chance: Random, most: int = 10) -> Position:
    """Return a board of any shape with blocked fields; now and then an arrow points where nothing can be placed."""
    columns, rows = chance.randint(4, most), chance.randint(4, most)
    fields = [(x, y) for x in range(1, columns + 1) for y in range(1, rows + 1)]
    first, second = chance.sample(fields, 2)
    left = [field for field in fields if field not in (first, second)]
    density = chance.choice([0.0, 0.0, 0.1, 0.2, 0.4])
    blocked = frozenset(field for field in left if chance.random() < density)
    arrows = [Arrow(*field, chance.randrange(8)) for field in (first, second)]
    start = oracle.start(columns, rows, arrows[0], arrows[1], blocked)
    if chance.random() < 0.9 and any(start.is_dead(arrow.aim()) for arrow in arrows):
        return random_start(chance, most)
    return start


def random_game(chance: Random, start: Position) -> Iterator[Position]:
    """Yield the positions of a game in which few moves point where nothing can be placed."""
    position = start
    yield position
    while moves := oracle.moves(position):
        chance.shuffle(moves)
        careless = chance.random() < 0.03
        position = next(
            (
                after
                for after in (oracle.play(position, move) for move in moves)
                if careless or not after.is_dead(after.arrows[position.turn()][-1].aim())
            ),
            oracle.play(position, moves[0]),
        )
        yield position


def positions(chance: Random, number: int, most: int = 10) -> Iterator[Position]:
    """Yield positions of random games: the last ones of each, and some others."""
    while True:
        game = list(random_game(chance, random_start(chance, most)))
        chosen = {len(game) - 1, len(game) - 2, len(game) - 4, *(chance.randrange(len(game)) for _ in range(4))}
        for at in sorted(chosen):
            if 0 <= at < len(game):
                yield game[at]
                number -= 1
                if number == 0:
                    return
