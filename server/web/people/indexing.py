"""The index of games: a database beside the records, brought up to date a few records at a time.

The records are the only source of the index, so a damaged index, or the index of another version, is deleted and made
anew. Each record is verified. A record that is not true has no game in the index. Changed records are read again, and
deleted records leave the index.

Queries name its tables main.games, and so on: the attached database of contests has tables of the same names, and
SQLite would use those as long as a connection does not see the tables that another process has just made.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from engine.match.reader import decoded
from engine.match.verification import verify
from server.storage.database import transaction, wait_while_busy
from server.storage.disk import SUFFIX

FILE = "games.sqlite3"
"""Its name in a data directory."""

VERSION = 2
"""Number of the tables. An index with another number is deleted."""

BUSY_SECONDS = 5.0
"""Longest wait for the process that indexes."""

MAX_BYTES = 2 * 1024 * 1024
"""A longer record has no game in the index."""

SETTLED_NS = 100_000_000
"""A later change of a folder has another time on every file system, if the last change is so old."""

TABLES = (
    # each record that was read, with the time of its file in nanoseconds and its size
    "CREATE TABLE records (match INTEGER PRIMARY KEY, changed INTEGER NOT NULL, size INTEGER NOT NULL)",
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
        second_used INTEGER NOT NULL
    )""",
    "CREATE INDEX by_first ON games (first_key, match)",
    "CREATE INDEX by_second ON games (second_key, match)",
    # seen: the time of the last change of the folder whose records are all here, or 0
    "CREATE TABLE state (seen INTEGER NOT NULL)",
    "INSERT INTO state VALUES (0)",
    f"PRAGMA user_version = {VERSION}",
)


@contextmanager
def opened(data: Path) -> Iterator[sqlite3.Connection]:
    """Open the index of a data directory; an index that is missing or of another version is made anew.

    Raises sqlite3.DatabaseError if it is damaged.
    """
    path = data / FILE
    with closing(_connect(path)) as connection:
        version = _version(connection)
        if version == VERSION:
            yield connection
            return
    if version:
        delete(data)
    with closing(_connect(path)) as connection:
        with transaction(connection):
            if _version(connection) == 0:  # no other process was faster
                for statement in TABLES:
                    connection.execute(statement)
        yield connection


def delete(data: Path) -> None:
    """Delete the index of a data directory. A process that has it open still uses the deleted file."""
    for suffix in ("-wal", "-shm", ""):  # a new file must never meet the log of an old one
        (data / f"{FILE}{suffix}").unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    try:
        wait_while_busy(connection, lambda: connection.execute("PRAGMA journal_mode = WAL"), BUSY_SECONDS)
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


class Progress(msgspec.Struct, frozen=True):
    """How far the index is."""

    games: int
    left: int
    """Records that are still to be read."""
    complete: bool
    """Whether it has every record that stands in the folder."""


def bring_up(connection: sqlite3.Connection, data: Path, seconds: float) -> Progress:
    """Index records of a data directory for some seconds, the newest first: at least one, if any is missing."""
    until = time.monotonic() + seconds
    changed = folder_changed(data)
    settled = time.time_ns() - changed > SETTLED_NS
    files = _files(data / "records")
    rows = connection.execute("SELECT match, changed, size FROM main.records")
    known = {match: (stamp, size) for match, stamp, size in rows}
    missing = sorted(match for match in files if files[match] != known.get(match))
    with transaction(connection):
        for match in known.keys() - files.keys():
            _forget(connection, match)
        while missing:
            match = missing.pop()
            _forget(connection, match)
            _index(connection, data / "records" / f"{match}{SUFFIX}", match)
            connection.execute("INSERT INTO main.records VALUES (?, ?, ?)", (match, *files[match]))
            if time.monotonic() > until:
                break
        connection.execute("UPDATE main.state SET seen = ?", (changed if settled and not missing else 0,))
    return progress(connection, data, len(missing))


def progress(connection: sqlite3.Connection, data: Path, left: int = 0) -> Progress:
    """Return how far an index is; ``left`` is the number of records that are known to be missing."""
    (seen,) = connection.execute("SELECT seen FROM main.state").fetchone()
    (games,) = connection.execute("SELECT count(*) FROM main.games").fetchone()
    return Progress(games, left, seen != 0 and seen == folder_changed(data))


def folder_changed(data: Path) -> int:
    """Return when a record last came or went, in nanoseconds."""
    return (data / "records").stat().st_mtime_ns


def _files(place: Path) -> dict[int, tuple[int, int]]:
    """Return the time of the last change and the size of each record, by the number of its match."""
    found = {}
    with os.scandir(place) as entries:
        for entry in entries:
            number = entry.name.removesuffix(SUFFIX)
            if number != entry.name and number.isascii() and number.isdecimal() and len(number) <= 15:
                try:
                    status = entry.stat()
                except FileNotFoundError:
                    continue
                found[int(number)] = (status.st_mtime_ns, status.st_size)
    return found


def _index(connection: sqlite3.Connection, path: Path, match: int) -> None:
    """Put the game of a record into the index, unless the record is not true or too long."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        summary = verify(decoded(content))
    except Exception:  # a fault in one record leaves the others
        return
    header = summary.header
    if len(content) > MAX_BYTES or header.match != match or not summary.result:
        return
    first, second = header.players
    row = (
        match,
        header.position.game.name,
        header.position.parameters,
        first,
        second,
        first.lower(),
        second.lower(),
        summary.winner,
        summary.result if summary.winner is None else "won",
        summary.reason,
        summary.history.plies,
        header.started,
        *summary.state.used,
    )
    connection.execute(f"INSERT INTO main.games VALUES ({', '.join('?' * len(row))})", row)


def _forget(connection: sqlite3.Connection, match: int) -> None:
    connection.execute("DELETE FROM main.records WHERE match = ?", (match,))
    connection.execute("DELETE FROM main.games WHERE match = ?", (match,))
