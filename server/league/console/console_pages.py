"""The pages of the console, for organisers.

- ``GET /organise``: players, matches, contests, the machine, and the last changes of organisers
- ``POST /organise/announce``, ``…/unannounce``: begin and end an announcement
- ``POST /organise/annul``, ``…/dismiss``: end a running match without a result, send a player away
- ``POST /organise/ladder/pause``, ``…/resume``: pause the ladder
- ``GET /organise/contest/3``: a contest: its entrants, running and last games
- ``POST /organise/contest/3/pause`` and so on, a `Kind` of an action in the console: change it
- ``GET /organise/new``: a new contest from a template, ``?template=1``, or from an earlier contest, ``?from=3``
- ``POST /organise/new``: the field ``text`` is checked; with the field ``do=begin`` the contest begins

Organisers on a page have no account on the machine. So a contest that begins there starts no programs except the
server's own bots and versions of bots, and reads no files.
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
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.interface import ANNULLED
from engine.system import usable_cores
from server.arena.arena import Arena
from server.config.builtin_bot import BUILTIN_NAMES, builtin_bot_named, builtin_entrant_command
from server.contest import contest_file
from server.contest.definition import Definition, Sandbox
from server.contest.fixtures import ACTIONS, Intervention, Kind, counted_games, is_paused
from server.contest.hosts.contest_players import ContestPlayers, Presence
from server.contest.programs.sandbox.cores import Cores
from server.contest.programs.sandbox.seal import contest_obstacle
from server.contest.report.progress import forecast, progress_text, status_of
from server.contest.report.structure import ContestState
from server.contest.runtime.organiser_commands import find_contest, intervene
from server.contest.runtime.service import ContestService, take_snapshot
from server.contest.scoring import find_disqualified
from server.contest.store.store import FILE, LADDER, Contest, Store
from server.league.accounts import Accounts, Right
from server.league.console.actions import HOURS, Announcements, annul, dismiss
from server.league.contests import check_versions
from server.league.ladder.definition import NO_LADDER
from server.league.ladder.service import LadderService
from server.league.pages.forms import Change, Form, Identities, Identity, page
from server.league.submissions.versions import Versions
from server.web.http.request import Refused, number_in
from server.web.views.contests import ListedContest, ReportIndex
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
                "status": _status(arena, store, row, progress.get(row.id)),
                "progress": progress.get(row.id),
            }
            for row in store.contests()[: -MAX_CONTESTS - 1 : -1]
        ]
        paused = is_paused(store.interventions(LADDER))
    turns = service.seats.turns
    return {
        **trio.from_thread.run_sync(_read_lobby, arena),
        "contests": contests,
        "ladder": ladder and {"is_paused": paused, "running": len(ladder.running())},
        "machine": {
            "processors": len(usable_cores()),
            "load": os.getloadavg()[0],
            "free_bytes": shutil.disk_usage(arena.settings.data).free,
            "cores": turns.cores,
            "cores_taken": turns.taken,
        },
        "uploads": [{"bot": one.bot, "number": one.number, "state": one.state} for one in versions.under_way()],
    }


def _status(arena: Arena, store: Store, row: Contest, entry: ListedContest | None) -> str:
    """Return the state of a contest in words: as it is now, or by the report of a contest that is over."""
    if row.closed is not None and entry is not None:
        return entry.status
    return status_of(*take_snapshot(store, row.id, datetime.now(UTC), _presence(arena, row.id))).sentence


def _presence(arena: Arena, contest: int) -> Presence | None:
    return ContestPlayers.of(arena).present.get(contest)


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


def read_contest(arena: Arena, number: int) -> dict[str, Any]:
    """Return the values of the page of a contest; raises KeyError where there is none, and `BadStore`. For a thread."""
    if number == LADDER:
        raise KeyError(number)
    with closing(Store(arena.settings.data / FILE)) as store:
        found = take_snapshot(store, number, datetime.now(UTC), _presence(arena, number))
        definition, games = found.definition, found.games
        counting = counted_games(games)
        return {
            "row": store.contest(number),
            "progress": progress_text(*found),
            "is_over": status_of(*found).state is ContestState.OVER,
            "is_paused": is_paused(definition.interventions),
            "missing": found.moment.missing,
            "entrants": definition.entrants,
            "actions": {kind: action for kind, action in ACTIONS.items() if action.in_console},
            "out": {name: one.reason for name, one in find_disqualified(definition, counting).items()},
            "running": store.begun(number),
            "due": [fixture for fixture in found.plan.due if fixture not in found.moment.running],
            "games": [(game, game in counting) for game in games[: -MAX_GAMES - 1 : -1]],
            "annulled": ANNULLED,
            "interventions": definition.interventions[::-1],
        }


def change_contest(
    data: Path, accounts: Accounts, contest: str | int, asked: Intervention, by: str
) -> tuple[str, Intervention]:
    """Make an intervention in a contest that is not over; return its sentence, and the intervention as it was stored.

    The contest is given by its name or its number; with an empty name it is the only one that is not over. Raises
    `BadIntervention`, `BadStore` and OSError, and KeyError for a number that none has; for a thread.
    """
    with closing(Store(data / FILE)) as store:
        found = find_contest(store, contest)
        done = intervene(store, found.id, asked)
    sentence = done.describe(found.name) if found.id == LADDER else f"{found.name}: {done.describe()}"
    accounts.note(by, sentence)
    return f"{sentence}; {ACTIONS[done.kind].effect}", done


NEW_CONTEST = "/organise/new"

TEMPLATES = (
    (
        "Round robin of players who connect",
        """name = "Round robin"
