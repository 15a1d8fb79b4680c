"""The pages of accounts: joining by an invitation, one's own account, and the people of the organiser.

- ``GET /join``, ``/join/LINK``: what an invitation is for; ``POST`` opens it. To look at it does not, since programs
  that show a link in a chat do that
- ``GET /me``: one's bots, and where one is signed in; ``POST /me/…`` makes and revokes tokens, signs out
- ``GET /people``: everybody; ``POST /people/…`` invites, gives roles, closes accounts; for organisers
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, cast

import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER, ROLES, NotAllowed, Role
from server.league.grading.grade_book import GradeBook
from server.league.pages.forms import NOBODY, Identities, Identity, charge_wrong_guess, page
from server.web.http.errors import Refused

AUDITED = 100
"""Changes that the organiser's page shows."""

MAX_LINK = 100
"""Characters of a link that is looked up at all."""

Change: TypeAlias = Callable[[Identity, dict[str, str]], Response | None]
"""Changes something by the fields of a form, in a thread; returns a page where the form's own is not to be shown."""


class AccountPages:
    """The handlers of these routes."""

    def __init__(self, accounts: Accounts, identities: Identities, book: GradeBook) -> None:
        """Take the accounts, what tells who asks, and the grades."""
        self._accounts = accounts
        self._book = book
        self._identities = identities

    def routes(self) -> list[Route]:
        """Return the routes."""
        mine: dict[str, Change] = {
            "token": self._make_token,
            "revoke": lambda who, fields: self._accounts.revoke_token(who.person, fields.get("bot", "")),
            "link": self._own_link,
            "end": self._end_browser,
            "out": self._sign_out,
        }
        people: dict[str, Change] = {
            "invite": self._invite,
            "code": self._invite_many,
            "role": self._set_role,
            "close": lambda who, fields: self._accounts.close_account(fields.get("name", ""), who.person.name),
            "open": lambda who, fields: self._accounts.open_account(fields.get("name", ""), who.person.name),
        }
        return [
            Route("/join", self._join, methods=["GET", "POST"]),
            Route("/join/{link}", self._join, methods=["GET", "POST"]),
            Route("/me", self._me, methods=["GET"]),
            *(Route(f"/me/{name}", self._changing(change), methods=["POST"]) for name, change in mine.items()),
            Route("/people", self._people, methods=["GET"]),
            *(
                Route(f"/people/{name}", self._changing(change, ORGANISER), methods=["POST"])
                for name, change in people.items()
            ),
        ]

    def _changing(self, change: Change, *roles: Role) -> Callable[[Request], Awaitable[Response]]:
        """Return the handler of a form. Its page comes again, with the refusal where the change is refused."""

        async def answer(request: Request) -> Response:
            identity, fields = await self._identities.require_form(request, *roles)
            try:
                response = await trio.to_thread.run_sync(change, identity, fields)
            except NotAllowed as error:
                show = self._show_people if roles else self._show_me
                return show(identity, fault=str(error))
            return response or RedirectResponse("/people" if roles else "/me", 303)

        return answer

    # joining

    async def _join(self, request: Request) -> Response:
        fields = await self._identities.form(request, None) if request.method == "POST" else {}
        link = request.path_params.get("link") or "".join(fields.get("code", "").lower().split("-")).replace(" ", "")
        if not link:
            return page("code", "Join", {"fault": ""})
        try:
            invitation = self._accounts.invitation(link[:MAX_LINK])
        except NotAllowed as error:
            charge_wrong_guess(request)
            status = 404 if "link" in request.path_params else 400
            return page("code", "Join", {"fault": str(error)}, status=status)
        asked = {"link": link, "invitation": invitation, "fault": "", "name": fields.get("name", "")}
        if request.method == "GET" or (invitation.person is None and "name" not in fields):
            return page("join", "Join", asked)
        agent = request.headers.get("user-agent", "")
        try:
            session = await trio.to_thread.run_sync(self._accounts.redeem, link, fields.get("name", ""), agent)
        except NotAllowed as error:
            return page("join", "Join", {**asked, "fault": str(error)})
        response = RedirectResponse("/me", 303)
        self._identities.sign_in(response, request, session)
        return response

    # one's own account

    async def _me(self, request: Request) -> Response:
        identity = await self._identities.find(request)
        if identity is None:
            return page("code", "Join", {"fault": NOBODY}, status=401)
        return self._show_me(identity)

    def _show_me(self, identity: Identity, *, fault: str = "", secret: tuple[str, str] | None = None) -> Response:
        person = identity.person
        return page(
            "me",
            person.name,
            {
                "identity": identity,
                "bots": self._accounts.bots(person),
                "browsers": self._accounts.browsers(person),
                "grades": self._book.shown_to(person.name),
                "fault": fault,
                "secret": secret,
            },
        )

    def _make_token(self, identity: Identity, fields: dict[str, str]) -> Response:
        bot = fields.get("bot", "")
        token = self._accounts.make_token(identity.person, bot)
        return self._show_me(identity, secret=(f"The token of {bot}", token))

    def _own_link(self, identity: Identity, _fields: dict[str, str]) -> Response:
        name = identity.person.name
        link = self._accounts.invite(name, identity.person.role, name)
        return self._show_me(identity, secret=("A link to sign in once in another browser", f"/join/{link}"))

    def _end_browser(self, identity: Identity, fields: dict[str, str]) -> None:
        number = fields.get("browser", "")
        if not number.isdecimal() or len(number) > 18:
            raise Refused(400, "browser is the number of a browser on this page")
        self._accounts.sign_out(identity.person, browser=int(number))

    def _sign_out(self, identity: Identity, fields: dict[str, str]) -> Response:
        session = "" if fields.get("where") == "everywhere" else identity.session
        self._accounts.sign_out(identity.person, session=session)
        response = RedirectResponse("/", 303)
        self._identities.sign_out(response)
        return response

    # people

    async def _people(self, request: Request) -> Response:
        return self._show_people(await self._identities.require(request, ORGANISER))

    def _show_people(self, identity: Identity, *, fault: str = "", links: Sequence[tuple[str, str]] = ()) -> Response:
        people = [(one, self._accounts.bots(one)) for one in self._accounts.people()]
        return page(
            "people",
            "People",
            {
                "identity": identity,
                "people": people,
                "audit": self._accounts.audit(AUDITED),
                "roles": ROLES,
                "fault": fault,
                "links": links,
            },
        )

    def _set_role(self, identity: Identity, fields: dict[str, str]) -> None:
        self._accounts.set_role(fields.get("name", ""), cast(Role, fields.get("role", "")), identity.person.name)

    def _invite(self, identity: Identity, fields: dict[str, str]) -> Response:
        names, role = fields.get("names", "").split(), cast(Role, fields.get("role", ""))
        if not names:
            raise NotAllowed("write the names of whom you invite, separated by spaces or in lines of their own")
        links = [(name, f"/join/{self._accounts.invite(name, role, identity.person.name)}") for name in names]
        return self._show_people(identity, links=links)

    def _invite_many(self, identity: Identity, fields: dict[str, str]) -> Response:
        uses, role = fields.get("uses", ""), cast(Role, fields.get("role", ""))
        if not uses.isdecimal() or len(uses) > 9:
            raise NotAllowed(f"write for how many people the code is, as in 30; not {uses!r}")
        code = self._accounts.invite_many(role, int(uses), identity.person.name)
        return self._show_people(identity, links=[(f"Code for {uses}", f"/join/{code}")])
