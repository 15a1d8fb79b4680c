"""Games that were played, as routes of the web application: the search, answered from an index of the records.

The index is brought up to the records in the background, from the first question on: a server that nobody asks does
no work for it. Each answer tells whether it has all records by now.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
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

T = TypeVar("T")

PAUSE_SECONDS = 0.5
"""Between slices of indexing, so that half of a processor at most is taken by it while there is much to do."""

LAST_LOOKS = 2
"""How often to look for records that have come while the last ones were read."""

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
        """Return the routes, GET api/games among them."""
        asked = [Route(f"/api/{kind}", self._route(kind), methods=["GET"]) for kind in ("games", "player")]
        return [Route("/games", self._games, methods=["GET"]), *asked]

    async def _games(self, request: Request) -> Response:
        """Show the page of the search; its address has no fields that are empty."""
        asked = {name: text.strip() for name, text in request.query_params.items() if text.strip()}
        if len(asked) < len(request.query_params):
            return RedirectResponse(f"/games?{urlencode(asked)}".rstrip("?"))
        page, fault, again, _ = await self._found("games", asked, request, Games)
        if page is not None:
            again = not page.index.complete and "before" not in asked
        values = {
            "page": page,
            "fault": fault,
            "again": again,
            "asked": asked,
            "games": list(TITLES.items()),
            "reasons": list(REASONS.items()),
            "here": f"/games?{urlencode(asked)}",
            "further": "" if page is None else f"/games?{urlencode({**asked, 'before': page.next})}",
        }
        return Page("pages/games.html", values, headers={**NOT_STORED, **FORM_POLICY})

    async def player(self, request: Request, is_known: bool) -> Response:
        """Return the page of a player; raises `Refused` where it is known that nobody of that name has played.

        Somebody who is known to the server has a page before the first game.
        """
        name = request.path_params["name"]
        found, fault, again, status = await self._found("player", {"name": name}, request, dict[str, Any])
        if status == NOT_FOUND and not is_known:
            raise Refused(status, fault)
        if found is not None:
            again = not found["index"]["complete"]
            found["recent"] = convert(found["recent"], type=tuple[Row, ...])
        here = f"/player/{quote(name, safe='')}"
        values = {"found": found, "name": name, "fault": fault, "again": again, "here": here}
        return Page("pages/player.html", values)

    async def _found(
        self, kind: str, query: dict[str, str], request: Request, answer: type[T]
    ) -> tuple[T | None, str, bool, int]:
        """Return what a page shows: an answer, or a fault, and whether the page asks again; and the status."""
        try:
            return decode(await self._ask(kind, query, request), type=answer), "", False, 200
        except Refused as error:
            return None, str(error), error.status >= 500, error.status

    async def newest(self) -> tuple[Listed, ...]:
        """Return the last games, after one slice of indexing; raises `Refused`."""
        await self._index()
        found = await self._pool.ask("games", msgspec.json.encode(Asked(self._data)))
        return tuple(map(_listed, decode(found, type=Games).games))

    async def run(self) -> None:
        """Index records whenever somebody has asked for games; does not return."""
        while True:
            await self._wanted.wait()
            self._wanted = trio.Event()
            try:
                await self._bring_up()
            except Refused as error:
                log.warning("games_index_failed", fault=str(error))
                await trio.sleep(AGAIN_SECONDS)

    async def _bring_up(self) -> None:
        """Index until nothing is left; what comes then can wait until somebody asks again."""
        done = 0
        while done < LAST_LOOKS:
            progress = await self._index()
            if progress.complete:
                return
            done += not progress.left
            await trio.sleep(PAUSE_SECONDS)

    async def _index(self) -> Progress:
        """Index some records: one process at a time writes the index."""
        async with self._indexing:
            answer = await self._pool.ask("index", msgspec.json.encode(Asked(self._data)))
        return decode(answer, type=Progress)

    def _route(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return json_answer(await self._ask(kind, dict(request.query_params), request))

        return answer

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
