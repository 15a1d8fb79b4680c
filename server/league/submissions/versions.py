"""The versions of bots in the database, and their files on the disk.

A version goes through steps, and ends as active or refused. A killed server begins the step again. One version of a bot
at most is active. Deletion removes the files of a version; its row stays, with its results.
"""

import errno
import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from server.config.settings import LeagueRules
from server.league.accounts import Accounts, NotAllowed, Person
from server.storage.record_store import UNFINISHED

BLOCK = 512
"""Bytes of a block, as `os.stat_result.st_blocks` counts them (POSIX)."""


class DiskUse(NamedTuple):
    """The contents of a folder."""

    size: int
    """Bytes on the disk."""
    entries: int
    """Files and folders."""
    longest: int
    """Bytes of the longest path below the folder."""


def disk_use(folder: Path) -> DiskUse:
    """Return the disk use of a folder. Files that a build hides, locks or removes meanwhile take nothing."""
    size = entries = longest = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(place, name)  # noqa: PTH118  # there are 100,000 files
            entries += 1
            longest = max(longest, len(os.fsencode(path)) - len(os.fsencode(folder)))
            with suppress(OSError):
                size += os.lstat(path).st_blocks * BLOCK
    return DiskUse(size, entries, longest)


def unlock_tree(folder: Path) -> None:
    """Let this user read and remove the files that a build has left in a folder; remove set-user-ID bits."""
    subprocess.run(("chmod", "-R", "u+rwX,a-s", "--", folder), stderr=subprocess.DEVNULL, check=False)


