"""The schema of the database, and the migrations from older versions."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

APPLICATION = 0x41524E41
"""Stands in the head of the file (``PRAGMA application_id``) and tells it from databases of other programs: ARNA."""

BUSY_SECONDS = 10.0
"""Longest wait for another process that writes, as a command that makes a report of a contest that runs may."""

AGAIN_SECONDS = 0.02
"""Pause between attempts to open a store that another process is making or changing just now."""

Migration = Sequence[str]
"""Statements that lead from a version of the schema to the next one."""

MIGRATIONS: tuple[Migration, ...] = (
    (
        """CREATE TABLE contests (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            file TEXT NOT NULL,
            definition TEXT NOT NULL,
            opened TEXT NOT NULL,
            closed TEXT
        )""",
        """CREATE TABLE entrants (
            contest INTEGER NOT NULL REFERENCES contests,
            place INTEGER NOT NULL,
            name TEXT NOT NULL,
            command TEXT NOT NULL,
            token TEXT NOT NULL,
            PRIMARY KEY (contest, place),
            UNIQUE (contest, name)
        )""",
        """CREATE TABLE stages (
            contest INTEGER NOT NULL REFERENCES contests,
            number INTEGER NOT NULL,
            began TEXT NOT NULL,
            PRIMARY KEY (contest, number)
        )""",
        # match is NULL where a game was not played
        """CREATE TABLE pairings (
            id INTEGER PRIMARY KEY,
            contest INTEGER NOT NULL REFERENCES contests,
            match INTEGER,
            stage INTEGER NOT NULL,
            round INTEGER NOT NULL,
            variant INTEGER NOT NULL,
            pair INTEGER NOT NULL,
            opening INTEGER NOT NULL,
            first TEXT NOT NULL,
            second TEXT NOT NULL,
            UNIQUE (contest, match)
        )""",
        """CREATE UNIQUE INDEX unplayed ON pairings (contest, stage, round, variant, pair, opening, first, second)
            WHERE match IS NULL""",
        # id is the order in which games were over; times are in microseconds
        """CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            pairing INTEGER NOT NULL UNIQUE REFERENCES pairings,
            winner INTEGER CHECK (winner IN (0, 1)),
            termination TEXT NOT NULL,
            detail TEXT NOT NULL,
            plies INTEGER NOT NULL,
            first_used INTEGER NOT NULL,
            second_used INTEGER NOT NULL,
            first_ready INTEGER NOT NULL,
            second_ready INTEGER NOT NULL,
            first_gone INTEGER NOT NULL,
            second_gone INTEGER NOT NULL
        )""",
        """CREATE TABLE ratings (
            contest INTEGER NOT NULL REFERENCES contests,
            place INTEGER NOT NULL,
            name TEXT NOT NULL,
            elo REAL NOT NULL,
            low REAL NOT NULL,
            high REAL NOT NULL,
            games INTEGER NOT NULL,
            PRIMARY KEY (contest, place)
        )""",
        """CREATE TABLE variant_ratings (
            contest INTEGER NOT NULL REFERENCES contests,
            variant INTEGER NOT NULL,
            advantage REAL NOT NULL,
            draws REAL NOT NULL,
            PRIMARY KEY (contest, variant)
        )""",
    ),
    (
        # how often a game was begun in vain: the server died in it, or something went wrong in the server itself
        """CREATE TABLE failures (
            contest INTEGER NOT NULL REFERENCES contests,
            stage INTEGER NOT NULL,
            round INTEGER NOT NULL,
            variant INTEGER NOT NULL,
            pair INTEGER NOT NULL,
            opening INTEGER NOT NULL,
            first TEXT NOT NULL,
            second TEXT NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (contest, stage, round, variant, pair, opening, first, second)
        )""",
        # times in which nothing went on through a fault that was no entrant's; ended is NULL while one lasts
        """CREATE TABLE pauses (
            id INTEGER PRIMARY KEY,
            contest INTEGER NOT NULL REFERENCES contests,
            began TEXT NOT NULL,
            ended TEXT,
            reason TEXT NOT NULL
        )""",
    ),
    (
        # what the organiser has changed; stage and round are the last of which a game had begun, command is JSON
        """CREATE TABLE interventions (
            contest INTEGER NOT NULL REFERENCES contests,
            number INTEGER NOT NULL,
            date TEXT NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            match INTEGER,
            command TEXT NOT NULL,
            stage INTEGER NOT NULL,
            round INTEGER NOT NULL,
            PRIMARY KEY (contest, number)
        )""",
        # how many interventions there were; a game that was not played can be lost again after one
        "ALTER TABLE pairings ADD COLUMN interventions INTEGER NOT NULL DEFAULT 0",
        "DROP INDEX unplayed",
        """CREATE UNIQUE INDEX unplayed
            ON pairings (contest, stage, round, variant, pair, opening, first, second, interventions)
            WHERE match IS NULL""",
        "ALTER TABLE games ADD COLUMN seconds REAL NOT NULL DEFAULT 0",
    ),
    (
        # of the record as it was when the result was kept; empty where there was none, or an older version kept it
        "ALTER TABLE games ADD COLUMN record_sha256 TEXT NOT NULL DEFAULT ''",
        # what was found when the table was last held against the records; differences are a list in JSON
        """CREATE TABLE verifications (
            contest INTEGER PRIMARY KEY REFERENCES contests,
            date TEXT NOT NULL,
            games INTEGER NOT NULL,
            trusted INTEGER NOT NULL,
            differences TEXT NOT NULL
        )""",
    ),
    (
        # what programs have used in a game, and how they ended; memory is in bytes, and NULL where nobody looked,
        # status is NULL where the server has ended the program
        """CREATE TABLE programs (
            pairing INTEGER NOT NULL REFERENCES pairings,
            side INTEGER NOT NULL CHECK (side IN (0, 1)),
            cpu_seconds REAL NOT NULL,
            wall_seconds REAL NOT NULL,
            memory INTEGER,
            status INTEGER,
            PRIMARY KEY (pairing, side)
        )""",
    ),
)
"""Step n leads from version n to n + 1. Those that have been released stay as they are."""


class BadStore(Exception):
    """The store cannot be used. ``str(error)`` is one sentence that names the file."""


def connect(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> sqlite3.Connection:
    """Open or create a store, and migrate it to this version of the schema; raises `BadStore`.

    Transactions are written before they return, into the write-ahead log: a kill of the process loses nothing. A power
    cut may lose the last of them, never a part of one, and none that was `synced` (SQLite, "Write-Ahead Logging").
    """
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise BadStore(f"{path} cannot be opened: {error}") from None
    try:
        with guarded(path):
            _prepare_in_turn(connection, path, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def snapshot(path: Path) -> sqlite3.Connection:
    """Return a copy of a store in memory, migrated to this version of the schema; raises `BadStore`.

    The file is only read, also while a server writes into it.
    """
    if not path.exists():
        raise BadStore(f"{path} is not there: no contest was held in {path.parent}")
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with guarded(path):
            uri = f"{path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as file:
                file.backup(copy)
            _prepare(copy, path, MIGRATIONS)
    except BaseException:
        copy.close()
        raise
    return copy


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into `BadStore`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise BadStore(f"{path} cannot be read or written: {error}") from None
    except sqlite3.IntegrityError:
        raise  # the caller's own fault, not the file's
    except sqlite3.DatabaseError as error:
        raise BadStore(f"{path} is no database, or a damaged one: {error}") from None


@contextmanager
def transaction(connection: sqlite3.Connection, *, synced: bool = False) -> Iterator[None]:
    """Run a transaction; if ``synced``, it is on the disk at its end, with all before it."""
    connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _prepare_in_turn(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Prepare a store when no other process does: SQLite does not wait if two change the journal mode."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            _prepare(connection, path, migrations)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            time.sleep(AGAIN_SECONDS)
        else:
            return


def _prepare(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN")  # another process may be making the tables right now: look at one moment
    application = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    tables = _number(connection, "SELECT count(*) FROM sqlite_schema")
    connection.execute("COMMIT")
    if application != APPLICATION and tables > 0:
        raise BadStore(f"{path} is the database of another program; move it away, or give another data directory")
    if version > len(migrations):
        raise BadStore(
            f"{path} was written by a later version of arena-server: its schema is {version}, "
            f"and this one knows those up to {len(migrations)}"
        )
    fault = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise BadStore(f"{path} is damaged: {' '.join(fault.split())}")
    connection.execute("PRAGMA journal_mode = WAL")
    for number, statements in enumerate(migrations[version:], version):
        with transaction(connection, synced=True):
            if _number(connection, "PRAGMA user_version") != number:
                continue  # another process was faster
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {number + 1}")


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
