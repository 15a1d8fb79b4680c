"""The pages of people: joining by an invitation, one's own account, everybody for the organiser, and grades.

- ``GET /join``, ``/join/LINK``: the invitation; ``POST`` opens it. ``GET`` does not, since programs that show a link in
  a chat send it
- ``GET /me``: one's bots; ``POST /me/…`` makes and revokes tokens, signs out
- ``GET /people``: everybody; ``POST /people/…`` invites, gives roles, closes accounts; for organisers
- ``GET /organise/grades``: the rule, and the last grades; ``POST`` makes new ones: fields ``rule``, and ``contest``, 0
  for none; for organisers
- ``POST /organise/grades/publish``, ``…/withdraw``: whether students see their own
- ``GET /organise/grades/grades.csv``: all of them
"""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.contest.store.store import FILE, Store
from server.league.accounts import OPEN_ROLES, ROLES, Accounts, NotAllowed, Role
from server.league.grading.grade_book import DEFAULT_RULE, GradeBook
from server.league.grading.grading import as_csv
from server.league.pages.forms import (
    COOKIE,
    NOBODY,
    Change,
    Form,
    Identities,
    Identity,
    charge_wrong_guess,
    page,
    read_form,
)
from server.web.http.request import Refused

SHOWN_CHANGES = 100
"""Changes that the organiser's page shows."""

MAX_LINK = 100
"""Characters of a link that the server looks up."""


GRADES = "/organise/grades"


