"""The pages of the console, for organisers.

- ``GET /organise``: who is here, what is played, contests, the machine, and what organisers have done last
- ``POST /organise/announce``, ``…/unannounce``: tell everybody something, and show it no longer
- ``POST /organise/annul``, ``…/dismiss``: end a running match without a result, send a player away
- ``POST /organise/ladder/pause`` and so on, a word of `LADDER_CHANGES`: change the ladder
- ``GET /organise/contest/3``: a contest: its entrants, running and last games
- ``POST /organise/contest/3/pause`` and so on, a word of `server.contest.interventions.Kind`: change it

What cannot be undone is asked again, by a form that has the field ``sure`` in addition.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial

import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.wire.codes import ProtocolError
from server.arena.arena import Arena
from server.contest.interventions import Intervention, Kind
from server.contest.runtime.organiser_commands import BadIntervention
from server.contest.runtime.service import ContestService
from server.contest.store.store import LADDER
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER, NotAllowed
from server.league.console.announcements import HOURS, Announcements
from server.league.console.overview import OverviewReader, change_contest, read_contest
from server.league.console.terminal import one_line
from server.league.ladder.definition import NO_LADDER
from server.league.ladder.service import LadderService
from server.league.pages.forms import Identities, Identity, page
from server.league.submissions.versions import Versions
from server.web.http.errors import Refused
from server.web.http.request import number_in

CONSOLE = "/organise"

AUDITED = 20
"""Changes that the page shows; `/people` shows more of them."""

CHANGES = (Kind.PAUSE, Kind.RESUME, Kind.CANCEL, Kind.WITHDRAW, Kind.REINSTATE, Kind.REPLAY)
"""What can be done here. A command is changed from the command line alone: it runs any program on the server."""

ASKED = {
    Kind.CANCEL: (
        "End this contest for good? Running games are annulled, and the table stays as it is.",
        "End the contest",
    ),
    Kind.REPLAY: ("Annul the result of this match for good? Its game is played again.", "Annul, and play again"),
    Kind.WITHDRAW: ("Withdraw this entrant? A game that it plays now is annulled, and the rest is lost.", "Withdraw"),
}
"""What is asked again before it is done, and what the button says."""


LADDER_CHANGES = (Kind.PAUSE, Kind.RESUME)
"""What can be done with the ladder."""


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
        """Take the accounts, what tells who asks, versions of bots, the arena, its contests, and the ladder, if any."""
        self._accounts = accounts
        self._identities = identities
        self._versions = versions
        self._arena = arena
        self._overview = OverviewReader(arena, service, versions, ladder)
        self._data = arena.settings.data
        self._announcements = Announcements(accounts)
        self._ladder = ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        of_contest = f"{CONSOLE}/contest/{{number:number}}"
        return [
            Route(CONSOLE, self._console, methods=["GET"]),
            Route(f"{CONSOLE}/announce", self._announce, methods=["POST"]),
            Route(f"{CONSOLE}/unannounce", self._unannounce, methods=["POST"]),
            Route(f"{CONSOLE}/annul", self._annul, methods=["POST"]),
            Route(f"{CONSOLE}/dismiss", self._dismiss, methods=["POST"]),
            Route(f"{CONSOLE}/ladder/{{change}}", self._change_ladder, methods=["POST"]),
            Route(of_contest, self._contest, methods=["GET"]),
            Route(f"{of_contest}/{{change}}", self._change, methods=["POST"]),
        ]

    async def _console(self, request: Request) -> Response:
        return await self._show_console(await self._identities.require(request, ORGANISER))

    async def _show_console(self, identity: Identity, fault: str = "") -> Response:
        values = {
            "identity": identity,
            "now": await self._overview.read(),
            "audit": self._accounts.audit(AUDITED),
            "announcements": self._announcements.current(),
            "hours": HOURS,
            "fault": fault,
        }
        return page("console", "Console", values)

    async def _announce(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER)
        hours = fields.get("hours", "")
        if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,2})?", hours):
            return await self._show_console(identity, f"hours is a number, as in {HOURS:g}, and not {hours!r}")
        work = partial(self._announcements.add, fields.get("text", ""), float(hours), identity.person.name)
        return await self._tried(identity, work)

    async def _unannounce(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER)
        work = partial(self._announcements.end, number_in(fields, "number"), identity.person.name)
        return await self._tried(identity, work)

    async def _tried(self, identity: Identity, work: Callable[[], object]) -> Response:
        try:
            await _in_thread(work)
        except (NotAllowed, BadIntervention) as error:
            return await self._show_console(identity, str(error))
        return RedirectResponse(CONSOLE, 303)

    # the lobby

    async def _annul(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER)
        number = number_in(fields, "match")
        question = f"End match {number} without a result? It is not played again, unless a contest does that."
        if not fields.get("sure"):
            return self._ask(identity, question, "Annul the match", f"{CONSOLE}/annul", CONSOLE, fields)
        try:
            self._arena.annul_running(number, one_line(fields.get("sentence", "")))
        except (ProtocolError, NotAllowed) as error:
            return await self._show_console(identity, str(error))
        return await self._done(identity, f"annulled match {number}")

    async def _dismiss(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER)
        try:
            name = self._arena.dismiss(fields.get("name", ""), one_line(fields.get("sentence", "")))
        except (ProtocolError, NotAllowed) as error:
            return await self._show_console(identity, str(error))
        return await self._done(identity, f"sent {name} away")

    async def _done(self, identity: Identity, what: str) -> Response:
        await _in_thread(partial(self._accounts.note, identity.person.name, what))
        return RedirectResponse(CONSOLE, 303)

    # the ladder

    async def _change_ladder(self, request: Request) -> Response:
        identity, _ = await self._identities.require_form(request, ORGANISER)
        change = request.path_params["change"]
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        if change not in LADDER_CHANGES:
            raise Refused(404, f"what can be done with the ladder is one of {', '.join(LADDER_CHANGES)}")
        asked = Intervention(0, datetime.now(UTC), Kind(change))
        return await self._tried(
            identity, partial(change_contest, self._data, self._accounts, LADDER, asked, identity.person.name)
        )

    # contests

    async def _contest(self, request: Request) -> Response:
        identity = await self._identities.require(request, ORGANISER)
        return await self._show_contest(identity, request.path_params["number"])

    async def _show_contest(self, identity: Identity, number: int, fault: str = "", told: str = "") -> Response:
        try:
            found = await _in_thread(partial(read_contest, self._data, number))
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        row = found["row"]
        return page("organise/contest", row.name, {**found, "identity": identity, "fault": fault, "told": told})

    async def _change(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER)
        number, change = request.path_params["number"], request.path_params["change"]
        if change not in CHANGES:
            raise Refused(404, f"what can be done with a contest is one of {', '.join(CHANGES)}")
        kind, here = Kind(change), f"{CONSOLE}/contest/{number}"
        name, match = fields.get("name", ""), number_in(fields, "match") if kind is Kind.REPLAY else None
        if kind in ASKED and not fields.get("sure"):
            (question, yes), whom = ASKED[kind], name if match is None else f"Match {match}"
            asked_again = f"{whom}: {question}" if whom else question
            return self._ask(identity, asked_again, yes, f"{here}/{kind}", here, fields)
        asked = Intervention(0, datetime.now(UTC), kind, name, match)
        try:
            work = partial(change_contest, self._data, self._accounts, number, asked, identity.person.name)
            told = await _in_thread(work)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None
        except BadIntervention as error:
            return await self._show_contest(identity, number, str(error))
        return await self._show_contest(identity, number, told=told)

    # forms

    def _ask(
        self, identity: Identity, question: str, yes: str, action: str, back: str, fields: Mapping[str, str]
    ) -> Response:
        """Return a page that asks whether something is to be done that cannot be undone."""
        kept = {name: value for name, value in fields.items() if name != "form"}
        values = {"identity": identity, "question": question, "yes": yes, "action": action, "back": back, "kept": kept}
        return page("confirm", "Are you sure?", values)


_in_thread = trio.to_thread.run_sync
