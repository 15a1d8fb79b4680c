"""The routes for programs: below ``/api/v1``, the OpenAPI document, and the page that lists all requests.

Most requests are those of the pages, under a path that stays when the pages change.
"""

import re
from collections.abc import AsyncIterator, Sequence
from heapq import nlargest
from importlib.metadata import version

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from server.arena.arena import Arena
from server.ops.workers.question_loop import OK
from server.storage.record_store import RecordStore
from server.web.api import openapi, reference, sharing
from server.web.api.operations import BASE, EVENTS, JSON, NDJSON, OPERATIONS, SVG, Operation
from server.web.api.records import played_match
from server.web.assets.static_files import address, file_of
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.path_numbers import DIGITS
from server.web.live.channels import away
from server.web.play.questions import Question
from server.web.play.routes import Playing
from server.web.replay.analysis_requests import RecordAnalyser
from server.web.replay.finished_record import record_text
from server.web.replay.match_frames import frame_of, info_of, now_of

MAX_RECORDS, RECORDS = 1000, 100
"""Records that a request may ask for, and gets where it does not say how many."""

RECORD_BYTES = 2 * 1024 * 1024
"""Longer records are left out of lists, as elsewhere on the pages."""


class _Whole(msgspec.Struct):
    """What the pages are told of a match, without its positions."""

    info: msgspec.Raw
    now: msgspec.Raw


