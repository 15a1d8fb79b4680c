"""The pages of the console, for organisers.

- ``GET /organise``: players, matches, contests, the machine, and the last changes of organisers
- ``POST /organise/announce``, ``…/unannounce``: begin and end an announcement
- ``POST /organise/annul``, ``…/dismiss``: end a running match without a result, send a player away
- ``POST /organise/ladder/pause``, ``…/resume``: pause the ladder
- ``GET /organise/contest/3``: a contest: its entrants, running and last games
- ``POST /organise/contest/3/pause`` and so on, a word of `CHANGES`: change it
"""

import os
import shutil
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.games.outcome import ANNULLED
from server.arena.arena import Arena
from server.contest.fixtures import Intervention, Kind, counted_games, is_cancelled, is_paused
from server.contest.report.progress import progress_text
from server.contest.runtime.organiser_commands import intervene, open_contest
from server.contest.runtime.service import ContestService, take_snapshot
from server.contest.scoring import find_disqualified
from server.contest.store.store import FILE, LADDER, Store
from server.league.accounts.accounts import Accounts
from server.league.console.terminal import HOURS, Announcements, annul, dismiss
from server.league.ladder.definition import NO_LADDER
from server.league.ladder.runner import LadderService
from server.league.pages.forms import Change, Form, Identities, Identity, page
from server.league.submissions.versions import Versions
from server.web.http.errors import Refused
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


def read_overview(
    arena: Arena, service: ContestService, versions: Versions, ladder: LadderService | None, reports: ReportIndex
) -> dict[str, Any]:
    """Return the state of a server, in a thread of its event loop. Raises `BadStore` and OSError."""
    progress = {entry.contest: entry for entry in trio.from_thread.run(reports.entries)}
    with closing(Store(arena.settings.data / FILE)) as store:
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
    turns = service.seats.turns
    cluster = service.cluster
    return {
        **trio.from_thread.run_sync(_read_lobby, arena),
        "contests": contests,
        "ladder": _ladder_line(arena.settings.data, ladder),
        "machine": {
            "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
            "load": os.getloadavg()[0],
            "free_bytes": shutil.disk_usage(arena.settings.data).free,
            "cores": turns.cores,
            "cores_taken": turns.taken,
            "cluster_workers": 0 if cluster is None else cluster.workers,
            "cluster_games": 0 if cluster is None else cluster.games,
        },
        "uploads": [{"bot": one.bot, "number": one.number, "state": one.state} for one in versions.under_way()],
    }


def _read_lobby(arena: Arena) -> dict[str, Any]:
    """Return the part of the state that the event loop changes."""
    found = running(arena, "", ALL)
    return {
        "players": tuple(presences(arena, MAX_PLAYERS)),
        "present": len(arena.sessions),
        "guests": len(arena.connected_sessions()) - len(arena.sessions),
        "seeking": len(set(arena.seeking_keys())),
        "matches": found["matches"],
        "playing": found["found"],
    }


def _ladder_line(data: Path, ladder: LadderService | None) -> dict[str, Any] | None:
    if ladder is None:
        return None
    with closing(Store(data / FILE)) as store:
        paused = is_paused(store.interventions(LADDER))
    return {"is_paused": paused, "running": len(ladder.running())}


def read_contest(data: Path, number: int) -> dict[str, Any]:
    """Return the values of the page of a contest; raises KeyError where there is none, and `BadStore`. For a thread."""
    if number == LADDER:
        raise KeyError(number)
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
            "games": [(game, game in counting) for game in games[: -MAX_GAMES - 1 : -1]],
            "annulled": ANNULLED,
            "interventions": definition.interventions[::-1],
        }


def change_contest(data: Path, accounts: Accounts, contest: str | int, asked: Intervention, by: str) -> str:
    """Make an intervention in a contest that is not over, and return a sentence about its effects, without its end.

    The contest is given by its name or its number; with an empty name it is the only one that is not over. Raises
    `BadIntervention`, `BadStore` and OSError, and KeyError for a number that none has; for a thread.
    """
    with closing(Store(data / FILE)) as store:
        found = open_contest(store, contest)
        done, follows = intervene(store, found.id, asked)
    accounts.note(by, f"{found.name}: {done.sentence}")
    return f"{found.name}: {done.sentence}; {follows}"


