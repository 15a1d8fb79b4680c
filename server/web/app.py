"""The routes of the pages and of their data, as one ASGI application.

- ``/``, ``/match/17``, ``/replay``, ``/play``, ``/analysis``, ``/contests``, ``/contest/3``, ``/contest/3/live``: the
  pages, which ask for the rest
- ``/static/…``: their scripts and styles
- ``/api/…``, ``/live/…``: JSON, and server-sent events; docs/api.md describes them
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
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
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Scope

from engine.match.signature import shown, signer
from server.arena.arena import Arena
from server.config.keys import public_half
from server.storage.record_store import RecordStore
from server.web.assets import documents, static_files
from server.web.assets.static_files import File
from server.web.http.answers import JSON, json_answer
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import NOT_TRUE, Refused, short
from server.web.http.listener import QUOTA
from server.web.http.numbers import number_in, query_before
from server.web.http.request_body import read_body
from server.web.http.response_guard import Guard
from server.web.live.channels import Hubs, away
from server.web.live.endpoint import Listen, Live
from server.web.live.frame_cache import FrameCache
from server.web.people.routes import People
from server.web.play.routes import Playing
from server.web.replay.analysis_requests import RecordAnalyser, review_question
from server.web.replay.match_frames import info_of, note_views, now_of
from server.web.replay.records import MAX_BODY_BYTES, RECORD_BYTES, player_log, record_text
from server.web.views import contests
from server.web.views.lobby import running

log = structlog.get_logger()

PACKED_BYTES, PACKED_LEVEL = 1024, 5
"""Answers of so many bytes and more are compressed, where a browser takes that; of what is live nothing is. No answer
holds a secret beside what somebody else may have put there, so that its length tells nothing: the pages of accounts are
sent as they are."""

THREAD_BYTES = 8 * 1024
"""Answers of so many bytes are compressed in a thread, which needs no lock of the interpreter for it."""

LASTING = "public, max-age=31536000, immutable"
"""How browsers may keep a file whose path names its version."""

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
"""What answers the requests of a route."""


class Room(Protocol):
    """Routes that have processes of their own behind them."""

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes."""


