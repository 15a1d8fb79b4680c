"""The routes for programs: below ``/api/v1``, the OpenAPI document, and the page that lists all requests.

Most requests are those of the pages, under a path that stays when the pages change.
"""

from collections.abc import AsyncIterator, Sequence
from functools import cache
from heapq import nlargest
from importlib.metadata import version

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from server.arena.arena import Arena
from server.ops.typed_json import decode
from server.storage.record_store import RecordStore
from server.web.api import openapi, reference
from server.web.api.operations import BASE, EVENTS, NDJSON, OPERATIONS, Operation
from server.web.api.records import played_match
from server.web.http.answers import JSON, json_answer
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.numbers import query_before, query_number
from server.web.live.channels import away
from server.web.replay.analysis_requests import RecordAnalyser
from server.web.replay.finished_record import RECORD_BYTES, record_text
from server.web.replay.match_frames import frame_of, info_of, now_of

MAX_RECORDS, RECORDS = 1000, 100
"""Records that a request may ask for, and gets where it does not say how many."""


class _Whole(msgspec.Struct):
    """What the pages are told of a match, without its positions."""

    info: msgspec.Raw
    now: msgspec.Raw


class Api:
    """The handlers of these routes."""

    def __init__(self, arena: Arena, record_store: RecordStore, record_analyser: RecordAnalyser) -> None:
        """Take the arena, its records, and what reads them."""
        self._arena = arena
        self._record_store = record_store
        self._record_analyser = record_analyser

    def routes(self, pages: Sequence[BaseRoute]) -> list[BaseRoute]:
        """Return the routes of all operations; ``pages`` are routes that answer the requests of the pages."""
        own = {
            "/matches/{number}": self._match,
            "/records": self._records,
            "/records/{number}": self._record,
        }
        known = {route.path: route.endpoint for route in pages if isinstance(route, Route)}
        return [
            Route("/api", _about),
            Route("/api/openapi.json", _description),
            *(Route(_path(one), own.get(one.path) or known[one.serves], methods=_methods(one)) for one in OPERATIONS),
        ]

    async def _match(self, request: Request) -> Response:
        number = request.path_params["number"]
        match = self._arena.find_match(number)
        if match is None:
            text, client = await self._text(number), request.scope[QUOTA]
            told = await self._record_analyser.of_match("frames", number, text, client)
            return json_answer(await trio.to_thread.run_sync(_without_positions, told))
        state, stamp, gone, noted = match.public, match.now(), away(match), len(match.public_notes)

        def told_now() -> bytes:
            frame = frame_of(state.history.plies, state.history.position)
            now = now_of(state, frame, 0, stamp, gone, noted)
            return msgspec.json.encode({"info": info_of(match.header), "now": now})

        return json_answer(await trio.to_thread.run_sync(told_now))

    async def _record(self, request: Request) -> Response:
        number = request.path_params["number"]
        text = await self._text(number)
        told = await trio.to_thread.run_sync(_line, text)
        if told is None:
            raise Refused(422, f"the record of match {number} is not whole")
        return json_answer(told)

    async def _records(self, request: Request) -> Response:
        before = query_before(request)
        limit = query_number(request, "limit", RECORDS)
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
    return msgspec.json.encode(decode(told, type=_Whole))


def _path(operation: Operation) -> str:
    return BASE + operation.path.replace("{number}", "{number:number}")


def _methods(operation: Operation) -> list[str] | None:
    """Return the methods of an operation; None for live events, which say themselves what they take."""
    return None if operation.media_type == EVENTS else [operation.method]


async def _about(_request: Request) -> Response:
    return HTMLResponse(await trio.to_thread.run_sync(_reference))


async def _description(_request: Request) -> Response:
    return Response(await trio.to_thread.run_sync(_document), media_type=JSON)


@cache
def _reference() -> str:
    return reference.page(OPERATIONS)


@cache
def _document() -> bytes:
    """Return the OpenAPI document; made once, in a thread, since it takes some milliseconds."""
    return msgspec.json.encode(openapi.document(OPERATIONS, version("gipf-arena")))
