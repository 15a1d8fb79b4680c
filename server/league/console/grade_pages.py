"""The page of grades, for organisers.

- ``GET /organise/grades``: the rule, and the grades that were made last; ``POST`` makes new ones: fields ``rule``, and
  ``contest``, 0 for none
- ``POST /organise/grades/publish``, ``…/withdraw``: whether students see their own
- ``GET /organise/grades/grades.csv``, ``…/grades.json``: all of them
"""

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.contest.store.store import FILE, Contest, Store
from server.league.accounts.people import ORGANISER, NotAllowed
from server.league.grading.evidence import BadReport
from server.league.grading.grade_book import MAX_RULE_BYTES, GradeBook, Grades
from server.league.grading.grading import BadRule, as_csv, as_json
from server.league.pages.forms import Identities, Identity, page
from server.web.http.errors import Refused
from server.web.http.request import number_in

PATH = "/organise/grades"

FORM_BYTES = 4 * MAX_RULE_BYTES
"""Largest form: a rule, encoded."""

RULE = """[[points]]
for = "builds"
most = 10

[[points]]
for = "conformance"
most = 30
none = 0.5

[[points]]
for = "score"
against = "alphabeta:1"
most = 60
full = 0.9
"""
"""What the form holds before anybody was graded."""


class Asked(NamedTuple):
    """What a form asks for."""

    rule: str
    contest: int


class GradePages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, book: GradeBook, data: Path) -> None:
        """Take what tells who asks, the grades, and the data directory with the contests."""
        self._identities = identities
        self._book = book
        self._data = data

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route(PATH, self._get, methods=["GET"]),
            Route(PATH, self._grade, methods=["POST"]),
            Route(f"{PATH}/publish", self._publish, methods=["POST"]),
            Route(f"{PATH}/withdraw", self._withdraw, methods=["POST"]),
            Route(f"{PATH}/grades.csv", self._csv, methods=["GET"]),
            Route(f"{PATH}/grades.json", self._json, methods=["GET"]),
        ]

    async def _get(self, request: Request) -> Response:
        return await self._show(await self._identities.require(request, ORGANISER))

    async def _show(self, identity: Identity, fault: str = "", asked: Asked | None = None) -> Response:
        last = await _in_thread(self._book.last)
        if asked is None:
            asked = Asked(RULE, 0) if last is None else Asked(last.text, last.contest)
        values = {
            "identity": identity,
            "last": last,
            "labels": [] if last is None else [one.label for one in last.rule.criteria],
            "asked": asked,
            "contests": await _in_thread(self._contests),
            "fault": fault,
        }
        return page("organise/grades", "Grades", values)

    async def _grade(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER, most=FORM_BYTES)
        asked = Asked(fields.get("rule", "").replace("\r\n", "\n"), number_in(fields, "contest", 0))
        try:
            await _in_thread(partial(self._book.grade, *asked, identity.person.name))
        except (BadRule, BadReport) as error:
            return await self._show(identity, str(error), asked)
        return RedirectResponse(PATH, 303)

    async def _publish(self, request: Request) -> Response:
        identity, fields = await self._identities.require_form(request, ORGANISER)
        try:
            await _in_thread(partial(self._book.publish, number_in(fields, "number"), identity.person.name))
        except NotAllowed as error:
            return await self._show(identity, str(error))
        return RedirectResponse(PATH, 303)

    async def _withdraw(self, request: Request) -> Response:
        identity, _ = await self._identities.require_form(request, ORGANISER)
        await _in_thread(partial(self._book.withdraw, identity.person.name))
        return RedirectResponse(PATH, 303)

    # files

    async def _csv(self, request: Request) -> Response:
        last = await self._last(request)
        return _file(as_csv(last.rule, last.students), "text/csv", "grades.csv")

    async def _json(self, request: Request) -> Response:
        last = await self._last(request)
        return _file(as_json(last.rule, last.students), "application/json", "grades.json")

    async def _last(self, request: Request) -> Grades:
        await self._identities.require(request, ORGANISER)
        last = await _in_thread(self._book.last)
        if last is None:
            raise Refused(404, "nobody was graded yet")
        return last

    def _contests(self) -> list[Contest]:
        """Return the contests that are over, the newest first."""
        with closing(Store(self._data / FILE)) as store:
            return [row for row in store.contests()[::-1] if row.closed is not None]


def _file(text: str, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "private"}
    return Response(text, 200, headers, kind)


_in_thread = trio.to_thread.run_sync
