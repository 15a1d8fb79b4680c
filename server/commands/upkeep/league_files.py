"""The findings of ``arena-server doctor``, and those in a league: database, versions, and their trials.

Nothing is changed, and the database is only read, also while a server writes into it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from engine.wire.words import number_of
from server.contest.programs.sandbox.choice import sandbox_obstacle
from server.league.database import FILE as LEAGUE
from server.league.submissions.versions import BUILD, FOLDER, disk_use
from server.storage.database import other_version

GOOD, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(NamedTuple):
    """The result of a check."""

    state: str
    """`GOOD`, `NOTE` or `WRONG`."""
    about: str
    sentence: str

    def line(self) -> str:
        """Format the finding as a line."""
        return f"{self.state:5} {self.about}: {self.sentence}"


MEGABYTE = 1 << 20

MAX_NAMED = 5
"""Versions that are named in a sentence."""


OTHER_TODO = "install that version again, or give another data directory"
"""What to do with a database that another version has written."""


def league_findings(data: Path) -> Iterator[Finding]:
    """Check the league of a data directory; yield nothing where there is none."""
    path = data / LEAGUE
    if not path.exists():
        return
    for place, what in ((path, "who is signed in"), (data / FOLDER, "all bots")):
        if place.exists() and place.stat().st_mode & 0o077:
            yield Finding(WRONG, "league", f"others here can look at {what}, in {place}; chmod go= {place}")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (whole,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if whole != "ok":
                raise sqlite3.DatabaseError(whole)
            if other := other_version(database, path):
                yield Finding(WRONG, "league", f"{other}; {OTHER_TODO}")
                return
            active = database.execute(
                """SELECT bots.name, number FROM versions JOIN bots ON bots.id = bot WHERE state = 'active'
                ORDER BY bots.name"""
            ).fetchall()
            (count,) = database.execute("SELECT count(*) FROM versions WHERE state != 'deleted'").fetchone()
    except sqlite3.Error as error:
        yield Finding(WRONG, "league", f"{path} is damaged: {error}; take it from a backup")
        return
    yield Finding(GOOD, "league", f"{path} is whole")
    if count:
        yield from _versions(data / FOLDER, active, count)


def _versions(folder: Path, active: list[tuple[str, int]], count: int) -> Iterator[Finding]:
    builds = {f"version {number} of {bot}": folder / bot.lower() / str(number) / BUILD for bot, number in active}
    missing = [version for version, build in builds.items() if not build.is_dir()]
    if missing:
        sentence = f"the files of {_named(missing)} are missing, which should play; take them from a backup"
        yield Finding(WRONG, "versions", sentence)
    closed = [place for place, _, _ in os.walk(folder) if not os.access(place, os.R_OK | os.W_OK | os.X_OK)]
    if closed:
        yield Finding(
            WRONG, "versions", f"{closed[0]} cannot be written to; let the user that runs the server write there"
        )
    if not missing and not closed:
        used = disk_use(folder)
        many = number_of(count, "version has", "versions have")
        yield Finding(GOOD, "versions", f"{many} {used.size / MEGABYTE:.0f} MB on the disk")
    if why := sandbox_obstacle():
        yield Finding(NOTE, "versions", f"versions of bots wait until they can be tried in a sandbox: {why}")


def _named(all_of_them: list[str]) -> str:
    return ", ".join(all_of_them[:MAX_NAMED]) + (" and others" if len(all_of_them) > MAX_NAMED else "")
