"""The command line ``arena-bot``: what commands there are, and how each of them ends."""

import sys
from collections.abc import Sequence
from typing import Any

import cyclopts

from bots.client.errors import ArenaError
from bots.commands.options import fail
from engine.commands.program import VERSION, Command, Rejected, explain, finite

USAGE = "2 wrong usage; 130 interrupted"
PLAYED = f"0 all matches were played; 1 the server refused, was not there, or the bot failed; {USAGE}"

COMMANDS = (
    Command(
        "new",
        "bots.commands.author:new",
        "Make a folder with a new bot: a program that plays legally, with its tests, matches and a workflow for CI.",
        "0 the folder is made; 1 it exists, or cannot be written; 2 wrong usage",
        (
            ("arena-bot new mybot", "in Python"),
            ("arena-bot new mybot --language rust --game arrows", ""),
        ),
    ),
    Command(
        "random",
        "bots.commands.online:random",
        "Play moves at random.",
        PLAYED,
        (("arena-bot random --opponent mybot --games 10", ""),),
    ),
    Command(
        "alphabeta",
        "bots.commands.online:alphabeta",
        "Play the best moves of alpha-beta search, within the time of the clock.",
        PLAYED,
        (
            ("arena-bot alphabeta --level 3 --games 0", "until it is interrupted"),
            ("arena-bot alphabeta --host arena.example.org --tls", ""),
        ),
    ),
    Command(
        "bridge",
        "bots.commands.online:bridge",
        "Connect a program that plays on standard input and output to a server.",
        f"0 played; 1 the server was not there, or the program failed in the last match; {USAGE}",
        (("arena-bot bridge --name alice --games 10 -- ./mybot", "a program on stdin and stdout"),),
    ),
    Command(
        "check",
        "bots.commands.author:check",
        "Test a bot in every situation of the protocol, and report its faults.",
        f"0 nothing is wrong; 1 something is; {USAGE}",
        (
            ("arena-bot check -- python3 mybot.py", "a bot that reads ARENA_HOST and so on"),
            ("arena-bot check --game morris -- ./bot {host} {port} {name} {game}", ""),
            ("arena-bot check --only resumes --listen 2755", "some situations, of a bot that you start"),
            ("arena-bot check --junit check.xml -- python3 mybot.py", "for CI"),
        ),
    ),
    Command(
        "replay",
        "bots.commands.author:replay",
        "Ask a bot again for its moves in a match, and show where its moves differ from the record.",
        "0 it plays the same moves, in time; 1 it plays otherwise, fails or is late; 2 nothing could be replayed; "
        "130 interrupted",
        (
            ("arena-bot replay arena-data/records/17.txt mybot.py", "where it plays otherwise now"),
            ("arena-bot replay 17 mybot.py --ply 23 --debugger", "at one turn, in pdb"),
        ),
    ),
    Command(
        "review",
        "bots.commands.author:review",
        "Analyse each move of a match: the best move, the loss, and proven results.",
        "0 reviewed; 1 a report cannot be written; 2 wrong usage, or the record cannot be used; 130 interrupted",
        (
            ("arena-bot review arena-data/records/17.txt", ""),
            ("arena-bot review 17 --nodes 1000000 --json -", "looked at more closely, for a program"),
        ),
    ),
    Command(
        "submit",
        "bots.commands.author:submit",
        "Send a version of a bot to a league, and show its build and its tests.",
        f"0 it has passed, and plays; 1 it was refused, or could not be sent; {USAGE}",
        (
            ("arena-bot submit mybot --name ann-2 --server https://arena.example.org", "its token is in ARENA_TOKEN"),
            ("arena-bot submit bot.py --name ann-2 --token TOKEN", "a bot of one file, to this machine"),
        ),
    ),
    Command(
        "versions",
        "bots.commands.author:versions",
        "List the versions of a bot in a league; choose the one that plays, or delete the files of one that does not.",
        f"0 done; 1 the league has refused it, or is not there; {USAGE}",
        (
            ("arena-bot versions --name ann-2", "what there is, and how much of the disk it takes"),
            ("arena-bot versions --name ann-2 --delete 3", ""),
        ),
    ),
    Command(
        "compare",
        "bots.commands.author:compare",
        "Play two versions of a bot against each other on the server, and report which is stronger.",
        f"0 it was played; 1 it was not, or the league is not there; {USAGE}",
        (("arena-bot compare 3 2 --name ann-2 --games 40", "the score of version 3 against version 2"),),
    ),
    Command(
        "warm",
        "bots.commands.author:warm",
        "Compile what the alphabeta bot needs for a variant, and keep it.",
        f"0 compiled; {USAGE}",
        (("arena-bot warm gipf 5,4,20,20", ""),),
    ),
    Command(
        "watch",
        "bots.commands.online:watch",
        "Watch a match.",
        f"0 watched to its end; 1 there is no such match or server; {USAGE}",
        (
            ("arena-bot watch", "the newest match"),
            ("arena-bot watch 17 --record", "match 17, and its record in the end"),
            ("arena-bot watch --follow", "one after another"),
        ),
    ),
    Command(
        "log",
        "bots.commands.online:log",
        "Show the stderr output of your program in a finished match, such as the traceback of a crash.",
        f"0 shown; 1 there is no such log or server; {USAGE}",
        (
            ("arena-bot log 17 --name mybot", "on a server without tokens"),
            ("arena-bot log 17 --token TOKEN", ""),
        ),
    ),
    Command(
        "play",
        "bots.commands.author:play",
        "Play in this terminal against a bot or a person, without a server. The command help lists the commands.",
        f"0 the game was left or is over; {USAGE}",
        (
            ("arena-bot play", "against the bot"),
            ("arena-bot play morris --second level:3", ""),
        ),
    ),
)
"""Every command."""

app = cyclopts.App(
    name="arena-bot",
    help="Commands to write and test bots, to play on an arena server, and to watch matches.",
    version=VERSION,
    default_parameter=cyclopts.Parameter(validator=finite),
)
for _command in COMMANDS:
    app.command(_command.function, name=_command.name, help=_command.help, help_epilogue=_command.epilogue)


def _add_commands_of_others(arguments: Sequence[str]) -> None:
    """Add the commands of other packages, unless a command of ours is called: loading them takes a moment.

    Other packages name their commands in pyproject.toml, as entry points: no package imports another one by name.
    """
    if arguments and arguments[0] in {command.name for command in COMMANDS}:
        return
    from importlib.metadata import entry_points

    for entry in entry_points(group="arena_bot.commands"):
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
