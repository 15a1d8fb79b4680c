"""Commands that need no server: ``arena-bot new``, ``check``, ``play`` and ``warm``."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bots.client.run import to_stderr
from bots.commands.options import (
    ABOVE_0,
    Port,
    Words,
    check_variant,
    end_in_order_when_terminated,
    fail,
)
from bots.terminal.terminal_game import USUAL_SECONDS, play_in_terminal
from engine.commands import reports
from engine.commands.inputs import File
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


def check(
    *command: Words,
    listen: Port | None = None,
    game: str | None = None,
    only: str = "",
    build: Words = "",
    json: File = None,
    junit: File = None,
) -> None:
    """Try a bot in every situation of the protocol, and say what it does wrong.

    Parameters
    ----------
    command
        The bot and its arguments, behind --. {host}, {port}, {name} and {game} in them stand for where to connect, as
        whom, and what to seek; the bot finds the same in the variables ARENA_HOST, ARENA_PORT, ARENA_NAME, ARENA_GAME.
    listen
        Wait at this port for a bot that connects by itself, in place of starting one.
    game
        Game that the bot has to seek; any when left out.
    only
        Words of the titles of the situations to be tried; all when left out.
    build
        Command that builds the bot first; where it fails, nothing else is tried. The results as JSON tell.
    json
        File for the results as JSON; - is stdout, and the lines for people then go to stderr.
    junit
        File for the results as JUnit's XML, for CI systems.
    """
    from bots.check.run import Build, SituationResult, as_json, as_junit, chosen, has_passed
    from bots.check.run import check as run

    if bool(command) == (listen is not None):
        fail("either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT", 2)
    if game is not None:
        check_variant(game, "", "--game")
    files = {"--json": json, "--junit": junit}
    reports.check_files(files)
    end_in_order_when_terminated()
    situations = chosen(only)
    write = to_stderr if "-" in files.values() else answer
    built = Build(build, _build(build)) if build else None
    if built and built.status:
        reason = f"{build} ended with status {built.status}"
        write(f"FAIL the build: {reason}")
        results = [SituationResult("the build", "failed", 0.0, reason=reason)]
    else:
        results = run(command, port=listen or 0, game=game, situations=situations, write=write, note=to_stderr)
    bot = shlex.join(command) or f"the bot at port {listen}"
    reports.write("--json", json, lambda: as_json(bot, results, built))
    reports.write("--junit", junit, lambda: as_junit(bot, results))
    sys.exit(0 if has_passed(results) else 1)


def _build(command: str) -> int:
    """Run a command, whose output goes to stderr, and return its exit status; ends ours where it is no command."""
    try:
        return subprocess.run(shlex.split(command), stdin=subprocess.DEVNULL, stdout=2, check=False).returncode
    except (OSError, ValueError) as error:
        fail(f"--build: {command!r} cannot be started: {explain_fault(error)}", 2)


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
    check_variant(game, params or "", "--params")
    play_in_terminal(GAMES[game], params, load, (first, second), time)


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
