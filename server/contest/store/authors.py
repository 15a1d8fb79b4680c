"""What a contest has of a player in a match, for its author: looked up in the store, also when the contest is over."""

import sqlite3
from contextlib import closing
from pathlib import Path

from server.contest.store.folders import errors_of
from server.storage.database import BUSY_SECONDS
from server.storage.player_logs import KeptByContest

_ENTRANT = """
    SELECT pairings.contest, entrants.name, entrants.token FROM pairings
    JOIN entrants ON entrants.contest = pairings.contest
    WHERE pairings.contest IN (SELECT id FROM contests) AND pairings.match = ? AND lower(entrants.name) = lower(?)
"""
"""All contests are named, so that the index of their matches serves: anybody may ask, as often as limits allow."""


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