class Pages:
    """The handlers of all routes."""

    def __init__(
        self,
        arena: Arena,
        record_store: RecordStore,
        hubs: Hubs,
        record_analyser: RecordAnalyser,
        people: People,
    ) -> None:
        """Take the arena, its records, the channels of live pages, what reads records, and who has played."""
        self._people = people
        self._arena = arena
        self._record_store = record_store
        self._data = arena.settings.data
        self._hubs = hubs
        self._frame_cache = FrameCache()
        self._record_analyser = record_analyser

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        checks = {
            "/match/{number:number}": self._check_match,
            "/contest/{number:number}": self._check_contest,
            "/player/{name:path}": self._check_player,
        }
        live = {
            "/live/lobby": Live(self._lobby),
            "/live/matches/{number:number}": Live(self._running),
            "/live/contests/{number:number}": Live(self._night),
        }
        return [
            *(
                Route(path, _page(page, checks.get(path), self._announcements))
                for path, page in documents.load().items()
            ),
            Route("/static/{path:path}", self._static),
            Route("/api/matches", self._matches),
            Route("/api/matches/{number:number}", self._match),
            Route("/api/matches/{number:number}/notes", self._notes),
            Route("/api/matches/{number:number}/values", self._of_record("values")),
            Route("/api/matches/{number:number}/review", self._review),
            Route("/api/matches/{number:number}/times", self._of_record("times")),
            Route("/api/matches/{number:number}/contest", self._contest_of_match),
            Route("/api/matches/{number:number}/record", self._record),
            Route("/api/matches/{number:number}/log", self._log, methods=["POST"]),
            Route("/api/record", self._analysis("frames"), methods=["POST"]),
            Route("/api/key", self._key),
            Route("/api/signature", self._signature, methods=["POST"]),
            Route("/api/values", self._analysis("values"), methods=["POST"]),
            Route("/api/review", self._review_record, methods=["POST"]),
            Route("/api/contests", self._contests),
            Route("/api/contests/{number:number}/fragments", self._contest(contests.page_fragments)),
            Route("/api/contests/{number:number}/{name}", self._table),
            *(Route(path, endpoint) for path, endpoint in live.items()),
        ]

    def _announcements(self) -> Sequence[str]:
        return self._arena.announcements

    async def _check_match(self, request: Request) -> None:
        number = request.path_params["number"]
        if self._arena.find_match(number) is None:
            await self._text(number)

    async def _check_contest(self, request: Request) -> None:
        number = request.path_params["number"]
        if all(entry.contest != number for entry in await self._hubs.lobby.reports.entries()):
            raise Refused(404, f"there is no report of a contest {number} here")

    async def _check_player(self, request: Request) -> None:
        if self._arena.knows(request.path_params["name"]):
            return
        try:
            await self._people.check_played(request)
        except Refused as error:
            if error.status == 404:  # else nobody knows, and the page asks again
                raise

    async def _static(self, request: Request) -> Response:
        file, lasting = static_files.find(request.path_params["path"])
        if file is None:
            raise Refused(404, "there is no such file")
        return _file(file, request, LASTING if lasting else "no-cache")

    async def _matches(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        return json_answer(msgspec.json.encode(running(self._arena, name, query_before(request))))

    async def _match(self, request: Request) -> Response:
        number = request.path_params["number"]
        match = self._arena.find_match(number)
        if match is None:
            return json_answer(
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

        return json_answer(await trio.to_thread.run_sync(told))

    async def _notes(self, request: Request) -> Response:
        match = self._arena.find_match(request.path_params["number"])
        if match is None:
            raise Refused(404, "the notes of a match that was over some time ago are told with the match")
        first = number_in(request.query_params, "from", 0)
        return json_answer(msgspec.json.encode(note_views(match.public_notes[first:])))

    def _of_record(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            number = request.path_params["number"]
            return json_answer(
                await self._record_analyser.of_match(kind, number, await self._text(number), _client(request))
            )

        return answer

    async def _contest_of_match(self, request: Request) -> Response:
        found = await self._hubs.lobby.reports.of_match(request.path_params["number"])
        if found is None:
            await self._check_match(request)
        return json_answer(msgspec.json.encode(found and {"contest": found.contest, "name": found.name}))

    async def _record(self, request: Request) -> Response:
        return Response(await self._text(request.path_params["number"]), media_type="text/plain; charset=utf-8")

    async def _log(self, request: Request) -> Response:
        body = await read_body(request, MAX_BODY_BYTES)
        quota: ClientQuota = request.scope[QUOTA]
        return json_answer(
            await player_log(self._arena, request.path_params["number"], body, quota, trio.to_thread.run_sync)
        )

    async def _text(self, number: int) -> str:
        return await record_text(self._arena, self._record_store, number)

    async def _review(self, request: Request) -> Response:
        number, before = request.path_params["number"], query_before(request)
        text, client = await self._text(number), _client(request)
        return json_answer(await self._record_analyser.review_of_match(number, before, text, client))

    async def _review_record(self, request: Request) -> Response:
        before, body = query_before(request), await read_body(request, RECORD_BYTES)
        return json_answer(await self._record_analyser.ask("review", review_question(before, body), _client(request)))

    def _analysis(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return json_answer(
                await self._record_analyser.ask(kind, await read_body(request, RECORD_BYTES), _client(request))
            )

        return answer

    async def _key(self, _request: Request) -> Response:
        key = await trio.to_thread.run_sync(public_half, self._data)
        return json_answer(msgspec.json.encode({"algorithm": "Ed25519", "key": shown(key)}))

    async def _signature(self, request: Request) -> Response:
        record = await read_body(request, RECORD_BYTES)
        if not record.startswith(b"arena-record "):
            raise Refused(NOT_TRUE, "line 1: a record begins with arena-record")
        by = await trio.to_thread.run_sync(lambda: signer(public_half(self._data), record))
        return json_answer(msgspec.json.encode({"by": by}))

    async def _contests(self, _request: Request) -> Response:
        return json_answer(msgspec.json.encode(await self._hubs.lobby.reports.entries()))

    def _contest(self, make: contests.MakeAnswer) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            number = request.path_params["number"]
            found = await self._hubs.lobby.reports.contest(number, make)
            if found is None:
                raise Refused(404, f"there is no report of a contest {number} here")
            headers = {"etag": found.tag, "cache-control": "no-cache"}
            if request.headers.get("if-none-match") == found.tag:
                return Response(status_code=304, headers=headers)
            return Response(found.data, media_type=JSON, headers=headers)

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


def _client(request: Request) -> Hashable:
    """Return whose turn a request takes: that of all browsers of its address."""
    quota: ClientQuota = request.scope[QUOTA]
    return quota


def _page(
    page: File,
    check: Callable[[Request], Awaitable[None]] | None,
    announcements: Callable[[], Sequence[str]],
) -> Handler:
    async def answer(request: Request) -> Response:
        if check is not None:
            await check(request)
        shown = page
        if announcements() and documents.ANNOUNCEMENTS in shown.data:
            shown = await trio.to_thread.run_sync(documents.with_announcements, shown, announcements())
        return _file(shown, request)

    return answer


def _file(file: File, request: Request, caching: str = "no-cache") -> Response:
    headers = {"etag": file.tag, "cache-control": caching, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.media_type, headers={**headers, "content-encoding": "gzip"})
    return Response(file.data, media_type=file.media_type, headers=headers)


def _no_answer(request: Request, sentence: str, status: int) -> Response:
    """Say why there is no answer: as a page to who asks for pages, else as JSON."""
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(documents.refusal(sentence, status), status)
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


def application(
    arena: Arena, record_store: RecordStore, hubs: Hubs, playing: Playing, people: People, *rooms: Room
) -> ASGIApp:
    """Return the application: its own routes, and those of other rooms."""
    handlers = {Refused: _refused, HTTPException: _unknown, ClientDisconnect: _left, Exception: _fault}
    record_analyser = RecordAnalyser()
    pages = Pages(arena, record_store, hubs, record_analyser, people)
    others: tuple[Room, ...] = (playing, people, *rooms)
    routes = [*pages.routes(), *(route for room in others for route in room.routes())]
    packing = Middleware(
        GZipMiddleware, minimum_size=PACKED_BYTES, compresslevel=PACKED_LEVEL, thread_minimum_size=THREAD_BYTES
    )
    return Guard(Starlette(routes=routes, exception_handlers=handlers, middleware=[packing]))
