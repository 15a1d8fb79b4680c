"""The overview of an organiser: players, matches, the machine, and a contest with its entrants and games."""

import os
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trio

from engine.games.outcome import ANNULLED
from server.arena.arena import Arena
from server.contest.fixtures import GameResult, counted_games
from server.contest.interventions import is_cancelled, is_paused
from server.contest.report.progress import progress_text
from server.contest.runtime.organiser_commands import InterventionRequest, intervene, open_contest
from server.contest.runtime.service import ContestService, take_snapshot
from server.contest.scoring.disqualification import find_disqualified
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.league.ladder.service import LadderService
from server.league.submissions.versions import Versions
from server.web.views.contests import ReportIndex
from server.web.views.lobby import presences, running

MAX_PLAYERS = 200
"""Players that are listed."""

MAX_CONTESTS = 30
"""Contests that are listed, the last ones."""

MAX_GAMES = 50
"""Games of a contest that are listed, the last ones."""

ALL = 1 << 62
"""Greater than the number of any match."""


class OverviewReader:
    """Reads the state of a server."""

    def __init__(self, arena: Arena, service: ContestService, versions: Versions, ladder: LadderService | None) -> None:
        """Take the arena, its contests, versions of bots, and the ladder, if any."""
        self._arena = arena
        self._service = service
        self._versions = versions
        self._ladder = ladder
        self._reports = ReportIndex(arena.settings.data, arena.run_in_thread)

    def read(self) -> dict[str, Any]:
        """Return the state of the server, in a thread of the event loop. Raises `BadStore` and OSError."""
        progress = {entry.contest: entry for entry in trio.from_thread.run(self._reports.entries)}
        with closing(Store(self._arena.settings.data / FILE)) as store:
            contests = [
                {
                    "contest": row.id,
                    "name": row.name,
                    "opened": row.opened,
                    "closed": row.closed,
                    "is_paused": row.closed is None and is_paused(store.interventions(row.id)),
                    "progress": progress.get(row.id),
                }
                for row in store.contests()[: -MAX_CONTESTS - 1 : -1]
            ]
        cores, taken = self._service.cores
        workers, games = self._service.cluster_room
        return {
            **trio.from_thread.run_sync(self._live),
            "contests": contests,
            "ladder": self._ladder_line(),
            "machine": {
                "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
                "load": os.getloadavg()[0],
                "free_bytes": shutil.disk_usage(self._arena.settings.data).free,
                "cores": cores,
                "cores_taken": taken,
                "cluster_workers": workers,
                "cluster_games": games,
            },
            "uploads": [
                {"bot": one.bot, "number": one.number, "state": one.state} for one in self._versions.under_way()
            ],
        }

    def _live(self) -> dict[str, Any]:
        """Return the part that the event loop changes."""
        arena = self._arena
        found = running(arena, "", ALL)
        return {
            "players": tuple(presences(arena, MAX_PLAYERS)),
            "present": len(arena.sessions),
            "guests": len(arena.connected_sessions()) - len(arena.sessions),
            "seeking": len(set(arena.seeking_keys())),
            "matches": found["matches"],
            "playing": found["found"],
        }

    def _ladder_line(self) -> dict[str, Any] | None:
        if self._ladder is None:
            return None
        try:
            state = self._ladder.control.state()
        except NotAllowed:  # the ladder begins in a moment
            return None
        return {"paused": state.paused, "fault": state.fault, "running": len(self._ladder.running())}


def read_contest(data: Path, number: int) -> dict[str, Any]:
    """Return the values of the page of a contest; raises KeyError where there is none, and `BadStore`. For a thread."""
    with closing(Store(data / FILE)) as store:
        found = take_snapshot(store, number, datetime.now(UTC))
        definition, games = found.definition, found.games
        counting = counted_games(games)
        return {
            "row": store.contest(number),
            "progress": progress_text(*found),
            "is_paused": is_paused(definition.interventions),
            "is_cancelled": is_cancelled(definition.interventions),
            "entrants": definition.entrants,
            "out": {name: one.reason for name, one in find_disqualified(definition, counting).items()},
            "running": store.begun(number),
            "games": [
                (game.match, game.fixture.players, _result(game), game in counting)
                for game in games[: -MAX_GAMES - 1 : -1]
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


def change_contest(data: Path, accounts: Accounts, contest: str | int, asked: InterventionRequest, by: str) -> str:
    """Make an intervention in a contest that is not over, and return a sentence about its effects, without its end.

    The contest is given by its name or its number; with an empty name it is the only one that is not over. Raises
    `BadIntervention`, `BadStore` and OSError, and KeyError for a number that none has; for a thread.
    """
    with closing(Store(data / FILE)) as store:
        found = open_contest(store, store.contest(contest).name if isinstance(contest, int) else contest)
        done, follows = intervene(store, found.id, asked, datetime.now(UTC))
    accounts.note(by, f"{found.name}: {done.sentence}")
    return f"{found.name}: {done.sentence}; {follows}"
