"""Playing in the browser, as routes of the web application: how a game stands, which rows to choose, the bot's move.

Every request names the whole game (`server.web.play.questions`); nothing is kept here. Other processes do the work.
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from hashlib import sha256
from typing import TypeAlias

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK
from server.web.http.answers import JSON
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.request_body import cancel_when_gone, read_body
from server.web.http.work_queue import Full, WorkQueue
from server.web.play.exact import State
from server.web.play.makings import Makings, variant_of
from server.web.play.pictures import MEDIA_TYPES
from server.web.play.questions import MAX_SECONDS
from server.web.play.workers import Workers

MAX_BYTES = 64 * 1024
"""Of a request: a thousand moves of GIPF are a quarter of it."""

LOOK_SECONDS = 10.0
"""How long an answer that needs no thinking may take."""

PAINTED = ("png", "gif", "card")
"""Pictures of pixels."""

PAINT_SECONDS = 60.0
"""How long they may take: the longest animation takes some four seconds of the processor."""

COMPILE_SECONDS = 60.0
"""How much longer than it thinks a bot may take: compiling a search takes some seconds, more where others work."""

KINDS = {
    **dict.fromkeys(("look", "rows", "values", "picture"), LOOK_SECONDS),
    **dict.fromkeys(PAINTED, PAINT_SECONDS),
    "think": MAX_SECONDS + COMPILE_SECONDS,
}
"""What can be asked, and how long the answer may take."""

LOOKERS = 2
"""Processes that answer what needs no thinking."""

PAINTERS = 2
"""Processes that paint pixels, of one client all but one."""

MAX_WAITING, MAX_WAITING_OF_ONE = 32, 8
"""Pictures that wait for their turn, of all and of one client."""

KEPT_BYTES = 16 * 1024 * 1024
"""Of pictures that are kept to be sent again: those that others link to are asked for by each of their readers."""

LOOK_NICE, THINK_NICE = 10, 19
"""How far behind matches both stand where the processor is wanted; a look takes some milliseconds."""


class _State(msgspec.Struct):
    state: State


class Playing:
    """The handlers of these routes, with the worker processes that answer. An async context manager."""

    def __init__(self, thinkers: int = 1) -> None:
        """Start no process before somebody asks."""
        self._lookers = Workers(LOOKERS, nice=LOOK_NICE)
        self._thinkers = Workers(thinkers, nice=THINK_NICE)
        self._painters = Workers(PAINTERS, nice=THINK_NICE)
        self._turns = WorkQueue(PAINTERS, MAX_WAITING, MAX_WAITING_OF_ONE)
        self._painted: LruCache[bytes, bytes] = LruCache(KEPT_BYTES, size_of=len)
        self._makings = Makings(trio.current_time)

    async def __aenter__(self) -> "Playing":
        return self

    async def __aexit__(self, *_error: object) -> None:
        async with self._lookers, self._thinkers, self._painters:
            pass

    def routes(self) -> list[Route]:
        """Return the routes: GET api/play/games, and POST of a question to api/play/KIND for each of the KINDS."""
        return [
            Route("/api/play/games", _games, methods=["GET"]),
            Route("/api/play/values", self._values, methods=["POST"]),
            *(
                Route(f"/api/play/{kind}", self._answering(kind), methods=["POST"])
                for kind in KINDS
                if kind != "values"
            ),
        ]

    async def ask(self, kind: str, body: bytes, client: Hashable = None) -> tuple[int, bytes]:
        """Return the status and the answer to a question of one of the KINDS; raises `Refused`.

        Pixels are painted in fair turns of the clients, and kept.
        """
        if kind in PAINTED:
            return await self._paint(kind, body, client)
        workers = self._thinkers if kind == "think" else self._lookers
        return await workers.ask(kind, body, KINDS[kind])

    async def _paint(self, kind: str, body: bytes, client: Hashable) -> tuple[int, bytes]:
        key = sha256(kind.encode() + b" " + body).digest()
        painted = self._painted.get(key)
        if painted is not None:
            return OK, painted
        try:
            async with self._turns.of(client):
                painted = self._painted.get(key)  # somebody may have asked for it while this waited
                status, answer = (OK, painted) if painted else await self._painters.ask(kind, body, KINDS[kind])
        except Full:
            raise Refused(503, "too many pictures are being painted now; try again in a minute") from None
        if status == OK:
            self._painted.put(key, answer)
        return status, answer

    async def _known(self, body: bytes) -> tuple[int, bytes]:
        """Return exact values as `ask` does, of those tablebases alone that are there."""
        return await self._lookers.ask("known", body, KINDS["values"])

    async def _values(self, request: Request) -> Response:
        """Tell exact values; an address has so many tablebases made, and others later."""

        async def ask(body: bytes) -> tuple[int, bytes]:
            variant, client = variant_of(body), request.scope.get(QUOTA)
            is_free = self._makings.is_free(client, variant)
            status, answer = await (self.ask("values", body) if is_free else self._known(body))
            if status == OK and decode(answer, type=_State).state == State.MAKING:
                self._makings.note(client, variant)
            return status, answer

        return await answer_question(ask, request)

    def _answering(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            client = request.scope[QUOTA] if kind in PAINTED else None
            return await answer_question(partial(self.ask, kind, client=client), request, MEDIA_TYPES.get(kind, JSON))

        return answer


Ask: TypeAlias = Callable[[bytes], Awaitable[tuple[int, bytes]]]
"""Takes the JSON of a question; returns the status and the JSON of the answer, or raises `Refused`."""


async def answer_question(ask: Ask, request: Request, media_type: str = JSON) -> Response:
    """Answer a question in JSON by an answer of a media type; raises `Refused`.

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
            response = Response(answer, status, media_type=media_type if status == OK else JSON)
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
