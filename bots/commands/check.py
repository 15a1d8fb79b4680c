"""``arena-bot check``."""

import shlex
import subprocess
import sys

from bots.client.run import to_stderr
from bots.commands.options import (
    Port,
    Words,
    check_variant,
    end_in_order_when_terminated,
    fail,
    warn_of_hidden_packages,
)
from engine.commands import reports
from engine.commands.inputs import File
from engine.commands.program import answer, explain_fault


def check(
    *command: Words,
    listen: Port | None = None,
    game: str | None = None,
    only: str = "",
    after: str = "",
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
    after
        Title of the last situation that an earlier test has come through, to go on behind it; all are tried where no
        situation has this title.
    build
        Command that builds the bot first; where it fails, nothing else is tried. The results as JSON tell.
    json
        File for the results as JSON; - is stdout, and the lines for people then go to stderr.
    junit
        File for the results as JUnit's XML, for CI systems.
    """
    from bots.check.run import Build, SituationResult, as_json, as_junit, chosen
    from bots.check.run import check as run

    if bool(command) == (listen is not None):
        fail("either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT", 2)
    if game is not None:
        check_variant(game, "", "--game")
    files = {"--json": json, "--junit": junit}
    reports.check_files(files)
    warn_of_hidden_packages(command)
    end_in_order_when_terminated()
    situations = chosen(only, after)
    write = to_stderr if "-" in files.values() else answer
    built = Build(build, _build(build)) if build else None
    if built and built.status:
        reason = f"{build} ended with status {built.status}"
        write(f"FAIL the build: {reason}")
        results, passed = [SituationResult("the build", "failed", 0.0, reason=reason)], False
    else:
        report = run(
            command,
            port=listen or 0,
            game=game,
            situations=situations,
            write=write,
            note=to_stderr,
            goes_on=bool(after),
        )
        results, passed = report.results, report.passed
    bot = shlex.join(command) or f"the bot at port {listen}"
    reports.write("--json", json, lambda: as_json(bot, results, built))
    reports.write("--junit", junit, lambda: as_junit(bot, results))
    sys.exit(0 if passed else 1)


def _build(command: str) -> int:
    """Run a command, whose output goes to stderr, and return its exit status; ends ours where it is no command."""
    try:
        return subprocess.run(shlex.split(command), stdin=subprocess.DEVNULL, stdout=2, check=False).returncode
    except (OSError, ValueError) as error:
        fail(f"--build: {command!r} cannot be started: {explain_fault(error)}", 2)
