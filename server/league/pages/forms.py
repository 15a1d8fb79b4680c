"""Signed-in people, the pages of the league, and their forms, which other sites cannot send.

A cookie holds the session of `server.league.accounts`, with a signature: a made-up cookie costs no look into the
database. A form holds a signature of the session, which no other site knows. Browsers also name the site of a form
(`server.web.http.request`), and send no cookie with a form of another site (``SameSite``). Proxies may sign people in.
"""

import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlencode

import trio
from itsdangerous import BadSignature, Signer
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import variant_title
from engine.games.interface import BadParameters
from engine.match.clock import span
from engine.wire.messages import ProtocolError
from engine.wire.words import number_of
from server.config import tokens
from server.config.declared import BadTable
from server.contest.report.templating import add_filters
from server.contest.runtime.organiser_commands import BadIntervention
from server.league.accounts import RIGHTS, SIGNED_IN, Accounts, NotAllowed, Person, Right
from server.league.grading.grading import BadReport
from server.web.answers import Page
from server.web.http.request import FORM_POLICY, GUESS_COST, QUOTA, TOO_MANY, ClientQuota, Refused, number_in, read_body

COOKIE = "arena-session"

NOBODY = "nobody is signed in here: open the link that the organiser has sent you, or type the code"

FORM_BYTES = 256 * 1024
"""Largest form: the file of a contest of 500 entrants, encoded."""

MAX_FIELDS = 50
"""Most fields of a form, those that are empty included."""


class Identity(NamedTuple):
    """A person who is signed in, and where."""

    person: Person
    session: str
    """Empty where a proxy has signed the person in."""
    form_token: str
    """The signature that each form has to hold."""
    by_token: bool = False
    """Whether the request shows the token of the person's bot, and gets JSON."""

    def may_change(self, owner: str) -> bool:
        """Tell whether the person is the author of a bot, or an organiser."""
        return self.person.may(Right.ORGANISE) or self.person.name.lower() == owner.lower()


class Form(NamedTuple):
    """A form that a person has sent."""

    identity: Identity
    fields: Mapping[str, Any]
    """The fields that are not empty."""
    path: Mapping[str, Any]
    """The parameters of the route."""

    @property
    def by(self) -> str:
        """The name of the person."""
        return self.identity.person.name

    def text(self, name: str) -> str:
        """Return a field, empty where it is missing."""
        return str(self.fields.get(name, ""))

    def number(self, name: str, otherwise: int | None = None) -> int:
        """Return the number in a field, ``otherwise`` where it is missing; raises `Refused`."""
        return number_in(self.fields, name, otherwise)


Who: TypeAlias = Callable[[Request], Identity]
"""Returns the person who sends a request, in a thread; raises `Refused` for others than it is for."""

PlayerTabs: TypeAlias = Callable[[str, Identity | None], dict[str, str]]
"""Returns the titles of the pages of a player that a person may read, by their paths, in a thread."""

Reader: TypeAlias = Callable[[Request], Awaitable[Mapping[str, Any]]]
"""Reads the fields of a form; raises `Refused`."""

Change: TypeAlias = Callable[[Form], object]
"""Changes something by a form, in a thread. The answer is the page that it returns, else a redirect to the form's page.

Raises one of `REFUSALS`.
"""

Again: TypeAlias = Callable[[Form, str], Response]
"""Makes the page of a form again, with the sentence of a refusal."""

REFUSALS = (NotAllowed, BadIntervention, BadParameters, BadReport, BadTable, ProtocolError)
"""Errors with a sentence that a page shows."""


