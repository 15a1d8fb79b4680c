"""Finds results whose records are missing, or have changed since the results were kept."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from server.contest.store.verification import MAX_NOTES
from server.storage.record_store import SUFFIX

PLACES = ("records", "running", "records", "damaged")
"""Where a record can be; it may move to ``records`` meanwhile. Those of annulled games are where their journals are."""


def find_record(data: Path, match: int) -> bytes | None:
    """Return the record of a match, in any folder of a data directory; None if there is no readable one."""
    for place in PLACES:
        path = data / place / f"{match}{SUFFIX}"
        with suppress(OSError):
            if path.is_file():  # nobody would write into a pipe
                return path.read_bytes()
    return None


def lost_records(data: Path, kept: Mapping[int, str]) -> dict[int, str]:
    """Return the faults of the records of matches whose results are ``kept``, by match.

    ``kept`` has the SHA-256 of each record when its result was kept; where that is empty it is not known. Reads every
    record: a thousand in about a second.
    """
    found = {}
    for match, sha256 in sorted(kept.items()):
        record = find_record(data, match)
        if record is None:
            found[match] = f"match {match}: its record is missing"
        elif sha256 and hashlib.sha256(record).hexdigest() != sha256:
            found[match] = f"match {match}: its record is another one than when its result was kept"
    return found


def lost_record_notes(lost: Mapping[int, str]) -> tuple[str, ...]:
    """Return the notes of a report about lost records."""
    if not lost:
        return ()
    more = len(lost) - MAX_NOTES
    first = next(iter(lost))
    return (
        "When the server started, records of games were not as their results had left them. The results stand; "
        f"arena-server contest replay {first} plays such a game again.",
        *list(lost.values())[:MAX_NOTES],
        *((f"{more} more such records: arena-server contest --verify names them",) if more > 0 else ()),
    )
