"""What an organiser sees: who is here, what is played, the machine, and a contest with its entrants and games."""

import os
import shutil
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from engine.games.outcome import ANNULLED
from server.arena.arena import Arena
from server.contest.fixtures import Fixture, GameResult, counted_games
from server.contest.interventions import Intervention, is_cancelled, is_paused
from server.contest.report.progress import progress_text
from server.contest.runtime.organiser_commands import intervene, open_contest
from server.contest.runtime.service import ContestService, ContestSnapshot, take_snapshot
from server.contest.scoring.disqualification import find_disqualified
from server.contest.store.store import FILE, LADDER, Contest, Store
from server.league.accounts.accounts import Accounts
from server.league.ladder.service import LadderService
from server.league.submissions.versions import Versions
from server.web.views.contests import ReportIndex
from server.web.views.lobby import presences, running

MAX_PLAYERS = 200
"""Players that are listed."""

MAX_CONTESTS = 30
"""Contests that are listed, the last ones."""

ALL = 1 << 62
"""Greater than the number of any match."""


class OverviewReader:
    """Reads what goes on at a server."""

    def __init__(self, arena: Arena, service: ContestService, versions: Versions, ladder: LadderService | None) -> None:
        """Take the arena, its contests, versions of bots, and the ladder, if any."""
        self._arena = arena
        self._service = service
        self._versions = versions
        self._ladder = ladder
        self._reports = ReportIndex(arena.settings.data, arena.run_in_thread)

    async def read(self) -> dict[str, Any]:
        """Return what goes on now. Raises `BadStore` and OSError."""
        arena, in_thread = self._arena, self._arena.run_in_thread
        contests = await in_thread(partial(stored_contests, arena.settings.data))
        progress = {entry.contest: entry for entry in await self._reports.entries()}
        on = await in_thread(partial(machine, arena, self._service.cores, self._service.cluster_room))
        ladder = await in_thread(self._ladder_line)
        found = running(arena, "", ALL)
        return {
            "players": tuple(presences(arena, MAX_PLAYERS)),
            "present": len(arena.sessions),
            "guests": len(arena.connected_sessions()) - len(arena.sessions),
            "seeking": len(set(arena.seeking_keys())),
            "matches": found["matches"],
            "playing": found["found"],
            "contests": [
                {
                    "contest": row.id,
                    "name": row.name,
                    "opened": row.opened,
                    "closed": row.closed,
                    "is_paused": paused,
                    "progress": progress.get(row.id),
                }
                for row, paused in contests
            ],
            "ladder": ladder,
            "machine": on,
            "uploads": [
                {"bot": one.bot, "number": one.number, "state": one.state} for one in self._versions.under_way()
            ],
        }

    def _ladder_line(self) -> dict[str, Any] | None:
        if self._ladder is None:
            return None
        with closing(Store(self._arena.settings.data / FILE)) as store:
            paused = is_paused(store.interventions(LADDER))
        return {"is_paused": paused, "running": len(self._ladder.running())}


def stored_contests(data: Path) -> list[tuple[Contest, bool]]:
    """Return the last contests of a data directory, the newest first, and whether each is paused by the organiser.

    Raises `BadStore`; for a thread.
    """
    with closing(Store(data / FILE)) as store:
        rows = store.contests()[: -MAX_CONTESTS - 1 : -1]
        return [(row, row.closed is None and is_paused(store.interventions(row.id))) for row in rows]


def machine(arena: Arena, cores: tuple[int, int], cluster: tuple[int, int]) -> dict[str, Any]:
    """Return how the machine of an arena is doing; for a thread, since the disk may be slow."""
    return {
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "load": os.getloadavg()[0],
        "free_bytes": shutil.disk_usage(arena.settings.data).free,
        "cores": cores[0],
        "cores_taken": cores[1],
        "cluster_workers": cluster[0],
        "cluster_games": cluster[1],
    }


MAX_GAMES = 50
"""Games that are listed, the last ones."""


def contest_values(row: Contest, found: ContestSnapshot, running: dict[int, Fixture]) -> dict[str, Any]:
    """Return what the template shows of a contest; ``running`` are its running games by match."""
    definition, games = found.definition, found.games
    counting = counted_games(games)
    return {
        "row": row,
        "progress": progress_text(*found),
        "is_paused": is_paused(definition.interventions),
        "is_cancelled": is_cancelled(definition.interventions),
        "entrants": definition.entrants,
        "out": {name: one.reason for name, one in find_disqualified(definition, counting).items()},
        "running": running,
        "games": [
            (game.match, game.fixture.players, _result(game), game in counting) for game in games[: -MAX_GAMES - 1 : -1]
        ],
        "interventions": definition.interventions[::-1],
    }


def _result(game: GameResult) -> str:
    reason = str(game.termination).replace("_", " ").replace("+", " and ")
    if game.termination in ANNULLED:
        return f"annulled ({reason})"
    if game.winner is None:
        return f"{'draw' if game.shared else 'no winner'} ({reason})"
    return f"{game.fixture.players[game.winner]} won ({reason})"


def change_contest(data: Path, accounts: Accounts, contest: str | int, asked: Intervention, by: str) -> str:
    """Make an intervention in a contest that is not over, and return a sentence about its effects, without its end.

    The contest is given by its name or its number; with an empty name it is the only one that is not over. Raises
    `BadIntervention`, `BadStore` and OSError, and KeyError for a number that none has; for a thread, since it waits for
    the disk.
    """
    with closing(Store(data / FILE)) as store:
        found = open_contest(store, contest)
        done, follows = intervene(store, found.id, asked)
    accounts.note(by, f"{found.name}: {done.sentence}")
    return f"{found.name}: {done.sentence}; {follows}"


def read_contest(data: Path, number: int) -> dict[str, Any]:
    """Return what the page of a contest shows; raises KeyError where there is none, and `BadStore`. For a thread."""
    if number == LADDER:
        raise KeyError(number)
    with closing(Store(data / FILE)) as store:
        found = take_snapshot(store, number, datetime.now(UTC))
        return contest_values(store.contest(number), found, store.begun(number))
