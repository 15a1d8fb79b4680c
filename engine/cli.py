"""The command line ``arena-engine``: what commands there are, and how each of them ends."""

import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from engine.commands.program import Command, Rejected, say
from engine.shell import SHELLS

if TYPE_CHECKING:
    from cyclopts import App


COMMANDS = (
    Command("perft", "engine.commands.positions:perft", "Count the leaves of the tree of moves."),
    Command("solve", "engine.commands.positions:solve_game", "Find out who wins with perfect play."),
    Command("check", "engine.commands.positions:check_certificate", "Verify a certificate of a win by the rules."),
    Command("verify", "engine.commands.positions:verify", "Verify a tablebase by the rules."),
    Command("record", "engine.commands.record:replay", "Replay the record of a match and verify it."),
    Command("analyse", "engine.commands.positions:analyse", "Think about a position, depth by depth."),
    Command("duel", "engine.commands.duel:duel", "Measure one configuration of the search against another."),
    Command("selfplay", "engine.commands.training:selfplay", "Play games for training, every position scored."),
    Command("train", "engine.commands.training:train", "Find tables of patterns that explain such scores."),
    Command("export", "engine.commands.record:export", "Write the moves of records as training data."),
    Command("precompile", "engine.commands.precompile:precompile", "Compile what games need, for commands to come."),
    Command("shell", "engine.commands.shell:shell", "Answer the commands of an assignment on stdin."),
)
"""Every command, in the order in which --help lists them."""

ANSWERED, FAILED = 0, 1
"""Exit statuses: answered; a fault or a limit of the program. `Rejected` has 2 for bad arguments or a bad position."""


def main() -> None:
    """Run ``arena-engine`` and exit. Ctrl-C and a closed pipe end it at once and quietly."""
    # compiled code does not return to the interpreter for minutes, so the system's own handlers end it
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line and return the exit status; whatever is wrong takes one line on stderr."""
    try:
        if len(arguments) == 2 and arguments[0] == "shell" and arguments[1] in SHELLS:
            from engine.commands.shell import shell  # what parses command lines takes as long as some thousand answers

            shell(arguments[1])
        else:
            _carry_out(arguments)
    except Rejected as error:
        return _fail(error.status, str(error))
    except (OverflowError, MemoryError) as error:
        return _fail(FAILED, f"too large for this machine: {error or 'out of memory'}")
    return ANSWERED


def _carry_out(arguments: Sequence[str]) -> None:
    """Carry out a command line; raises `Rejected` where it cannot be understood, and what its command raises."""
    from cyclopts import CycloptsError

    from engine.commands.program import explain

    try:
        application()(arguments, exit_on_error=False, print_error=False, result_action="return_none")
    except CycloptsError as error:
        raise Rejected(explain(error)) from None


def application() -> "App":
    """Make the application with all its commands."""
    from importlib.metadata import version

    import cyclopts

    from engine.commands.program import finite, offer_completion

    made = cyclopts.App(
        name="arena-engine",
        help="Rules, counting, solving and shells of the games, for people and scripts.",
        help_format="plaintext",
        default_parameter=cyclopts.Parameter(negative=(), validator=finite),
        version=lambda: version("gipf-arena"),
    )
    for command in COMMANDS:
        made.command(command.function, name=command.name, help=command.help)
    offer_completion(made, _end)
    return made


def _end(sentence: str) -> NoReturn:
    sys.exit(_fail(FAILED, sentence))


def _fail(status: int, sentence: str) -> int:
    say("arena-engine: " + " ".join(sentence.split()))
    return status
