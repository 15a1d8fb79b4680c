"""Accounts without passwords: an invited person opens a link once, and the browser stays signed in.

Links, sessions and tokens of bots are random texts of 128 bits. The database has only their SHA-256. A code for many
people has 80 bits, since people type it. Every change is a transaction, and stands in the audit log with who
made it.
"""

import re
import secrets
import sqlite3
from base64 import b32encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple

from engine.wire.words import NAME_PATTERN, NAME_RULE, number_of
from server.config.tokens import hashed
from server.league.database import FILE, SCHEMA
from server.storage.database import connect, guarded, transaction

AUTHOR: Literal["author"] = "author"
ORGANISER: Literal["organiser"] = "organiser"
SPECTATOR: Literal["spectator"] = "spectator"

Role = Literal["author", "organiser", "spectator"]
"""Roles of people. Their rights are `RIGHTS`."""


class Right(StrEnum):
    """A permission, as pages and commands ask for it."""

    BOTS = "bots"
    """Have bots."""
    CONSOLE = "console"
    """See the console. Only the invitation of a named person gives a role with this right."""
    ORGANISE = "organise"
    """Change contests, accounts, grades and everybody's bots."""


RIGHTS: dict[Role, frozenset[Right]] = {
    AUTHOR: frozenset({Right.BOTS}),
    ORGANISER: frozenset(Right),
    SPECTATOR: frozenset(),
}

ROLES: tuple[Role, ...] = tuple(RIGHTS)

OPEN_ROLES: tuple[Role, ...] = tuple(role for role, rights in RIGHTS.items() if Right.CONSOLE not in rights)
"""Roles that a code for many people may give."""

AUDITED = 20
"""Last changes that the console and the command line show."""

INVITED = timedelta(days=30)
"""Validity of an invitation."""

SIGNED_IN = timedelta(days=180)
"""How long a browser stays signed in: a term."""

MAX_BOTS = 20
"""Bots of a person."""

MAX_USES = 10_000
"""People who may join by one code."""

MAX_BROWSERS = 20
"""Browsers in which a person is signed in. A further one signs out the oldest."""


class NotAllowed(Exception):
    """A request is refused; ``str(error)`` is one sentence with the reason and the right way."""


class Person(NamedTuple):
    """Somebody with an account."""

    id: int
    name: str
    role: Role
    made: datetime
    is_open: bool
    """False: the account was closed, and lets nobody in."""

    def may(self, right: Right) -> bool:
        """Tell whether the person has a right."""
        return right in RIGHTS[self.role]


class RegisteredBot(NamedTuple):
    """A name that a person's program plays under."""

    name: str
    has_token: bool
    """False: its token was revoked, so that it cannot log in."""


class Invitation(NamedTuple):
    """An invitation that can still be opened."""

    person: Person | None
    """The invited person; None: the guest chooses a name."""
    role: Role


class AuditEntry(NamedTuple):
    """A line of the audit log."""

    date: datetime
    who: str
    what: str


CODE_BYTES = 10
"""Bytes of a code for many people: 80 bits, 16 letters and digits."""