def remove_tree(folder: Path) -> None:
    """Remove a folder, also one that a build has locked or made too deep for paths. Raises OSError."""
    unlock_tree(folder)
    done = subprocess.run(("rm", "-rf", "--", folder), stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise OSError(errno.EIO, done.stderr.decode(errors="replace").strip(), str(folder))


State = Literal["waiting", "building", "checking", "qualifying", "active", "retired", "refused", "deleted"]
"""How far a version has come."""

UNDER_WAY: tuple[State, ...] = ("waiting", "building", "checking", "qualifying")

PASSED: tuple[State, ...] = ("active", "retired")

FOLDER = "submissions"
"""Subfolder of the data directory with a folder for each bot, and in it one for each version."""

UPLOAD, BUILD = "upload", "build"
"""Entries of a version's folder, beside its logs: the uploaded file and the built bot."""

LOG = "log.txt"
"""The output of all steps there."""

CHECK_REPORT = "check.json"
"""The results of the conformance test there, as ``arena-bot check --json`` writes them."""

SERVER = "the server"
"""The author of changes in the audit log that no person has asked for."""

MAX_WAITING = 3
"""Versions of a person that are under way."""

_COLUMNS = "versions.id, bots.name, number, received, file, sha256, state, sentence, command, owner"

_IN_PLAY = "SELECT 1 FROM ladder_players WHERE name = ? AND version = ?"


class Version(NamedTuple):
    """A version of a bot."""

    id: int
    bot: str
    number: int
    """From 1, of each bot by itself."""
    received: datetime
    file: str
    """The name of the uploaded file."""
    sha256: str
    """SHA-256 of that file, in hexadecimal."""
    state: State
    sentence: str
    """The reason of a refusal; else empty."""
    command: tuple[str, ...]
    """The command that starts it in its `build` folder; empty before its build."""
    owner: int = 0
    """The number of the bot's author."""

    @property
    def title(self) -> str:
        """Its name in sentences."""
        return f"version {self.number} of {self.bot}"

    @property
    def page(self) -> str:
        """The path of its page."""
        return f"/bots/{self.bot}/versions/{self.number}"

    @property
    def is_under_way(self) -> bool:
        """Whether steps are left."""
        return self.state in UNDER_WAY


class Versions:
    """The versions of a data directory. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(
        self,
        data: Path,
        accounts: Accounts,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        rules: LeagueRules = LeagueRules(),  # noqa: B008 - it is frozen
    ) -> None:
        """Take the accounts, whose database it shares, and the quotas of people."""
        self.rules = rules
        self._data = data.resolve()  # programs in a sandbox have another working directory, and see no links on the way
        self._accounts = accounts
        self._now = now

    def folder(self, version: Version) -> Path:
        """Return the folder of a version, absolute, with `UPLOAD`, `BUILD`, and logs."""
        return self._data / FOLDER / version.bot.lower() / str(version.number)

    def add(self, person: Person, bot: str, file: str, data: bytes) -> Version:
        """Store an upload for a person's bot, to be built and checked. Raises `NotAllowed` and OSError."""
        folder = self._data / FOLDER
        if self.kept_bytes(person) + len(data) > self.rules.quota << 20:
            raise NotAllowed(
                f"versions of yours have {self.rules.quota} MB on the server; delete old ones on the pages of your bots"
            )
        with self._accounts.change() as database:
            self._accounts.check_owner(person, bot)
            if (waiting := sum(one.owner == person.id for one in self.under_way())) >= MAX_WAITING:
                raise NotAllowed(f"{waiting} versions of yours are under way; wait until one of them has been tried")
            number = 1 + max((one.number for one in self.of(bot)), default=0)
            place = folder / bot.lower() / str(number)
            remove_tree(place)  # a killed server may have left it
            folder.mkdir(0o700, exist_ok=True)  # other users of the machine may not read bots
            place.mkdir(parents=True)
            (place / UPLOAD).write_bytes(data)
            database.execute(
                """INSERT INTO versions (bot, number, received, file, sha256, state, sentence, command)
                SELECT id, ?, ?, ?, ?, 'waiting', '', '[]' FROM bots WHERE name = ?""",
                (number, self._now().isoformat(), file[-200:], sha256(data).hexdigest(), bot),
            )
            self._accounts.log(database, person.name, f"submitted version {number} of {bot}")
        return self.of(bot)[0]

    def kept_bytes(self, person: Person) -> int:
        """Return the bytes on the disk of all versions of a person."""
        return sum(disk_use(self._data / FOLDER / bot.name.lower()).size for bot in self._accounts.bots(person))

    def under_way(self) -> list[Version]:
        """Return the versions that have steps left: first those in a step, then those that wait longest."""
        return self._rows(
            f"WHERE state IN ({', '.join('?' * len(UNDER_WAY))}) ORDER BY state = 'waiting', versions.id", *UNDER_WAY
        )

    def version(self, bot: str, number: int) -> Version | None:
        """Return a version of a bot."""
        return next((one for one in self.of(bot) if one.number == number), None)

    def of(self, bot: str) -> list[Version]:
        """Return the versions of a bot, the newest first."""
        return self._rows("WHERE bots.name = ? ORDER BY number DESC", bot)

    def active(self) -> list[Version]:
        """Return the active version of each bot whose author has an open account, by name."""
        return self._rows(
            """JOIN people ON people.id = owner WHERE state = 'active' AND people.closed IS NULL ORDER BY bots.name"""
        )

    def go_on(self, version: Version, state: State, command: Sequence[str] = ()) -> None:
        """Set the step of a version, and its start command where it is new."""
        with self._accounts.change() as database:
            self._set(database, version, state=state, **({"command": json.dumps(command)} if command else {}))

    def refuse(self, version: Version, sentence: str) -> None:
        """Refuse a version, and say why."""
        with self._accounts.change() as database:
            self._set(database, version, state="refused", sentence=sentence)

    def accept(self, version: Version) -> None:
        """Note that a version has passed all steps: it plays from now on."""
        with self._accounts.change() as database:
            self._activate(database, version, SERVER)

    def activate(self, version: Version, by: str) -> None:
        """Let a version play that has passed. Raises `NotAllowed`.

        A version without its built program takes its steps again, and plays if it passes.
        """
        with self._accounts.change() as database:
            if self._state(version) not in PASSED:
                raise NotAllowed(f"{version.title} has not passed, or was deleted; send it again")
            if (self.folder(version) / BUILD).is_dir():
                self._activate(database, version, by)
            else:
                self._set(database, version, state="waiting")
                self._accounts.log(database, by, f"had {version.title} built again")

    def _activate(self, database: sqlite3.Connection, version: Version, by: str) -> None:
        database.execute(
            """UPDATE versions SET state = 'retired'
            WHERE state = 'active' AND bot = (SELECT bot FROM versions WHERE id = ?)""",
            (version.id,),
        )
        self._set(database, version, state="active")
        self._accounts.log(database, by, f"{version.title} plays")

    def retire(self, version: Version, by: str) -> None:
        """Let a version play no more. Raises `NotAllowed`."""
        with self._accounts.change(by, f"{version.title} was taken back") as database:
            if self._state(version) != "active":
                raise NotAllowed(f"{version.title} does not play")
            self._set(database, version, state="retired")

    def delete(self, version: Version, by: str) -> None:
        """Delete the files of a version that is not in use. Raises `NotAllowed` and OSError."""
        with self._accounts.change(by, f"deleted {version.title}") as database:
            if self._is_in_use(version):
                raise NotAllowed(f"{version.title} plays, is under way or in a game, or was deleted before")
            remove_tree(self.folder(version))
            self._set(database, version, state="deleted")

    def remove_build(self, version: Version) -> None:
        """Remove the built program of a version, if there is one, and it is not in use. Raises OSError."""
        build = self.folder(version) / BUILD
        removed = build.with_name(f"{BUILD}{UNFINISHED}")
        with self._accounts.change():
            if not self._is_in_use(version) and build.is_dir():
                remove_tree(removed)
                build.rename(removed)  # at once: no contest copies a part of it
        remove_tree(removed)

    def remove_old(self) -> None:
        """Remove built programs behind the newest versions of each bot, and old logs. Raises OSError.

        Uploads stay for ever, and so do all files of a version in use.
        """
        before = self._now() - timedelta(days=self.rules.log_days)
        every = self._rows("WHERE state != 'deleted' ORDER BY bots.id, number DESC")
        for _, versions in groupby(every, key=lambda version: version.bot):
            found = list(versions)
            for version in found[self.rules.built_versions :]:
                self.remove_build(version)
            for version in found:
                if version.received < before and version.state in ("retired", "refused"):
                    (self.folder(version) / LOG).unlink(missing_ok=True)

    def _is_in_use(self, version: Version) -> bool:
        return bool(self._accounts.rows(_IN_PLAY, version.bot, version.number)) or self._state(version) not in (
            "retired",
            "refused",
        )

    def _state(self, version: Version) -> State:
        """Return the state of a version in the database."""
        return self._rows("WHERE versions.id = ?", version.id)[0].state

    def _set(self, database: sqlite3.Connection, version: Version, **values: str) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        database.execute(f"UPDATE versions SET {columns} WHERE id = ?", (*values.values(), version.id))

    def _rows(self, rest: str, *values: Any) -> list[Version]:
        return [
            Version._make(
                (number, bot, of, datetime.fromisoformat(received), *texts, tuple(json.loads(command)), owner)
            )
            for number, bot, of, received, *texts, command, owner in self._accounts.rows(
                f"SELECT {_COLUMNS} FROM versions JOIN bots ON bots.id = bot {rest}", *values
            )
        ]
