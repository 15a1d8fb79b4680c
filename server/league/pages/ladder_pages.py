"""The pages of the ladder, which everybody may see.

- ``GET /ladder``: standings, activity and the last games; ``/ladder.json`` has the same for programs
- ``GET /ladder/BOT``: the rating of a player over time, and how each of its versions has fared
- ``POST /ladder/BOT/again``: lets a bot that rests play again; for its author and organisers
"""

import time

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.statistics.online import DAY, decayed
from server.league.accounts.people import ORGANISER
from server.league.ladder.definition import NO_LADDER
from server.league.ladder.service import LadderService
from server.league.pages.identity import Identities, Identity
from server.league.pages.ladder_view import (
    Standings,
    chart,
    game_row,
    standing_rows,
    version_rows,
)
from server.league.pages.rendering import page
from server.web.http.answers import json_answer
from server.web.http.errors import Refused

LAST_GAMES = 20
"""Games that pages list."""

CHARTED_GAMES = 300
"""Games after which the rating is drawn."""


class LadderPages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, ladder: LadderService | None) -> None:
        """Take what tells who asks, and the ladder, None where the server plays none."""
        self._identities = identities
        self._ladder = ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/ladder", self._standings, methods=["GET"]),
            Route("/ladder.json", self._json, methods=["GET"]),
            Route("/ladder/{name}", self._player, methods=["GET"]),
            Route("/ladder/{name}/again", self._again, methods=["POST"]),
        ]

    def _found(self) -> LadderService:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        return self._ladder

    async def _standings(self, request: Request) -> Response:
        ladder = self._ladder
        if ladder is None:
            return page("ladder/none", "Ladder", {}, current="/ladder")
        told = await trio.to_thread.run_sync(_read_standings, ladder)
        running = sorted(ladder.running().items())
        variants = ladder.definition.variants
        total = sum(one.weight for one in variants)
        shares = [(one.key, one.weight / total) for one in variants]
        values = {
            "told": told,
            "running": running,
            "shares": shares,
            "control": ladder.definition.control,
            "is_paused": ladder.is_paused,
        }
        return page("ladder/standings", "Ladder", values, current="/ladder")

    async def _json(self, _request: Request) -> Response:
        told = await trio.to_thread.run_sync(_read_standings, self._found())
        return json_answer(msgspec.json.encode(told))

    async def _player(self, request: Request) -> Response:
        ladder, store = self._found(), self._found().store
        name = request.path_params["name"]
        found = await trio.to_thread.run_sync(store.standing, name)
        if found is None:
            raise Refused(404, f"nobody called {name!r} has been on the ladder")
        identity = await self._identities.find(request)
        games = await trio.to_thread.run_sync(store.last_games, CHARTED_GAMES, name)
        versions = await trio.to_thread.run_sync(store.versions, name)
        opponents = await trio.to_thread.run_sync(store.opponents, name)
        ends = await trio.to_thread.run_sync(store.last_ratings, name)
        listed = await trio.to_thread.run_sync(ladder.listed)
        is_own = identity is not None and _may_wake(identity, found.owner)
        values = {
            "identity": identity,
            "may_wake": bool(found.rests) and is_own,
            "is_own": is_own,
            "one": found,
            "rating": decayed(found.rating, time.time()),
            "fixed": found.name in listed and listed[found.name].player.anchor is not None,
            "left": found.name not in listed,
            "connected": found.name in listed and listed[found.name].connects,
            "versions": version_rows(versions, ends, opponents),
            "chart": chart(found.name, games),
            "games": [game_row(game) for game in games[:LAST_GAMES]],
        }
        return page(
            "ladder/player",
            f"{found.name} on the ladder",
            values,
            current="/ladder",
        )

    async def _again(self, request: Request) -> Response:
        store = self._found().store
        identity = await self._identities.require(request)
        await self._identities.form(request, identity)
        found = await trio.to_thread.run_sync(store.standing, request.path_params["name"])
        if found is None or not _may_wake(identity, found.owner):
            raise Refused(403, "this is for the bot's author, and for organisers")
        await trio.to_thread.run_sync(store.wake, found.name, identity.person.name)
        return RedirectResponse(f"/ladder/{found.name}", 303)


def _may_wake(identity: Identity, owner: str) -> bool:
    return identity.person.role == ORGANISER or identity.person.name.lower() == owner.lower()


def _read_standings(ladder: LadderService) -> Standings:
    """Return the standings as of now; reads the database."""
    now, store = time.time(), ladder.store
    here, left = standing_rows(store.standings(), ladder.listed(), now)
    return Standings(
        here,
        left,
        tuple(game_row(game) for game in store.last_games(LAST_GAMES)),
        store.number_since(now - DAY),
    )
