"""One connection: reads its requests, sends its replies."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import structlog
import trio

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import ServerEnd, kind_of
from engine.wire.messages import KINDS, REQUESTS
from engine.wire.pipes import PipeEnd
from engine.wire.seat import Seat
from engine.wire.states import State
from engine.wire.words import ANY
from server.arena.arena import Arena
from server.arena.background import BackgroundAnswer
from server.arena.requests import Requests
from server.config.limits import ANSWER_BYTES, READ_BYTES, WORK
from server.config.settings import ERRORS, RECEIVE_BYTES
from server.net.connection import ByteStream, Connection
from server.net.rate_limiter import ConnectionQuota, TooMany

if TYPE_CHECKING:
    from server.match.match import Match

log = structlog.get_logger()

NOTE = KINDS[m.Note]

LINES_PER_PASS = 32
"""Lines of one peer that are answered in one pass of the event loop."""


class Arrivals(Protocol):
    """Source of arrival stamps: `server.net.stall_monitor.StallMonitor`."""

    def arrival(self) -> int:
        """Return the arrival stamp, in microseconds, of bytes that were just received."""


class PipedProgram(NamedTuple):
    """A program on stdin and stdout, which is logged in, and seeks, without a word of its own."""

    seat: Seat
    has_read: Callable[[], Awaitable[bool]]
    """Waits until it has read the greeting; False where it has said something before, or has ended."""


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
        try:
            if self._program is not None:
                await self._handle(await self._enter(self._program), b"", watch.arrival())
            while not self._closing.is_set():
                data = await self._connection.receive()
                if not data:
                    return
                arrived = watch.arrival()
                lines = self._end.receive(data)
                self._quota.read(data, arrived)
                await self._handle(lines, data, arrived)
        except TooMany as flood:
            self.close("flood", str(flood))
        finally:
            self._arena.disconnect(self)

    async def _handle(self, lines: Sequence[str | ProtocolError], data: bytes, arrived: int) -> None:
        """Answer lines that have arrived in ``data``."""
        for number, line in enumerate(lines, 1):
            if self._quota.limited:
                await self._answer_in_turn(line, arrived, number < len(lines) or len(data) == RECEIVE_BYTES)
            else:
                await self._answer_trusted(line, arrived)
            if self._closing.is_set():
                return
            if self._connection.is_behind:
                await self._connection.catch_up()
            if number % LINES_PER_PASS == 0:
                await trio.lowlevel.checkpoint()
        if self._quota.limited and not lines:
            self._quota.used(1 + len(data) // READ_BYTES)
            await self._quota.pay(len(data) == RECEIVE_BYTES)

    async def _enter(self, program: PipedProgram) -> list[str | ProtocolError]:
        """Log a program in, and let it wait for its game, as soon as it listens or makes a request; return its lines.

        What else it says is no sign that it plays here: it may print it, and connect by itself.
        """
        self._connection.flush()
        lines: list[str | ProtocolError] = []
        while not await program.has_read():
            data = await self._connection.receive()
            lines += self._end.receive(data)
            if not data or len(lines) > ERRORS:
                return lines
            if any(kind_of(line) in REQUESTS for line in lines):
                break
        try:
            for request in (m.Login(program.seat.name, program.seat.token), m.Seek(ANY)):
                self._requests.answer(self, request, 0)
        except Exception as error:
            self._failed(error)
        return lines

    async def _answer_trusted(self, line: str | ProtocolError, arrived: int) -> None:
        """Answer a session without message limits, which is charged by its work alone."""
        quota = self._quota
        await quota.rest()
        worked = quota.worked()
        later = self._answer(line, arrived)
        work = quota.worked() - worked
        if later is not None:
            work += await self._finish(later)
        if self._last_request is not m.Move:
            quota.made_work(work, sought=self._last_request is m.Seek)

    async def _answer_in_turn(self, line: str | ProtocolError, arrived: int, more: bool) -> None:
        """Answer a session with message limits; unread input meanwhile fills the network's buffers."""
        async with await self._quota.turn(more):
            before, worked = self._connection.sent, self._quota.worked()
            later = self._answer(line, arrived)
            work = (self._quota.worked() - worked) // WORK
            self._quota.used(1 + (self._connection.sent - before) // ANSWER_BYTES + work)
        if later is not None:
            before = self._connection.sent
            work = await self._finish(later)
            self._quota.used((self._connection.sent - before) // ANSWER_BYTES + work // WORK)

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
        began = None
        try:
            found = await later.wait()
            began = self._quota.worked()
            if not self._closing.is_set():
                later.then(found)
        except Exception as error:
            self._failed(error)
        return later.worked() + (0 if began is None else self._quota.worked() - began)

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
    """Serve one connection until it ends, and close it. Its faults never reach another connection."""
    connection = Connection(stream, arena.send_queue)
    session = Session(arena, connection, quota, program)
    try:
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                await session.run(watch)
                connection.end()

            nursery.start_soon(read)
            await connection.write_queued()
            nursery.cancel_scope.cancel()
    except Exception as error:
        log.error("session_failed", peer=quota.host, name=session.name, exc_info=error)
    finally:
        connection.close()
        with trio.move_on_after(1, shield=True):
            await stream.aclose()