class Accounts:
    """The accounts of a data directory. Its methods may be called from any thread; all raise `BadStore`.

    Methods that only read may be called in an event loop: they wait for no writer and no other reader. Methods that
    write may wait for the disk, and belong into a thread.
    """

    def __init__(
        self, data: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC), *, check: bool = False
    ) -> None:
        """Open the database, or make it, and look for damage if that is to be checked. Raises `BadStore`."""
        self._path = data / FILE
        self._now = now
        self._lock = Lock()
        self._readers: list[sqlite3.Connection] = []
        """Connections that nobody reads from now."""
        with suppress(OSError):  # which opening it says, too
            self._path.touch(0o600)  # others on the machine may not look at it
        self._writer = connect(self._path, SCHEMA, check=check)
        with self.change() as database:
            database.execute("INSERT OR IGNORE INTO secrets VALUES ('web', ?)", (secrets.token_bytes(32),))

    def close(self) -> None:
        """Close the database; nothing else may be called then."""
        for connection in (self._writer, *self._readers):
            connection.close()

    def secret(self) -> bytes:
        """Return what signs cookies and forms: 32 random bytes, the same as long as the database is there."""
        return bytes(self.rows("SELECT secret FROM secrets WHERE purpose = 'web'")[0][0])

    # looking up

    def person(self, name: str) -> Person | None:
        """Return the person of a name, in upper or lower case."""
        return self._person("FROM people WHERE name = ?", name)

    def people(self) -> list[Person]:
        """Return everybody, by name."""
        return self._people("FROM people ORDER BY name")

    def bots(self, person: Person) -> list[RegisteredBot]:
        """Return the bots of a person, by name."""
        query = "SELECT name, token != '' FROM bots WHERE owner = ? ORDER BY name"
        return [RegisteredBot(name, bool(has_token)) for name, has_token in self.rows(query, person.id)]

    def owner(self, bot: str) -> Person | None:
        """Return whose bot plays under a name."""
        return self._person("FROM bots JOIN people ON people.id = owner WHERE bots.name = ?", bot)

    def check_owner(self, person: Person, bot: str) -> None:
        """Raise `NotAllowed` unless a bot is a person's own."""
        if (owner := self.owner(bot)) is None or owner.id != person.id:
            raise NotAllowed(f"{person.name} has no bot {bot!r}; make it on the page /me first")

    def token_hash(self, name: str) -> str | None:
        """Return the SHA-256 of the token by which a player logs in, None where the name belongs to nobody.

        Empty where nobody can log in by it now: the token was revoked, the account is closed, or it is the name of a
        person who has given no bot a token for it.
        """
        rows = self.rows(
            """SELECT bots.token, people.closed FROM bots JOIN people ON people.id = bots.owner WHERE bots.name = ?1
            UNION ALL SELECT '', NULL FROM people WHERE name = ?1""",
            name,
        )
        if not rows:
            return None
        token, closed = rows[0]
        return "" if closed else str(token)

    def invitation(self, link: str) -> Invitation:
        """Return the invitation of a link or code; raises `NotAllowed` where it opens no more."""
        rows = self.rows(
            "SELECT person, role FROM invitations WHERE hash = ? AND uses > 0 AND expires > ?",
            hashed(link),
            self._now().isoformat(),
        )
        if not rows:
            raise NotAllowed(
                "this invitation is not known here, has been used already, or is too old; ask for a new one"
            )
        number, role = rows[0]
        if (person := self._person("FROM people WHERE id = ?", number)) is not None and not person.is_open:
            raise NotAllowed(f"the account of {person.name} is closed")
        return Invitation(person, role)

    def signed_in(self, session: str) -> Person | None:
        """Return who is signed in by a session."""
        return self._person(
            """FROM browsers JOIN people ON people.id = person WHERE hash = ? AND closed IS NULL AND began > ?""",
            hashed(session),
            (self._now() - SIGNED_IN).isoformat(),
        )

    def audit(self, most: int = AUDITED) -> list[AuditEntry]:
        """Return the last changes, the newest first."""
        rows = self.rows("SELECT date, who, what FROM audit ORDER BY id DESC LIMIT ?", most)
        return [AuditEntry(datetime.fromisoformat(date), who, what) for date, who, what in rows]

    # invitations

    def invite(self, name: str, role: Role, by: str) -> str:
        """Return a link for a person, who is new or has lost the way in. Links that were made before are good no more.

        An account that is there keeps its role. Raises `NotAllowed`.
        """
        with self.change() as database:
            person = self.person(name) or self._add_person(database, name, role)
            if not person.is_open:
                raise NotAllowed(f"the account of {person.name} is closed; open it again first")
            link = secrets.token_urlsafe(16)
            database.execute("DELETE FROM invitations WHERE person = ?", (person.id,))
            self._keep_invitation(database, link, person.id, person.role, 1)
            self.log(database, by, f"invited {person.name} as {person.role}")
        return link

    def invite_many(self, role: Role, uses: int, by: str) -> str:
        """Return a code by which so many people, 1 to 10,000, may come and choose their names. Raises `NotAllowed`."""
        if not 1 <= uses <= MAX_USES:
            raise NotAllowed(f"a code is for 1 to {MAX_USES} people, and not {uses}")
        if role not in OPEN_ROLES:
            raise NotAllowed(f"{role}s are invited by name, one by one")
        code = b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
        with self.change(by, f"made a code for {number_of(uses, 'person', 'people')} as {role}") as database:
            self._keep_invitation(database, code, None, role, uses)
        return code

    def redeem(self, link: str, name: str) -> str:
        """Open an invitation, and return the session of the browser that does.

        ``name`` is that of a new person, where the invitation has none. Raises `NotAllowed`; then nothing has changed.
        """
        with self.change() as database:
            invitation = self.invitation(link)  # no other process writes meanwhile
            person = invitation.person or self._add_person(database, name, invitation.role)
            database.execute("UPDATE invitations SET uses = uses - 1 WHERE hash = ?", (hashed(link),))
            self.log(database, person.name, "opened an invitation")
            session = secrets.token_urlsafe(16)
            database.execute(
                "INSERT INTO browsers (hash, person, began) VALUES (?, ?, ?)",
                (hashed(session), person.id, self._now().isoformat()),
            )
            database.execute(
                """DELETE FROM browsers WHERE person = ?1 AND id NOT IN
                (SELECT id FROM browsers WHERE person = ?1 ORDER BY id DESC LIMIT ?2)""",
                (person.id, MAX_BROWSERS),
            )
        return session

    # people

    def named_by_proxy(self, name: str) -> Person:
        """Return the person whom a trusted proxy has signed in; a new one is an author. Raises `NotAllowed`."""
        if (person := self.person(name)) is None:
            with self.change() as database:
                person = self._add_person(database, name, AUTHOR)
                self.log(database, person.name, "came by the proxy")
        if not person.is_open:
            raise NotAllowed(f"the account of {person.name} is closed")
        return person

    def set_role(self, name: str, role: Role, by: str) -> None:
        """Give a person another role. Raises `NotAllowed`."""
        self._set(name, "role", role, by, f"made {{}} {role}")

    def close_account(self, name: str, by: str) -> None:
        """Close an account: it signs in nobody, and locks its bots, until it is opened again. Raises `NotAllowed`."""
        self._set(name, "closed", self._now().isoformat(), by, "closed the account of {}")

    def open_account(self, name: str, by: str) -> None:
        """Open a closed account. Its bots have their tokens again; the person needs a new link. Raises `NotAllowed`."""
        self._set(name, "closed", None, by, "opened the account of {}")

    def _set(self, name: str, column: str, value: str | None, by: str, what: str) -> None:
        """Set a column of a person. Raises `NotAllowed`, also where no open account of an organiser would be left."""
        with self.change() as database:
            if (person := self.person(name)) is None:
                raise NotAllowed(f"there is no account of {name!r}")
            database.execute(f"UPDATE people SET {column} = ? WHERE id = ?", (value, person.id))
            left = database.execute("SELECT 1 FROM people WHERE role = 'organiser' AND closed IS NULL").fetchone()
            if person.role == ORGANISER and left is None:
                raise NotAllowed(f"{person.name} is the only organiser; make somebody else one first")
            database.execute("DELETE FROM browsers WHERE person IN (SELECT id FROM people WHERE closed IS NOT NULL)")
            self.log(database, by, what.format(person.name))

    def sign_out(self, person: Person, session: str = "") -> None:
        """Sign a person out in the browser of a session, or, without one, in all browsers."""
        query = "DELETE FROM browsers WHERE person = ?1 AND ifnull(hash = ?2, true)"
        with self.change() as database:
            database.execute(query, (person.id, hashed(session) if session else None))

    # bots

    def make_token(self, person: Person, bot: str) -> str:
        """Return a new token for a person's bot, which is made where there is none; the one before is good no more.

        Raises `NotAllowed`.
        """
        if not re.fullmatch(NAME_PATTERN, bot):
            raise NotAllowed(f"a name is {NAME_RULE}; not {bot!r}")
        if not person.may(Right.BOTS):
            raise NotAllowed(f"{person.role}s have no bots; ask the organiser to make you an author")
        token = secrets.token_hex(16)
        with self.change(person.name, f"made a token for {bot}") as database:
            owner, namesake = self.owner(bot), self.person(bot)
            if (owner is not None and owner.id != person.id) or (namesake is not None and namesake.id != person.id):
                raise NotAllowed(f"the name {bot} is taken; choose another one")
            if owner is None and len(self.bots(person)) >= MAX_BOTS:
                raise NotAllowed(f"a person has {MAX_BOTS} bots at most")
            database.execute(
                """INSERT INTO bots (name, owner, made, token) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET token = excluded.token""",
                (bot, person.id, self._now().isoformat(), hashed(token)),
            )
        return token

    def revoke_token(self, person: Person, bot: str) -> None:
        """Make the token of a person's bot good no more. Raises `NotAllowed`."""
        with self.change(person.name, f"revoked the token of {bot}") as database:
            self.check_owner(person, bot)
            database.execute("UPDATE bots SET token = '' WHERE name = ?", (bot,))

    def _people(self, rest: str, *values: Any) -> list[Person]:
        rows = self.rows(f"SELECT people.id, people.name, people.role, people.made, people.closed {rest}", *values)
        return [
            Person(number, name, role, datetime.fromisoformat(made), closed is None)
            for number, name, role, made, closed in rows
        ]

    def _person(self, rest: str, *values: Any) -> Person | None:
        return next(iter(self._people(rest, *values)), None)

    # within a change

    def _add_person(self, database: sqlite3.Connection, name: str, role: Role) -> Person:
        if not re.fullmatch(NAME_PATTERN, name):
            raise NotAllowed(f"a name is {NAME_RULE}; not {name!r}")
        if self.person(name) is not None or self.owner(name) is not None:
            raise NotAllowed(f"the name {name} is taken; choose another one, or ask for a link to it")
        made = self._now()
        number = database.execute(
            "INSERT INTO people (name, role, made) VALUES (?, ?, ?)", (name, role, made.isoformat())
        ).lastrowid
        assert number is not None
        return Person(number, name, role, made, True)

    def _keep_invitation(
        self, database: sqlite3.Connection, link: str, person: int | None, role: Role, uses: int
    ) -> None:
        now = self._now()
        database.execute("DELETE FROM invitations WHERE expires <= ?", (now.isoformat(),))
        database.execute(
            "INSERT INTO invitations VALUES (?, ?, ?, ?, ?)",
            (hashed(link), person, role, uses, (now + INVITED).isoformat()),
        )

    def note(self, who: str, what: str) -> None:
        """Write what somebody has done elsewhere than in this database into the audit log."""
        with self.change(who, what):
            pass

    def log(self, database: sqlite3.Connection, who: str, what: str) -> None:
        """Write a line into the audit log, within a change."""
        database.execute("INSERT INTO audit (date, who, what) VALUES (?, ?, ?)", (self._now().isoformat(), who, what))

    @contextmanager
    def change(self, who: str = "", what: str = "") -> Iterator[sqlite3.Connection]:
        """Open a transaction, which is on the disk when the context is left; `rows` returns the state before it.

        The audit log gets ``what`` was done, if it is given, and the name of the person.
        """
        with self._lock, guarded(self._path), transaction(self._writer, synced=True):
            if what:
                self.log(self._writer, who, what)
            yield self._writer

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Look something up: what is there now, all changes that were made before among it."""
        # a connection sees one moment as long as any of its queries runs, so each has one of its own
        with guarded(self._path):
            try:
                reader = self._readers.pop()
            except IndexError:
                reader = connect(self._path, SCHEMA)
            try:
                return reader.execute(query, values).fetchall()
            finally:
                self._readers.append(reader)
