"""Who asks, the pages of the league, and their forms, which other sites cannot send. Proxies may sign people in.

A cookie is the session of `server.league.accounts`, signed: one that was made up costs no look into the database. A
form holds a signature of the session, which no other site knows; browsers also say which site a form comes from
(`server.web.http.guard`), and send the cookie with no form of another site (``SameSite``).
"""

import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import parse_qs

import trio
from itsdangerous import BadSignature, Signer
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from engine.games.catalogue import variant_title
from engine.match.clock import span
from engine.wire.words import number_of
from server.config import tokens
from server.contest.report.templating import add_filters
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER, SIGNED_IN, NotAllowed, Person, Role
from server.web.answers import Page, capital, reason
from server.web.http.errors import Refused
from server.web.http.guard import FORM_POLICY, GUESS_COST, QUOTA, TOO_MANY, ClientQuota
from server.web.http.request import read_body

COOKIE = "arena-session"

NOBODY = "nobody is signed in here: open the link that the organiser has sent you, or type the code"

FORM_BYTES = 16 * 1024
"""Largest form."""

MAX_FIELDS = 50
"""Most fields of a form, those that are empty included."""


class Identity(NamedTuple):
    """Who is signed in, and where."""

    person: Person
    session: str
    """Empty where a proxy has signed the person in."""
    form_token: str
    """What each form has to hold."""


class Visit(NamedTuple):
    """Who asks about a bot."""

    identity: Identity | None
    """Who is signed in; None where the request shows the token of the bot, and is told JSON."""
    owner: Person

    @property
    def person(self) -> Person:
        """Who does what is asked for."""
        return self.owner if self.identity is None else self.identity.person


class Identities:
    """Tells who asks."""

    def __init__(self, accounts: Accounts, user_header: str) -> None:
        """Take the accounts, and the header by which trusted proxies name who has signed in; empty: they do not."""
        self._accounts = accounts
        self._user_header = user_header
        self._cookies = Signer(accounts.secret(), salt="cookie")
        self._forms = Signer(accounts.secret(), salt="form")

    async def find(self, request: Request) -> Identity | None:
        """Return who asks; None: nobody is signed in. Raises `Refused` where a proxy names somebody who may not be."""
        quota: ClientQuota = request.scope["state"][QUOTA]  # the peer's, and not that of whom it asks for
        named = request.headers.get(self._user_header, "") if self._user_header and quota.trusted else ""
        if named:
            try:
                person = await trio.to_thread.run_sync(self._accounts.named_by_proxy, named)
            except NotAllowed as error:
                raise Refused(403, str(error)) from None
            return Identity(person, "", self._form_token(f"proxy {person.name}"))
        try:
            session = self._cookies.unsign(request.cookies.get(COOKIE, "")).decode()
        except BadSignature:
            return None
        found = self._accounts.signed_in(session)
        return None if found is None else Identity(found, session, self._form_token(session))

    async def require(self, request: Request, *roles: Role) -> Identity:
        """Return who asks; raises `Refused` where nobody is signed in, or somebody with none of these roles."""
        found = await self.find(request)
        if found is None:
            raise Refused(401, NOBODY)
        if roles and found.person.role not in roles:
            allowed = " and ".join(f"{role}s" for role in roles)
            raise Refused(403, f"this is for {allowed}; your role is {found.person.role}")
        return found

    async def form(self, request: Request, identity: Identity | None, most: int = FORM_BYTES) -> dict[str, str]:
        """Return the fields of a form that are not empty, in its order.

        Raises `Refused` where it is none of ours, has more than ``most`` bytes or `MAX_FIELDS` fields, or does not
        arrive.
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise Refused(415, "a form is sent as application/x-www-form-urlencoded")
        try:
            text = (await read_body(request, most)).decode()
            found = {name: values[-1].strip() for name, values in parse_qs(text, max_num_fields=MAX_FIELDS).items()}
        except ValueError:
            raise Refused(400, "the form cannot be read") from None
        if identity is not None:
            check_form(identity, found.get("form", ""))
        return found

    async def require_form(
        self, request: Request, *roles: Role, most: int = FORM_BYTES
    ) -> tuple[Identity, dict[str, str]]:
        """Return who sends a form, and its fields; raises `Refused` as `require` and `form` do."""
        identity = await self.require(request, *roles)
        return identity, await self.form(request, identity, most)

    async def visit(self, request: Request) -> Visit:
        """Return who asks about the bot in the path; raises `Refused` for others than its author and organisers."""
        owner = self._by_token(request)
        if owner is not None:
            return Visit(None, owner)
        identity = await self.require(request)
        return Visit(identity, self._owner(request, identity))

    def _owner(self, request: Request, identity: Identity) -> Person:
        bot = request.path_params["bot"]
        owner = self._accounts.owner(bot)
        if owner is None or (owner.id != identity.person.id and identity.person.role != ORGANISER):
            raise Refused(404, f"you have no bot {bot!r}; your bots are on the page /me")
        return owner

    def _by_token(self, request: Request) -> Person | None:
        """Return whose bot it is where the request shows its token; raises `Refused` where that does not fit."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if not kind:
            return None
        bot = request.path_params["bot"]
        if kind.lower() != "bearer" or not tokens.fits(self._accounts.token_hash(bot) or "", token.strip()):
            charge_wrong_guess(request)
            raise Refused(403, f"this is not the token of {bot}; its author makes one on the page /me")
        return self._accounts.owner(bot)

    def sign_in(self, response: Response, request: Request, session: str) -> None:
        """Let a browser stay signed in."""
        response.set_cookie(
            COOKIE,
            self._cookies.sign(session).decode(),
            max_age=int(SIGNED_IN.total_seconds()),
            httponly=True,
            samesite="lax",
            secure=_is_encrypted(request),
        )

    def sign_out(self, response: Response) -> None:
        """Let a browser forget who was signed in."""
        response.delete_cookie(COOKIE, httponly=True, samesite="lax")

    def _form_token(self, session: str) -> str:
        return self._forms.get_signature(session).decode()


