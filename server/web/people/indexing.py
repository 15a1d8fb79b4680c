"""Bringing the index up to the records of a data directory, some at a time.

A record is read by the rules and the clocks as anybody verifies one; what is not true is in the index with its fault,
and without a game. Records that have changed are read again, those that are gone leave the index.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.record import BadRecord, Summary, verify
from engine.record.time_use import charged, moves_of
from server.config.process_settings import alarm_raising
from server.storage.record_store import SUFFIX

MAX_BYTES = 2 * 1024 * 1024
"""A record that is longer has no game in the index."""

RECORD_SECONDS = 5.0
"""How long it may take to read one."""

SETTLED_NS = 100_000_000
"""A folder that was changed so long ago has a later time when it is changed again, on every file system."""


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
    used = [charged(header.control, moves_of(side, header.position.turn, plies), summary.left[side]) for side in (0, 1)]
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
        *used,
        *(use.longest for use in summary.uses),
    )
    connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(row))})", row)
