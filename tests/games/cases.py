"""The games and variants that everything is tried with."""

from collections.abc import Iterator
from random import Random

from engine.games.catalogue import GAMES
from engine.games.interface import Game, Position
from tests.games.stones import STONES

EVERY_GAME: list[Game] = [*GAMES.values(), STONES]
"""The games of the catalogue, and one game outside it."""

OTHER_VARIANTS = {
    "gipf": ["2 2 5 5", "3 3 9 9", "5 4 18 18"],
    "arrows": ["4 4", "5 4 1 1 5 4 3 7 3 3", "10 10"],
    "mnk": ["3 3 3", "4 5 3", "11 10 5"],
    "stones": ["1", "5"],
}
"""Variants beside the usual one, small and large."""

EVERY_VARIANT = [
    (game, parameters)
    for game in EVERY_GAME
    for parameters in (game.default_parameters, *OTHER_VARIANTS.get(game.name, ()))
]


def named(value: object) -> str | None:
    """Name a game, or a variant, in the names of tests."""
    return getattr(value, "name", None)


def random_game(game: Game, parameters: str, chance: Random, most: int = 200) -> Iterator[Position]:
    """Yield the positions of a game that is played at random, from the first to the end or for so many moves."""
    return random_line(game.start(parameters), chance, most)


def random_line(position: Position, chance: Random, most: int) -> Iterator[Position]:
    """Yield the positions of random play from one on, to the end of the game or for so many moves."""
    yield position
    for _ in range(most):
        children = list(position.children())
        if not children:
            return
        position = chance.choice(children).position
        yield position
