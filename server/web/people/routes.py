"""Games that were played, as routes of the web application: the search and the pages of players.

A process brings the index up to the records in the background, from the first question on: a server that nobody asks
does no work for it. Each answer tells whether the index has all records by now.
"""

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import structlog
import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES, TITLES
from server.ops.typed_json import convert, decode
from server.web.answers import NOT_STORED, REASONS, Page, json_answer
from server.web.http.errors import NOT_FOUND, Refused
from server.web.http.guard import FORM_POLICY, QUOTA
from server.web.people.indexing import Progress
from server.web.people.search import Asked, Games, Row
from server.web.pool import Pool
from server.web.views.board import Ending
from server.web.views.lobby import Listed

log = structlog.get_logger()

PAUSE_SECONDS = 0.5
"""Between slices of indexing, so that half of a processor at most is taken by it while there is much to do."""

AGAIN_SECONDS = 10.0
"""Pause after a fault of the process that indexes."""


class People:
    """The handlers of these routes."""

    def __init__(self, data: Path, pool: Pool) -> None:
        """Take the data directory, and the pool whose processes search and index."""
        self._data = str(data)
        self._pool = pool
        self._indexing = trio.Lock()
        self._wanted = trio.Event()

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/games", self._games, methods=["GET"]),
            Route("/api/games", partial(self._answer, "games"), methods=["GET"]),
            Route("/api/player", partial(self._answer, "player"), methods=["GET"]),
        ]

    async def _games(self, request: Request) -> Response:
        """Show the page of the search; its address has no fields that are empty."""
        asked = {name: text.strip() for name, text in request.query_params.items() if text.strip()}
        if len(asked) < len(request.query_params):
            return RedirectResponse(f"/games?{urlencode(asked)}".rstrip("?"))
        page = decode(await self._ask("games", asked, request), type=Games)
        values = {
            "page": page,
            "again": not page.index.complete and "before" not in asked,
            "asked": asked,
            "games": list(TITLES.items()),
            "reasons": list(REASONS.items()),
            "here": f"/games?{urlencode(asked)}",
            "further": f"/games?{urlencode({**asked, 'before': page.next})}",
        }
        return Page("pages/games.html", values, headers={**NOT_STORED, **FORM_POLICY})

    async def player(self, request: Request, is_known: bool) -> Response:
        """Return the page of a player; raises `Refused` if nobody of that name has played.

        A player who is known to the server has a page before the first game.
        """
        name = request.path_params["name"]
        found: dict[str, Any] | None = None
        try:
            found = decode(await self._ask("player", {"name": name}, request), type=dict[str, Any])
            found["recent"] = convert(found["recent"], type=tuple[Row, ...])
        except Refused as error:
            if error.status != NOT_FOUND or not is_known:
                raise
        values = {"found": found, "name": name, "here": f"/player/{quote(name, safe='')}"}
        return Page("pages/player.html", values)

    async def newest(self) -> tuple[Listed, ...]:
        """Return the last games, after one slice of indexing; raises `Refused`."""
        await self._index()
        found = await self._pool.ask("games", msgspec.json.encode(Asked(self._data)))
        return tuple(map(_listed, decode(found, type=Games).games))

    async def run(self) -> None:
        """Index records whenever a browser has asked for games; does not return."""
        while True:
            await self._wanted.wait()
            self._wanted = trio.Event()
            try:
                while (await self._index()).left:
                    await trio.sleep(PAUSE_SECONDS)
            except Refused as error:
                log.warning("games_index_failed", fault=str(error))
                await trio.sleep(AGAIN_SECONDS)

    async def _index(self) -> Progress:
        """Index some records: one process at a time writes the index."""
        async with self._indexing:
            answer = await self._pool.ask("index", msgspec.json.encode(Asked(self._data)))
        return decode(answer, type=Progress)

    async def _answer(self, kind: str, request: Request) -> Response:
        return json_answer(await self._ask(kind, dict(request.query_params), request))

    async def _ask(self, kind: str, query: dict[str, str], request: Request) -> bytes:
        self._wanted.set()
        return await self._pool.ask(kind, msgspec.json.encode(Asked(self._data, query)), request.scope[QUOTA])


def _listed(row: Row) -> Listed:
    """Return a game of the index as a line of a list."""
    sides = GAMES[row.game].sides
    return Listed(
        match=row.match,
        game=row.game,
        parameters=row.parameters,
        sides=sides,
        players=row.players,
        plies=row.plies,
        clocks=(0, 0),
        runs=(False, False),
        ending=Ending(row.winner, row.result if row.winner is None else sides[row.winner], row.reason, ""),
    )
