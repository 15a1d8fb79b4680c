"""The pages: their routes and those of their data as one ASGI application, and serving it beside the arena.

- ``/``, ``/match/17``, ``/replay``, ``/play``, ``/analysis``, ``/contests``, ``/contest/3``, ``/contest/3/live``,
  ``/games``, ``/player/ann``, ``/learn``: the pages
- ``/static/…``: their scripts and styles
- ``/api/…``, ``/live/…``: JSON, and server-sent events; docs/api.md describes them

A process indexes the records in the background. It begins with the first question about games that were played. Each
answer says whether the index has all records.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from time import thread_time
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

import msgspec
import trio
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from engine.games.catalogue import GAMES, TITLES
from engine.games.endings import REASONS, headline
from engine.levels import LEVEL_NAMES
from server.arena.arena import Arena
from server.config.builtin_bot import BUILTIN_NAMES
from server.contest.report.files import TABS, Group, rounds, tab_values
from server.contest.report.templating import render
from server.net.admission import Listener
from server.net.timing import microseconds
from server.ops.logs import log
from server.ops.supervisor import supervise
from server.ops.typed_json import convert, decode
from server.storage.record_store import RecordStore
from server.web.answers import JSON, NOT_STORED, Page, json_answer
from server.web.games_index import Asked, Games, IndexProgress, ListedGame
from server.web.http import static_files
from server.web.http.listener import MAX_CONNECTIONS, REFUSAL, serve_browsers
from server.web.http.request import (
    FORM_POLICY,
    MAX_SENTENCE,
    QUOTA,
    Guard,
    HttpRateLimiter,
    Refused,
    cancel_when_gone,
    query_before,
    read_body,
)
from server.web.live import LOBBY, PROJECTOR, Broadcaster, Live, LivePage, LivePages
from server.web.matches import MatchHubs, MatchRoutes
from server.web.pool import Pool
from server.web.views import contests
from server.web.views.board import EndOfGame, about, view
from server.web.views.learn import rules
from server.web.views.lobby import ListedMatch, how_to_start, overview, running

PAUSE_SECONDS = 0.5
"""Between slices of indexing, so that half of a processor at most is taken by it while there is much to do."""

AGAIN_SECONDS = 10.0
"""Pause after a fault of the process that indexes."""


PlayerTabs: TypeAlias = Callable[[Request, str], Mapping[str, str]]
"""Returns the titles of the pages of a player, by their paths, in a thread."""


class People:
    """The handlers of these routes."""

    def __init__(self, data: Path, pool: Pool, tabs: PlayerTabs) -> None:
        """Take the data directory, the pool whose processes search and index, and the tabs of a player."""
        self._tabs = tabs
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
        """Show the page of the search. Empty fields of its form are no conditions."""
        asked = {name: text.strip() for name, text in request.query_params.items() if text.strip()}
        if len(asked) < len(request.query_params):
            return RedirectResponse(f"/games?{urlencode(asked)}", 303)
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
            found["recent"] = convert(found["recent"], type=tuple[ListedGame, ...])
        except Refused as error:
            if error.status != 404 or not is_known:
                raise
        if found is not None:
            name = found["name"]
        tabs = await trio.to_thread.run_sync(self._tabs, request, name)
        values = {"found": found, "name": name, "tabs": tabs, "here": f"/player/{quote(name, safe='')}"}
        return Page("pages/player.html", values)

    async def newest(self) -> tuple[ListedMatch, ...]:
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

    async def _index(self) -> IndexProgress:
        """Index some records: one process at a time writes the index."""
        async with self._indexing:
            answer = await self._pool.ask("index", msgspec.json.encode(Asked(self._data)))
        return decode(answer, type=IndexProgress)

    async def _answer(self, kind: str, request: Request) -> Response:
        return json_answer(await self._ask(kind, dict(request.query_params), request))

    async def _ask(self, kind: str, query: dict[str, str], request: Request) -> bytes:
        self._wanted.set()
        return await self._pool.ask(kind, msgspec.json.encode(Asked(self._data, query)), request.scope[QUOTA])


def _listed(row: ListedGame) -> ListedMatch:
    """Return a game of the index as a line of a list."""
    sides = GAMES[row.game].sides
    return ListedMatch(
        match=row.match,
        game=row.game,
        parameters=row.parameters,
        sides=sides,
        players=row.players,
        plies=row.plies,
        clocks=(0, 0),
        runs=(False, False),
        ending=EndOfGame(
            row.winner,
            row.result if row.winner is None else sides[row.winner],
            row.reason,
            headline(row.players, row.winner, row.reason, row.plies),
            "",
        ),
    )


PACKED_BYTES, PACKED_LEVEL = 1024, 5
"""Answers of so many bytes and more are compressed, where a browser takes that; of what is live nothing is. No answer
holds a secret beside what somebody else may have put there, so that its length tells nothing: the pages of accounts are
sent as they are."""

THREAD_BYTES = 8 * 1024
"""Answers of so many bytes are compressed in a thread, which needs no lock of the interpreter for it."""

QUESTION_BYTES = 64 * 1024
"""Largest question about a game: a thousand moves of GIPF are a quarter of it."""

QUESTIONS = {"play": ("look", "rows", "think"), "analysis": ("lines", "open", "kit", "arrange", "record")}
"""Kinds of questions about a game, by page."""


class Pages:
    """The handlers of the lobby, of contests, and of pages with a board."""

    def __init__(self, arena: Arena, live: LivePages, matches: MatchRoutes, people: People) -> None:
        """Take the arena, the pages that stay fresh, the routes of matches, and who has played."""
        self._arena = arena
        self._live = live
        self._match_routes = matches
        self._people = people
        self._reports = live.reports
        self._data = arena.settings.data

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        contest = "/contest/{number:number}"
        return [
            *static_files.routes(),
            Route("/", partial(self._live_page, LOBBY, self._live.lobby)),
            Route("/matches", self._matches_found),
            Route("/match/{number:number}", self._match_page),
            *(
                Route(f"/{name}", partial(_board_page, template, f"/{name}"))
                for name, template in (("replay", "match"), ("play", "play"), ("analysis", "analysis"))
            ),
            Route("/learn", self._learn),
            Route("/contests", self._contests_page),
            Route(contest, self._contest_page),
            Route(f"{contest}/report", self._contest_parts),
            Route(f"{contest}/games", self._contest_games),
            Route(f"{contest}/live", self._projector),
            Route("/player/{name:path}", self._player),
            Route("/live/lobby", Live(lambda _: self._live.lobby.listen)),
            Route(
                "/live/contests/{number:number}",
                Live(lambda scope: partial(self._live.listen, scope["path_params"]["number"])),
            ),
            Route("/api/lobby", self._overview),
            Route("/api/matches", self._matches),
            Route("/api/contests", self._contests),
            Route("/api/contests/{number:number}/{name}", self._table),
        ]

    # pages

    async def _live_page(self, template: str, live: LivePage, request: Request) -> Response:
        """Show a page with the address of the site, and with how a bot is started for its contest."""
        found = await live.values()
        start = partial(how_to_start, self._arena, request.url.hostname or "", found["report"])
        values = {**found, "start": await self._arena.run_in_thread(start), "address": str(request.base_url)}
        return Page(template, values)

    async def _matches_found(self, request: Request) -> Response:
        name = request.query_params.get("name", "").strip()
        found = running(self._arena, name, query_before(request)) if name else None
        return Page("pages/matches.html", {"name": name, "found": found})

    async def _match_page(self, request: Request) -> Response:
        """Show the head of a match and its empty board; its script asks for the rest."""
        number = request.path_params["number"]
        header, contest = await self._match_routes.header(number), await self._match_routes.contest(number)
        values: dict[str, object] = {
            "start": None,
            "heading": f"Match {number}",
            "about": "",
            "contest": contest,
            "port": self._arena.ports[0] if self._arena.ports else 0,
            "tls": self._arena.settings.tls is not None,
        }
        if header is not None:
            start, heading = view(header.position), " – ".join(header.players)
            values |= {"start": start, "players": header.players, "heading": heading, "about": about(header)}
        return _script_page("match", values)

    async def _learn(self, request: Request) -> Response:
        settings = self._arena.settings
        bots = {bot.name for bot in settings.builtin_bots}
        values = {
            "rules": await trio.to_thread.run_sync(rules),
            "host": request.url.hostname,
            "port": self._arena.ports[0],
            "tls": settings.tls is not None,
            "opponent": next((name for name in BUILTIN_NAMES if name in bots), ""),
        }
        return Page("pages/learn.html", values)

    async def _contests_page(self, _request: Request) -> Response:
        values = {"contests": await self._reports.entries(), "announcements": self._arena.announcements}
        return Page("pages/contests.html", values)

    async def _contest(self, request: Request) -> contests.Found:
        number = request.path_params["number"]
        found = await self._reports.contest(number)
        if found is None:
            raise Refused(404, f"there is no report of a contest {number} here")
        return found

    async def _report(self, found: contests.Found, tab: str) -> tuple[Markup, Markup]:
        """Return the head and a tab of a report in HTML."""
        return await trio.to_thread.run_sync(_report_html, self._data, found.entry.contest, found.changed, tab)

    async def _contest_page(self, request: Request) -> Response:
        found, tab = await self._contest(request), _tab(request)
        head, parts = await self._report(found, tab)
        live = await self._live.contest(found.entry.contest).values()
        address = f"/contest/{found.entry.contest}?tab="
        tabs = {address + name: title for name, title in TABS.items()}
        values = {"entry": found.entry, "head": head, "parts": parts, "tab": tab, "tabs": tabs, "here": address + tab}
        return Page("pages/contest.html", {**live, **values})

    async def _contest_parts(self, request: Request) -> Response:
        found = await self._contest(request)
        if request.query_params.get("changed") == str(found.changed):
            return Response(status_code=204)
        return HTMLResponse("".join(await self._report(found, _tab(request))), headers=NOT_STORED)

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
        found = await self._contest(request)
        return await self._live_page(PROJECTOR, self._live.contest(found.entry.contest), request)

    async def _player(self, request: Request) -> Response:
        return await self._people.player(request, self._arena.knows(request.path_params["name"]))

    # data

    async def _overview(self, _request: Request) -> Response:
        contests = tuple(await self._reports.entries())
        return json_answer(msgspec.json.encode(overview(self._arena, None, contests)))

    async def _matches(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        return json_answer(msgspec.json.encode(running(self._arena, name, query_before(request))))

    async def _contests(self, _request: Request) -> Response:
        return json_answer(msgspec.json.encode(await self._reports.entries()))

    async def _table(self, request: Request) -> Response:
        number, name = request.path_params["number"], request.path_params["name"]
        found = await trio.to_thread.run_sync(contests.file, self._data, number, name)
        if found is None:
            raise Refused(404, f"contest {number} has no file {name!r}")
        return Response(found, media_type=contests.TABLES[name])


def question_routes(pool: Pool) -> list[Route]:
    """Return the routes of playing and analysing: nothing is kept, since each question names the whole game."""

    async def answer(kind: str, request: Request) -> Response:
        """Answer a question in JSON. When the browser goes, asking is cancelled."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != JSON:
            raise Refused(415, "a question is sent as application/json")
        body = await read_body(request, QUESTION_BYTES)
        response = Response(status_code=400)  # nobody is there to read it where the browser has gone
        refused: Refused | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cancel_when_gone, request.receive, nursery.cancel_scope)
            try:
                response = Response(await pool.ask(kind, body, request.scope.get(QUOTA)), media_type=JSON)
            except Refused as error:
                refused = error
            nursery.cancel_scope.cancel()
        if refused is not None:
            raise refused
        return response

    async def games(_request: Request) -> Response:
        return JSONResponse(
            [{"name": game.name, "sides": game.sides, "parameters": game.default_parameters} for game in GAMES.values()]
        )

    return [
        Route("/api/play/games", games, methods=["GET"]),
        *(
            Route(f"/api/{page}/{kind}", partial(answer, kind), methods=["POST"])
            for page, kinds in QUESTIONS.items()
            for kind in kinds
        ),
    ]


