"""The pages of the console, for organisers.

- ``GET /organise``: players, matches, contests, the machine, and the last changes of organisers
- ``POST /organise/announce``, ``…/unannounce``: begin and end an announcement
- ``POST /organise/annul``, ``…/dismiss``: end a running match without a result, send a player away
- ``POST /organise/ladder/pause``, ``…/resume``: pause the ladder
- ``GET /organise/contest/3``: a contest: its entrants, running and last games
- ``POST /organise/contest/3/pause`` and so on, a word of `CHANGES`: change it
"""

import re
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.arena.arena import Arena
from server.contest.interventions import Kind
from server.contest.runtime.organiser_commands import InterventionRequest
from server.contest.runtime.service import ContestService
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER, NotAllowed
from server.league.console.announcements import HOURS, Announcements
from server.league.console.overview import OverviewReader, change_contest, read_contest
from server.league.console.terminal import annul, dismiss
from server.league.ladder.definition import NO_LADDER, LadderControl
from server.league.ladder.service import LadderService
from server.league.pages.forms import Change, Form, Identities, Identity, page
from server.league.submissions.versions import Versions
from server.web.http.errors import Refused

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
        self._overview = OverviewReader(arena, service, versions, ladder)
        self._data = arena.settings.data
        self._announcements = Announcements(accounts)
        self._ladder = ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        of_contest = f"{CONSOLE}/contest/{{number:number}}"
        arena, accounts, announcements = self._arena, self._accounts, self._announcements
        changes: dict[str, Change] = {
            "announce": self._announce,
            "unannounce": lambda form: announcements.end(form.number("number"), form.by),
            "annul": lambda form: annul(arena, accounts, form.number("match"), form.text("sentence"), form.by),
            "dismiss": lambda form: dismiss(arena, accounts, form.text("name"), form.text("sentence"), form.by),
            "ladder/pause": lambda form: self._control().pause(form.by),
            "ladder/resume": lambda form: self._control().resume(form.by),
        }
        of_contests: dict[str, Change] = {kind: partial(self._change, kind) for kind in CHANGES}
        return [
            self._identities.page(CONSOLE, self._show, ORGANISER),
            *self._identities.changes(
                CONSOLE, changes, lambda form, fault: self._show(form.identity, fault), ORGANISER
            ),
            Route(of_contest, self._contest, methods=["GET"]),
            *self._identities.changes(
                of_contest,
                of_contests,
                lambda form, fault: self._show_contest(form.identity, form.path["number"], fault=fault),
                ORGANISER,
            ),
        ]

    def _show(self, identity: Identity, fault: str = "") -> Response:
        values = {
            "identity": identity,
            "now": self._overview.read(),
            "audit": self._accounts.audit(AUDITED),
            "announcements": self._announcements.current(),
            "hours": HOURS,
            "fault": fault,
        }
        return page("console", "Console", values)

    def _announce(self, form: Form) -> None:
        hours = form.text("hours")
        if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,2})?", hours):
            raise NotAllowed(f"hours is a number, as in {HOURS:g}, and not {hours!r}")
        self._announcements.add(form.text("text"), float(hours), form.by)

    def _control(self) -> LadderControl:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        return self._ladder.control

    # contests

    def _contest(self, request: Request) -> Response:
        return self._show_contest(self._identities.require(request, ORGANISER), request.path_params["number"])

    def _show_contest(self, identity: Identity, number: int, *, fault: str = "", told: str = "") -> Response:
        try:
            found = read_contest(self._data, number)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        values = {**found, "identity": identity, "fault": fault, "told": told}
        return page("organise/contest", found["row"].name, values)

    def _change(self, kind: Kind, form: Form) -> Response:
        number = form.path["number"]
        match = form.number("match") if kind is Kind.REPLAY else None
        asked = InterventionRequest(kind, form.text("name"), match)
        try:
            told = change_contest(self._data, self._accounts, number, asked, form.by)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        return self._show_contest(form.identity, number, told=told)
