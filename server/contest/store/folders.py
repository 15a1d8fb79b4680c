"""The folder of a contest: its report, and the logs of its programs, for their authors too."""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from server.contest.definition import read_definition
from server.contest.fixtures import Fixture
from server.contest.store.store import LADDER
from server.ops.typed_json import decode
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


_MATCH = """
    SELECT pairings.contest, definition, fixture FROM pairings JOIN contests ON contests.id = pairings.contest
    WHERE pairings.contest IN (SELECT id FROM contests) AND pairings.match = ?
"""
"""All contests are named, so that the index of their matches serves: anybody may ask, as often as limits allow."""


def kept_by_contest(data: Path, store: Path, match: int, name: str) -> KeptByContest | None:
    """Return what a contest has of an entrant in a match; None where it is no match of a contest, or no entrant.

    The file of the store is only read, also while a server writes into it. Raises OSError.
    """
    try:
        uri = f"{store.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
            row = connection.execute(_MATCH, (match,)).fetchone()
    except sqlite3.Error as error:
        raise OSError(f"{store} cannot be read: {error}") from None
    if row is None:
        return None
    contest, definition, fixture = row[0], read_definition(row[1]), decode(row[2], type=Fixture)
    player = next((one for one in fixture.players if one.lower() == name.lower()), "")
    entrant = definition.entrant(player)
    if entrant is None and (contest != LADDER or not player):  # players of the ladder come and go
        return None
    return KeptByContest(errors_of(data, contest, match, player), "" if entrant is None else entrant.token)
