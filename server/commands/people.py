"""``arena-server people`` and ``audit``: accounts and the audit log on the command line, also while a server runs."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from engine.commands.usage_errors import explain_fault
from server.commands import exits
from server.commands.options import BY, fail
from server.config.settings import WEB
from server.contest.report.formatting import printable
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR, NotAllowed, Role
from server.league.database import FILE
from server.storage.database import BadStore

people = cyclopts.App(name="people", help="Invite people to a server, and give them roles.")

DATA = Path("arena-data")

Data = Annotated[Path, Parameter(help="The data directory of the server.")]
Url = Annotated[str, Parameter(help="The address at which people open the pages of the server.")]
Name = Annotated[str, Parameter(help="Whose account.")]
AsRole = Annotated[Role, Parameter(help="author, organiser or spectator.")]


@people.command
def invite(*names: str, role: AsRole = AUTHOR, data: Data = DATA, url: Url = f"http://{WEB}") -> None:
    """Print a link for each of these people, which signs them in once; somebody who has an account gets a new link."""
    if not names:
        fail("say whom to invite, as in: arena-server people invite ann bob")
    with _accounts(data, new=True) as accounts:
        for name in names:
            print(f"{name}  {url.rstrip('/')}/join/{accounts.invite(name, role, BY)}")


@people.command
def code(most: int, *, role: AsRole = AUTHOR, data: Data = DATA, url: Url = f"http://{WEB}") -> None:
    """Print a code by which so many people may come, who choose their names; it is good for 30 days."""
    with _accounts(data, new=True) as accounts:
        print(f"{url.rstrip('/')}/join/{accounts.invite_many(role, most, BY)}")


@people.command(name="list")
def show(*, data: Data = DATA) -> None:
    """Print everybody who has an account: name, role, the day it was made, and bots."""
    with _accounts(data) as accounts:
        for one in accounts.people():
            bots = " ".join(bot.name for bot in accounts.bots(one))
            print(f"{one.name}  {one.role}{'' if one.is_open else ', closed'}  {one.made:%Y-%m-%d}  {bots}".rstrip())


@people.command
def role(name: Name, new: AsRole, *, data: Data = DATA) -> None:
    """Give somebody another role."""
    with _accounts(data) as accounts:
        accounts.set_role(name, new, BY)


@people.command
def close(name: Name, *, data: Data = DATA) -> None:
    """Let somebody, and this person's bots, in no more."""
    with _accounts(data) as accounts:
        accounts.close_account(name, BY)


@people.command(name="open")
def reopen(name: Name, *, data: Data = DATA) -> None:
    """Open a closed account again; the person needs a new link."""
    with _accounts(data) as accounts:
        accounts.open_account(name, BY)


@contextmanager
def _accounts(data: Path, *, new: bool = False) -> Iterator[Accounts]:
    """Open the accounts of a directory; ``new`` ones are made where it has none."""
    if not new and not (data / FILE).exists():
        fail(f"{data} has no accounts: there is no {FILE} in it; give the directory of the server with --data")
    try:
        data.mkdir(parents=True, exist_ok=True)
        with closing(Accounts(data)) as accounts:
            yield accounts
    except (NotAllowed, BadStore, OSError) as error:
        fail(explain_fault(error), exits.FAILED)


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
