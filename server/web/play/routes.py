"""Playing and analysing in the browser, as routes of the web application.

Every request names the whole game (`server.web.play.questions`, `server.web.play.analysis_questions`); nothing is kept
here. Other processes do the work.
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import TypeAlias

import trio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES
from server.web.http.answers import JSON
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.request_body import cancel_when_gone, read_body
from server.web.play.analysis_questions import MAX_SECONDS as MAX_ANALYSIS_SECONDS
from server.web.play.questions import MAX_SECONDS
from server.web.play.workers import Workers

MAX_BYTES = 64 * 1024
"""Of a request: a thousand moves of GIPF are a quarter of it."""

LOOK_SECONDS = 10.0
"""How long an answer that needs no thinking may take."""

COMPILE_SECONDS = 60.0
"""How much longer than it thinks a bot may take: compiling a search takes some seconds, more where others work."""

KINDS = {
    **dict.fromkeys(("look", "rows"), LOOK_SECONDS),
    "think": MAX_SECONDS + COMPILE_SECONDS,
}
"""What can be asked, and how long the answer may take."""

ANALYSIS_KINDS = {
    "lines": MAX_ANALYSIS_SECONDS + COMPILE_SECONDS,
    **dict.fromkeys(("open", "kit", "arrange", "record"), LOOK_SECONDS),
}
"""The same of the analysis page."""

LOOKERS = 2
"""Processes that answer what needs no thinking."""

THINKERS = 2
"""Processes in which bots think, of one client all but one."""

SEARCHERS = 2
"""Processes that search for the analysis page, in a thread each; of one client all but one."""

LOOK_NICE, THINK_NICE = 10, 19
"""How far behind matches both stand where the processor is wanted; a look takes some milliseconds."""


class Playing:
    """The handlers of these routes, with the worker processes that answer. An async context manager."""

    def __init__(self, thinkers: int = THINKERS) -> None:
        """Start no process before somebody asks."""
        self._lookers = Workers(LOOKERS, nice=LOOK_NICE)
        self._thinkers = Workers(thinkers, nice=THINK_NICE)

    async def __aenter__(self) -> "Playing":
        return self

    async def __aexit__(self, *_error: object) -> None:
        async with self._lookers, self._thinkers:
            pass

    def routes(self) -> list[Route]:
        """Return the routes: GET api/play/games, and POST of a question to api/play/KIND for each of the KINDS."""
        return [
            Route("/api/play/games", _games, methods=["GET"]),
            *(Route(f"/api/play/{kind}", self._answering(kind), methods=["POST"]) for kind in KINDS),
        ]

    async def ask(self, kind: str, body: bytes, client: Hashable = None) -> tuple[int, bytes]:
        """Return the status and the JSON of an answer to one of the KINDS, in fair turns; raises `Refused`."""
        workers = self._thinkers if kind == "think" else self._lookers
        return await workers.ask(kind, body, KINDS[kind], client)

    def _answering(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await answer_question(partial(self.ask, kind, client=request.scope.get(QUOTA)), request)

        return answer


class Analysis:
    """The handlers of the routes of the analysis page, with the worker processes. An async context manager."""

    def __init__(self) -> None:
        """Start no process before somebody asks."""
        self._lookers = Workers(1, nice=LOOK_NICE)
        self._thinkers = Workers(SEARCHERS, nice=THINK_NICE)

    async def __aenter__(self) -> "Analysis":
        return self

    async def __aexit__(self, *_error: object) -> None:
        async with self._lookers, self._thinkers:
            pass

    def routes(self) -> list[Route]:
        """Return the routes: POST of a question to api/analysis/KIND for each of the ANALYSIS_KINDS."""
        return [Route(f"/api/analysis/{kind}", self._answering(kind), methods=["POST"]) for kind in ANALYSIS_KINDS]

    async def ask(self, client: Hashable, kind: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the JSON of an answer of one of the ANALYSIS_KINDS; raises `Refused`."""
        workers = self._thinkers if kind == "lines" else self._lookers
        return await workers.ask(kind, body, ANALYSIS_KINDS[kind], client)

    def _answering(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await answer_question(partial(self.ask, request.scope[QUOTA], kind), request)

        return answer


Ask: TypeAlias = Callable[[bytes], Awaitable[tuple[int, bytes]]]
"""Takes the JSON of a question; returns the status and the JSON of the answer, or raises `Refused`."""


async def answer_question(ask: Ask, request: Request) -> Response:
    """Answer a question in JSON; raises `Refused`.

    When the browser goes, asking is cancelled.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != JSON:
        raise Refused(415, "a question is sent as application/json")
    body = await read_body(request, MAX_BYTES)
    response = Response(status_code=400)  # nobody is there to read it where the browser has gone
    refused: Refused | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cancel_when_gone, request.receive, nursery.cancel_scope)
        try:
            status, answer = await ask(body)
            response = Response(answer, status, media_type=JSON)
        except Refused as error:
            refused = error
        nursery.cancel_scope.cancel()
    if refused is not None:
        raise refused
    return response


async def _games(_request: Request) -> Response:
    return JSONResponse(
        [{"name": game.name, "sides": game.sides, "parameters": game.default_parameters} for game in GAMES.values()]
    )
