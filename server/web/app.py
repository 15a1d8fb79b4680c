"""The routes of the pages and of their data, as one ASGI application.

- ``/``, ``/match/17``, ``/replay``, ``/play``, ``/analysis``, ``/contests``, ``/contest/3``, ``/contest/3/live``,
  ``/atlas``: the pages, which ask for the rest
- ``/static/…``: their scripts and styles
- ``/api/matches?name=ann&before=17``: running matches of players with such names, with lower numbers, sixty at most
- ``/api/matches/17``: a match: what is fixed, how it stands, its positions
- ``/api/matches/17/notes?from=8``: what both players have noted of the moves of a match, as far as it may be seen, but
  for the first eight notes
- ``/api/matches/17/times``: where the time of both sides went, of a match that is over
- ``/api/matches/17/values``: what the search thinks of each position, of a match that is over
- ``/api/matches/17/review?before=25``: the best move for each of the moves 1 to 24, and which were mistakes
- ``/api/matches/17/contest``: the contest that a match belongs to, and the games before and after it of the same two
- ``/api/matches/17/record``: the record, as text
- ``/api/matches/17/log``: to POST a token to: the log of the player whose token it is
- ``/api/record``, ``/api/values``, ``/api/review``: to POST a record to: the same as of a match
- ``/api/games?player=ann``: games that were played (`server.web.people`)
- ``/api/contests``, ``/api/contests/3``, ``/api/contests/3/games.csv``: contests, and their reports
- ``/api/contests/3/fragments``: what the page of a contest shows, as HTML
- ``/api/atlas``: which variants are solved, and how they end
- ``/live/lobby``, ``/live/matches/17``, ``/live/contests/3``: server-sent events
- ``/api``, ``/api/openapi.json``, ``/api/v1/…``: for programs (`server.web.api`)
"""

import re
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Protocol, TypeAlias

import msgspec
import structlog
import trio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from server.arena.arena import Arena
from server.storage.record_store import RecordStore
from server.web.api.routes import Api
from server.web.assets import documents, static_files
from server.web.assets.static_files import File
from server.web.atlas.routes import AtlasRoutes
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import Refused, short
from server.web.http.listener import QUOTA, STREAM
from server.web.http.path_numbers import DIGITS
from server.web.http.request_body import cancel_when_gone, read_body
from server.web.http.response_guard import Guard
from server.web.live.channels import Hubs, away
from server.web.live.event_stream import Mailbox
from server.web.live.frame_cache import FrameCache
from server.web.play.routes import Playing
from server.web.replay.analysis_requests import RecordAnalyser, review_question
from server.web.replay.finished_record import record_text
from server.web.replay.log_requests import MAX_BODY_BYTES, player_log
from server.web.replay.match_frames import info_of, note_views, now_of
from server.web.views import contests
from server.web.views import plain as plain_views
from server.web.views.lobby import running

log = structlog.get_logger()

RECORD_BYTES = 2 * 1024 * 1024
"""Largest record that is read: one of ten thousand moves has less."""

PACKED_BYTES, PACKED_LEVEL = 1024, 5
"""Answers of so many bytes and more are compressed, where a browser takes that; of what is live nothing is. No answer
holds a secret beside what somebody else may have put there (there are no accounts and no cookies), so that its length
tells nothing."""

THREAD_BYTES = 8 * 1024
"""Answers of so many bytes are compressed in a thread, which needs no lock of the interpreter for it."""

LASTING = "public, max-age=31536000, immutable"
"""How browsers may keep a file whose path names its version."""

RETRY = b"retry: 2000\n\n"
"""The first event: after so many milliseconds a browser that has lost the connection comes back."""

Listen: TypeAlias = Callable[[Mailbox], Awaitable[None]]


class Room(Protocol):
    """Routes that have processes of their own behind them."""

    def routes(self) -> list[Route]:
        """Return the routes."""


