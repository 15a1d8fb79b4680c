"""The command line ``arena-bot``: what commands there are, and how each of them ends."""

import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import entry_points, version
from typing import Any

import cyclopts
from cyclopts import Parameter

from bots.client.errors import ArenaError
from bots.commands.manual import ENDINGS
from bots.commands.options import fail
from engine.commands.program import Command, Rejected, explain, finite, offer_completion

COMMANDS = (
    Command(
        "new",
        "bots.commands.offline:new",
        "Make a folder with a new bot: a program that plays legally, with its tests, matches and a workflow for CI.",
    ),
    Command("random", "bots.commands.online:random", "Play moves at random."),
    Command(
        "alphabeta",
        "bots.commands.online:alphabeta",
        "Play what alpha-beta search finds best in the time that the clock allows.",
    ),
    Command(
        "bridge",
        "bots.commands.online:bridge",
        "Let a program play that reads standard input and writes standard output.",
    ),
    Command(
        "check",
        "bots.commands.check:check",
        "Try a bot in every situation of the protocol, and say what it does wrong.",
    ),
    Command(
        "replay",
        "bots.commands.records:replay",
        "Bring a bot into each of its turns of a match, and show where it plays otherwise now.",
    ),
    Command(
        "review",
        "bots.commands.records:review",
        "Let the engine look at each move of a match: what was best, what was lost, and what is proven.",
    ),
    Command(
        "submit",
        "bots.commands.league:submit",
        "Send a version of a bot to a league, and show how it is built and tried.",
    ),
    Command(
        "versions",
        "bots.commands.league:versions",
        "List the versions of a bot in a league; choose the one that plays, or delete the files of one that does not.",
    ),
    Command(
        "compare",
        "bots.commands.league:compare",
        "Let two versions of a bot play against each other on the server, and say which is the stronger one.",
    ),
    Command("warm", "bots.commands.offline:warm", "Compile what the alphabeta bot needs for a variant, and keep it."),
    Command("watch", "bots.commands.online:watch", "Watch a match."),
    Command(
        "log",
        "bots.commands.online:log",
        "Show what a program of one's own wrote on stderr in a finished match: the traceback of a crash, say.",
    ),
    Command(
        "play",
        "bots.commands.offline:play",
        "Play at this screen, against a bot or somebody beside you, without a server. Type help there.",
    ),
)
"""Every command."""

app = cyclopts.App(
    name="arena-bot",
    help="Programs that play on an arena server, one that watches, and one to play against.",
    version=lambda: version("gipf-arena"),
    default_parameter=Parameter(validator=finite),
)
for _command in COMMANDS:
    app.command(_command.function, name=_command.name, help=_command.help, help_epilogue=str(ENDINGS[_command.name]))
offer_completion(app, partial(fail, status=1))

OTHERS = "arena_bot.commands"
"""The group of entry points under which other packages offer commands: no package imports another one by name."""


def _add_commands_of_others(arguments: Sequence[str]) -> None:
    """Add the commands of other packages, unless a command of ours is called: loading them takes a moment."""
    known = {command.name for command in COMMANDS}
    if arguments and arguments[0] in known:
        return
    for entry in entry_points(group=OTHERS):
        if entry.name not in app:
            app.command(entry.load(), name=entry.name)


def main(arguments: list[str] | None = None) -> Any:
    """Run ``arena-bot``."""
    try:
        _add_commands_of_others(sys.argv[1:] if arguments is None else arguments)
        app(arguments, exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError as error:
        fail(explain(error), 2)
    except ArenaError as error:
        fail(str(error), 1)
    except Rejected as error:
        fail(str(error), error.status)
    except KeyboardInterrupt:
        sys.exit(130)