class AccountPages:
    """The handlers of these routes."""

    def __init__(self, accounts: Accounts, identities: Identities, book: GradeBook, data: Path) -> None:
        """Take the accounts, the sessions, the grades, and the data directory with the contests."""
        self._data = data
        self._accounts = accounts
        self._book = book
        self._identities = identities

    def routes(self) -> list[Route]:
        """Return the routes."""
        accounts, identities = self._accounts, self._identities
        mine: dict[str, Change] = {
            "token": self._make_token,
            "revoke": lambda form: accounts.revoke_token(form.identity.person, form.text("bot")),
            "link": self._own_link,
            "out": self._sign_out,
        }
        people: dict[str, Change] = {
            "invite": self._invite,
            "code": self._invite_many,
            "role": lambda form: accounts.set_role(form.text("name"), _role(form), form.by),
            "close": lambda form: accounts.close_account(form.text("name"), form.by),
            "open": lambda form: accounts.open_account(form.text("name"), form.by),
        }
        grades: dict[str, Change] = {
            "": lambda form: self._book.grade(form.text("rule"), form.number("contest", 0), form.by),
            "publish": lambda form: self._book.publish(form.number("number"), form.by),
            "withdraw": lambda form: self._book.publish(0, form.by),
        }
        return [
            identities.page(GRADES, self._show_grades, identities.organiser),
            *identities.changes(
                GRADES,
                grades,
                identities.organiser,
                again=lambda form, fault: self._show_grades(
                    form.identity, fault, form.text("rule"), form.number("contest", 0)
                ),
            ),
            Route(f"{GRADES}/grades.csv", self._csv, methods=["GET"]),
            Route("/join", self._join, methods=["GET", "POST"]),
            Route("/join/{link}", self._join, methods=["GET", "POST"]),
            Route("/me", self._me, methods=["GET"]),
            *identities.changes("/me", mine),
            identities.page("/people", self._show_people, identities.organiser),
            *identities.changes("/people", people, identities.organiser),
        ]

    # joining

    async def _join(self, request: Request) -> Response:
        fields = await read_form(request) if request.method == "POST" else {}
        link = request.path_params.get("link") or "".join(fields.get("code", "").lower().split("-")).replace(" ", "")
        if not link:
            return page("code", "Join", fault="")
        try:
            invitation = self._accounts.invitation(link[:MAX_LINK])
        except NotAllowed as error:
            charge_wrong_guess(request)
            return page("code", "Join", fault=str(error), status=404 if "link" in request.path_params else 400)
        show = partial(page, "join", "Join", link=link, invitation=invitation, name=fields.get("name", ""))
        if request.method == "GET" or (invitation.person is None and "name" not in fields):
            return show(fault="")
        try:
            session = await trio.to_thread.run_sync(self._accounts.redeem, link, fields.get("name", ""))
        except NotAllowed as error:
            return show(fault=str(error))
        response = RedirectResponse("/me", 303)
        self._identities.sign_in(response, request, session)
        return response

    # one's own account

    def _me(self, request: Request) -> Response:
        if (identity := self._identities.find(request)) is None:
            return page("code", "Join", fault=NOBODY, status=401)
        return self._show_me(identity, self._identities.refusal(request))

    def _show_me(self, identity: Identity, fault: str = "", *, secret: tuple[str, str] | None = None) -> Response:
        person = identity.person
        return page(
            "me",
            person.name,
            identity=identity,
            bots=self._accounts.bots(person),
            grades=self._book.shown_to(person.name),
            fault=fault,
            secret=secret,
        )

    def _make_token(self, form: Form) -> Response:
        bot = form.text("bot")
        token = self._accounts.make_token(form.identity.person, bot)
        return self._show_me(form.identity, secret=(f"The token of {bot}", token))

    def _own_link(self, form: Form) -> Response:
        link = self._accounts.invite(form.by, form.identity.person.role, form.by)
        return self._show_me(form.identity, secret=("A link to sign in once in another browser", f"/join/{link}"))

    def _sign_out(self, form: Form) -> Response:
        session = "" if form.text("where") == "everywhere" else form.identity.session
        self._accounts.sign_out(form.identity.person, session)
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="lax")
        return response

    # people

    def _show_people(self, identity: Identity, fault: str = "", *, links: Sequence[tuple[str, str]] = ()) -> Response:
        return page(
            "people",
            "People",
            identity=identity,
            people=[(one, self._accounts.bots(one)) for one in self._accounts.people()],
            audit=self._accounts.audit(SHOWN_CHANGES),
            roles=ROLES,
            open_roles=OPEN_ROLES,
            fault=fault,
            links=links,
        )

    def _invite(self, form: Form) -> Response:
        if not (names := form.text("names").split()):
            raise NotAllowed("write the names of whom you invite, separated by spaces or in lines of their own")
        links = [(name, f"/join/{self._accounts.invite(name, _role(form), form.by)}") for name in names]
        return self._show_people(form.identity, links=links)

    def _invite_many(self, form: Form) -> Response:
        code = self._accounts.invite_many(_role(form), form.number("uses"), form.by)
        return self._show_people(form.identity, links=[(f"Code for {form.number('uses')}", f"/join/{code}")])

    # grades

    def _show_grades(self, identity: Identity, fault: str = "", rule: str = "", contest: int = 0) -> Response:
        last = self._book.last()
        if not rule:
            rule, contest = (DEFAULT_RULE, 0) if last is None else (last.text, last.contest)
        with closing(Store(self._data / FILE)) as store:
            contests = [row for row in store.contests()[::-1] if row.closed is not None]
        return page(
            "organise/grades",
            "Grades",
            identity=identity,
            last=last,
            labels=[] if last is None else [one.label for one in last.rule.criteria],
            rule=rule,
            contest=contest,
            contests=contests,
            fault=fault,
        )

    def _csv(self, request: Request) -> Response:
        self._identities.organiser(request)
        if (last := self._book.last()) is None:
            raise Refused(404, "nobody was graded yet")
        headers = {"content-disposition": 'attachment; filename="grades.csv"', "cache-control": "private"}
        return Response(as_csv(last.rule, last.students), 200, headers, "text/csv")


def _role(form: Form) -> Role:
    """Return the role in a form. Raises `NotAllowed`."""
    for role in ROLES:
        if role == form.text("role"):
            return role
    raise NotAllowed(f"a role is one of {', '.join(ROLES)}")