def _script_page(name: str, values: dict[str, object]) -> Response:
    """Return a page that its script fills in."""
    return Page(f"pages/{name}.html", {**values, "words": {"games": TITLES, "levels": LEVEL_NAMES}})


async def _board_page(name: str, current: str, _request: Request) -> Response:
    """Return a page with a board that shows no match of the server; the usual board keeps the place of others."""
    usual = view(GAMES["gipf"].start(GAMES["gipf"].default_parameters))
    values = {"start": None if name == "match" else usual, "heading": "Replay a record", "about": "", "contest": None}
    return _script_page(name, {**values, "current": current, "port": 0, "tls": False})


def _tab(request: Request) -> str:
    """Return the tab of a contest that a request names; the first one where it names none."""
    tab = request.query_params.get("tab", "")
    return tab if tab in TABS else next(iter(TABS))


@lru_cache(contests.KEPT_REPORTS * len(TABS))
def _report_html(data: Path, number: int, changed: int, tab: str) -> tuple[Markup, Markup]:
    found = contests.read_report(data, number, changed)
    assert found is not None
    values = {**tab_values(found.report, number, found.entry.known, tab), "changed": changed}
    return Markup(render("pages/contest_head.html", **values)), Markup(render("pages/contest_parts.html", **values))


async def _failed(request: Request, error: Exception) -> Response:
    """Say why there is no answer: as a page to a browser that asks for pages, else as JSON."""
    match error:
        case ClientDisconnect():
            return Response(status_code=400)
        case Refused():
            sentence, status = str(error), error.status
        case HTTPException(status_code=404):
            sentence, status = f"there is nothing at {request.url.path!r}"[:MAX_SENTENCE], 404
        case HTTPException():
            sentence, status = error.detail, error.status_code
        case _:
            log.error("page_failed", path=request.url.path, exc_info=error)
            sentence, status = "a fault of the server's own, which was written to its log", 500
    if "text/html" in request.headers.get("accept", ""):
        return Page("pages/refusal.html", {"sentence": sentence, "status": status}, status)
    return JSONResponse({"error": sentence}, status)


