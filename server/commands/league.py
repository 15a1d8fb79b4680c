"""``arena-server people``, ``ladder``, ``announce`` and ``audit``: a league on the command line."""

import time
from contextlib import closing
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from engine.statistics.online import DAY
from server.commands.contest import intervene
from server.commands.options import BY, DATA, Data, fail, opened_accounts
from server.config.settings import WEB
from server.contest.fixtures import Kind, is_paused
from server.contest.report.formatting import printable
from server.contest.store.store import FILE as CONTESTS
from server.contest.store.store import LADDER, Store
from server.league.accounts.people import AUTHOR, Role
from server.league.console.terminal import HOURS, Announcements
from server.league.ladder.store import LadderStore

people = cyclopts.App(name="people", help="Invite people to a server, and give them roles.")

Url = Annotated[str, Parameter(help="The address at which people open the pages of the server.")]
Name = Annotated[str, Parameter(help="Whose account.")]
AsRole = Annotated[Role, Parameter(help="author, organiser or spectator.")]


@people.command
def invite(*names: str, role: AsRole = AUTHOR, data: Data = DATA, url: Url = f"http://{WEB}") -> None:
    """Print a link for each of these people, which signs them in once; somebody who has an account gets a new link."""
    if not names:
        fail("say whom to invite, as in: arena-server people invite ann bob")
    with opened_accounts(data, "accounts", new=True) as accounts:
        for name in names:
            print(f"{name}  {url.rstrip('/')}/join/{accounts.invite(name, role, BY)}")


@people.command
def code(most: int, *, role: AsRole = AUTHOR, data: Data = DATA, url: Url = f"http://{WEB}") -> None:
    """Print a code by which so many people may come, who choose their names; it is good for 30 days."""
    with opened_accounts(data, "accounts", new=True) as accounts:
        print(f"{url.rstrip('/')}/join/{accounts.invite_many(role, most, BY)}")


@people.command(name="list")
def show(*, data: Data = DATA) -> None:
    """Print everybody who has an account: name, role, the day it was made, and bots."""
    with opened_accounts(data, "accounts") as accounts:
        for one in accounts.people():
            bots = " ".join(bot.name for bot in accounts.bots(one))
            print(f"{one.name}  {one.role}{'' if one.is_open else ', closed'}  {one.made:%Y-%m-%d}  {bots}".rstrip())


@people.command
def role(name: Name, new: AsRole, *, data: Data = DATA) -> None:
    """Give somebody another role."""
    with opened_accounts(data, "accounts") as accounts:
        accounts.set_role(name, new, BY)


@people.command
def close(name: Name, *, data: Data = DATA) -> None:
    """Let somebody, and this person's bots, in no more."""
    with opened_accounts(data, "accounts") as accounts:
        accounts.close_account(name, BY)


@people.command(name="open")
def reopen(name: Name, *, data: Data = DATA) -> None:
    """Open a closed account again; the person needs a new link."""
    with opened_accounts(data, "accounts") as accounts:
        accounts.open_account(name, BY)


ladder = cyclopts.App(name="ladder", help="Pause the ladder, and say how it stands.")


@ladder.command
def pause(*, data: Data = DATA) -> None:
    """Let no game of the ladder begin any more until it is resumed; those that are running are played to their ends."""
    intervene(data, LADDER, Kind.PAUSE)


@ladder.command
def resume(*, data: Data = DATA) -> None:
    """Let games of the ladder begin again."""
    intervene(data, LADDER, Kind.RESUME)


@ladder.command
def status(*, data: Data = DATA) -> None:
    """Print whether the ladder is paused, and how many games it plays."""
    with opened_accounts(data, "ladder", CONTESTS) as accounts, closing(Store(data / CONTESTS)) as store:
        print("paused" if is_paused(store.interventions(LADDER)) else "not paused")
        today = LadderStore(accounts).number_since(time.time() - DAY)
        print(f"games: {len(store.begun(LADDER))} being played, {today} in 24 hours")


def announce(
    text: Annotated[str, Parameter(help="One line; without it, print the announcements that are shown.")] = "",
    *,
    data: Data = DATA,
    hours: Annotated[float, Parameter(help="For how long it is shown.")] = HOURS,
    end: Annotated[int | None, Parameter(help="Number of an announcement that is shown no longer.")] = None,
) -> None:
    """Tell everybody something: on pages of the lobby and of contests, and to bots and spectators that do not play."""
    with opened_accounts(data, "announcements") as accounts:
        announcements = Announcements(accounts)
        if end is not None:
            announcements.end(end, BY)
        if text:
            announcements.add(text, hours, BY)
        if end is None and not text:
            for one in announcements.current():
                print(f"{one.number}  until {one.ends:%Y-%m-%d %H:%M} UTC, {one.who}: {printable(one.text)}")


LAST = 20
"""Changes that are printed, as many as the console shows."""

MAX_LAST = 1_000_000
"""Changes that can be asked for."""


def audit(
    *,
    data: Data = DATA,
    last: Annotated[int, Parameter(help="How many of the last changes.")] = LAST,
) -> None:
    """Print who has changed what, and when, the newest last: contests, the ladder, matches, accounts, announcements."""
    if not 1 <= last <= MAX_LAST:
        fail(f"--last is {last}; it lies between 1 and {MAX_LAST}")
    with opened_accounts(data, "audit log") as accounts:
        for entry in reversed(accounts.audit(last)):
            print(f"{entry.date:%Y-%m-%d %H:%M} UTC, {entry.who}: {printable(entry.what)}")
