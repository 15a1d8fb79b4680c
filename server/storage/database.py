"""Databases of SQLite in the data directory: opened, and copied."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

BUSY_SECONDS = 10.0
"""Longest wait for another process that writes, as a command that makes a report of a contest that runs may."""

AGAIN_SECONDS = 0.02
"""Pause between attempts to open a store that another process is making or changing just now."""


VERSION = 1
"""Version of the tables of all databases, in the head of each file (``PRAGMA user_version``)."""


class Schema(NamedTuple):
    """The tables of a database."""

    application: int
    """Stands in the head of the file (``PRAGMA application_id``) and tells it from databases of other programs."""
    tables: Sequence[str]
    """Statements that make the tables."""


class BadStore(Exception):
    """The store cannot be used. ``str(error)`` is one sentence that names the file."""


class DamagedStore(BadStore):
    """The file of the store is damaged, or has other tables."""


def connect(path: Path, schema: Schema, *, check: bool = False) -> sqlite3.Connection:
    """Open or create a store; raises `BadStore`. With ``check`` all of it is read, to find damage: once, at the start.

    Transactions are written before they return, into the write-ahead log: a kill of the process loses nothing. A power
    cut may lose the last of them, never a part of one, and none that was `synced` (SQLite, "Write-Ahead Logging").
    """
    try:
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
        )
    except sqlite3.Error as error:
        raise BadStore(f"{path} cannot be opened: {error}") from None
    try:
        with guarded(path):
            wait_while_busy(connection, lambda: _prepare(connection, path, schema), BUSY_SECONDS)
            if check:
                check_whole(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def snapshot(path: Path, schema: Schema, missing: str) -> sqlite3.Connection:
    """Return a copy of a store in memory, or in a temporary file if it is large; raises `BadStore`.

    The file is only read, also while a server writes into it. ``missing`` says what it means that there is none.
    """
    if not path.exists():
        raise BadStore(f"{path} is not there: {missing}")
    copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    try:
        copy_database(path, copy)
        with guarded(path):
            _prepare(copy, path, schema)
            check_whole(copy, path)
    except BaseException:
        copy.close()
        raise
    return copy


def copy_database(path: Path, copy: sqlite3.Connection) -> None:
    """Copy a database, also while a server writes into it; raises `BadStore`."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with guarded(path), closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as file:
        file.backup(copy)


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
        raise DamagedStore(f"{path} is no database, or a damaged one: {error}") from None


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


def wait_while_busy(connection: sqlite3.Connection, action: Callable[[], object], seconds: float) -> None:
    """Do what SQLite does not wait for by itself, changing the journal mode first of all, as soon as it can be done."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            time.sleep(AGAIN_SECONDS)


def _prepare(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN")  # another process may be making the tables right now: look at one moment
    application = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    tables = _number(connection, "SELECT count(*) FROM sqlite_schema")
    connection.execute("COMMIT")
    if application != schema.application and tables > 0:
        raise DamagedStore(f"{path} is the database of another program; move it away, or give another data directory")
    if version not in (0, VERSION):  # 0: the tables are not made yet
        raise DamagedStore(
            f"{path} was written by another version of arena-server: its schema is {version}, this one reads {VERSION}"
        )
    connection.execute("PRAGMA journal_mode = WAL")
    if version == 0:
        with transaction(connection, synced=True):
            if _number(connection, "PRAGMA user_version") == 0:  # no other process was faster
                for statement in schema.tables:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {schema.application}")
                connection.execute(f"PRAGMA user_version = {VERSION}")


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Read a whole database; raises `BadStore` where it is damaged."""
    if (fault := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise BadStore(f"{path} is damaged: {' '.join(fault.split())}")


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
