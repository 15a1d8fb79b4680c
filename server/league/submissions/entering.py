"""Enters versions of bots in contests: the server chooses the version of each bot at the deadline of a contest.

The version is the active one, or the one that the contest file names. A version that came before the deadline and has
steps left is waited for. A link to the chosen version lies in the contest's folder, so that its author may delete it.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import structlog
import trio

from server.contest.contest_file import BadContest
from server.contest.definition import Definition, Entrant
from server.contest.interventions import Kind
from server.contest.runtime.organiser_commands import BadIntervention, InterventionRequest, intervene
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Contest, Store
from server.league.accounts.accounts import Accounts
from server.league.submissions.upload import runnable
from server.league.submissions.versions import BUILD, PASSED, SERVER, Version, Versions, remove_tree

log = structlog.get_logger()

LOOK_SECONDS = 1.0
"""Seconds between two looks for a deadline that has passed."""

ENTERED = "versions"
"""Of the folder of a contest: a folder for each entrant, with the version that plays."""


def check_versions(accounts: Accounts, definition: Definition, now: datetime) -> None:
    """Raise `BadContest` where a new contest has a deadline that is over, or an entrant is a bot that nobody has."""
    if definition.versions_until is not None and definition.versions_until <= now:
        until = definition.versions_until.isoformat()
        raise BadContest(f"versions-until is {until}, which is over: name a later moment, or leave it out")
    for number, entrant in enumerate(definition.entrants, 1):
        if entrant.version_of and accounts.owner(entrant.version_of) is None:
            raise BadContest(
                f"entrants[{number}].version-of is {entrant.version_of!r}, and no account has a bot of this name"
            )


def version_at(found: Sequence[Version], until: datetime) -> Version | None:
    """Return the version of a bot that plays after a deadline; ``found`` are all, the newest first.

    It is the active version. If that came later, it is the newest version before the deadline that has passed.
    """
    active = next((version for version in found if version.state == "active"), None)
    if active is None or active.received <= until:
        return active
    return next((version for version in found if version.state == "retired" and version.received <= until), None)


async def enter_versions(data: Path, versions: Versions, accounts: Accounts) -> None:
    """Choose the versions of all contests with a deadline that has passed, until cancelled."""
    began = datetime.now(UTC)
    while True:
        await trio.to_thread.run_sync(partial(enter_due, data, versions, accounts, datetime.now(UTC), began))
        await trio.sleep(LOOK_SECONDS)


def enter_due(data: Path, versions: Versions, accounts: Accounts, now: datetime, began: datetime) -> None:
    """Choose the versions that are due. Waits count from the moment when the server ``began``, at the earliest.

    Raises `BadStore` and OSError.
    """
    with closing(Store(data / FILE)) as store:
        for row, entrant, version, late in list(_choices(store, versions, now, began)):
            if version is None:
                asked = InterventionRequest(Kind.WITHDRAW, entrant.name)
                what = f"{entrant.version_of} has no version that passed in time; {entrant.name} was withdrawn"
            else:
                place = (folder_of(data, row.id) / ENTERED / entrant.name).resolve()
                remove_tree(place)  # a killed server may have left it
                shutil.copytree(versions.folder(version) / BUILD, place, symlinks=True, copy_function=os.link)
                chosen = str(place), version.number, version.sha256
                asked = InterventionRequest(Kind.VERSION, entrant.name, None, runnable(version.command), *chosen)
                what = f"{version.title} plays as {entrant.name}"
            with suppress(BadIntervention):  # the organiser was faster: cancelled, or the entrant withdrawn
                intervene(store, row.id, asked, datetime.now(UTC))
                accounts.note(SERVER, f"{row.name}: {what}{late}")
                log.info("contest_version_entered", contest=row.name, name=entrant.name, what=f"{what}{late}")


def _choices(
    store: Store, versions: Versions, now: datetime, began: datetime
) -> Iterator[tuple[Contest, Entrant, Version | None, str]]:
    """Yield contest, entrant and version where the choice is due; a clause names a version that came too late."""
    for row in store.contests():
        if row.closed is not None:
            continue
        definition = store.definition(row.id)
        until = definition.versions_until or row.opened
        waited = now >= max(until, began) + timedelta(seconds=definition.versions_wait)
        for entrant in definition.awaited_versions if until <= now else ():
            found = versions.of(entrant.version_of)
            if entrant.version:  # it plays, whichever is active and whenever it came
                found = [one for one in found if one.number == entrant.version]
            settled = not any(one.is_under_way and (entrant.version or one.received <= until) for one in found)
            if settled or waited:
                built = [one for one in found if one.state in PASSED and (versions.folder(one) / BUILD).is_dir()]
                version = next(iter(built), None) if entrant.version else version_at(built, until)
                late = "" if settled else "; another version is still under way, and was waited for in vain"
                yield row, entrant, version, late