time = { budget = 60_000, increment = 100 } # milliseconds of a side
entrants = [
    { name = "ann" }, # each connects by itself and sends SEEK any
    { name = "bob" },
]

[[games]]
game = "gipf"
openings = { plies = 4 }

[[stages]]
format = "round-robin"
""",
    ),
    (
        "Swiss system, then a knockout, of versions of bots",
        """name = "Swiss and knockout"
time = { budget = 60_000, increment = 100 } # milliseconds of a side
# versions-until = 2026-12-18T18:00:00+01:00 # the version that is active then plays

[[entrants]]
name = "ann"
version-of = "ann-1" # a bot on the page of its author
[[entrants]]
name = "bob"
version-of = "bob-1"
[[entrants]]
name = "carla"
version-of = "carla-1"
[[entrants]]
name = "dora"
version-of = "dora-1"

[[games]]
game = "gipf"
openings = { plies = 4 }

[qualification]
opponents = ["random"]

[[stages]]
format = "swiss"
rounds = 3
[[stages]]
format = "knockout"
advance = 2
tie-break-time = { budget = 10_000 }
""",
    ),
    (
        "Gauntlet: one bot against all others",
        """name = "Gauntlet"
time = { budget = 60_000, increment = 100 } # milliseconds of a side
entrants = [
    { name = "ann", version-of = "ann-1" },
    { name = "bob", version-of = "bob-1" },
    { name = "carla" }, # connects by itself
]

[[games]]
game = "gipf"
openings = { plies = 4 }

[[stages]]
format = "gauntlet"
challengers = ["ann"]
pairs = 5
""",
    ),
)
"""Titles and texts of contest files to begin from."""

BUILTIN_COMMANDS = frozenset(builtin_entrant_command(builtin_bot_named(name)) for name in BUILTIN_NAMES)
"""Commands of the server's own bots, which any contest may start."""

