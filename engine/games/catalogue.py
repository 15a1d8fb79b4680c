"""All games, by name."""

from engine.games.arrows.position import ARROWS
from engine.games.gipf.position import GIPF
from engine.games.interface import Game, Position
from engine.games.mnk.position import MNK
from engine.games.morris.position import MORRIS

GAMES: dict[str, Game] = {game.name: game for game in (GIPF, ARROWS, MORRIS, MNK)}
"""All games, in the order of lists."""

USUAL_GAME = next(iter(GAMES))
"""The default game."""

TITLES = {game.name: game.title for game in GAMES.values()}
"""Names of games for people."""


def variant_title(variant: str) -> str:
    """Return the title of a variant: ``gipf 3 3 9 9`` is GIPF 3 3 9 9."""
    game, _, parameters = variant.partition(" ")
    return f"{TITLES.get(game, game)} {parameters}".strip()


def title_of(position: Position) -> str:
    """Return the title of a position's variant."""
    return variant_title(f"{position.game.name} {position.parameters}")


def start_of(game: str, parameters: str = "") -> Position:
    """Return the start position of a game, by default of its usual variant.

    Raises `engine.games.interface.BadParameters`.
    """
    return GAMES[game].start(parameters or GAMES[game].default_parameters)


def unknown_game(name: str) -> str:
    """Return a sentence on an unknown game, with the names of all games."""
    return f"there is no game {name!r}; there is {', '.join(GAMES)}"
