"""The versions of bots in the database, and their files on the disk.

A version is refused or active in the end; until then it is in one of the steps, which begins anew when the server was
killed. Of a bot one version at most is active. Of a version that is deleted the row stays, with its results; its
files go.
"""

import errno
import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from server.config.settings import LeagueRules
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER, NotAllowed, Person
from server.storage.record_store import UNFINISHED

BLOCK = 512
"""Bytes of a block, as `os.stat_result.st_blocks` counts them (POSIX)."""


class DiskUse(NamedTuple):
    """What is in a folder."""

    size: int
    """Bytes on the disk."""
    entries: int
    """Files and folders."""
    longest: int
    """Bytes of the longest path, seen from the folder."""


UNSEEN = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.ENAMETOOLONG})
"""Errors of a folder that a build removes, locks, or hides too deep to be named by a path."""


def disk_use(folder: Path) -> DiskUse:
    """Return what a folder takes; nothing where there is none. `UNSEEN` folders are left out. Raises OSError."""
    size, entries, longest, left = 0, 0, 0, [str(folder)]
    while left:
        try:
            with os.scandir(left.pop()) as found:
                for entry in found:
                    entries += 1
                    longest = max(longest, len(os.fsencode(entry.path)) - len(os.fsencode(folder)))
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        size += _size(entry)
        except OSError as error:
            if error.errno not in UNSEEN:
                raise
    return DiskUse(size, entries, longest)


def unlock_tree(folder: Path) -> None:
    """Let this user read and remove all that a build has left in a folder; remove set-user-ID bits."""
    subprocess.run(("chmod", "-R", "u+rwX,a-s", "--", folder), stderr=subprocess.DEVNULL, check=False)


