"""What an organiser sees of a server at a moment: who is here, what is played, contests, and the machine."""

import os
import shutil
from contextlib import closing
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

from server.arena.arena import Arena
from server.contest.interventions import is_paused
from server.contest.store.store import FILE, Contest, Store
from server.league.submissions.versions import Version
from server.web.views.contests import Entry
from server.web.views.lobby import Listed, Presence, presence, running

MAX_PLAYERS = 200
"""Players that are listed."""

MAX_CONTESTS = 30
"""Contests that are listed, the last ones."""

ALL = 1 << 62
"""Greater than the number of any match."""


class ContestLine(NamedTuple):
    """A contest, and how far its last report has it."""

    row: Contest
    is_paused: bool
    progress: Entry | None
    """None as long as there is no report."""


class Machine(NamedTuple):
    """What the machine has, and what is left of it."""

    processors: int
    load: float
    """Processes that compute or wait for a processor, the average of the last minute."""
    free_bytes: int
    """On the disk of the data directory."""
    cores: int
    """For programs of contests."""
    cores_taken: int
    processes: int
    """Beside the server, in which matches of the lobby are played."""
    cluster: tuple[int, int]
    """Workers of a cluster, and games that they can play at a time."""


class Overview(NamedTuple):
    """The console's page."""

    players: tuple[Presence, ...]
    present: int
    """How many are logged in, listed or not."""
    guests: int
    """Connections that have not logged in."""
    seeking: int
    """How many of the players wait for an opponent in the lobby."""
    matches: tuple[Listed, ...]
    playing: int
    """How many matches are running, listed or not."""
    contests: tuple[ContestLine, ...]
    machine: Machine
    uploads: tuple[Version, ...]
    """Versions of bots that are built and checked, or wait for it."""


def stored_contests(data: Path) -> list[tuple[Contest, bool]]:
    """Return the last contests of a data directory, the newest first, and whether each is paused by the organiser.

    Raises `BadStore`; for a thread.
    """
    with closing(Store(data / FILE)) as store:
        rows = store.contests()[: -MAX_CONTESTS - 1 : -1]
        return [(row, row.closed is None and is_paused(store.interventions(row.id))) for row in rows]


def machine(arena: Arena, cores: tuple[int, int], cluster: tuple[int, int]) -> Machine:
    """Return how the machine of an arena is doing; for a thread, since the disk may be slow."""
    return Machine(
        processors=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        load=os.getloadavg()[0],
        free_bytes=shutil.disk_usage(arena.settings.data).free,
        cores=cores[0],
        cores_taken=cores[1],
        processes=arena.settings.workers,
        cluster=cluster,
    )


def overview(
    arena: Arena, contests: list[tuple[Contest, bool]], entries: list[Entry], on: Machine, uploads: tuple[Version, ...]
) -> Overview:
    """Return the page, from what was read in threads and the arena as it is now."""
    waiting = set(arena.seeking_keys())
    progress = {entry.contest: entry for entry in entries}
    found = running(arena, "", ALL)
    return Overview(
        players=tuple(presence(arena.sessions[key], waiting) for key in nsmallest(MAX_PLAYERS, arena.sessions)),
        present=len(arena.sessions),
        guests=len(arena.connected_sessions()) - len(arena.sessions),
        seeking=len(waiting),
        matches=found.matches,
        playing=found.found,
        contests=tuple(ContestLine(row, paused, progress.get(row.id)) for row, paused in contests),
        machine=on,
        uploads=uploads,
    )
