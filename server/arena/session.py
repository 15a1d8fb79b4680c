"""One connection: accepted or refused, its requests read and answered."""

import ssl
from collections import deque
from contextlib import suppress

import trio

from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.ends import IN_MATCH, PipeEnd, ServerEnd, SessionState, kind_of, refusal_of, shown_line
from engine.wire.words import ANY
from server.arena.arena import Arena
from server.arena.lobby import PipedProgram
from server.arena.requests import BackgroundAnswer, Requests
from server.config.settings import ERRORS, READ_BYTES, RECEIVE_BYTES
from server.match.match import Match
from server.net.admission import ConnectionQuota, RateLimiter, TooMany
from server.net.connection import Connection, SocketWire, Wire, detached
from server.ops.logs import log

NOTE, RESIGN = m.KINDS[m.Note], m.KINDS[m.Resign]

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
        self.host = quota.host
        self.seat_token = quota.seat_token
        self.match: Match | None = None
        self.side: int | None = None
        self.last_match = 0
        self._arena = arena
        self._requests = Requests(arena)
        self._connection = connection
        self._quota = quota
        self._end = ServerEnd() if program is None else PipeEnd()
        self._program = program
        self._errors = 0
        self._noticed: set[m.Code] = set()
        """Why notes of this session were left out: it is told of each reason once."""
        self._waiting: deque[str | m.ProtocolError] = deque()
        """Lines that have arrived, the one that is being answered among them."""
        self._arrived = self._read = 0
        """Stamp and number of the bytes that were received last."""
        self._closing = trio.Event()
        quota.session = self

    @property
    def state(self) -> SessionState:
        """Return the protocol state of the session."""
        return self._end.state

    def reply(self, message: m.Message) -> None:
        """Send a message."""
        self._connection.send(self._end.send(message))

    def tell(self, kind: type, data: bytes) -> None:
        """Send encoded messages of one kind. Players get them before everybody else."""
        self._end.sent(kind)
        self._connection.send(data, low_priority=self.side is None)

    def report_unfinished(self) -> None:
        """Report bytes that have arrived without a line end as a line that was refused."""
        if error := self._end.unfinished():
            self._arena.refuse(self, refusal_of(error, error))

    def leave(self) -> None:
        """Forget the match, which is over."""
        self.match = self.side = None

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE, and close the connection when it is sent."""
        if not self._closing.is_set():
            self.reply(m.Bye(reason, m.Text(sentence)))
            self._connection.end()
            self._closing.set()

    async def run(self) -> None:
        """Send the greeting, and serve the client until either side closes the connection."""
        self._arena.connect(self)
        access = "open" if self._arena.settings.tokens is None else "token"
        self.reply(m.Arena(m.VERSION, self._arena.server, access))
        try:
            if self._program is not None:
                await self._enter(self._program)
                await self._answer_waiting()
            while not self._closing.is_set():
                await self._connection.catch_up()
                if not await self._connection.receive(self._take):
                    if error := self._end.unfinished():
                        self._failed(error, error)
                    return
                await self._answer_waiting()
        except TooMany as flood:
            self.close("flood", str(flood))
        finally:
            self._arena.disconnect(self)

    def _take(self, data: bytes) -> bool:
        """Answer the lines of a player in the pass in which they arrive; return False where one has to wait."""
        lines, arrived, read = self._waiting, self._arena.arrival(), len(data)
        self._read, self._arrived = read, arrived
        lines.extend(self._end.receive(data))
        self._quota.read(data, arrived)
        if not 0 < len(lines) <= LINES_PER_PASS:
            return False
        while lines:
            line, more = lines[0], len(lines) > 1 or read == RECEIVE_BYTES
            if type(line) is not str or not line.startswith(AT_ONCE) or self._end.state not in IN_MATCH:
                return False
            if (self._quota.limited or line.startswith(NOTE)) and not self._quota.may_go_on(arrived, more=more):
                return False
            self._answer(lines.popleft(), arrived)
        return not self._connection.is_behind and not self._closing.is_set()

    async def _answer_waiting(self) -> None:
        """Answer the lines that `_take` has left, each when the quota allows it."""
        lines, read, number = self._waiting, self._read, 0
        if self._quota.limited and not lines:
            self._quota.use(1 + read // READ_BYTES, 0, 0)
            await self._quota.wait(read == RECEIVE_BYTES)
        while lines and not self._closing.is_set():
            number += 1
            await self._quota.wait(len(lines) > 1 or read == RECEIVE_BYTES)
            if (later := self._answer(lines.popleft(), self._arrived)) is not None:
                before = self._connection.sent
                await self._finish(later)
                self._quota.use(0, self._connection.sent - before, later.worked())
            await self._connection.catch_up()
            if number % LINES_PER_PASS == 0:
                await trio.lowlevel.checkpoint()

    async def _enter(self, program: PipedProgram) -> None:
        """Log a program in, and let it wait for its game, as soon as it listens or makes a request.

        Other output is no sign that it plays here: it may print it, and connect by itself.
        """
        self._connection.flush()  # the greeting has to be in the pipe before a program can have read it
        while not await program.has_read():
            if not await self._connection.receive(self._take) or len(self._waiting) > ERRORS:
                return
            if any(kind_of(line) in m.REQUESTS for line in self._waiting):
                break
            if self._waiting:
                program.wrote(shown_line(self._waiting[0]))
        try:
            for request in (m.Login(program.seat.name, program.seat.token), m.Seek(ANY)):
                self._requests.answer(self, request, 0)
        except Exception as error:
            self._failed(error)

    def _answer(self, line: str | m.ProtocolError, arrived: int) -> BackgroundAnswer | None:
        """Answer a request, and charge for it; return its unfinished part, if any."""
        quota, sent, seek, worked, later = self._quota, self._connection.sent, False, -1, None
        try:
            # MOVE of a trusted session is free: to measure it would take longer than to read it
            if quota.limited or self._end.state is not SessionState.THINKING or not str(line).startswith("MOVE "):
                worked = quota.worked()
            message = self._end.accept(line)
            if type(message) is m.Move:
                assert self.match is not None and self.side is not None
                self.match.play(self.side, message.move, arrived)
            elif message is not None:
                if seek := type(message) is m.Seek:
                    quota.seek()
                later = self._requests.answer(self, message, arrived)
        except Exception as error:
            self._failed(error, line)
        if worked >= 0:
            quota.use(1, self._connection.sent - sent, quota.worked() - worked, seek=seek)
        return later

    async def _finish(self, later: BackgroundAnswer) -> None:
        """Finish a request. Later requests of the client wait."""
        try:
            found = await later.wait()
            if not self._closing.is_set():
                later.then(found)
        except Exception as error:
            self._failed(error)

    def _failed(self, error: Exception, line: str | m.ProtocolError = "") -> None:
        """Answer a request that was refused or has failed, with its line where it may be a NOTE."""
        if isinstance(error, m.ProtocolError):
            error.__traceback__ = None  # breaks a reference cycle through its frames
            if kind_of(line) == NOTE:  # left out: it is never a reason to lose, nor an error
                if error.code not in self._noticed:
                    self._noticed.add(error.code)
                    self.reply(m.Notice(error.code, m.Text(str(error))))
                return
            self.reply(m.Error(error.code, m.Text(str(error))))
            if line and (self.match is not None or kind_of(line) != RESIGN):  # it may cross the RESULT
                self._arena.refuse(self, refusal_of(line, error))
            self._errors += 1
            if self._errors >= ERRORS:
                self.close("errors", f"{ERRORS} lines of this session were not accepted; read protocol.md")
            return
        sentence = "a fault of the server's own, which was written to its log"
        if self._arena.handle_session_fault(self, error):
            self.reply(m.Error(m.Code.SERVER_FAULT, m.Text(sentence)))
        else:
            self.close("server_fault", sentence)


async def serve_stream(stream: Wire, arena: Arena, quota: ConnectionQuota, program: PipedProgram | None = None) -> None:
    """Serve the peer at the other end of a stream until it ends, and close it. No fault reaches another connection."""
    connection = Connection(stream, arena.poller)
    session = Session(arena, connection, quota, program)

    async def run() -> None:
        await session.run()
        connection.end()

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            await connection.write_queued()
            nursery.cancel_scope.cancel()
    except Exception as error:
        log.error("session_failed", peer=quota.host, name=session.name, exc_info=error)
    finally:
        connection.close()


HANDSHAKE_SECONDS = 10.0
"""Deadline of the TLS handshake."""

REFUSAL_SECONDS = 1.0
"""Deadline for sending the reason to a peer that is refused."""


async def serve_socket(
    arena: Arena, rate_limiter: RateLimiter, tls: ssl.SSLContext | None, stream: trio.SocketStream
) -> None:
    """Serve an accepted connection, with TLS where there is a context, and close it.

    Raises nothing that the peer could cause.
    """
    try:
        quota = rate_limiter.admit(stream.socket.getpeername()[0])
    except TooMany as error:
        # with TLS nothing is said: a handshake would cost more than a session
        reason = b"" if tls else encode(m.Bye("too_many", m.Text(str(error))))
        with trio.move_on_after(REFUSAL_SECONDS), suppress(trio.BrokenResourceError):
            async with stream:
                await stream.send_all(reason)
        return
    except OSError:  # already disconnected
        await trio.aclose_forcefully(stream)
        return
    connected = detached(stream)
    try:
        if tls is not None:
            connected.setblocking(False)
            connected = tls.wrap_socket(connected, server_side=True, do_handshake_on_connect=False)
            with trio.fail_after(HANDSHAKE_SECONDS):
                await _shake_hands(connected)
        await serve_stream(SocketWire(connected), arena, quota)
    except (OSError, trio.TooSlowError) as error:
        log.debug("tls_handshake_failed", peer=quota.host, error=repr(error))
    finally:
        connected.close()
        rate_limiter.leave(quota)


async def _shake_hands(connected: ssl.SSLSocket) -> None:
    """Do the handshake of a non-blocking socket; raises OSError."""
    while True:
        try:
            return connected.do_handshake()
        except ssl.SSLWantReadError:
            await trio.lowlevel.wait_readable(connected)
        except ssl.SSLWantWriteError:
            await trio.lowlevel.wait_writable(connected)
