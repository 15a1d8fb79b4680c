"""The index of games: a database beside the records, which is made of nothing but them and can always be made anew.

One that is damaged, or of another version, is deleted; whoever indexes next begins with an empty one.

Its tables are called main.games, and so on, wherever a question is answered: the database of contests, which is
attached then, has tables of the same names, and SQLite takes those while a connection does not know yet that another
process has made ours.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from server.storage.database import wait_while_busy

FILE = "games.sqlite3"
"""Its name in a data directory."""

VERSION = 1
"""Number of the tables. An index with another number is deleted."""

BUSY_SECONDS = 5.0
"""Longest wait for the process that indexes."""

TABLES = (
    # every file of a record that was looked at, with what tells that it was changed; fault is why it has no game
    """CREATE TABLE records (
        match INTEGER PRIMARY KEY,
        changed INTEGER NOT NULL,
        size INTEGER NOT NULL,
        fault TEXT NOT NULL
    )""",
    "CREATE INDEX faults ON records (match) WHERE fault <> ''",
    # keys are names in lower case; times are microseconds
    """CREATE TABLE games (
        match INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        parameters TEXT NOT NULL,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        first_key TEXT NOT NULL,
        second_key TEXT NOT NULL,
        winner INTEGER CHECK (winner IN (0, 1)),
        result TEXT NOT NULL,
        reason TEXT NOT NULL,
        plies INTEGER NOT NULL,
        started TEXT NOT NULL,
        first_used INTEGER NOT NULL,
        second_used INTEGER NOT NULL,
        first_longest INTEGER NOT NULL,
        second_longest INTEGER NOT NULL
    )""",
    "CREATE INDEX by_first ON games (first_key, match)",
    "CREATE INDEX by_second ON games (second_key, match)",
    # seen: the time of the last change of the folder of records of which every record is here, 0 for none
    "CREATE TABLE state (seen INTEGER NOT NULL)",
    "INSERT INTO state VALUES (0)",
)


@contextmanager
def opened(data: Path) -> Iterator[sqlite3.Connection]:
    """Open the index of a data directory, empty where there is none that can be used.

    One that turns out to be damaged is deleted, and the error, `sqlite3.DatabaseError`, goes on: ask again.
    """
    try:
        with closing(_connect(data / FILE)) as connection:
            yield connection
    except (sqlite3.OperationalError, sqlite3.IntegrityError):
        raise  # busy, or no room: the file is sound
    except sqlite3.DatabaseError:
        delete(data)
        raise


def delete(data: Path) -> None:
    """Delete the index of a data directory. A process that has it open still goes on with what is deleted."""
    for suffix in ("-wal", "-shm", ""):  # a new file must never meet the log of an old one
        (data / f"{FILE}{suffix}").unlink(missing_ok=True)


def is_sound(data: Path) -> bool:
    """Tell whether SQLite finds nothing wrong in the index; one that is damaged is deleted."""
    try:
        with opened(data) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                return True
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False
    delete(data)
    return False


def _connect(path: Path) -> sqlite3.Connection:
    connection = _open(path)
    if _version(connection) not in (0, VERSION):
        connection.close()
        delete(path.parent)
        connection = _open(path)
    if _version(connection) == 0:
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection) == 0:  # else another process was faster
            for statement in TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    return connection


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    try:
        wait_while_busy(connection, lambda: connection.execute("PRAGMA journal_mode = WAL"), BUSY_SECONDS)
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
