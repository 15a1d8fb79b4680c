"""``arena-server announce``: tells everybody something, on pages and over the network."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from engine.commands.usage_errors import explain_fault
from server.commands import exits
from server.commands.options import BY, fail
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.league.console.announcements import HOURS, Announcements
from server.storage.database import BadStore


def announce(
    text: Annotated[str, Parameter(help="One line; without it, print what is announced.")] = "",
    *,
    data: Annotated[Path, Parameter(help="The data directory of the server.")] = Path("arena-data"),
    hours: Annotated[float, Parameter(help="For how long it is shown.")] = HOURS,
    end: Annotated[int | None, Parameter(help="Number of an announcement that is shown no longer.")] = None,
) -> None:
    """Tell everybody something: on the pages of the lobby and of contests, and to bots and spectators that do not play.

    It works while the server runs, and before.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
        with closing(Accounts(data)) as accounts:
            announcements = Announcements(accounts)
            if end is not None:
                announcements.end(end, BY)
            if text:
                announcements.add(text, hours, BY)
            elif end is None:
                for one in announcements.current():
                    print(f"{one.number}  until {one.ends:%Y-%m-%d %H:%M} UTC, {one.who}: {one.text}")
    except (NotAllowed, BadStore, OSError) as error:
        fail(explain_fault(error), exits.FAILED)
