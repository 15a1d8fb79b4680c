"""Matches and records as routes of the web application: running matches, records, questions about them, and logs.

A browser that watches a match gets all positions in JSON at first, and then each change. Every position is encoded
once, beside the event loop. A thread draws a few moves. A process draws many moves: they would keep the lock of the
interpreter from the loop.

A record of this server never changes, so answers about it are kept. A process of the pool works them out.
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial, reduce
from typing import TypeAlias
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from engine.games.interface import Position
from engine.match.record import BadRecord, Header, RecordReader
from engine.match.signature import shown, signer
from engine.wire.messages import Code, ProtocolError
from server.arena.arena import Arena
from server.config.keys import public_half
from server.match.match import Match
from server.ops.logs import log
from server.ops.typed_json import decode
from server.storage.player_logs import LogRequest, read_log
from server.storage.record_store import RecordStore
from server.web.answers import json_answer
from server.web.http.request import GUESS_COST, QUOTA, TOO_MANY, Refused, number_in, query_before, read_body
from server.web.live import Broadcaster, Channel, Listen, Live, Mailbox, framed
from server.web.pool import Pool
from server.web.views.board import Frame, MatchSoFar, changes, frame_of, info_of, note_views, now_of
from server.web.views.contests import ListedContest, ReportIndex

AT_A_TIME = 20
"""Most positions that a thread makes: a few milliseconds' work."""

AskProcess: TypeAlias = Callable[[bytes], Awaitable[bytes]]
"""Asks a process for the positions of a match: a `MatchSoFar` in JSON is answered by a list in JSON."""


class MatchFrames:
    """The positions of one match, up to the last one that a browser asked for."""

    def __init__(self, start: Position) -> None:
        """Take the first position."""
        self._start = self._position = start
        self._frames: list[msgspec.Raw] = []
        self._lock = trio.Lock()

    async def up_to(self, moves: tuple[str, ...], position: Position, ask: AskProcess) -> list[msgspec.Raw]:
        """Return the first position as a frame, and the position after each move as a change.

        The moves lead to ``position`` and begin with the moves of the last call. Raises the exceptions of ``ask``.
        """
        async with self._lock:
            missing = len(moves) + 1 - len(self._frames)
            if missing > AT_A_TIME:
                played = MatchSoFar(game=self._start.game.name, start=self._start.text(), moves=moves)
                answer = await ask(msgspec.json.encode(played))
                self._frames = await trio.to_thread.run_sync(
                    lambda: [raw.copy() for raw in decode(answer, type=list[msgspec.Raw])]
                )
                self._position = position
            elif missing > 0:
                await trio.to_thread.run_sync(self._extend, moves)
        return self._frames[: len(moves) + 1]

    def _extend(self, moves: tuple[str, ...]) -> None:
        done = max(0, len(self._frames) - 1)
        last = frame_of(done, self._position)
        made = changes(last, self._position, moves[done:])
        new = made if self._frames else (last, *made)
        self._frames += [msgspec.Raw(msgspec.json.encode(frame)) for frame in new]
        self._position = reduce(Position.play, moves[done:], self._position)


MAX_STEPS = 200
"""Most moves in an event. A page that lacks more moves asks for the match anew."""

SETTLING = 5
"""Most events for a move after which no clock runs yet."""


