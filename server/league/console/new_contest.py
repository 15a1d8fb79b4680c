"""The page on which a contest begins: a contest file as text, from a template or from an earlier contest.

- ``GET /organise/new``: the text of the first template; ``?template=1`` of another one, ``?from=3`` of contest 3
- ``POST /organise/new``: the field ``text`` is checked; with the field ``do=begin`` the contest begins

Organisers on a page have no account on the machine. So the contest starts no programs except the server's own bots and
versions of bots, and reads no files.
"""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.config.builtin_bot import BUILTIN_NAMES, builtin_bot_named, builtin_entrant_command
from server.contest import contest_file
from server.contest.contest_file import BadContest
from server.contest.definition import Definition, Sandbox
from server.contest.programs.sandbox.choice import contest_obstacle
from server.contest.programs.sandbox.cores import Cores
from server.contest.report.progress import forecast
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.contests import check_versions
from server.league.pages.forms import Form, Identities, Identity, page
from server.web.http.errors import Refused
from server.web.http.request import number_in

PATH = "/organise/new"

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


class NewContestPage:
    """The handlers of these routes."""

    def __init__(self, accounts: Accounts, identities: Identities, data: Path) -> None:
        """Take the accounts, the sessions, and the data directory."""
        self._accounts = accounts
        self._identities = identities
        self._data = data

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route(PATH, self._new, methods=["GET"]),
            *self._identities.changes(PATH, {"": self._write}, _again, self._identities.organiser),
        ]

    def _new(self, request: Request) -> Response:
        identity, number = self._identities.organiser(request), number_in(request.query_params, "from", 0)
        if not number:
            return _show(identity, TEMPLATES[number_in(request.query_params, "template", 0) % len(TEMPLATES)][1])
        try:
            return _show(identity, earlier_file(self._data, number))
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None

    def _write(self, form: Form) -> Response:
        """Check a contest, and begin it if that is asked for; raises `BadContest` and `BadStore`."""
        text, now = form.text("text"), datetime.now(UTC)
        definition = read_new(text)
        check_versions(self._accounts, definition, now)
        if obstacle := contest_obstacle(definition):
            raise BadContest(obstacle)
        with closing(Store(self._data / FILE)) as store:
            if any(row.name == definition.name for row in store.contests()):
                raise BadContest(f"name is {definition.name!r}, as an earlier contest is called: choose another one")
            if form.text("do") != "begin":
                can_begin = f"{len(definition.entrants)} entrants, {forecast(definition, Cores().count)}"
                return _show(form.identity, text, can_begin=can_begin)
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
            raise BadContest(
                f"{entrant.name} has a command, and this page starts no programs: leave it out, or begin the contest "
                "by arena-server contest FILE"
            )
    if found.sandbox is not Sandbox.SEALED or found.visible:
        raise BadContest("sandbox and visible are no keys of a contest that begins on this page; leave them out")
    return found


def _again(form: Form, fault: str) -> Response:
    return _show(form.identity, form.text("text"), fault)


def _show(identity: Identity, text: str, fault: str = "", can_begin: str = "") -> Response:
    titles = [title for title, _ in TEMPLATES]
    values = {"identity": identity, "templates": titles, "text": text, "fault": fault, "can_begin": can_begin}
    return page("organise/new_contest", "New contest", values)