def remove_tree(folder: Path) -> None:
    """Remove a folder, whatever a build has left there; raises OSError where something is left."""
    unlock_tree(folder)
    done = subprocess.run(("rm", "-rf", "--", folder), stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise OSError(errno.EIO, done.stderr.decode(errors="replace").strip(), str(folder))


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * BLOCK
    except OSError as error:
        if error.errno not in UNSEEN:
            raise
        return 0


State = Literal["waiting", "building", "checking", "qualifying", "active", "retired", "refused", "deleted"]
"""How far a version has come."""

UNDER_WAY: tuple[State, ...] = ("waiting", "building", "checking", "qualifying")

FOLDER = "submissions"
"""Of the data directory: a folder for each bot, with one for each of its versions."""

UPLOAD, BUILD = "upload", "build"
"""What is in the folder of a version, beside its logs: what was sent, and the built bot."""

LOGS = ("build", "check", "match")
"""The steps that have a log there, as in ``build.txt``."""

CHECK_REPORT = "check.json"
"""The results of the conformance test there, as ``arena-bot check --json`` writes them."""

SERVER = "the server"
"""Who did it, in the audit log, where nobody has asked for it."""

MAX_WAITING = 3
"""Versions of a person that are under way."""

_COLUMNS = "versions.id, bots.name, number, received, file, sha256, state, sentence, command, owner, rests"

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
    """Of that file, in hexadecimal."""
    state: State
    sentence: str
    """Why it was refused; else empty."""
    command: tuple[str, ...]
    """What starts it, as seen from its `build` folder; empty as long as that is not known."""
    owner: int = 0
    """The number of the bot's author."""
    rests: bool = False
    """Whether it is built again for a contest alone, and does not play when it has passed."""

    @property
    def title(self) -> str:
        """Its name in sentences."""
        return f"version {self.number} of {self.bot}"

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
        """Take the accounts, whose database it shares, and what people may keep."""
        self.rules = rules
        self._data = data.absolute()  # what is started in a sandbox is called from elsewhere
        self._accounts = accounts
        self._now = now

    def folder(self, version: Version) -> Path:
        """Return the folder of a version, absolute, with `UPLOAD`, `BUILD`, and logs."""
        return self._data / FOLDER / version.bot.lower() / str(version.number)

    def add(self, person: Person, bot: str, file: str, data: bytes) -> Version:
        """Keep an upload for a person's bot, to be built and checked. Raises `NotAllowed` and OSError."""
        folder = self._data / FOLDER
        self.check_quota(person, len(data))
        with self._accounts.change() as database:
            owner = self._accounts.owner(bot)
            if owner is None or owner.id != person.id:
                raise NotAllowed(f"{person.name} has no bot {bot!r}; make it on the page /me first")
            waiting = sum(one.owner == person.id for one in self.under_way())
            if waiting >= MAX_WAITING:
                raise NotAllowed(f"{waiting} versions of yours are under way; wait until one of them has been tried")
            number = 1 + max((one.number for one in self.of(bot)), default=0)
            place = folder / bot.lower() / str(number)
            remove_tree(place)  # left by a server that was killed before it had committed
            folder.mkdir(0o700, exist_ok=True)  # others on the machine may not look at bots
            place.mkdir(parents=True)
            (place / UPLOAD).write_bytes(data)
            database.execute(
                """INSERT INTO versions (bot, number, received, file, sha256, state, sentence, command)
                SELECT id, ?, ?, ?, ?, 'waiting', '', '[]' FROM bots WHERE name = ?""",
                (number, self._now().isoformat(), file[-200:], sha256(data).hexdigest(), bot),
            )
            self._accounts.log(database, person.name, f"submitted version {number} of {bot}")
        found = self.version(bot, number)
        assert found is not None
        return found

    def kept_bytes(self, person: Person) -> int:
        """Return how many bytes on the disk all versions of a person take. Raises OSError."""
        return sum(disk_use(self._data / FOLDER / bot.name.lower()).size for bot in self._accounts.bots(person))

    def check_quota(self, person: Person, more: int) -> None:
        """Raise `NotAllowed` where a person has too much on the disk already to keep more bytes. Raises OSError."""
        if self.kept_bytes(person) + more > self.rules.quota_bytes:
            raise NotAllowed(
                f"versions of yours have {self.rules.quota} MB on the server; delete old ones on the pages of your bots"
            )

    def size(self, version: Version) -> int:
        """Return how many bytes on the disk a version takes. Raises OSError."""
        return disk_use(self.folder(version)).size

    def under_way(self) -> list[Version]:
        """Return the versions that have steps left: those that were begun, and then those that wait longest."""
        states = ", ".join("?" * len(UNDER_WAY))
        return self._rows(f"WHERE state IN ({states}) ORDER BY state = 'waiting', versions.id", *UNDER_WAY)

    def version(self, bot: str, number: int) -> Version | None:
        """Return a version of a bot."""
        rows = self._rows("WHERE bots.name = ? AND number = ?", bot, number)
        return rows[0] if rows else None

    def of(self, bot: str) -> list[Version]:
        """Return the versions of a bot, the newest first."""
        return self._rows("WHERE bots.name = ? ORDER BY number DESC", bot)

    def active(self) -> list[Version]:
        """Return the active version of each bot whose author has an open account, by name."""
        return self._rows(
            """JOIN people ON people.id = owner WHERE state = 'active' AND people.closed IS NULL ORDER BY bots.name"""
        )

    def go_on(self, version: Version, state: State, command: Sequence[str] = ()) -> None:
        """Note the step that a version is in now, and the command that starts it where that is known by now."""
        with self._accounts.change() as database:
            self._set(database, version, state=state, **({"command": json.dumps(command)} if command else {}))

    def refuse(self, version: Version, sentence: str) -> None:
        """Note that a version is not taken, and why."""
        with self._accounts.change() as database:
            if self._stored(version).rests:
                self._accounts.log(database, SERVER, f"{version.title} cannot be built again: {sentence}")
            self._set(database, version, state="refused", sentence=sentence, rests=0)

    def build_again(self, version: Version) -> None:
        """Have a version that passed once take its steps again, since what was built of it is gone.

        Which version plays stays as it is.
        """
        with self._accounts.change() as database:
            state = self._stored(version).state
            if state in ("active", "retired"):
                self._set(database, version, state="waiting", rests=int(state == "retired"))
                self._accounts.log(database, SERVER, f"had {version.title} built again, which a contest needs")

    def accept(self, version: Version) -> None:
        """Note that a version has passed: it plays from now on, unless it was built again for a contest alone."""
        with self._accounts.change() as database:
            stored = self._stored(version)
            if stored.rests:
                self._set(database, version, state="retired", rests=0)
            elif stored.state != "deleted":
                self._activate(database, version, SERVER)

    def activate(self, version: Version, by: str) -> None:
        """Make a version that has passed the one that plays. Raises `NotAllowed`.

        One whose built program was removed takes its steps again, and plays if it passes.
        """
        with self._accounts.change() as database:
            state = self._stored(version).state
            if state == "deleted":
                raise NotAllowed(f"{version.title} was deleted; send it again")
            if state in ("waiting", "building", "checking", "refused"):
                raise NotAllowed(f"{version.title} has not passed, and only what has passed plays")
            if state == "retired" and not (self.folder(version) / BUILD).is_dir():  # an old one
                self._set(database, version, state="waiting")
                self._accounts.log(database, by, f"had {version.title} built again")
            else:
                self._activate(database, version, by)

    def _activate(self, database: sqlite3.Connection, version: Version, by: str) -> None:
        for other in self.of(version.bot):
            if other.state == "active":
                self._set(database, other, state="retired")
        self._set(database, version, state="active")
        self._accounts.log(database, by, f"{version.title} plays")

    def retire(self, version: Version, by: str) -> None:
        """Let a version play no more. Raises `NotAllowed`."""
        with self._accounts.change() as database:
            if self._stored(version).state != "active":
                raise NotAllowed(f"{version.title} does not play")
            self._set(database, version, state="retired")
            self._accounts.log(database, by, f"{version.title} was taken back")

    def delete(self, version: Version, by: str) -> None:
        """Delete the files of a version. Raises `NotAllowed` and OSError.

        Only organisers may delete a version that is under way; none may delete one that plays.
        """
        person = self._accounts.person(by)
        with self._accounts.change() as database:
            stored = self._stored(version)
            if stored.state == "active":
                raise NotAllowed(f"{version.title} plays; take it back first")
            if stored.is_under_way and (person is None or person.role != ORGANISER):
                raise NotAllowed(f"{version.title} is under way; wait until it has been tried")
            if self._is_in_play(version):
                raise NotAllowed(f"{version.title} is playing; wait until it is over")
            if stored.state != "deleted":
                self._set(database, version, state="deleted")
                self._accounts.log(database, by, f"deleted {version.title}")
        remove_tree(self.folder(version))

    def bots(self) -> list[str]:
        """Return the bots of which versions were sent, by name."""
        rows = self._accounts.rows("SELECT DISTINCT bots.name FROM versions JOIN bots ON bots.id = bot ORDER BY 1")
        return [str(name) for (name,) in rows]

    def remove_build(self, version: Version) -> bool:
        """Remove the built program of a version, unless it plays, is under way, or has games to play.

        Tell whether there was one. Raises OSError.
        """
        build = self.folder(version) / BUILD
        removed = build.with_name(f"{BUILD}{UNFINISHED}")
        with self._accounts.change():
            in_use = self._stored(version).state not in ("retired", "refused") or self._is_in_play(version)
            if in_use or not build.is_dir():
                return False
            remove_tree(removed)
            build.rename(removed)  # at once, so that nobody starts half of it
        remove_tree(removed)
        return True

    def _is_in_play(self, version: Version) -> bool:
        return bool(self._accounts.rows(_IN_PLAY, version.bot, version.number))

    def remove_deleted(self) -> None:
        """Remove files of deleted versions, which a server that was killed may have left. Raises OSError."""
        for version in self._rows("WHERE state = 'deleted'"):
            remove_tree(self.folder(version))

    def _stored(self, version: Version) -> Version:
        """Return a version as the database has it now."""
        return self._rows("WHERE versions.id = ?", version.id)[0]

    def _set(self, database: sqlite3.Connection, version: Version, **values: str | int) -> None:
        """Set columns of a version, unless an organiser has deleted it."""
        columns = ", ".join(f"{name} = ?" for name in values)
        query = f"UPDATE versions SET {columns} WHERE id = ? AND state != 'deleted'"
        database.execute(query, (*values.values(), version.id))

    def _rows(self, rest: str, *values: Any) -> list[Version]:
        rows = self._accounts.rows(f"SELECT {_COLUMNS} FROM versions JOIN bots ON bots.id = bot {rest}", *values)
        return [_version(*row) for row in rows]


def _version(number: int, bot: str, of: int, received: str, *rest: Any) -> Version:
    file, digest, state, sentence, command, owner, rests = rest
    date, start = datetime.fromisoformat(received), tuple(json.loads(command))
    return Version(number, bot, of, date, file, digest, state, sentence, start, owner, bool(rests))