def application(
    arena: Arena,
    record_store: RecordStore,
    live: LivePages,
    hubs: MatchHubs,
    pool: Pool,
    people: People,
    *further: BaseRoute,
) -> ASGIApp:
    """Return the application: its own routes, and further ones."""
    handlers = dict.fromkeys((Refused, HTTPException, ClientDisconnect, Exception), _failed)
    matches = MatchRoutes(arena, record_store, hubs, pool, live.reports)
    pages = Pages(arena, live, matches, people)
    routes = [*pages.routes(), *matches.routes(), *people.routes(), *further, *question_routes(pool)]
    packing = Middleware(
        GZipMiddleware, minimum_size=PACKED_BYTES, compresslevel=PACKED_LEVEL, thread_minimum_size=THREAD_BYTES
    )
    return Guard(Starlette(routes=routes, exception_handlers=handlers, middleware=[packing]))


async def serve(
    arena: Arena, record_store: RecordStore, listeners: list[trio.SocketListener], tabs: PlayerTabs, *further: BaseRoute
) -> None:
    """Serve the pages of an arena, and further routes, on listeners, which the caller closes, until cancelled."""
    broadcaster = Broadcaster(thread_time)
    http_rate_limiter = HttpRateLimiter(arena.settings.limits, MAX_CONNECTIONS, microseconds)
    async with Pool() as pool, trio.open_nursery() as nursery:
        people = People(arena.settings.data, pool, tabs)
        pages = LivePages(arena, broadcaster, people.newest)
        nursery.start_soon(broadcaster.run)
        nursery.start_soon(supervise, "games_index", people.run)
        nursery.start_soon(supervise, "live_pages", pages.run)
        app = application(arena, record_store, pages, MatchHubs(broadcaster), pool, people, *further)
        wrapped = [Listener(listener, arena.accept_status, REFUSAL) for listener in listeners]
        await serve_browsers(app, wrapped, http_rate_limiter)
