"""The index of games: a database beside the records, and bringing it up to them, some records at a time.

The database is made of nothing but the records and can always be made anew. One that is damaged, or of another version,
is deleted. A record is read by the rules and the clocks as anybody verifies one. A record that is not true is in the
index with its fault, and without a game. Changed records are read again, and deleted records leave the index.

Its tables are called main.games, and so on, wherever a question is answered: the database of contests, which is
attached then, has tables of the same names, and SQLite takes those while a connection does not know yet that another
process has made ours.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from engine.match.reader import BadRecord
from engine.match.verification import Summary, verify
from server.config.process_settings import alarm_raising
from server.storage.database import wait_while_busy
from server.storage.disk import SUFFIX

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


MAX_BYTES = 2 * 1024 * 1024
"""A record that is longer has no game in the index."""

RECORD_SECONDS = 5.0
"""How long it may take to read one."""

SETTLED_NS = 100_000_000
"""A folder that was changed so long ago has a later time when it is changed again, on every file system."""


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


class Progress(msgspec.Struct, frozen=True):
    """How far the index is."""

    games: int
    left: int
    """Records that are still to be read."""
    unreadable: int
    """Records that are not true, or too long."""
    complete: bool
    """Whether it has every record that stands in the folder."""


class TooLong(Exception):
    """A record takes too long to read."""


def bring_up(connection: sqlite3.Connection, data: Path, seconds: float) -> Progress:
    """Index records of a data directory for some seconds, the newest first, and one at least where there is one."""
    until = time.monotonic() + seconds
    changed = folder_changed(data)
    settled = time.time_ns() - changed > SETTLED_NS
    files = _files(data / "records")
    rows = connection.execute("SELECT match, changed, size FROM main.records")
    known = {match: (stamp, size) for match, stamp, size in rows}
    missing = sorted((match for match in files if files[match] != known.get(match)), reverse=True)
    done = 0
    connection.execute("BEGIN IMMEDIATE")
    try:
        for match in known.keys() - files.keys():
            _forget(connection, match)
        with alarm_raising(TooLong) as set_timer:
            for match in missing:
                if done and time.monotonic() > until:
                    break
                _index(connection, data / "records" / f"{match}{SUFFIX}", match, files[match], set_timer)
                done += 1
        seen = changed if done == len(missing) and settled else 0
        connection.execute("UPDATE state SET seen = ?", (seen,))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return progress(connection, data, len(missing) - done)


def progress(connection: sqlite3.Connection, data: Path, left: int = 0) -> Progress:
    """Return how far an index is, with the number of records that are known to be ``left``."""
    (seen,) = connection.execute("SELECT seen FROM main.state").fetchone()
    (games,) = connection.execute("SELECT count(*) FROM main.games").fetchone()
    (unreadable,) = connection.execute("SELECT count(*) FROM main.records WHERE fault <> ''").fetchone()
    return Progress(games, left, unreadable, seen != 0 and seen == folder_changed(data))


def folder_changed(data: Path) -> int:
    """Return when a record last came or went, in nanoseconds."""
    return (data / "records").stat().st_mtime_ns


def _files(place: Path) -> dict[int, tuple[int, int]]:
    """Return when each record was changed, and its size, by the number of its match."""
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


def _index(
    connection: sqlite3.Connection,
    path: Path,
    match: int,
    stamps: tuple[int, int],
    set_timer: Callable[[float], None],
) -> None:
    fault, summary = "", None
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise TooLong
        set_timer(RECORD_SECONDS)
        try:
            summary = verify(content.decode())
        finally:
            set_timer(0)
        if summary.header.match != match:
            raise BadRecord(2, f"this is match {summary.header.match}, not {match}")
        if not summary.result:
            raise BadRecord(len(content.splitlines()), "there is no result")
    except FileNotFoundError:
        return  # it went away in between
    except TooLong:
        fault = "it takes too long to read"
    except Exception as error:  # whatever is wrong with one record, there are others
        fault = str(error) or type(error).__name__
    _forget(connection, match)
    connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (match, *stamps, fault))
    if summary is not None and not fault:
        insert(connection, summary)


def _forget(connection: sqlite3.Connection, match: int) -> None:
    connection.execute("DELETE FROM main.records WHERE match = ?", (match,))
    connection.execute("DELETE FROM main.games WHERE match = ?", (match,))


def insert(connection: sqlite3.Connection, summary: Summary) -> None:
    """Put a finished match into the index, which has none of its number."""
    header, plies = summary.header, summary.history.plies
    first, second = header.players
    row = (
        header.match,
        header.position.game.name,
        header.position.parameters,
        first,
        second,
        first.lower(),
        second.lower(),
        summary.winner,
        summary.result if summary.winner is None else "won",
        summary.reason,
        plies,
        header.started,
        *summary.state.used,
        *(use.longest for use in summary.state.uses),
    )
    connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(row))})", row)
