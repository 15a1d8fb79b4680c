"""One connection: reads its requests, sends its replies."""

from collections import deque
from collections.abc import Callable
from functools import partial

import structlog
import trio

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import IN_MATCH, PipeEnd, ServerEnd, State, kind_of
from engine.wire.messages import KINDS, REQUESTS
from engine.wire.words import ANY
from server.arena.arena import Arena
from server.arena.requests import BackgroundAnswer, Requests
from server.arena.roles import Arrivals, PipedProgram
from server.config.limits import ANSWER_BYTES, READ_BYTES, WORK
from server.config.settings import ERRORS, RECEIVE_BYTES
from server.match.match import Match
from server.net.connection import ByteStream, Connection, run_connection
from server.net.rate_limiter import ConnectionQuota, TooMany

log = structlog.get_logger()

NOTE = KINDS[m.Note]

LINES_PER_PASS = 32
"""Lines of one peer that are answered in one pass of the event loop."""


AT_ONCE = ("MOVE ", "NOTE ")
"""How lines begin that are answered as soon as they are read, if nothing is to be waited for."""


class Session:
    """A client, from greeting to BYE."""

    def __init__(
        self, arena: Arena, connection: Connection, quota: ConnectionQuota, program: PipedProgram | None = None
    ) -> None:
        """Take the arena, the connection and its quota, and who is at its other end; `run` sends the greeting."""
        self.name = self.key = ""
        self.is_builtin = False
        self.seat_token = quota.seat_token
        self.match: Match | None = None
        self.side: int | None = None
        self._arena = arena
        self._requests = Requests(arena)
        self._connection = connection
        self._quota = quota
        self._end = ServerEnd() if program is None else PipeEnd()
        self._program = program
        self._errors = 0
        self._noticed: set[Code] = set()
        """Why notes of this session were left out: it is told of each reason once."""
        self._last_request: type = object
        """Type of the last request."""
        self._unanswered: deque[str | ProtocolError] = deque()
        """Lines that have arrived, the one that is being answered among them."""
        self._arrived = self._read = 0
        """Stamp and number of the bytes that were received last."""
        self._watch: Arrivals
        self._closing = trio.Event()
        quota.session = self

    @property
    def state(self) -> State:
        """Return the protocol state of the session."""
        return self._end.state

    def reply(self, message: m.Message) -> None:
        """Send a message."""
        self._connection.send(self._end.send(message))

    def answer(self, kind: type, data: bytes) -> None:
        """Send the encoded answer to a request."""
        self._end.sent(kind)
        self._connection.send(data)

    def tell(self, kind: type, data: bytes) -> None:
        """Send encoded messages of one kind. Spectators get them after the players."""
        self._end.sent(kind)
        self._connection.send(data, low_priority=self.side is None)

    @property
    def direct(self) -> bool:
        """Tell whether messages are sent at the end of this pass of the event loop."""
        return self._connection.direct

    def call_when_sent(self, call: Callable[[], None]) -> None:
        """Call a function when all messages up to now are sent; only where not `direct`."""
        self._connection.call_when_sent(call)

    def leave(self) -> None:
        """Forget the match, which is over."""
        self.match = self.side = None

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE, and close the connection when it is sent."""
        if not self._closing.is_set():
            self.reply(m.Bye(reason, m.Text(sentence)))
            self._connection.end()
            self._closing.set()

    async def run(self, watch: Arrivals) -> None:
        """Send the greeting, and serve the client until either side closes the connection."""
        self._arena.connect(self)
        access = "open" if self._arena.settings.tokens is None else "token"
        self.reply(m.Arena(m.VERSION, self._arena.server, access))
        self._watch = watch
        try:
            if self._program is not None:
                self._unanswered.extend(await self._enter(self._program))
                await self._handle(0, watch.arrival())
            await self._serve()
        except TooMany as flood:
            self.close("flood", str(flood))
        finally:
            self._arena.disconnect(self)

    async def _serve(self) -> None:
        """Serve the client until either side closes the connection."""
        while not self._closing.is_set():
            await self._connection.catch_up()
            data = await self._connection.receive(self._take if self.state in IN_MATCH else None)
            if data is None:
                return
            if data:
                self._note(data)
            await self._handle(self._read, self._arrived)

    def _note(self, data: bytes) -> None:
        """Keep the lines of bytes that were just received."""
        self._read, self._arrived = len(data), self._watch.arrival()
        self._unanswered.extend(self._end.receive(data))
        self._quota.read(data, self._arrived)

    def _take(self, data: bytes) -> bool:
        """Answer bytes of a player without waiting; return False where that is not possible, or not for all of them."""
        self._note(data)
        lines, quota, arrived = self._unanswered, self._quota, self._arrived
        if not lines or len(lines) > LINES_PER_PASS:
            return False
        while lines:
            line, more = lines[0], len(lines) > 1 or self._read == RECEIVE_BYTES
            if type(line) is not str or not line.startswith(AT_ONCE) or not quota.may_go_on(arrived, more=more):
                return False
            (self._answer_limited if quota.limited else self._answer_unlimited)(arrived)
            if self._closing.is_set():
                return False
        return not self._connection.is_behind

    async def _handle(self, read: int, arrived: int) -> None:
        """Answer the lines that have arrived, the last of them with so many bytes."""
        lines, number = self._unanswered, 0
        if self._quota.limited and not lines:
            self._quota.used(1 + read // READ_BYTES)
            await self._quota.pay(read == RECEIVE_BYTES)
        while lines:
            number += 1
            if self._quota.limited:
                await self._answer_in_turn(arrived, len(lines) > 1 or read == RECEIVE_BYTES)
            else:
                await self._answer_trusted(arrived)
            if self._closing.is_set():
                return
            if self._connection.is_behind:
                await self._connection.catch_up()
            if number % LINES_PER_PASS == 0:
                await trio.lowlevel.checkpoint()

    async def _enter(self, program: PipedProgram) -> list[str | ProtocolError]:
        """Log a program in, and let it wait for its game, as soon as it listens or makes a request; return its lines.

        What else it says is no sign that it plays here: it may print it, and connect by itself.
        """
        self._connection.flush()
        lines: list[str | ProtocolError] = []
        while not await program.has_read():
            data = await self._connection.receive()
            if data is None:
                return lines
            lines += self._end.receive(data)
            if len(lines) > ERRORS:
                return lines
            if any(kind_of(line) in REQUESTS for line in lines):
                break
        try:
            for request in (m.Login(program.seat.name, program.seat.token), m.Seek(ANY)):
                self._requests.answer(self, request, 0)
        except Exception as error:
            self._failed(error)
        return lines

    async def _answer_trusted(self, arrived: int) -> None:
        """Answer a session without message limits, which is charged by its work alone."""
        await self._quota.rest()
        later = self._answer_unlimited(arrived)
        if later is not None:
            self._quota.made_work(await self._finish(later), sought=False)

    def _answer_unlimited(self, arrived: int) -> BackgroundAnswer | None:
        line = self._unanswered.popleft()
        if self.state is State.THINKING and str(line).startswith("MOVE "):
            return self._answer(line, arrived)  # free; to measure it would take longer than to read it
        quota = self._quota
        worked = quota.worked()
        later = self._answer(line, arrived)
        quota.made_work(quota.worked() - worked, sought=self._last_request is m.Seek)
        return later

    async def _answer_in_turn(self, arrived: int, more: bool) -> None:
        """Answer a session with message limits; unread input meanwhile fills the network's buffers."""
        async with await self._quota.turn(more):
            later = self._answer_limited(arrived)
        if later is not None:
            before = self._connection.sent
            work = await self._finish(later)
            self._quota.used((self._connection.sent - before) // ANSWER_BYTES + work // WORK)

    def _answer_limited(self, arrived: int) -> BackgroundAnswer | None:
        before, worked = self._connection.sent, self._quota.worked()
        later = self._answer(self._unanswered.popleft(), arrived)
        work = (self._quota.worked() - worked) // WORK
        self._quota.used(1 + (self._connection.sent - before) // ANSWER_BYTES + work)
        return later

    def _answer(self, line: str | ProtocolError, arrived: int) -> BackgroundAnswer | None:
        """Answer a request; return its unfinished part, if any."""
        try:
            self._last_request = object
            if self._end.is_answered(line):
                return None
            message = self._end.accept(line)
            self._last_request = type(message)
            if type(message) is m.Seek:
                self._quota.seek()
            return self._requests.answer(self, message, arrived)
        except Exception as error:
            self._failed(error, line)
            return None

    async def _finish(self, later: BackgroundAnswer) -> int:
        """Finish a request, and return its work in the event loop. Later requests of the client wait."""
        work = 0
        try:
            try:
                found = await later.wait()
            finally:
                work = later.worked()
            before = self._quota.worked()
            try:
                if not self._closing.is_set():
                    later.then(found)
            finally:
                work += self._quota.worked() - before
        except Exception as error:
            self._failed(error)
        return work

    def _failed(self, error: Exception, line: str | ProtocolError = "") -> None:
        """Answer a request that was refused or has failed, with its line where it may be a NOTE."""
        if isinstance(error, ProtocolError) and kind_of(line) == NOTE:
            self._leave_note_out(error)
            return
        if isinstance(error, ProtocolError):
            self.reply(m.Error(error.code, m.Text(str(error))))
            if self.seat_token:
                self._arena.contest_players.refused(self.seat_token, str(error))
            error.__traceback__ = None  # breaks a reference cycle through its frames
            self._errors += 1
            if self._errors >= ERRORS:
                self.close("errors", f"{ERRORS} lines of this session were not accepted; read protocol.md")
            return
        sentence = "a fault of the server's own, which was written to its log"
        if self._arena.handle_session_fault(self, error):
            self.reply(m.Error(Code.SERVER_FAULT, m.Text(sentence)))
        else:
            self.close("server_fault", sentence)

    def _leave_note_out(self, error: ProtocolError) -> None:
        """Tell why a note is left out, if that was not told before: it is never a reason to lose, nor an error."""
        error.__traceback__ = None  # breaks a reference cycle through its frames
        if error.code not in self._noticed:
            self._noticed.add(error.code)
            self.reply(m.Notice(error.code, m.Text(str(error))))


async def serve_stream(
    stream: ByteStream,
    arena: Arena,
    watch: Arrivals,
    quota: ConnectionQuota,
    program: PipedProgram | None = None,
) -> None:
    """Serve the peer at the other end of a stream until it ends, and close it. No fault reaches another connection."""
    connection = Connection(stream, arena.send_queue, arena.poller)
    session = Session(arena, connection, quota, program)
    try:
        await run_connection(connection, partial(session.run, watch))
    except Exception as error:
        log.error("session_failed", peer=quota.host, name=session.name, exc_info=error)
