"""Commands that need no server: ``arena-bot new``, ``play`` and ``warm``."""

import re
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bots.client.failures import NEEDED
from bots.commands.options import ABOVE_0, check_variant, fail
from bots.play.input_words import USUAL_SECONDS, BadCommand
from engine.commands.program import answer, explain_fault
from engine.games.catalogue import GAMES, USUAL_GAME
from engine.wire.words import NAME_PATTERN, NAME_RULE


def new(
    name: str,
    /,
    *,
    language: Literal["python", "c", "cpp", "java", "javascript", "rust", "go"] = "python",
    game: str = USUAL_GAME,
) -> None:
    """Make a folder with a new bot: a program that plays legally, with its tests, matches and a workflow for CI.

    Parameters
    ----------
    name
        The bot's name, and that of its folder.
    language
        The language of its program.
    game
        Game that its tests and matches play; the bot plays all of them.
    """
    from bots.workbench.new_bot import new_bot, write_folder

    if not re.fullmatch(NAME_PATTERN, name):
        fail(f"NAME is {name!r}; a bot's name is {NAME_RULE}", 2)
    if language == "python" and name in NEEDED:
        fail(f"a bot's file called {name}.py would hide the module {name!r}, which it needs: choose another name", 2)
    check_variant(game, "", "--game")
    made = new_bot(name, language, game)
    try:
        write_folder(Path(name), made)
    except FileExistsError:
        fail(f"{name} exists already, and is left as it is: choose another name, or remove it", 1)
    except OSError as error:
        fail(f"{name} cannot be made: {explain_fault(error)}", 1)
    answer(f"{name}: {', '.join(made)}")
    answer(f"next: cd {name}, and read README.md; make match plays its first match")


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
    from engine.search.alphabeta import SEARCHING

    check_variant(game, params, "PARAMS")
    compile_for(start_of(game, params), SEARCHING)
