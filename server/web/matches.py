"""Matches and records as routes of the web application: running matches, records, questions about them, and logs.

A record of this server never changes, so answers about it are kept. A process of the pool works them out.
"""

from collections.abc import Hashable
from functools import partial
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
import structlog
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from engine.wire.codes import Code, ProtocolError
from server.arena.arena import Arena
from server.match.match import Match
from server.ops.typed_json import decode
from server.storage.player_logs import LogRequest, read_log
from server.storage.record_store import RecordStore
from server.web.answers import json_answer
from server.web.http.errors import Refused
from server.web.http.guard import GUESS_COST, QUOTA, TOO_MANY
from server.web.http.request import number_in, query_before, read_body
from server.web.live.event_stream import Listen, Live
from server.web.live.matches import MatchFrames, MatchHubs, away
from server.web.pool import Pool
from server.web.views.contests import ReportIndex
from server.web.views.match_frames import info_of, note_views, now_of

log = structlog.get_logger()

RECORD_BYTES = 2 * 1024 * 1024
"""Largest record that is read: one of ten thousand moves has less."""

MAX_BODY_BYTES = 1024
"""Longest question for a log: a token and little else."""

KEPT_BYTES = 32 * 1024 * 1024
"""Most bytes of answers about the server's own records that are kept."""

STATUS = {Code.UNKNOWN_MATCH: 404, Code.BAD_TOKEN: 403}
"""Status of an answer by the error code of the protocol."""


class LogQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """A question for the log of a player."""

    token: str


