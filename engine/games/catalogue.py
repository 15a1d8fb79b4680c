"""The games that there are, by name."""

from engine.games.arrows.position import ARROWS
from engine.games.gipf.position import GIPF
from engine.games.interface import Game, Position
from engine.games.mnk.position import MNK
from engine.games.morris.position import MORRIS

GAMES: dict[str, Game] = {game.name: game for game in (GIPF, ARROWS, MORRIS, MNK)}
"""Every game on the server, in the order in which they are listed."""

USUAL_GAME = next(iter(GAMES))
"""The one that is meant where none is named."""

TITLES = {game.name: game.title for game in GAMES.values()}
"""Names of games for people."""


def variant_title(variant: str) -> str:
    """Return what a variant is called for people: ``gipf 3 3 9 9`` is GIPF 3 3 9 9."""
    game, _, parameters = variant.partition(" ")
    return f"{TITLES.get(game, game)} {parameters}".strip()


def title_of(position: Position) -> str:
    """Return what the variant of a position is called for people."""
    return variant_title(f"{position.game.name} {position.parameters}")


def start_of(game: str, parameters: str = "") -> Position:
    """Return the position in which a game begins, the usual variant where no parameters are given.

    Raises `engine.games.interface.BadParameters`.
    """
    return GAMES[game].start(parameters or GAMES[game].default_parameters)


def unknown_game(name: str) -> str:
    """Say that there is no game of that name, and which there are."""
    return f"there is no game {name!r}; there is {', '.join(GAMES)}"