class Api:
    """The handlers of these routes."""

    def __init__(
        self, arena: Arena, record_store: RecordStore, record_analyser: RecordAnalyser, playing: Playing
    ) -> None:
        """Take the arena, its records, what reads them, and what draws positions."""
        self._playing = playing
        self._arena = arena
        self._record_store = record_store
        self._record_analyser = record_analyser

    def routes(self, pages: Sequence[Route]) -> list[Route]:
        """Return the routes of all operations; ``pages`` are routes that answer the requests of the pages."""
        own = {
            "/matches/{number}": self._match,
            "/matches/{number}/position.svg": self._picture,
            "/records": self._records,
            "/records/{number}": self._record,
        }
        known = {route.path: route.endpoint for route in pages}
        described = file_of(".html", reference.page(OPERATIONS).encode())
        document = msgspec.json.encode(openapi.document(OPERATIONS, version("gipf-arena")))

        async def about(_request: Request) -> Response:
            return Response(described.data, media_type=described.media_type)

        async def description(_request: Request) -> Response:
            return Response(document, media_type=JSON)

        return [
            Route("/api", about),
            Route("/api/openapi.json", description),
            Route("/embed/match/{number:number}", self._frame),
            Route("/oembed", self._embed),
            *(Route(_path(one), own.get(one.path) or known[one.serves], methods=_methods(one)) for one in OPERATIONS),
        ]

    async def _match(self, request: Request) -> Response:
        number = request.path_params["number"]
        match = self._arena.find_match(number)
        if match is None:
            text, client = await self._text(number), request.scope[QUOTA]
            told = await self._record_analyser.of_match("frames", number, text, client)
            return _json(await trio.to_thread.run_sync(_without_positions, told))
        state, stamp, gone, noted = match.public, match.now(), away(match), len(match.public_notes)

        def told_now() -> bytes:
            frame = frame_of(state.history.plies, state.history.position)
            now = now_of(state, frame, 0, stamp, gone, noted)
            return msgspec.json.encode({"info": info_of(match.header), "now": now})

        return _json(await trio.to_thread.run_sync(told_now))

    async def _played(self, number: int) -> tuple[str, Question, bool]:
        """Return the title of a match, its game so far, and whether it is running."""
        match = self._arena.find_match(number)
        if match is not None:
            state = match.public
            history, players, outcome = state.history, match.header.players, state.outcome
            result = "" if outcome is None else outcome.result(state.sides)
            question = Question(game=history.start.game.name, start=history.start.text(), moves=history.moves)
            return sharing.title_of(players, result), question, outcome is None
        try:
            played = await trio.to_thread.run_sync(played_match, await self._text(number))
        except ValueError as error:
            raise Refused(422, f"the record of match {number} is not whole: {error}") from None
        question = Question(game=played.game, start=played.position, moves=played.moves)
        return sharing.title_of(played.players, played.result), question, False

    async def _picture(self, request: Request) -> Response:
        _, question, _ = await self._played(request.path_params["number"])
        plies = len(question.moves)
        ply = _number(request, "ply", plies)
        if ply > plies:
            raise Refused(400, f"ply is {ply}, but there are {plies} moves")
        asked = msgspec.structs.replace(question, moves=question.moves[:ply])
        status, drawn = await self._playing.ask("picture", msgspec.json.encode(asked))
        if status != OK:
            return Response(drawn, status, media_type=JSON)
        return Response(drawn, media_type=SVG, headers=sharing.PICTURE_HEADERS)

    async def _frame(self, request: Request) -> Response:
        number = request.path_params["number"]
        title, question, running = await self._played(number)
        text = sharing.frame(number, title, len(question.moves), running, address)
        return HTMLResponse(text, headers=sharing.FRAME_HEADERS)

    async def _embed(self, request: Request) -> Response:
        asked = request.query_params
        if asked.get("format", "json") != "json":
            raise Refused(501, "an oEmbed answer is JSON here")
        url = asked.get("url", "")
        match = sharing.match_of(url, request.headers.get("host", ""))
        if match is None:
            raise Refused(404, "url has to be the address of the page of a match of this server")
        title, _, _ = await self._played(match)
        most = _number(request, "maxwidth", sharing.WIDTH), _number(request, "maxheight", sharing.HEIGHT)
        return _json(msgspec.json.encode(sharing.embed(url, match, title, most)))

    async def _record(self, request: Request) -> Response:
        number = request.path_params["number"]
        text = await self._text(number)
        told = await trio.to_thread.run_sync(_line, text)
        if told is None:
            raise Refused(422, f"the record of match {number} is not whole")
        return _json(told)

    async def _records(self, request: Request) -> Response:
        before = _number(request, "before", 10**DIGITS)
        limit = _number(request, "limit", RECORDS)
        if not 1 <= limit <= MAX_RECORDS:
            raise Refused(400, f"limit is {limit}, but it has to be a number from 1 to {MAX_RECORDS}")
        unsynced = {
            match for match in self._record_store.unsynced.late if match < before
        }  # over, and not yet among these
        paths = await trio.to_thread.run_sync(RecordStore.newest, self._arena.settings.data, limit, before)
        numbers = nlargest(limit, unsynced | {int(path.stem) for path in paths})
        return StreamingResponse(self._lines(numbers, request.scope[QUOTA]), media_type=NDJSON)

    async def _lines(self, numbers: Sequence[int], quota: ClientQuota) -> AsyncIterator[bytes]:
        """Yield the lines of records; each is charged as a request, and waits where the address has asked for much."""
        for number in numbers:
            wait = quota.wait()
            if wait is None:
                return
            await trio.sleep(wait)
            told = await trio.to_thread.run_sync(self._read_line, number)
            if told is not None:
                yield told + b"\n"

    def _read_line(self, number: int) -> bytes | None:
        """Return a record as a line; None where it is gone, too long, or no record of a match that is over."""
        try:
            text = self._record_store.read(number)
        except OSError:
            return None
        return None if text is None or len(text) > RECORD_BYTES else _line(text)

    async def _text(self, number: int) -> str:
        return await record_text(self._arena, self._record_store, number)


def _line(text: str) -> bytes | None:
    try:
        return msgspec.json.encode(played_match(text))
    except ValueError:
        return None


def _without_positions(told: bytes) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(told, type=_Whole))


def _path(operation: Operation) -> str:
    return BASE + operation.path.replace("{number}", "{number:number}")


def _methods(operation: Operation) -> list[str] | None:
    """Return the methods of an operation; None for live events, which say themselves what they take."""
    return None if operation.media_type == EVENTS else [operation.method]


def _number(request: Request, name: str, otherwise: int) -> int:
    given = request.query_params.get(name, "")
    if not re.fullmatch(f"[0-9]{{0,{DIGITS}}}", given):
        raise Refused(400, f"{name} is a number, 1 to {DIGITS} digits, and not {given!r}")
    return int(given or otherwise)


def _json(data: bytes) -> Response:
    return Response(data, media_type=JSON, headers={"cache-control": "no-store"})