class MatchRoutes:
    """The handlers of these routes."""

    def __init__(
        self, arena: Arena, record_store: RecordStore, hubs: MatchHubs, pool: Pool, reports: ReportIndex
    ) -> None:
        """Take the arena, its records, the channels of matches, the pool of processes, and reports of contests."""
        self._arena = arena
        self._record_store = record_store
        self._hubs = hubs
        self._pool = pool
        self._reports = reports
        self._frames: WeakKeyDictionary[Match, MatchFrames] = WeakKeyDictionary()
        self._kept: dict[tuple[str, int, int], bytes] = {}
        self._asked: WeakValueDictionary[tuple[str, int, int, Hashable], trio.Lock] = WeakValueDictionary()
        """Locks of the questions that are being answered."""

    def routes(self) -> list[Route]:
        """Return the routes."""
        match = "/api/matches/{number:number}"
        return [
            Route("/live/matches/{number:number}", Live(self._running)),
            Route(match, self._match),
            Route(f"{match}/notes", self._notes),
            *(Route(f"{match}/{kind}", partial(self._of_match, kind)) for kind in ("review", "times")),
            Route(f"{match}/contest", self._contest),
            Route(f"{match}/record", self._record),
            Route(f"{match}/log", self._log, methods=["POST"]),
            *(
                Route(f"/api/{path}", partial(self._of_record, kind), methods=["POST"])
                for path, kind in (("record", "frames"), ("review", "review"))
            ),
        ]

    async def check(self, number: int) -> None:
        """Raise `Refused` where the server knows no match of a number."""
        if self._arena.find_match(number) is None:
            await self._text(number)

    def _running(self, scope: Scope) -> Listen:
        number = scope["path_params"]["number"]
        match = self._arena.find_match(number)
        if match is None:
            raise Refused(404, f"match {number} is not being played")
        return partial(self._hubs.watch, match)

    async def _match(self, request: Request) -> Response:
        number = request.path_params["number"]
        match = self._arena.find_match(number)
        if match is None:
            return await self._of_match("frames", request)
        state, stamp, gone, notes = match.public, match.now(), away(match), match.public_notes
        history = state.history
        known = self._frames.setdefault(match, MatchFrames(history.start))
        ask = partial(self._pool.ask, "positions", client=request.scope[QUOTA])
        frames = await known.up_to(history.moves, history.position, ask)

        def encoded() -> bytes:
            now = now_of(state, None, 0, stamp, gone, len(notes))
            whole = {"info": info_of(match.header), "now": now, "frames": frames, "notes": note_views(notes)}
            return msgspec.json.encode(whole)

        return json_answer(await trio.to_thread.run_sync(encoded))

    async def _notes(self, request: Request) -> Response:
        match = self._arena.find_match(request.path_params["number"])
        if match is None:
            raise Refused(404, "the notes of a match that was over some time ago are told with the match")
        first = number_in(request.query_params, "from", 0)
        return json_answer(msgspec.json.encode(note_views(match.public_notes[first:])))

    async def _contest(self, request: Request) -> Response:
        number = request.path_params["number"]
        found = await self._reports.of_match(number)
        if found is None:
            await self.check(number)
        return json_answer(msgspec.json.encode(found and {"contest": found.contest, "name": found.name}))

    # records

    async def _text(self, number: int) -> str:
        """Return the record of a match that is over; raises `Refused` while it is played, and where there is none."""
        if number in self._arena.matches:
            raise Refused(409, f"match {number} is being played; its record can be had when it is over")
        text = await trio.to_thread.run_sync(self._record_store.read, number)
        if text is None:
            raise Refused(404, f"there is no match {number} here")
        return text

    async def _record(self, request: Request) -> Response:
        return Response(await self._text(request.path_params["number"]), media_type="text/plain; charset=utf-8")

    async def _of_match(self, kind: str, request: Request) -> Response:
        """Answer a question about a record of the server.

        A question that a client asks again while it is worked out is worked out once; others do not wait for its turn.
        """
        number, before = request.path_params["number"], query_before(request) if kind == "review" else 0
        record, key = (await self._text(number)).encode(), (kind, number, before)
        async with self._asked.setdefault((*key, request.scope[QUOTA]), trio.Lock()):
            answer = self._kept.get(key)
            if answer is None:
                answer = await self._ask(kind, record, request, before)
                self._keep(key, answer)
        return json_answer(answer)

    def _keep(self, key: tuple[str, int, int], answer: bytes) -> None:
        """Keep an answer, and forget the oldest ones that are too many."""
        self._kept[key] = answer
        while sum(map(len, self._kept.values())) > KEPT_BYTES:
            del self._kept[next(iter(self._kept))]

    async def _of_record(self, kind: str, request: Request) -> Response:
        """Answer a question about a record that a browser sends."""
        before = query_before(request) if kind == "review" else 0
        return json_answer(await self._ask(kind, await read_body(request, RECORD_BYTES), request, before))

    async def _ask(self, kind: str, record: bytes, request: Request, before: int) -> bytes:
        """Return the JSON of the frames or times of a record, or of the review of its moves before one.

        Raises `Refused`, also if the record is not true.
        """
        body = b"%d\n%b" % (before, record) if kind == "review" else record
        return await self._pool.ask(kind, body, request.scope[QUOTA])

    async def _log(self, request: Request) -> Response:
        """Return the lines of a player's log, with side, number of the move and text, to the owner of its token."""
        number, arena = request.path_params["number"], self._arena
        try:
            token = decode(await read_body(request, MAX_BODY_BYTES), type=LogQuestion).token.strip()
        except msgspec.DecodeError:
            raise Refused(400, 'the log of a match is asked for by {"token": "…"}') from None
        if number in arena.matches:
            raise Refused(409, f"match {number} is being played; its log can be had when it is over")
        asked, find_kept = LogRequest(number, token), arena.contest_players.find_kept
        read = partial(read_log, asked, arena.record_store, arena.settings, find_kept, arena.token_of)
        try:
            return json_answer(msgspec.json.encode({"lines": await trio.to_thread.run_sync(read)}))
        except ProtocolError as error:
            if error.code == Code.BAD_TOKEN and request.scope[QUOTA].wait(GUESS_COST) is None:
                raise Refused(*TOO_MANY) from None
            sentence = str(error) if error.code != Code.BAD_TOKEN else "this token is of neither player of the match"
            raise Refused(STATUS[error.code], sentence) from None
        except OSError as error:
            log.error("log_read_failed", match=number, error=repr(str(error)))
            raise Refused(500, f"the log of match {number} cannot be read") from None
