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
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Scope

from engine.games.catalogue import TITLES
from engine.match.signature import shown, signer
from server.arena.arena import Arena
from server.config.keys import public_half
from server.contest.report.page import Group, page_values, rounds
from server.contest.report.templating import render
from server.ops.lru_cache import LruCache
from server.storage.record_store import RecordStore
from server.web.assets import static_files
from server.web.http.answers import NOT_STORED, Page, json_answer
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import NOT_TRUE, Refused, short
from server.web.http.listener import QUOTA
from server.web.http.numbers import number_in, query_before
from server.web.http.request_body import read_body
from server.web.http.response_guard import Guard
from server.web.live.event_stream import Listen, Live
from server.web.live.frame_cache import FrameCache
from server.web.live.match_channel import MatchHubs, away
from server.web.live.pages import LOBBY, PROJECTOR, LivePages
from server.web.people.routes import People
from server.web.play import routes as play_routes
from server.web.pool import Pool
from server.web.replay.match_frames import info_of, note_views, now_of
from server.web.replay.records import MAX_BODY_BYTES, RECORD_BYTES, RecordAnalyser, player_log, record_text
from server.web.views import contests
from server.web.views.contests import Found
from server.web.views.lobby import overview, running
from server.web.views.words import REASONS

log = structlog.get_logger()

PACKED_BYTES, PACKED_LEVEL = 1024, 5
"""Answers of so many bytes and more are compressed, where a browser takes that; of what is live nothing is. No answer
holds a secret beside what somebody else may have put there, so that its length tells nothing: the pages of accounts are
sent as they are."""

THREAD_BYTES = 8 * 1024
"""Answers of so many bytes are compressed in a thread, which needs no lock of the interpreter for it."""

KEPT_REPORTS = 8
"""Reports that are kept as their pages show them, the last ones that somebody has asked for."""

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
"""A function that answers the requests of a route."""


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
        pages: LivePages,
        matches: MatchHubs,
        pool: Pool,
        people: People,
    ) -> None:
        """Take the arena, its records, the channels of pages and matches, the pool of processes, and who has played."""
        self._people = people
        self._arena = arena
        self._record_store = record_store
        self._data = arena.settings.data
        self._live = pages
        self._match_hubs = matches
        self._reports = pages.reports
        self._drawn: LruCache[tuple[int, int], tuple[Markup, Markup]] = LruCache(KEPT_REPORTS)
        self._frame_cache = FrameCache()
        self._pool = pool
        self._record_analyser = RecordAnalyser(pool)

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        contest = "/contest/{number:number}"
        return [
            *static_files.routes(),
            Route("/", self._lobby),
            Route("/matches", self._matches_found),
            Route("/match/{number:number}", self._match_page),
            *(
                Route(f"/{name}", partial(_script_page, template, f"/{name}"))
                for name, template in (("replay", "match"), ("play", "play"), ("analysis", "analysis"))
            ),
            Route("/contests", self._contests_page),
            Route(contest, self._contest_page),
            Route(f"{contest}/report", self._contest_parts),
            Route(f"{contest}/games", self._contest_games),
            Route(f"{contest}/live", self._projector),
            Route("/player/{name:path}", self._player),
            Route("/live/lobby", Live(lambda _: self._live.lobby.listen)),
            Route("/live/matches/{number:number}", Live(self._running)),
            Route("/live/contests/{number:number}", Live(self._contest_events)),
            Route("/api/lobby", self._overview),
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
            Route("/api/contests/{number:number}/{name}", self._table),
        ]

    # pages

    async def _lobby(self, _request: Request) -> Response:
        return Page(LOBBY, await self._live.lobby.values())

    async def _matches_found(self, request: Request) -> Response:
        name = request.query_params.get("name", "").strip()
        found = running(self._arena, name, query_before(request)) if name else None
        return Page("pages/matches.html", {"name": name, "found": found})

    async def _match_page(self, request: Request) -> Response:
        await self._check_match(request.path_params["number"])
        return await _script_page("match", "", request)

    async def _check_match(self, number: int) -> None:
        if self._arena.find_match(number) is None:
            await self._text(number)

    async def _contests_page(self, _request: Request) -> Response:
        values = {"contests": await self._reports.entries(), "announcements": self._arena.announcements}
        return Page("pages/contests.html", values)

    async def _contest(self, request: Request) -> Found:
        number = request.path_params["number"]
        found = await self._reports.contest(number)
        if found is None:
            raise Refused(404, f"there is no report of a contest {number} here")
        return found

    async def _report(self, found: Found) -> tuple[Markup, Markup]:
        """Return the head and the parts of a report in HTML."""
        key = found.entry.contest, found.changed
        return self._drawn.get(key) or self._drawn.put(key, await trio.to_thread.run_sync(_report_html, found))

    async def _contest_page(self, request: Request) -> Response:
        found = await self._contest(request)
        head, parts = await self._report(found)
        live = await self._live.contest(found.entry.contest).values()
        return Page("pages/contest.html", {**live, "entry": found.entry, "head": head, "parts": parts})

    async def _contest_parts(self, request: Request) -> Response:
        found = await self._contest(request)
        if request.query_params.get("changed") == str(found.changed):
            return Response(status_code=204)
        return HTMLResponse("".join(await self._report(found)), headers=NOT_STORED)

    async def _contest_games(self, request: Request) -> Response:
        """Show the games of two entrants as a page, or those of a round as a part of one."""
        found, asked = await self._contest(request), request.query_params
        values = {"contest": found.entry.contest, "entry": found.entry}
        if "round" in asked:
            of_round = next((one for one in rounds(found.report.games) if one.id == asked["round"]), None)
            if of_round is None:
                raise Refused(404, f"the contest has no round {asked['round']!r}")
            return Page("round.html", {**values, "round": of_round})
        names = asked.get("first", ""), asked.get("second", "")
        games = tuple(game for game in found.report.games if {game.first, game.second} == set(names))
        return Page("pages/contest_games.html", {**values, "round": Group(" and ".join(names), games)})

    async def _projector(self, request: Request) -> Response:
        return Page(PROJECTOR, await self._live.contest(request.path_params["number"]).values())

    async def _player(self, request: Request) -> Response:
        return await self._people.player(request, self._arena.knows(request.path_params["name"]))

    # data

    async def _overview(self, _request: Request) -> Response:
        contests = tuple(await self._reports.entries())
        return json_answer(msgspec.json.encode(overview(self._arena, None, contests)))

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
        ask = partial(self._pool.ask, "positions", client=_client(request))
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
        number = request.path_params["number"]
        found = await self._reports.of_match(number)
        if found is None:
            await self._check_match(number)
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
        return json_answer(await self._record_analyser.of_match("review", number, text, client, before))

    async def _review_record(self, request: Request) -> Response:
        before, body = query_before(request), await read_body(request, RECORD_BYTES)
        return json_answer(await self._record_analyser.ask("review", body, _client(request), before))

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
        return json_answer(msgspec.json.encode(await self._reports.entries()))

    async def _table(self, request: Request) -> Response:
        number, name = request.path_params["number"], request.path_params["name"]
        found = await trio.to_thread.run_sync(contests.file, self._data, number, name)
        if found is None:
            raise Refused(404, f"contest {number} has no file {name!r}")
        return Response(found, media_type=contests.TABLES[name])

    def _running(self, scope: Scope) -> Listen:
        number = scope["path_params"]["number"]
        match = self._arena.find_match(number)
        if match is None:
            raise Refused(404, f"match {number} is not being played")
        return partial(self._match_hubs.watch, match)

    def _contest_events(self, scope: Scope) -> Listen:
        return partial(self._live.listen, scope["path_params"]["number"])


