"""Common parts of the commands of ``arena-server``: options, exit statuses and errors.

Every command loads this module, so that functions here import what few commands need.
"""

import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

from cyclopts import Parameter

from engine.commands.program import explain_fault, no_more
from engine.system import NEEDS_LINUX, can_lock
from server.config import tokens as token_file
from server.config.serve_options import MAX_PORT
from server.config.settings import WEB
from server.league.database import FILE
from server.storage.database import BadStore

if TYPE_CHECKING:
    from server.contest.report.structure import Verdict
    from server.league.accounts import Accounts

Read = TypeVar("Read")

FAILED, INTERRUPTED = 1, 130
"""Exit statuses: the command failed; Ctrl-C ended it at once."""

DATA = Path("arena-data")

Data = Annotated[Path, Parameter(help="The data directory of the server.")]

BY = "the command line"
"""Author of the actions of commands in the audit log."""


def place(name: str, text: str) -> tuple[str, int]:
    """Read an address and a port; an address of IPv6 may stand in brackets. Ends the program where it is wrong."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > MAX_PORT:
        fail(f"--{name} is {text!r}; it is an address and a port, as in {WEB}")
    return host, int(port)


def check_system() -> None:
    """End the program on a system that cannot run the server."""
    if not can_lock():
        fail(f"the server does not run here: {NEEDS_LINUX}", FAILED)


def secret(name: str, file: Path | None, read: Callable[[Path], Read]) -> Read | None:
    """Read the file of hashed tokens that an option names. Ends the program where it cannot be read."""
    if file is None:
        return None
    with faults_explained(f"--{name}", token_file.BadTokens, status=2):
        return read(file)


def fail(sentence: str, status: int = 2) -> NoReturn:
    """Say what is wrong, and end the program."""
    from server.contest.report.formatting import printable

    print(f"arena-server: {printable(sentence)}", file=sys.stderr)
    sys.exit(status)


@contextmanager
def faults_explained(doing: str = "", *known: type[Exception], status: int = FAILED) -> Iterator[None]:
    """End the program with one line where a file or a database cannot be used, or at one of the ``known`` faults.

    The line begins with ``doing``, as in "cannot make the backup".
    """
    faults: tuple[type[Exception], ...] = (OSError, BadStore, *known)
    try:
        yield
    except faults as error:
        fail(f"{doing}: {explain_fault(error)}" if doing else explain_fault(error), status)


@contextmanager
def opened_accounts(data: Path, what: str, file: str = FILE, *, new: bool = False) -> "Iterator[Accounts]":
    """Open the accounts of a data directory, and end the program with one line where something fails.

    ``what`` names the part that is missing where the directory lacks ``file``; ``new`` accounts are made there.
    """
    from server.league.accounts import Accounts, NotAllowed

    if not new and not (data / file).exists():
        whose = "server" if file == FILE else "contest"
        fail(f"{data} has no {what}: there is no {file} in it; give the directory of the {whose} with --data")
    with faults_explained("", NotAllowed):
        data.mkdir(parents=True, exist_ok=True)
        with closing(Accounts(data)) as accounts:
            yield accounts


def run_async(doing: str, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Run an async function and return its result; exit with one line if it fails or Ctrl-C ends it.

    An OSError or `BadStore` is shown after ``doing``, as in "cannot serve"; other errors are bugs, and are raised.
    """
    import trio

    try:
        return trio.run(function, *arguments)
    except BaseException as error:
        found = list(leaves(error))
        if any(isinstance(one, KeyboardInterrupt) for one in found):
            interrupted()
        known = [one for one in found if isinstance(one, OSError | BadStore)]
        if len(known) < len(found):
            raise
        no_more()
        fail(f"{doing}: {explain_fault(known[0])}", FAILED)


def interrupted() -> NoReturn:
    """Exit as after Ctrl-C."""
    no_more()
    fail("stopped at once by Ctrl-C; started again, it goes on where it was", INTERRUPTED)


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions of a group, or one that is no group."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from leaves(one)
    else:
        yield error


def show_verdict(verdict: "Verdict") -> None:
    """Print the differences of a verified contest, and the games that cannot be verified."""
    from server.contest.report.formatting import printable

    for line in (*verdict.differences, *(f"not to be verified: {game}" for game in verdict.unproven)):
        print(printable(line))
