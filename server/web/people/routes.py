"""Games that were played, as routes of the web application: the search, answered from an index of the records.

The index is brought up to the records in the background, from the first question on: a server that nobody asks does
no work for it. Each answer tells whether it has all records by now.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec
import structlog
import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES, TITLES
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK
from server.web.http.answers import NOT_STORED, Page, json_answer
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.response_guard import FORM_POLICY
from server.web.people.indexing import Progress
from server.web.people.process import KINDS, NOT_FOUND, Asked
from server.web.people.profiles import Profile
from server.web.people.search import Games, Row
from server.web.play.workers import Workers
from server.web.views.board import Ending
from server.web.views.lobby import Listed
from server.web.views.words import REASONS

log = structlog.get_logger()

T = TypeVar("T")

MODULE = "server.web.people.process"

NICE = 10
"""How far behind matches these processes stand where the processor is wanted. Not the most there is: with that the
index of a server whose matches want every core got a hundredth of one, and stayed empty for minutes."""

AT_A_TIME = 2
"""Questions that are answered side by side, of one client all but one."""

ANSWER_SECONDS, INDEX_SECONDS = 20.0, 120.0
"""How long an answer may take, and a slice of indexing, with reading the folder and checking the database."""

PAUSE_SECONDS = 0.5
"""Between slices of indexing, so that half of a processor at most is taken by it while there is much to do."""

LAST_LOOKS = 2
"""How often to look for records that have come while the last ones were read."""

AGAIN_SECONDS = 10.0
"""Pause after a fault of the process that indexes."""


class People:
    """The handlers of these routes, and their processes. An async context manager."""

    def __init__(self, data: Path) -> None:
        """Take the data directory; no process is started before somebody asks."""
        self._data = str(data)
        self._answering = Workers(AT_A_TIME, nice=NICE, module=MODULE)
        self._indexing = Workers(1, nice=NICE, module=MODULE)
        self._wanted = trio.Event()

    async def __aenter__(self) -> "People":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        async with self._answering, self._indexing:
            pass

    def routes(self) -> list[Route]:
        """Return the routes, GET api/games among them."""
        asked = [Route(f"/api/{kind}", self._route(kind), methods=["GET"]) for kind in KINDS]
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
        found, fault, again, status = await self._found("player", {"name": name}, request, Profile)
        if status == NOT_FOUND and not is_known:
            raise Refused(status, fault)
        if found is not None:
            again = not found.index.complete
        here = f"/player/{quote(name, safe='')}"
        values = {"found": found, "name": name, "fault": fault, "again": again, "here": here}
        return Page("pages/player.html", values)

    async def _found(
        self, kind: str, query: dict[str, str], request: Request, answer: type[T]
    ) -> tuple[T | None, str, bool, int]:
        """Return what a page shows: an answer, or a fault, and whether the page asks again; and the status."""
        try:
            status, found = await self._ask(kind, query, request)
        except Refused as error:
            return None, str(error), True, error.status
        if status != OK:
            return None, decode(found, type=dict[str, str])["error"], False, status
        return decode(found, type=answer), "", False, status

    async def newest(self) -> tuple[Listed, ...]:
        """Return the last games, after one slice of indexing; raises `Refused`."""
        body = msgspec.json.encode(Asked(self._data))
        await self._indexing.ask("index", body, INDEX_SECONDS)
        _, found = await self._answering.ask("games", body, ANSWER_SECONDS)
        return tuple(map(_listed, decode(found, type=Games).games))

    async def run(self) -> None:
        """Index records whenever somebody has asked for games; does not return."""
        body = msgspec.json.encode(Asked(self._data))
        while True:
            await self._wanted.wait()
            self._wanted = trio.Event()
            try:
                await self._bring_up(body)
            except Refused as error:
                log.warning("games_index_failed", fault=str(error))
                await trio.sleep(AGAIN_SECONDS)

    async def _bring_up(self, body: bytes) -> None:
        """Index until nothing is left; what comes then can wait until somebody asks again."""
        done = 0
        while done < LAST_LOOKS:
            _, answer = await self._indexing.ask("index", body, INDEX_SECONDS)
            progress = decode(answer, type=Progress)
            if progress.complete:
                return
            done += not progress.left
            await trio.sleep(PAUSE_SECONDS)

    def _route(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            status, found = await self._ask(kind, dict(request.query_params), request)
            return json_answer(found, status)

        return answer

    async def _ask(self, kind: str, query: dict[str, str], request: Request) -> tuple[int, bytes]:
        self._wanted.set()
        body = msgspec.json.encode(Asked(self._data, query))
        return await self._answering.ask(kind, body, ANSWER_SECONDS, request.scope[QUOTA])


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
