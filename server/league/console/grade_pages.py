"""The page of grades, for organisers.

- ``GET /organise/grades``: the rule, and the last grades; ``POST`` makes new ones: fields ``rule``, and ``contest``, 0
  for none
- ``POST /organise/grades/publish``, ``…/withdraw``: whether students see their own
- ``GET /organise/grades/grades.csv``, ``…/grades.json``: all of them
"""

from contextlib import closing
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.contest.store.store import FILE, Store
from server.league.accounts.people import ORGANISER
from server.league.grading.grade_book import MAX_RULE_BYTES, GradeBook
from server.league.grading.grading import as_csv, as_json
from server.league.pages.forms import Change, Form, Identities, Identity, page
from server.web.http.errors import Refused

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
"""The rule in the form before the first grades."""


class GradePages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, book: GradeBook, data: Path) -> None:
        """Take the sessions, the grades, and the data directory with the contests."""
        self._identities = identities
        self._book = book
        self._data = data

    def routes(self) -> list[Route]:
        """Return the routes."""
        changes: dict[str, Change] = {
            "": lambda form: self._book.grade(_rule(form), form.number("contest", 0), form.by),
            "publish": lambda form: self._book.publish(form.number("number"), form.by),
            "withdraw": lambda form: self._book.withdraw(form.by),
        }
        return [
            self._identities.page(PATH, self._show, ORGANISER),
            *self._identities.changes(PATH, changes, self._again, ORGANISER, FORM_BYTES),
            Route(f"{PATH}/grades.csv", self._file, methods=["GET"]),
            Route(f"{PATH}/grades.json", self._file, methods=["GET"]),
        ]

    def _again(self, form: Form, fault: str) -> Response:
        asked = (_rule(form), form.number("contest", 0)) if form.text("rule") else None
        return self._show(form.identity, fault, asked)

    def _show(self, identity: Identity, fault: str = "", asked: tuple[str, int] | None = None) -> Response:
        last = self._book.last()
        rule, contest = asked or ((RULE, 0) if last is None else (last.text, last.contest))
        with closing(Store(self._data / FILE)) as store:
            contests = [row for row in store.contests()[::-1] if row.closed is not None]
        values = {
            "identity": identity,
            "last": last,
            "labels": [] if last is None else [one.label for one in last.rule.criteria],
            "rule": rule,
            "contest": contest,
            "contests": contests,
            "fault": fault,
        }
        return page("organise/grades", "Grades", values)

    def _file(self, request: Request) -> Response:
        self._identities.require(request, ORGANISER)
        last = self._book.last()
        if last is None:
            raise Refused(404, "nobody was graded yet")
        name = request.url.path.rpartition("/")[2]
        text, kind = (as_csv, "text/csv") if name.endswith("csv") else (as_json, "application/json")
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "private"}
        return Response(text(last.rule, last.students), 200, headers, kind)


def _rule(form: Form) -> str:
    """Return the rule in a form, with the ends of lines as in files."""
    return form.text("rule").replace("\r\n", "\n")