class Pages:
    """The handlers of all routes."""

    def __init__(self, arena: Arena, record_store: RecordStore, hubs: Hubs, record_analyser: RecordAnalyser) -> None:
        """Take the arena, its records, the channels of live pages, and what reads records."""
        self._arena = arena
        self._record_store = record_store
        self._data = arena.settings.data
        self._hubs = hubs
        self._frame_cache = FrameCache()
        self._record_analyser = record_analyser

    def routes(self) -> list[Route]:
        """Return all routes."""
        plain = {
            "/": self._plain_lobby,
            "/match/{number:number}": self._plain_match,
            "/contests": self._plain_contests,
            "/contest/{number:number}": self._plain_contest,
        }
        return [
            *(Route(path, _page(page, plain.get(path))) for path, page in documents.load().items()),
            Route("/static/{path:path}", self._static),
            Route("/api/matches", self._matches),
            Route("/api/matches/{number:number}", self._match),
            Route("/api/matches/{number:number}/notes", self._notes),
            Route("/api/matches/{number:number}/values", self._of_record("values")),
            Route("/api/matches/{number:number}/review", self._review),
            Route("/api/matches/{number:number}/times", self._of_record("times")),
            Route("/api/matches/{number:number}/contest", self._pairing),
            Route("/api/matches/{number:number}/record", self._record),
            Route("/api/matches/{number:number}/log", self._log, methods=["POST"]),
            Route("/api/record", self._analysis("frames"), methods=["POST"]),
            Route("/api/values", self._analysis("values"), methods=["POST"]),
            Route("/api/review", self._review_record, methods=["POST"]),
            Route("/api/contests", self._contests),
            Route("/api/contests/{number:number}", self._contest(contests.whole_report)),
            Route("/api/contests/{number:number}/fragments", self._contest(contests.page_fragments)),
            Route("/api/contests/{number:number}/{name}", self._table),
            Route("/live/lobby", Live(self._lobby)),
            Route("/live/matches/{number:number}", Live(self._running)),
            Route("/live/contests/{number:number}", Live(self._night)),
        ]

    async def _plain_lobby(self, _request: Request) -> str:
        return plain_views.lobby(await self._hubs.lobby.overview())

    async def _plain_match(self, request: Request) -> str:
        number = request.path_params["number"]
        match = self._arena.find_match(number)
        if match is not None:
            return plain_views.match(match.public)
        await self._text(number)
        return plain_views.record(number)

    async def _plain_contests(self, _request: Request) -> str:
        return plain_views.contests(await self._hubs.lobby.reports.entries())

    async def _plain_contest(self, request: Request) -> str:
        number = request.path_params["number"]
        found = await self._hubs.lobby.reports.contest(number, plain_views.report)
        if found is None:
            raise Refused(404, f"there is no report of a contest {number} here")
        return found.data.decode()

    async def _static(self, request: Request) -> Response:
        file, lasting = static_files.find(request.path_params["path"])
        if file is None:
            raise Refused(404, "there is no such file")
        return _file(file, request, LASTING if lasting else "no-cache")

    async def _matches(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        return _json(msgspec.json.encode(running(self._arena, name, _before(request, "match"))))

    async def _match(self, request: Request) -> Response:
        number = request.path_params["number"]
        match = self._arena.find_match(number)
        if match is None:
            return _json(
                await self._record_analyser.of_match("frames", number, await self._text(number), _client(request))
            )
        state, stamp, gone, notes = match.public, match.now(), away(match), match.public_notes
        history = state.history
        match_frames = self._frame_cache.of(number, history.start)
        ask = partial(self._record_analyser.ask, "positions", client=_client(request))
        frames = await match_frames.up_to(history.moves, history.position, ask)

        def told() -> bytes:
            now = now_of(state, None, 0, stamp, gone, len(notes))
            whole = {"info": info_of(match.header), "now": now, "frames": frames, "notes": note_views(notes)}
            return msgspec.json.encode(whole)

        return _json(await trio.to_thread.run_sync(told))

    async def _notes(self, request: Request) -> Response:
        match = self._arena.find_match(request.path_params["number"])
        if match is None:
            raise Refused(404, "the notes of a match that was over some time ago are told with the match")
        first = request.query_params.get("from", "0")
        if not re.fullmatch(f"[0-9]{{1,{DIGITS}}}", first):
            raise Refused(400, f"from is a number of notes, 1 to {DIGITS} digits")
        return _json(msgspec.json.encode(note_views(match.public_notes[int(first) :])))

    def _of_record(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            number = request.path_params["number"]
            return _json(await self._record_analyser.of_match(kind, number, await self._text(number), _client(request)))

        return answer

    async def _pairing(self, request: Request) -> Response:
        return _json(msgspec.json.encode(await self._hubs.lobby.reports.game(request.path_params["number"])))

    async def _record(self, request: Request) -> Response:
        return Response(await self._text(request.path_params["number"]), media_type="text/plain; charset=utf-8")

    async def _log(self, request: Request) -> Response:
        body = await read_body(request, MAX_BODY_BYTES)
        quota: ClientQuota = request.scope[QUOTA]
        return _json(await player_log(self._arena, request.path_params["number"], body, quota, trio.to_thread.run_sync))

    async def _text(self, number: int) -> str:
        return await record_text(self._arena, self._record_store, number)

    async def _review(self, request: Request) -> Response:
        number, before = request.path_params["number"], _before(request)
        text, client = await self._text(number), _client(request)
        return _json(await self._record_analyser.review_of_match(number, before, text, client))

    async def _review_record(self, request: Request) -> Response:
        before, body = _before(request), await read_body(request, RECORD_BYTES)
        return _json(await self._record_analyser.ask("review", review_question(before, body), _client(request)))

    def _analysis(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return _json(
                await self._record_analyser.ask(kind, await read_body(request, RECORD_BYTES), _client(request))
            )

        return answer

    async def _contests(self, _request: Request) -> Response:
        return _json(msgspec.json.encode(await self._hubs.lobby.reports.entries()))

    def _contest(self, make: contests.MakeAnswer) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            number = request.path_params["number"]
            found = await self._hubs.lobby.reports.contest(number, make)
            if found is None:
                raise Refused(404, f"there is no report of a contest {number} here")
            headers = {"etag": found.tag, "cache-control": "no-cache"}
            if request.headers.get("if-none-match") == found.tag:
                return Response(status_code=304, headers=headers)
            return Response(found.data, media_type="application/json", headers=headers)

        return answer

    async def _table(self, request: Request) -> Response:
        number, name = request.path_params["number"], request.path_params["name"]
        found = await trio.to_thread.run_sync(contests.file, self._data, number, name)
        if found is None:
            raise Refused(404, f"contest {number} has no file {name!r}")
        return Response(found, media_type=contests.TABLES[name])

    def _lobby(self, _scope: Scope) -> Listen:
        return self._hubs.lobby.listen

    def _running(self, scope: Scope) -> Listen:
        number = scope["path_params"]["number"]
        match = self._arena.find_match(number)
        if match is None:
            raise Refused(404, f"match {number} is not being played")
        return partial(self._hubs.watch, match)

    def _night(self, scope: Scope) -> Listen:
        return partial(self._hubs.contests.listen, scope["path_params"]["number"])


class Live:
    """An endpoint that sends events until the browser goes."""

    def __init__(self, find: Callable[[Scope], Listen]) -> None:
        """Take a function that finds what a request wants to listen to, or raises `Refused`."""
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin the response, and leave the rest of it to a mailbox, which writes past the protocol."""
        if scope["method"] != "GET" or scope["http_version"] != "1.1":
            raise Refused(405, "what is live is told to a GET of HTTP/1.1")
        listen = self._find(scope)
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": RETRY, "more_body": True})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cancel_when_gone, receive, nursery.cancel_scope)
            await listen(Mailbox(scope["state"][STREAM]))
            nursery.cancel_scope.cancel()


def _before(request: Request, what: str = "move") -> int:
    """Return the number that a request asks to stay below, one above all numbers where it has none."""
    before = request.query_params.get("before", "")
    if not re.fullmatch(f"[0-9]{{0,{DIGITS}}}", before):
        raise Refused(400, f"before is the number of a {what}, 1 to {DIGITS} digits")
    return int(before or 10**DIGITS)


def _client(request: Request) -> Hashable:
    """Return whose turn a request takes: that of all browsers of its address."""
    quota: ClientQuota = request.scope[QUOTA]
    return quota


def _page(page: File, plain: Callable[[Request], Awaitable[str]] | None) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        if plain is None:
            return _file(page, request)
        markup = await plain(request)
        return _file(await trio.to_thread.run_sync(documents.with_plain, page, markup), request)

    return answer


def _file(file: File, request: Request, caching: str = "no-cache") -> Response:
    headers = {"etag": file.tag, "cache-control": caching, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.media_type, headers={**headers, "content-encoding": "gzip"})
    return Response(file.data, media_type=file.media_type, headers=headers)


def _json(data: bytes) -> Response:
    return Response(data, media_type="application/json", headers={"cache-control": "no-store"})


def _no_answer(request: Request, sentence: str, status: int) -> Response:
    """Say why there is no answer: as a page to who asks for pages, else as JSON."""
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(documents.refusal(sentence), status)
    return JSONResponse({"error": sentence}, status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _no_answer(request, str(error), error.status)


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = short(f"there is nothing at {request.url.path!r}") if error.status_code == 404 else error.detail
    return _no_answer(request, sentence, error.status_code)


async def _left(_request: Request, _error: Exception) -> Response:
    return Response(status_code=400)


async def _fault(request: Request, error: Exception) -> Response:
    log.error("page_failed", path=request.url.path, exc_info=error)
    return _no_answer(request, "a fault of the server's own, which was written to its log", 500)


def application(arena: Arena, record_store: RecordStore, hubs: Hubs, playing: Playing, *rooms: Room) -> ASGIApp:
    """Return the application: its own routes, and those of other rooms."""
    handlers = {Refused: _refused, HTTPException: _unknown, ClientDisconnect: _left, Exception: _fault}
    record_analyser = RecordAnalyser()
    pages = Pages(arena, record_store, hubs, record_analyser)
    others = (playing, *rooms, AtlasRoutes())
    routes = [*pages.routes(), *(route for room in others for route in room.routes())]
    routes += Api(arena, record_store, record_analyser, playing).routes(routes)
    packing = Middleware(
        GZipMiddleware, minimum_size=PACKED_BYTES, compresslevel=PACKED_LEVEL, thread_minimum_size=THREAD_BYTES
    )
    return Guard(Starlette(routes=routes, exception_handlers=handlers, middleware=[packing]))
