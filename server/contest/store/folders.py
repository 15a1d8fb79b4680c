"""The folder of a contest: its report, and the logs of its programs, for their authors too."""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from server.contest.store.schema import LADDER
from server.storage.database import BUSY_SECONDS
from server.storage.player_logs import KeptByContest, without_plies

MAX_SHOWN_LINES = 20
"""Lines of what a program wrote on stderr that ``contest --check`` shows: the traceback of a bot that has crashed."""

MAX_SHOWN_BYTES = 4096
"""Read of its end for that."""

FOLDER = "contests"
"""Part of the data directory with a folder for each contest: its report, and what its programs wrote on stderr."""


PROGRAMS = "programs"
"""Part of that folder with the logs."""


def folder_of(data: Path, contest: int) -> Path:
    """Return the folder of a contest in a data directory."""
    return data / FOLDER / str(contest)


def errors_of(data: Path, contest: int, match: int, name: str) -> Path:
    """Return the path of the log of a player's program in a game."""
    return folder_of(data, contest) / link_to_log(match, name)


def last_lines(data: Path, contest: int, match: int, name: str) -> str:
    """Return the last lines that a player's program wrote on stderr in a game; empty if there are none."""
    try:
        with errors_of(data, contest, match, name).open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - MAX_SHOWN_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(without_plies(text.strip()).splitlines()[-MAX_SHOWN_LINES:])


def links_to_logs(data: Path, contest: int) -> frozenset[str]:
    """Return the links from the report of a contest to the logs of programs: their paths from its folder."""
    folder = folder_of(data, contest)
    return frozenset(path.relative_to(folder).as_posix() for path in (folder / PROGRAMS).glob("*.txt"))


def link_to_log(match: int, name: str) -> str:
    """Return the link to the log of a player's program in a game, which may have none."""
    return f"{PROGRAMS}/{match}-{name}.txt"


def keep_written(data: Path, contest: int, match: int, wrote: Mapping[str, bytes]) -> None:
    """Save the logs of programs that ran elsewhere, by their players' names; raises OSError."""
    for name, written in wrote.items():
        path = errors_of(data, contest, match, name)
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        path.write_bytes(written)


_ENTRANT = f"""
    SELECT pairings.contest, player.value, coalesce(entrants.token, '')
    FROM pairings JOIN json_each(pairings.fixture, '$[5]') AS player
    LEFT JOIN entrants ON entrants.contest = pairings.contest AND entrants.name = player.value
    WHERE pairings.contest IN (SELECT id FROM contests) AND pairings.match = ?1 AND lower(player.value) = lower(?2)
    AND (entrants.name IS NOT NULL OR pairings.contest = {LADDER})
"""
"""All contests are named, so that the index of their matches serves: anybody may ask, as often as limits allow.

Entrants of the ladder come and go, and log in by the tokens of their accounts."""


def kept_by_contest(data: Path, store: Path, match: int, name: str) -> KeptByContest | None:
    """Return what a contest has of an entrant in a match; None where it is no match of a contest, or no entrant.

    The file of the store is only read, also while a server writes into it. Raises OSError.
    """
    try:
        uri = f"{store.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
            row = connection.execute(_ENTRANT, (match, name)).fetchone()
    except sqlite3.Error as error:
        raise OSError(f"{store} cannot be read: {error}") from None
    return None if row is None else KeptByContest(errors_of(data, row[0], match, row[1]), row[2])
