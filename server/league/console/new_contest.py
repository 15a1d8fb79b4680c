"""The page on which a contest begins: a contest file as text, from a template or from an earlier contest.

- ``GET /organise/new``: the text of the first template; ``?template=1`` of another one, ``?from=3`` of contest 3
- ``POST /organise/new``: the field ``text`` is checked; with the field ``do=begin`` the contest begins

Organisers on a page have no account on the machine. So the contest starts no programs and reads no files except the
server's own bots, versions of bots, and the programs and files of the earlier contest that it is a copy of.
"""

import re
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import trio
from msgspec.structs import replace
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
from server.league.accounts.people import ORGANISER
from server.league.pages.forms import Identities, Identity, page
from server.league.submissions.entering import check_versions
from server.web.http.errors import Refused
from server.web.http.request import number_in

PATH = "/organise/new"

FORM_BYTES = 256 * 1024
"""Largest form: the file of a contest of 500 entrants, encoded."""

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


class Earlier(NamedTuple):
    """The contest that another one is a copy of."""

    text: str
    """Its file."""
    definition: Definition


class Checked(NamedTuple):
    """A contest that can begin."""

    definition: Definition
    forecast: str
    """The number of games, and the time that they take."""


def earlier_contest(data: Path, number: int) -> Earlier:
    """Return a contest to be copied; raises KeyError where there is none, and `BadStore`. For a thread."""
    with closing(Store(data / FILE)) as store:
        return Earlier(*store.opened_with(number))


def check_new(data: Path, accounts: Accounts, text: str, earlier: Earlier | None) -> Checked:
    """Read and check a contest that is to begin from a page; raises `BadContest` and `BadStore`. For a thread."""
    definition = read_new(text, earlier)
    check_versions(accounts, definition, datetime.now(UTC))
    obstacle = contest_obstacle(definition)
    if obstacle:
        raise BadContest(obstacle)
    with closing(Store(data / FILE)) as store:
        if any(row.name == definition.name for row in store.contests()):
            raise BadContest(f"name is {definition.name!r}, as an earlier contest is called: choose another one")
    return Checked(definition, forecast(definition, Cores().count))


def open_contest(data: Path, accounts: Accounts, text: str, definition: Definition, by: str) -> int:
    """Open a contest, which the server takes up within a second, and return its number; raises `BadStore`."""
    with closing(Store(data / FILE)) as store:
        number = store.open_contest(text, definition, datetime.now(UTC))
    accounts.note(by, f"opened the contest {definition.name}")
    return number


def read_new(text: str, earlier: Earlier | None) -> Definition:
    """Read a contest file that may begin from a page; raises `BadContest`."""
    found = contest_file.read(text, load_of(earlier))
    known = set() if earlier is None else {(one.command, one.folder) for one in earlier.definition.entrants}
    for entrant in found.entrants:
        is_builtin = entrant.command in BUILTIN_COMMANDS and not entrant.folder
        if entrant.command and not is_builtin and (entrant.command, entrant.folder) not in known:
            raise BadContest(
                f"{entrant.name} has a command that the contest which is copied does not have: on this page no other "
                "program can be started; leave it out, or begin the contest by arena-server contest FILE"
            )
    before = None if earlier is None else earlier.definition
    if found.sandbox is not Sandbox.SEALED and (before is None or before.sandbox is not found.sandbox):
        raise BadContest("sandbox is sealed in a contest that begins on this page; leave the key out")
    if not set(found.visible) <= set(() if before is None else before.visible):
        raise BadContest("visible names folders that the contest which is copied does not name; leave the key out")
    return found if before is None else replace(found, folder=before.folder)


def load_of(earlier: Earlier | None) -> Callable[[str], str]:
    """Return what fetches files of positions: those that the file of the earlier contest names, and no others."""

    def load(name: str) -> str:
        if earlier is None or f'"{name}"' not in earlier.text:
            raise OSError("a contest that begins on a page reads no files but those of the contest that is copied")
        return (Path(earlier.definition.folder) / name).read_text(encoding="utf-8-sig")

    return load


def line_of(sentence: str, text: str) -> int:
    """Return the number of the line of a contest file that a finding names; 0 if it names none.

    Findings begin with their place, as in ``games[2].params``, or name the line themselves.
    """
    if named := re.search(r"at line ([0-9]+)", sentence):
        return int(named[1])
    lines, first, last = text.splitlines(), 0, 0
    for key, place in re.findall(r"([a-z-]+)(?:\[([0-9]+)\])?", sentence.partition(" ")[0]):
        table = re.compile(rf"\s*\[+{key}\]+|\s*{key}\s*=|.*[{{,]\s*{key}\s*=")
        found = [number for number, line in enumerate(lines[first:], first + 1) if table.match(line)]
        if not found:
            break
        last = found[min(int(place or 1), len(found)) - 1]
        first = last - 1
    return last


class NewContestPage:
    """The handlers of these routes."""

    def __init__(self, accounts: Accounts, identities: Identities, data: Path) -> None:
        """Take the accounts, what tells who asks, and the data directory."""
        self._accounts = accounts
        self._identities = identities
        self._data = data

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route(PATH, self._new, methods=["GET"]), Route(PATH, self._write, methods=["POST"])]

    async def _new(self, request: Request) -> Response:
        identity = await self._identities.require(request, ORGANISER)
        number = number_in(request.query_params, "from", 0)
        earlier = await self._earlier(number)
        template = TEMPLATES[number_in(request.query_params, "template", 0) % len(TEMPLATES)][1]
        return _show(identity, number, template if earlier is None else earlier.text)

    async def _write(self, request: Request) -> Response:
        identity, sent = await self._identities.require_form(request, ORGANISER, most=FORM_BYTES)
        text, copied = sent.get("text", "").replace("\r\n", "\n"), number_in(sent, "from", 0)
        earlier = await self._earlier(copied)
        try:
            check = partial(check_new, self._data, self._accounts, text, earlier)
            checked = await trio.to_thread.run_sync(check)
        except BadContest as error:
            return _show(identity, copied, text, fault=str(error))
        if sent.get("do") != "begin":
            return _show(identity, copied, text, checked=checked)
        work = partial(open_contest, self._data, self._accounts, text, checked.definition, identity.person.name)
        return RedirectResponse(f"/organise/contest/{await trio.to_thread.run_sync(work)}", 303)

    async def _earlier(self, number: int) -> Earlier | None:
        try:
            return await trio.to_thread.run_sync(earlier_contest, self._data, number) if number else None
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None


def _show(identity: Identity, copied: int, text: str, *, fault: str = "", checked: Checked | None = None) -> Response:
    line = line_of(fault, text) if fault else 0
    values = {
        "identity": identity,
        "templates": [title for title, _ in TEMPLATES],
        "text": text,
        "copied": copied,
        "fault": f"line {line}: {fault}" if line else fault,
        "checked": checked,
    }
    return page("organise/new_contest", "New contest", values)