CONSOLE = "/organise"


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
        looks, organiser = partial(self._identities.require, right=Right.CONSOLE), self._identities.organiser
        arena, accounts, announcements = self._arena, self._accounts, self._announcements
        changes: dict[str, Change] = {
            "announce": lambda form: announcements.add(form.text("text"), form.number("hours"), form.by),
            "unannounce": lambda form: announcements.end(form.number("number"), form.by),
            "annul": lambda form: annul(arena, accounts, form.number("match"), form.text("sentence"), form.by),
            "dismiss": lambda form: dismiss(arena, accounts, form.text("name"), form.text("sentence"), form.by),
            "ladder/pause": partial(self._change_ladder, Kind.PAUSE),
            "ladder/resume": partial(self._change_ladder, Kind.RESUME),
        }
        of_contests: dict[str, Change] = {
            kind: partial(self._change, kind) for kind, action in ACTIONS.items() if action.in_console
        }
        return [
            self._identities.page(CONSOLE, self._show, looks),
            *self._identities.changes(CONSOLE, changes, organiser),
            Route(NEW_CONTEST, self._new, methods=["GET"]),
            *self._identities.changes(
                NEW_CONTEST,
                {"": self._write},
                organiser,
                again=lambda form, fault: _show_new(form.identity, form.text("text"), fault),
            ),
            Route(of_contest, self._contest, methods=["GET"]),
            *self._identities.changes(of_contest, of_contests, organiser),
        ]

    def _show(self, identity: Identity, fault: str) -> Response:
        return page(
            "console",
            "Console",
            identity=identity,
            now=self._overview(),
            audit=self._accounts.audit(),
            announcements=self._announcements.current(),
            hours=HOURS,
            fault=fault,
        )

    def _change_ladder(self, kind: Kind, form: Form) -> None:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        change_contest(
            self._arena.settings.data, self._accounts, LADDER, Intervention(0, datetime.now(UTC), kind), form.by
        )

    # contests

    def _contest(self, request: Request) -> Response:
        """Return the page of a contest; ``done`` in the address is the number of an intervention that it confirms."""
        identity, number = self._identities.require(request, Right.CONSOLE), request.path_params["number"]
        done = number_in(request.query_params, "done", 0)
        try:
            found = read_contest(self._arena, number)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        actions = found["interventions"]
        told = next((f"{one.describe()}; {ACTIONS[one.kind].effect}" for one in actions if one.number == done), "")
        fault = self._identities.refusal(request)
        return page("organise/contest", found["row"].name, **found, identity=identity, fault=fault, told=told)

    def _change(self, kind: Kind, form: Form) -> Response:
        number = form.path["number"]
        match = form.number("match") if kind is Kind.REPLAY else None
        asked = Intervention(0, datetime.now(UTC), kind, form.text("name"), match)
        try:
            _, done = change_contest(self._arena.settings.data, self._accounts, number, asked, form.by)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        return RedirectResponse(f"{CONSOLE}/contest/{number}?done={done.number}", 303)

    # a new contest

    def _new(self, request: Request) -> Response:
        identity, number = self._identities.organiser(request), number_in(request.query_params, "from", 0)
        if not number:
            return _show_new(identity, TEMPLATES[number_in(request.query_params, "template", 0) % len(TEMPLATES)][1])
        try:
            return _show_new(identity, earlier_file(self._arena.settings.data, number))
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None

    def _write(self, form: Form) -> Response:
        """Check a contest, and begin it if that is asked for; raises `BadContest` and `BadStore`."""
        text, now = form.text("text"), datetime.now(UTC)
        definition = read_new(text)
        check_versions(self._accounts, definition, now)
        if obstacle := contest_obstacle(definition):
            raise contest_file.BadContest(obstacle)
        with closing(Store(self._arena.settings.data / FILE)) as store:
            if any(row.name == definition.name for row in store.contests()):
                raise contest_file.BadContest(
                    f"name is {definition.name!r}, as an earlier contest is called: choose another one"
                )
            if form.text("do") != "begin":
                can_begin = f"{len(definition.entrants)} entrants, {forecast(definition, Cores().count)}"
                return _show_new(form.identity, text, can_begin=can_begin)
            number = store.open_contest(text, definition, now)
        self._accounts.note(form.by, f"opened the contest {definition.name}")
        return RedirectResponse(f"/organise/contest/{number}", 303)


def earlier_file(data: Path, number: int) -> str:
    """Return the file of a contest; raises KeyError where there is none, and `BadStore`. For a thread."""
    with closing(Store(data / FILE)) as store:
        return store.opened_with(number)[0]


def read_new(text: str) -> Definition:
    """Read a contest file that may begin from a page; raises `BadContest`."""

    def load(name: str) -> str:
        raise OSError("a contest that begins on this page reads no files")

    found = contest_file.read(text, load)
    for entrant in found.entrants:
        if entrant.command and (entrant.command not in BUILTIN_COMMANDS or entrant.folder):
            raise contest_file.BadContest(
                f"{entrant.name} has a command, and this page starts no programs: leave it out, or begin the contest "
                "by arena-server contest FILE"
            )
    if found.sandbox is not Sandbox.SEALED or found.visible:
        raise contest_file.BadContest(
            "sandbox and visible are no keys of a contest that begins on this page; leave them out"
        )
    return found


def _show_new(identity: Identity, text: str, fault: str = "", can_begin: str = "") -> Response:
    titles = [title for title, _ in TEMPLATES]
    return page(
        "organise/new_contest",
        "New contest",
        identity=identity,
        templates=titles,
        text=text,
        fault=fault,
        can_begin=can_begin,
    )