class Identities:
    """Finds the person who sends a request. Its methods that are not async are for threads."""

    def __init__(self, accounts: Accounts, user_header: str) -> None:
        """Take the accounts, and the header by which trusted proxies name a person; empty: they name nobody."""
        self._accounts = accounts
        self._user_header = user_header
        self._cookies = Signer(accounts.secret(), salt="cookie")
        self._forms = Signer(accounts.secret(), salt="form")
        self._refusals = Signer(accounts.secret(), salt="refusal")

    def find(self, request: Request) -> Identity | None:
        """Return who is signed in; None: nobody. Raises `Refused` for an account that a proxy names, and is closed."""
        quota: ClientQuota = request.scope["state"][QUOTA]  # of the peer, which may be a proxy
        named = request.headers.get(self._user_header, "") if self._user_header and quota.trusted else ""
        if named:
            try:
                person = self._accounts.named_by_proxy(named)
            except NotAllowed as error:
                raise Refused(403, str(error)) from None
            return Identity(person, "", self._form_token(f"proxy {person.name}"))
        try:
            session = self._cookies.unsign(request.cookies.get(COOKIE, "")).decode()
        except BadSignature:
            return None
        found = self._accounts.signed_in(session)
        return None if found is None else Identity(found, session, self._form_token(session))

    def require(self, request: Request, right: Right | None = None) -> Identity:
        """Return who is signed in; raises `Refused` for nobody, or for somebody without the right."""
        if (found := self.find(request)) is None:
            raise Refused(
                401,
                f"{NOBODY}; arena-server people invite NAME --role organiser makes the link of an organiser"
                if right is Right.ORGANISE
                else NOBODY,
            )
        if right and not found.person.may(right):
            roles = " and ".join(f"{role}s" for role, rights in RIGHTS.items() if right in rights)
            raise Refused(403, f"this is for {roles}; your role is {found.person.role}")
        return found

    def organiser(self, request: Request) -> Identity:
        """Return the organiser who sends a request; raises `Refused` for others."""
        return self.require(request, Right.ORGANISE)

    def refusal(self, request: Request) -> str:
        """Return the signed sentence in an address, to which a refused form leads; empty where there is none."""
        try:
            return self._refusals.unsign(request.query_params.get("refused", "")).decode()
        except BadSignature:
            return ""

    def page(self, path: str, show: Callable[[Identity, str], Response], who: Who | None = None) -> Route:
        """Return the route of a page for people who are signed in; a thread makes it, with a refusal's sentence."""
        return Route(path, lambda request: show((who or self.require)(request), self.refusal(request)), methods=["GET"])

    def changes(
        self,
        base: str,
        changes: Mapping[str, Change],
        who: Who | None = None,
        read: Reader | None = None,
        again: Again | None = None,
    ) -> list[Route]:
        """Return the routes of forms by their paths below the path of their page, ``base``. Threads carry them out.

        A refused form leads to its page, which shows the sentence. With ``again``, the page keeps what was typed.
        """

        def carried_out(change: Change, form: Form, page: str) -> Response:
            try:
                found = change(form)
            except REFUSALS as error:
                if form.identity.by_token:
                    raise Refused(409, str(error)) from None
                if again is not None:
                    return again(form, str(error))
                page += "?" + urlencode({"refused": self._refusals.sign(str(error)).decode()})
                return RedirectResponse(page, 303)
            return found if isinstance(found, Response) else RedirectResponse(page, 303)

        def answering(change: Change) -> Callable[[Request], Awaitable[Response]]:
            async def answer(request: Request) -> Response:
                identity = await trio.to_thread.run_sync(who or self.require, request)
                fields = await (read or read_form)(request)
                sent = fields.get("form", "").encode()
                if not identity.by_token and not hmac.compare_digest(sent, identity.form_token.encode()):
                    raise Refused(403, "the form is not from this page, or too old: open the page again")
                form = Form(identity, fields, request.path_params)
                page = "/".join(request.url.path.split("/")[: base.count("/") + 1])
                return await trio.to_thread.run_sync(carried_out, change, form, page)

            return answer

        return [
            Route(f"{base}/{path}".rstrip("/"), answering(change), methods=["POST"]) for path, change in changes.items()
        ]

    def author(self, request: Request) -> Identity:
        """Return the author of the bot in the path, or an organiser; raises `Refused` for others."""
        bot = request.path_params["bot"]
        owner = self._accounts.owner(bot)
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind:
            if kind.lower() != "bearer" or not tokens.fits(self._accounts.token_hash(bot) or "", token.strip()):
                trio.from_thread.run_sync(charge_wrong_guess, request)
                raise Refused(403, f"this is not the token of {bot}; its author makes one on the page /me")
            assert owner is not None
            return Identity(owner, "", "", by_token=True)
        identity = self.require(request)
        if owner is None or not identity.may_change(owner.name):
            raise Refused(404, f"you have no bot {bot!r}; your bots are on the page /me")
        return identity

    def sign_in(self, response: Response, request: Request, session: str) -> None:
        """Let a browser stay signed in."""
        quota: ClientQuota = request.scope["state"][QUOTA]
        forwarded = request.headers.get("x-forwarded-proto", "") if quota.trusted else ""
        response.set_cookie(
            COOKIE,
            self._cookies.sign(session).decode(),
            max_age=int(SIGNED_IN.total_seconds()),
            httponly=True,
            samesite="lax",
            secure="https" in (request.url.scheme, forwarded),
        )

    def _form_token(self, session: str) -> str:
        return self._forms.get_signature(session).decode()


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form that are not empty, in its order, with the ends of lines as in files.

    Raises `Refused` where it is no form, has more than `FORM_BYTES` or `MAX_FIELDS` fields, or does not arrive.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise Refused(415, "a form is sent as application/x-www-form-urlencoded")
    try:
        text = (await read_body(request, FORM_BYTES)).decode()
        found = parse_qs(text.replace("%0D%0A", "%0A"), max_num_fields=MAX_FIELDS)
        return {name: values[-1].strip() for name, values in found.items()}
    except ValueError:
        raise Refused(400, "the form cannot be read") from None


def charge_wrong_guess(request: Request) -> None:
    """Charge an address for a wrong link, code or token; raises `Refused` after too many."""
    quota: ClientQuota = request.scope[QUOTA]
    if quota.wait(GUESS_COST) is None:
        raise Refused(*TOO_MANY)


HEADERS = {
    "cache-control": "no-store",
    **FORM_POLICY,
    # without it a browser hides from this server that a form is its own
    "referrer-policy": "same-origin",
    # pages that hold what signs a form are not compressed: the length of what is would tell of it (BREACH)
    "content-encoding": "identity",
}
"""Headers of every page, beside those of all answers."""


def page(template: str, title: str, /, *, status: int = 0, current: str = "/me", **values: object) -> Response:
    """Return a page, which belongs to a link of the navigation. A page with a fault has status 400."""
    frame = {"title": title, "current": current, "styles": ["people/league"]}
    return Page(f"{template}.html", {**values, **frame}, status or (400 if values.get("fault") else 200), HEADERS)


def variant(key: str) -> Markup:
    """Write what a variant is called for people, not broken at the end of a line."""
    return Markup('<span class="whole">{}</span>').format(variant_title(key))


add_filters(span, variant, number_of)
