"""Whose bot a page is about, and whether who asks may see it: its author, an organiser, or who shows its token."""

from typing import NamedTuple

from starlette.requests import Request

from server.config import tokens
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER, Person
from server.league.pages.identity import Identities, Identity, charge_wrong_guess
from server.web.http.errors import Refused


class Visit(NamedTuple):
    """Who asks about a bot."""

    identity: Identity | None
    """Who is signed in; None where the request shows the token of the bot, and is told JSON."""
    owner: Person

    @property
    def person(self) -> Person:
        """Who does what is asked for."""
        return self.owner if self.identity is None else self.identity.person


class BotAccess:
    """Tells who asks about a bot, which the path of the request names."""

    def __init__(self, accounts: Accounts, identities: Identities) -> None:
        """Take the accounts, and what tells who is signed in."""
        self._accounts = accounts
        self._identities = identities

    async def visit(self, request: Request) -> Visit:
        """Return who asks; raises `Refused` where that is neither the bot's author nor an organiser."""
        owner = self._by_token(request)
        if owner is not None:
            return Visit(None, owner)
        identity = await self._identities.require(request)
        return Visit(identity, self._owner(request, identity))

    async def form(self, request: Request, visit: Visit) -> dict[str, str]:
        """Return the fields of a form; raises `Refused`, also where a signed-in person's form is none of ours."""
        return await self._identities.form(request, visit.identity)

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
