"""Enters versions of bots in contests: at the deadline of a contest it is chosen which version of each bot plays.

The version is the one that is active then, or the one that the contest file names. One that came before the deadline
and has steps left is waited for; so is one whose built program was removed as old: it is built again. What was chosen
is linked into the contest's folder, so that its author may delete it afterwards.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import structlog
import trio

from server.contest.contest_file import BadContest
from server.contest.definition import Definition, Entrant
from server.contest.interventions import Intervention, Kind
from server.contest.runtime.organiser_commands import BadIntervention, intervene
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Contest, Store
from server.league.accounts.accounts import Accounts
from server.league.submissions.upload import runnable
from server.league.submissions.versions import BUILD, SERVER, Version, Versions, remove_tree

log = structlog.get_logger()

LOOK_SECONDS = 1.0
"""How often to look for a deadline that has passed."""

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


def is_settled(found: Sequence[Version], until: datetime) -> bool:
    """Tell whether all versions of a bot that came before a deadline have been tried."""
    return not any(version.is_under_way for version in found if version.received <= until)


def version_at(found: Sequence[Version], until: datetime) -> Version | None:
    """Return the version of a bot that plays after a deadline; ``found`` are all, the newest first.

    It is the active one; where that came later, the newest before the deadline that has passed.
    """
    active = next((version for version in found if version.state == "active"), None)
    if active is None or active.received <= until:
        return active
    return next((version for version in found if version.state == "retired" and version.received <= until), None)


async def enter_versions(data: Path, versions: Versions, accounts: Accounts) -> None:
    """Choose the versions of all contests whose deadline has passed, until cancelled."""
    said, began = "", datetime.now(UTC)
    while True:
        try:
            await trio.to_thread.run_sync(partial(enter_due, data, versions, accounts, datetime.now(UTC), began))
            said = ""
        except Exception as error:  # which is to end no server: the contest waits, and it is tried again
            if str(error) != said:
                said = str(error)
                log.error("contest_entering_failed", error=said, exc_info=error)
        await trio.sleep(LOOK_SECONDS)


def enter_due(data: Path, versions: Versions, accounts: Accounts, now: datetime, began: datetime) -> None:
    """Choose the versions that are due. Waits count from the moment when the server ``began``, at the earliest.

    Raises `BadStore` and OSError.
    """
    with closing(Store(data / FILE)) as store:
        for row in store.contests():
            definition = store.definition(row.id) if row.closed is None else None
            until = row.opened if definition is None else definition.versions_until or row.opened
            if definition is None or until > now:
                continue
            waited = now >= max(until, began) + timedelta(seconds=definition.versions_wait)
            for entrant in definition.awaited_versions:
                found = [one for one in versions.of(entrant.version_of) if entrant.version in (0, one.number)]
                settled, version = is_settled(found, until), version_at(found, until)
                if entrant.version:  # it plays, whichever is active and whenever it came
                    settled = not any(one.is_under_way for one in found)
                    version = next((one for one in found if one.state in ("active", "retired")), None)
                if not settled and not waited:
                    continue
                built = version is not None and (versions.folder(version) / BUILD).is_dir()
                if version is not None and not built and not waited:
                    versions.build_again(version)  # so it is under way, and waited for
                else:
                    late = "" if settled else "; another version is still under way, and was waited for in vain"
                    with suppress(BadIntervention):  # the organiser was faster: cancelled, or the entrant withdrawn
                        _enter(store, row, entrant, versions, version if built else None, accounts, data, late)


def _enter(
    store: Store,
    row: Contest,
    entrant: Entrant,
    versions: Versions,
    version: Version | None,
    accounts: Accounts,
    data: Path,
    late: str,
) -> None:
    """Let a version play as an entrant; without one the entrant is withdrawn. A clause says what came too ``late``."""
    now = datetime.now(UTC)
    if version is None:
        asked = Intervention(0, now, Kind.WITHDRAW, entrant.name)
        what = f"{entrant.version_of} has no version that passed in time; {entrant.name} was withdrawn"
    else:
        place = (folder_of(data, row.id) / ENTERED / entrant.name).resolve()
        remove_tree(place)  # left by a server that was killed before it had committed
        shutil.copytree(versions.folder(version) / BUILD, place, symlinks=True, copy_function=os.link)
        command = runnable(version.command)
        asked = Intervention(0, now, Kind.VERSION, entrant.name, command=command)
        asked = asked._replace(folder=str(place), version=version.number, sha256=version.sha256)
        what = f"{version.title} plays as {entrant.name}"
    intervene(store, row.id, asked)
    accounts.note(SERVER, f"{row.name}: {what}{late}")
    log.info("contest_version_entered", contest=row.name, name=entrant.name, what=f"{what}{late}")
