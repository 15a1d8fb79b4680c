"""``arena-server audit``: prints what organisers, and others with accounts, have done."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from engine.commands.usage_errors import explain_fault
from server.commands import exits
from server.commands.options import fail
from server.contest.report.formatting import printable
from server.league.accounts.accounts import Accounts
from server.league.database import FILE
from server.storage.database import BadStore

LAST = 20
"""Changes that are printed, as many as the console shows."""

MAX_LAST = 1_000_000
"""Changes that can be asked for."""


def audit(
    *,
    data: Annotated[Path, Parameter(help="The data directory of the server.")] = Path("arena-data"),
    last: Annotated[int, Parameter(help="How many of the last changes.")] = LAST,
) -> None:
    """Print who has changed what, and when, the newest last: contests, the ladder, matches, accounts, announcements."""
    if not 1 <= last <= MAX_LAST:
        fail(f"--last is {last}; it lies between 1 and {MAX_LAST}")
    if not (data / FILE).exists():
        fail(f"{data} has no audit log: there is no {FILE} in it; give the directory of the server with --data")
    try:
        with closing(Accounts(data)) as accounts:
            for entry in reversed(accounts.audit(last)):
                print(f"{entry.date:%Y-%m-%d %H:%M} UTC, {entry.who}: {printable(entry.what)}")
    except (BadStore, OSError) as error:
        fail(explain_fault(error), exits.FAILED)
