"""The random bot."""

import pytest

from bots.bot import Clocks
from bots.random_bot import RandomBot
from engine.games.catalogue import GAMES
from engine.games.history import History

CLOCKS = Clocks(60_000, 60_000, 0)


def played(seed: int, game: str, parameters: str, plies: int = 120) -> tuple[str, ...]:
    """Let a random bot play against itself; every move has to be legal."""
    bot = RandomBot(seed)
    history = History.begin(GAMES[game].start(parameters))
    while history.verdict(plies) is None:
        history = history.after(bot.choose(history.position, CLOCKS))
    return history.moves


GIPF = ["4 4 15 15", "2 2 5 5", "3 3 10 12", "5 4 20 20", "6 3 18 18"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("game", "parameters"),
    [*(("gipf", each) for each in GIPF), *((name, GAMES[name].default_parameters) for name in GAMES)],
)
def test_every_move_is_legal(game: str, parameters: str, seed: int) -> None:
    assert played(seed, game, parameters)


def test_a_seed_names_a_game() -> None:
    assert played(7, "gipf", "4 4 15 15") == played(7, "gipf", "4 4 15 15")
    assert played(7, "gipf", "4 4 15 15") != played(8, "gipf", "4 4 15 15")