def _client(request: Request) -> Hashable:
    """Return whose turn a request takes: that of all browsers of its address."""
    quota: ClientQuota = request.scope[QUOTA]
    return quota


async def _script_page(name: str, current: str, _request: Request) -> Response:
    """Return a page that its script fills in."""
    words = {"games": TITLES, "reasons": REASONS}
    return Page(f"pages/{name}.html", {"current": current, "words": words})


def _report_html(found: Found) -> tuple[Markup, Markup]:
    values = {**page_values(found.report, found.entry.contest, found.entry.known), "changed": found.changed}
    return Markup(render("pages/contest_head.html", **values)), Markup(render("pages/contest_parts.html", **values))


def _no_answer(request: Request, sentence: str, status: int) -> Response:
    """Say why there is no answer: as a page to who asks for pages, else as JSON."""
    if "text/html" in request.headers.get("accept", ""):
        return Page("pages/refusal.html", {"sentence": sentence, "status": status}, status)
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
    arena: Arena,
    record_store: RecordStore,
    live: LivePages,
    matches: MatchHubs,
    pool: Pool,
    people: People,
    *rooms: Room,
) -> ASGIApp:
    """Return the application: its own routes, and those of other rooms."""
    handlers = {Refused: _refused, HTTPException: _unknown, ClientDisconnect: _left, Exception: _fault}
    others: tuple[Room, ...] = (Pages(arena, record_store, live, matches, pool, people), people, *rooms)
    routes = [*(route for room in others for route in room.routes()), *play_routes.routes(pool)]
    packing = Middleware(
        GZipMiddleware, minimum_size=PACKED_BYTES, compresslevel=PACKED_LEVEL, thread_minimum_size=THREAD_BYTES
    )
    return Guard(Starlette(routes=routes, exception_handlers=handlers, middleware=[packing]))
