"""Commands that need no server: ``arena-bot play`` and ``warm``."""

from typing import Annotated

from cyclopts import Parameter

from bots.commands.options import ABOVE_0, check_variant, fail
from bots.play.input_words import USUAL_SECONDS, BadCommand
from engine.games.catalogue import GAMES, USUAL_GAME


def play(
    game: str = USUAL_GAME,
    /,
    *,
    params: str | None = None,
    load: str | None = None,
    first: str = "person",
    second: str = "bot",
    time: Annotated[float, Parameter(validator=ABOVE_0)] = USUAL_SECONDS,
) -> None:
    """Play at this screen, against a bot or somebody beside you, without a server. Type help there.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in 4,4,15,15; the usual one when left out.
    load
        File with a position or a saved game to begin with.
    first
        Who begins: person, bot, bot:SECONDS, or level:1 to level:10, a bot of that strength.
    second
        Who plays the other side.
    time
        Seconds that a bot thinks about a move, where it says nothing else.
    """
    from bots.play.terminal_game import play_in_terminal

    check_variant(game, params or "", "--params")
    try:
        play_in_terminal(GAMES[game], params, load, (first, second), time)
    except BadCommand as error:
        fail(str(error), 2)


def warm(game: str, params: str = "", /) -> None:
    """Compile what the alphabeta bot needs for a variant, and keep it.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in 4,4,15,15; the usual one when left out.
    """
    from engine.commands.precompile import compile_for
    from engine.games.catalogue import start_of
    from engine.search.binding import SEARCHING

    check_variant(game, params, "PARAMS")
    compile_for(start_of(game, params), SEARCHING)
