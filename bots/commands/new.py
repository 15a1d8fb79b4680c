"""``arena-bot new``."""

import re
from pathlib import Path
from typing import Literal

from bots.client.shadowed_modules import NEEDED
from bots.commands.options import check_variant, fail, print_line
from engine.commands.usage_errors import explain_fault
from engine.games.catalogue import USUAL_GAME
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
    print_line(f"{name}: {', '.join(made)}")
    print_line(f"next: cd {name}, and read README.md; make match plays its first match")
