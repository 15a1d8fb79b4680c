"""What an organiser sees and changes in a contest, in the web or by command; changes stand in the audit log."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from server.contest.runtime.organiser_commands import InterventionRequest, intervene, open_contest
from server.contest.runtime.snapshot import take_snapshot
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.console.contest_view import ContestView, contest_view


def change_contest(data: Path, accounts: Accounts, contest: str | int, asked: InterventionRequest, by: str) -> str:
    """Make an intervention in a contest that is not over, and return a sentence about its effects, without its end.

    The contest is given by its name or its number; with an empty name it is the only one that is not over. Raises
    `BadIntervention`, `BadStore` and OSError, and KeyError for a number that none has; for a thread, since it waits for
    the disk.
    """
    with closing(Store(data / FILE)) as store:
        found = open_contest(store, store.contest(contest).name if isinstance(contest, int) else contest)
        done, follows = intervene(store, found.id, asked, datetime.now(UTC))
    accounts.note(by, f"{found.name}: {done.sentence}")
    return f"{found.name}: {done.sentence}; {follows}"


def read_contest(data: Path, number: int) -> ContestView:
    """Return the page of a contest; raises KeyError where there is none, and `BadStore`. For a thread."""
    with closing(Store(data / FILE)) as store:
        found = take_snapshot(store, number, datetime.now(UTC))
        return contest_view(store.contest(number), found, store.begun(number))