class MatchHub(Channel):
    """The events of a match. While browsers watch, it is a spectator and reads the state of the match."""

    def __init__(self, match: Match, broadcaster: Broadcaster) -> None:
        """Take a match, running or over."""
        super().__init__(broadcaster)
        self.match = match
        self._sent = 0
        self._settling = 0
        self._plies = 0
        self._before: Position | None = None
        self._position = match.header.position
        self._frame: Frame | None = None
        """The last position, if it is drawn."""

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the events of the match until it is gone."""
        if self.match.state.outcome is None:
            self.match.follow(self)  # unlike `watch`, it sends no lines
        try:
            await super().listen(mailbox)
        finally:
            if not self.listeners:
                self.match.watchers.pop(self, None)

    def tell(self, _kind: type, _data: bytes) -> None:
        """Note a message of the match, which every browser is sent soon."""
        self._follow()
        self.changed()

    def leave(self) -> None:
        """Note that the match is over."""
        self._follow()
        self.changed()

    def event(self) -> bytes:
        """Return the moves since the last event, at most the last MAX_STEPS, and the state of the match."""
        told = self._state_from(self._sent)
        self._sent = self._plies
        state = self.match.state
        # no clock runs in the middle of a game: TURN is on its way, and no message says when it was sent
        stands = state is self.match.public and state.playing and state.clock.since == (None, None)
        if stands and self._settling < SETTLING:
            self._settling += 1
            self.changed()
        return told

    def snapshot(self) -> bytes:
        """Return the last MAX_STEPS moves, and the state of the match."""
        return self._state_from(0)

    def _follow(self) -> None:
        """Note the position that spectators see, and the position before it. It is drawn when it is sent."""
        history = self.match.public.history
        if history.plies != self._plies:
            self._before = self._position if history.plies == self._plies + 1 else None
            self._position, self._plies = history.position, history.plies
            self._frame = None
            self._settling = 0

    def _state_from(self, first: int) -> bytes:
        self._follow()
        match, state = self.match, self.match.public
        if self._frame is None:
            move = "" if self._before is None else state.history.moves[-1]
            self._frame = frame_of(self._plies, self._position, self._before, move)
        first = max(first, self._plies - MAX_STEPS)
        now = now_of(state, self._frame, first, match.now(), away(match), len(match.public_notes))
        return framed(msgspec.json.encode(now))


class MatchHubs:
    """The hubs of all matches that browsers watch."""

    def __init__(self, broadcaster: Broadcaster) -> None:
        """Begin with none."""
        self._broadcaster = broadcaster
        self._matches: dict[int, MatchHub] = {}

    async def watch(self, match: Match, mailbox: Mailbox) -> None:
        """Send a browser the events of a match until it is gone."""
        hub = self._matches.get(match.number) or MatchHub(match, self._broadcaster)
        self._matches[match.number] = hub
        try:
            await hub.listen(mailbox)
        finally:
            if not hub.listeners:
                self._matches.pop(match.number, None)


def away(match: Match) -> tuple[bool, bool]:
    """Tell which player of a running match has lost the connection."""
    running = match.state.outcome is None
    return running and match.players[0] is None, running and match.players[1] is None


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
            Route(f"{match}/record", self._record),
            Route(f"{match}/log", self._log, methods=["POST"]),
            *(
                Route(f"/api/{path}", partial(self._of_record, kind), methods=["POST"])
                for path, kind in (("record", "frames"), ("review", "review"))
            ),
            Route("/api/signature", self._signature, methods=["POST"]),
            Route("/api/key", self._key),
        ]

    async def header(self, number: int) -> Header | None:
        """Return the head of a match, None if its record is damaged; raises `Refused` if there is no such match."""
        match = self._arena.find_match(number)
        if match is not None:
            return match.header
        text = await self._text(number)
        try:
            return await trio.to_thread.run_sync(RecordReader(text).header)
        except BadRecord:
            return None

    async def contest(self, number: int) -> ListedContest | None:
        """Return the contest of a match that is over; None if it is in no contest's report."""
        return None if number in self._arena.matches else await self._reports.of_match(number)

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

    async def _signature(self, request: Request) -> Response:
        """Say who has signed the record in the body."""
        record = await read_body(request, RECORD_BYTES)
        if not record.startswith(b"arena-record "):
            raise Refused(422, "line 1: a record begins with arena-record")
        by = await trio.to_thread.run_sync(lambda: signer(public_half(self._arena.settings.data), record))
        return json_answer(msgspec.json.encode({"by": by}))

    async def _key(self, _request: Request) -> Response:
        return json_answer(
            msgspec.json.encode({"key": shown(await trio.to_thread.run_sync(public_half, self._arena.settings.data))})
        )

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