CONSOLE = "/organise"

AUDITED = 20
"""Changes that the page shows; `/people` shows more of them."""

CHANGES = (Kind.PAUSE, Kind.RESUME, Kind.CANCEL, Kind.WITHDRAW, Kind.REINSTATE, Kind.REPLAY)
"""Changes of a contest. The command line alone changes a command: a command is any program on the server."""


class ConsolePages:
    """The handlers of these routes."""

    def __init__(
        self,
        accounts: Accounts,
        identities: Identities,
        versions: Versions,
        arena: Arena,
        service: ContestService,
        ladder: LadderService | None,
    ) -> None:
        """Take the accounts, the sessions, versions of bots, the arena, its contests, and the ladder, if any."""
        self._accounts = accounts
        self._identities = identities
        self._arena = arena
        reports = ReportIndex(arena.settings.data, arena.run_in_thread)
        self._overview = partial(read_overview, arena, service, versions, ladder, reports)
        self._announcements = Announcements(accounts)
        self._ladder = ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        of_contest = f"{CONSOLE}/contest/{{number:number}}"
        organiser = self._identities.organiser
        arena, accounts, announcements = self._arena, self._accounts, self._announcements
        changes: dict[str, Change] = {
            "announce": lambda form: announcements.add(form.text("text"), form.number("hours"), form.by),
            "unannounce": lambda form: announcements.end(form.number("number"), form.by),
            "annul": lambda form: annul(arena, accounts, form.number("match"), form.text("sentence"), form.by),
            "dismiss": lambda form: dismiss(arena, accounts, form.text("name"), form.text("sentence"), form.by),
            "ladder/pause": partial(self._change_ladder, Kind.PAUSE),
            "ladder/resume": partial(self._change_ladder, Kind.RESUME),
        }
        of_contests: dict[str, Change] = {kind: partial(self._change, kind) for kind in CHANGES}
        return [
            self._identities.page(CONSOLE, self._show, organiser),
            *self._identities.changes(
                CONSOLE, changes, lambda form, fault: self._show(form.identity, fault), organiser
            ),
            Route(of_contest, self._contest, methods=["GET"]),
            *self._identities.changes(
                of_contest,
                of_contests,
                lambda form, fault: self._show_contest(form.identity, form.path["number"], fault=fault),
                organiser,
            ),
        ]

    def _show(self, identity: Identity, fault: str = "") -> Response:
        values = {
            "identity": identity,
            "now": self._overview(),
            "audit": self._accounts.audit(AUDITED),
            "announcements": self._announcements.current(),
            "hours": HOURS,
            "fault": fault,
        }
        return page("console", "Console", values)

    def _change_ladder(self, kind: Kind, form: Form) -> None:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        change_contest(
            self._arena.settings.data, self._accounts, LADDER, Intervention(0, datetime.now(UTC), kind), form.by
        )

    # contests

    def _contest(self, request: Request) -> Response:
        return self._show_contest(self._identities.organiser(request), request.path_params["number"])

    def _show_contest(self, identity: Identity, number: int, *, fault: str = "", told: str = "") -> Response:
        try:
            found = read_contest(self._arena.settings.data, number)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        values = {**found, "identity": identity, "fault": fault, "told": told}
        return page("organise/contest", found["row"].name, values)

    def _change(self, kind: Kind, form: Form) -> Response:
        number = form.path["number"]
        match = form.number("match") if kind is Kind.REPLAY else None
        asked = Intervention(0, datetime.now(UTC), kind, form.text("name"), match)
        try:
            told = change_contest(self._arena.settings.data, self._accounts, number, asked, form.by)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        return self._show_contest(form.identity, number, told=told)
