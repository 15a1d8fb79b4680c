"""``arena-bot check``."""

import shlex
import sys

from bots.client.run import to_stderr
from bots.commands.options import (
    Port,
    Words,
    check_report_files,
    check_variant,
    end_in_order_when_terminated,
    fail,
    print_line,
    warn_of_hidden_packages,
    write_report,
)
from engine.commands.inputs import File


def check(
    *command: Words,
    listen: Port | None = None,
    game: str | None = None,
    only: str = "",
    json: File = None,
    junit: File = None,
    gradescope: File = None,
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
    json
        File for the results as JSON; - is stdout, and the lines for people then go to stderr.
    junit
        File for the results as JUnit's XML, for CI systems.
    gradescope
        File for the results as results.json of Gradescope, a point for each situation.
    """
    from bots.check import formats
    from bots.check.run import check as run
    from bots.check.run import chosen

    if bool(command) == (listen is not None):
        fail("either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT", 2)
    if game is not None:
        check_variant(game, "", "--game")
    files = {"--json": json, "--junit": junit, "--gradescope": gradescope}
    check_report_files(files)
    warn_of_hidden_packages(command)
    end_in_order_when_terminated()
    situations = chosen(only)
    write = to_stderr if "-" in files.values() else print_line
    report = run(command, port=listen or 0, game=game, situations=situations, write=write, note=to_stderr)
    bot = shlex.join(command) or f"the bot at port {listen}"
    write_report("--json", json, lambda: formats.as_json(bot, report.results))
    write_report("--junit", junit, lambda: formats.as_junit(bot, report.results))
    write_report("--gradescope", gradescope, lambda: formats.as_gradescope(bot, report.results))
    sys.exit(0 if report.passed else 1)
