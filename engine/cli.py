"""The command line ``arena-engine``: its commands and its exit statuses."""

import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.commands.program import VERSION, Command, Rejected, explain, finite, say
from engine.shell import SHELLS

if TYPE_CHECKING:
    from cyclopts import App


COMMANDS = (
    Command("perft", "engine.commands.positions:perft", "Count the leaves of the tree of moves."),
    Command("solve", "engine.commands.positions:solve_game", "Find out who wins with perfect play."),
    Command("check", "engine.commands.positions:check_certificate", "Verify a certificate of a win by the rules."),
    Command("verify", "engine.commands.positions:verify", "Verify a tablebase by the rules."),
    Command("record", "engine.commands.record:replay", "Verify and show the record of a match."),
    Command("analyse", "engine.commands.positions:analyse", "Search a position, depth by depth."),
    Command("duel", "engine.commands.duel:duel", "Measure one configuration of the search against another."),
    Command("selfplay", "engine.commands.duel:selfplay", "Play games for training, with scored positions."),
    Command("train", "engine.commands.duel:train", "Compute pattern tables from games of selfplay."),
    Command("export", "engine.commands.record:export", "Write the moves of records as training data."),
    Command("precompile", "engine.commands.positions:precompile", "Compile search and solver for later commands."),
    Command("shell", "engine.commands.shell:shell", "Answer the commands of an assignment on stdin."),
)
"""All commands, in the order of --help."""

SUCCESS, FAILED = 0, 1
"""Exit statuses: success; an error or a limit of the program. `Rejected` has 2 for bad arguments or a bad position."""


def main() -> None:
    """Run ``arena-engine`` and exit. Ctrl-C and a closed pipe end it at once and quietly."""
    # compiled code may not return to the interpreter for minutes, so the default handlers of the system end it
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Execute a command line and return the exit status. An error is one line on stderr."""
    try:
        if len(arguments) == 2 and arguments[0] == "shell" and arguments[1] in SHELLS:
            from engine.commands.shell import shell  # without the parser, which costs as much as some thousand answers

            shell(arguments[1])
        else:
            _execute(arguments)
    except Rejected as error:
        return _fail(error.status, str(error))
    except (OverflowError, MemoryError) as error:
        return _fail(FAILED, f"too large for this machine: {error or 'out of memory'}")
    return SUCCESS


def _execute(arguments: Sequence[str]) -> None:
    """Parse and execute a command line; raises `Rejected`, and the errors of its command."""
    from cyclopts import CycloptsError

    try:
        application()(arguments, exit_on_error=False, print_error=False, result_action="return_none")
    except CycloptsError as error:
        raise Rejected(explain(error)) from None


def application() -> "App":
    """Make the application with all its commands."""
    import cyclopts

    made = cyclopts.App(
        name="arena-engine",
        help="Rules, perft, search, solver and shells of the games, for people and scripts.",
        help_format="plaintext",
        default_parameter=cyclopts.Parameter(negative=(), validator=finite),
        version=VERSION,
    )
    for command in COMMANDS:
        made.command(command.function, name=command.name, help=command.help)
    return made


def _fail(status: int, sentence: str) -> int:
    say("arena-engine: " + " ".join(sentence.split()))
    return status