def check_form(identity: Identity, sent: str) -> None:
    """Raise `Refused` where a form does not hold what the pages of who asks put into it."""
    if not hmac.compare_digest(sent.encode(), identity.form_token.encode()):
        raise Refused(403, "the form is not from this page, or too old: open the page again")


def charge_wrong_guess(request: Request) -> None:
    """Charge an address for a link or code that is none; raises `Refused` where it has tried too many."""
    quota: ClientQuota = request.scope[QUOTA]
    if quota.wait(GUESS_COST) is None:
        raise Refused(*TOO_MANY)


def _is_encrypted(request: Request) -> bool:
    quota: ClientQuota = request.scope["state"][QUOTA]
    forwarded = request.headers.get("x-forwarded-proto", "") if quota.trusted else ""
    return "https" in (request.url.scheme, forwarded)


HEADERS = {
    "cache-control": "no-store",
    **FORM_POLICY,
    # without it a browser hides from this server that a form is its own
    "referrer-policy": "same-origin",
    # pages that hold what signs a form are not compressed: the length of what is would tell of it (BREACH)
    "content-encoding": "identity",
}
"""Headers of every page, beside those of all answers."""


def page(template: str, title: str, values: Mapping[str, object], *, status: int = 0, current: str = "/me") -> Response:
    """Return a page, which belongs to a link of the navigation. A page with a fault has status 400."""
    frame = {"title": title, "current": current, "styles": ["people/league"]}
    return Page(f"{template}.html", {**values, **frame}, status or (400 if values.get("fault") else 200), HEADERS)


def day(date: datetime) -> Markup:
    """Write a date, not broken at the end of a line."""
    return Markup('<time class="whole">{}</time>').format(date.strftime("%Y-%m-%d"))


def minute(date: datetime) -> Markup:
    """Write a date with its time, not broken at the end of a line."""
    return Markup('<time class="whole">{}</time>').format(date.strftime("%Y-%m-%d %H:%M"))


def decimal(number: float) -> str:
    """Write a number with one decimal."""
    return f"{number:.1f}"


def megabytes(size: int) -> str:
    """Write a number of bytes in megabytes."""
    return decimal(size / (1 << 20)).removesuffix(".0")


def rounded(number: float) -> str:
    """Write a number without decimals, negative ones with a minus and not with a hyphen."""
    return str(round(number)).replace("-", "−")


def variant(key: str) -> Markup:
    """Write what a variant is called for people, not broken at the end of a line."""
    return Markup('<span class="whole">{}</span>').format(variant_title(key))


add_filters(day, minute, decimal, megabytes, rounded, span, variant, number_of, capital, reason)
