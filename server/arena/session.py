"""One connection: reads its requests, sends its replies."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import structlog
import trio

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import ServerEnd, kind_of
from engine.wire.messages import KINDS, REQUESTS
from engine.wire.pipes import PipeEnd
from engine.wire.states import IN_MATCH, State
from engine.wire.words import ANY
from server.arena.arena import Arena
from server.arena.requests import BackgroundAnswer, Requests
from server.arena.roles import Arrivals, PipedProgram
from server.config.limits import ANSWER_BYTES, READ_BYTES, WORK
from server.config.settings import ERRORS, RECEIVE_BYTES
from server.net.connection import ByteStream, Connection, run_connection
from server.net.lending.loan import Loan
from server.net.lending.visitor import Borrower, Visitor, as_received, as_sent
from server.net.rate_limiter import ConnectionQuota, TooMany

if TYPE_CHECKING:
    from server.arena.roles import HostedMatch

log = structlog.get_logger()

NOTE = KINDS[m.Note]

LINES_PER_PASS = 32
"""Lines of one peer that are answered in one pass of the event loop."""


AT_ONCE = ("MOVE ", "NOTE ")
"""How lines begin that are answered as soon as they are read, if nothing is to be waited for."""


class Session:
    """A client, from greeting to BYE.

    During a match another process may have the connection (`lend`, `take_back`): there it is a session that is served
    by `visit` until the match is over.
    """

    def __init__(
        self, arena: Arena, connection: Connection, quota: ConnectionQuota, program: PipedProgram | None = None
    ) -> None:
        """Take the arena, the connection and its quota, and who is at its other end; `run` sends the greeting."""
        self.name = self.key = ""
        self.is_builtin = False
        self.seat_token = quota.seat_token
        self.match: HostedMatch | None = None
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
        self._finishing = False
        """Whether an answer is being made in the background."""
        self._visits = self._hung_up = False
        self._loan = Loan(connection)
        self._closing = trio.Event()
        quota.session = self

    @property
    def quota(self) -> ConnectionQuota:
        """Return the quota of the connection."""
        return self._quota

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
        if self._visits and self._connection.between:
            self._connection.pause()

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE, and close the connection when it is sent."""
        if self._loan.borrower is not None:
            self._loan.borrower.close(reason, sentence)
        elif not self._closing.is_set():
            self.reply(m.Bye(reason, m.Text(sentence)))
            self._connection.end()
            self._closing.set()

    async def run(self, watch: Arrivals) -> None:
        """Send the greeting, and serve the client until either side closes the connection."""
        self._arena.connect(self)
        access = "open" if self._arena.settings.tokens is None else "token"
        self.reply(m.Arena(m.VERSION, self._arena.server, access))
        await self._attend(watch)

    async def _attend(self, watch: Arrivals) -> None:
        """Serve the client as `_serve` does, and leave the arena."""
        self._watch = watch
        try:
            if self._program is not None:
                self._unanswered.extend(await self._enter(self._program))
                await self._handle(0, watch.arrival())
            await self._serve()
            if self._visit_is_over:
                self._connection.release()
        except TooMany as flood:
            self.close("flood", str(flood))
        finally:
            self._loan.give_up()
            self._arena.disconnect(self)

    async def _serve(self) -> None:
        """Serve the client until either side closes the connection, or its visit is over."""
        while not (self._closing.is_set() or (self._visits and self._visit_is_over)):
            if self._loan.borrower is not None:
                if late := await self._loan.last():
                    self._note(late)
                continue
            if self._unanswered and not self._is_leaving:  # it came with the connection from another process
                await self._handle(0, self._watch.arrival())
                continue
            await self._connection.catch_up()
            data = await self._loan.receive(self._take if self.state in IN_MATCH else None)
            if data is None:
                self._hung_up = True
                return
            if self._is_elsewhere():
                continue
            if data:
                self._note(data)
            if self._is_leaving and len(self._unanswered) > LINES_PER_PASS:
                self.close("flood", "a message of a WebSocket goes on and on after the end of the match")
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
            if self._closing.is_set() or self._is_leaving:
                return
            if self._connection.is_behind:
                await self._connection.catch_up()
            if number % LINES_PER_PASS == 0:
                await trio.lowlevel.checkpoint()

    def _is_elsewhere(self) -> bool:
        """Tell whether another process reads the connection, or is to."""
        return self._loan.borrower is not None or self._visit_is_over

    @property
    def _is_leaving(self) -> bool:
        """Tell whether the match is over that the connection came for, and the rest is for where it came from."""
        return self._visits and self.match is None and not (self._closing.is_set() or self._hung_up)

    @property
    def _visit_is_over(self) -> bool:
        """Tell whether the connection goes back to the process that it came from."""
        return self._is_leaving and self._connection.between

    @property
    def can_be_lent(self) -> bool:
        """Tell whether another process can go on with the connection: no answer may be on its way to it."""
        busy = self._finishing or self.seat_token or self._program is not None or self._closing.is_set()
        return not busy and self._loan.is_possible

    async def settle(self) -> None:
        """Wait until no answer is on its way to the client."""
        await self._connection.send_queued()

    def lend(self, borrower: Borrower) -> tuple[int, Visitor]:
        """Leave the connection to another process for a match; return its descriptor and what goes with it.

        Only where it `can_be_lent`. The session is in the match from now on, until `take_back` or `drop`.
        """
        visitor = self._as_visitor()
        self._unanswered.clear()
        self._end.rest = b""
        self._quota.forget_line()
        self._end.sent(m.Match)
        return self._loan.begin(borrower), visitor

    def take_back(self, visitor: Visitor) -> None:
        """Go on with a connection that was lent, in the lobby."""
        unread = self._loan.end(visitor.frames)
        self._take_over(visitor)
        self.match = self.side = None
        self._end.sent(m.Result)
        self._unanswered.extend(self._end.receive(unread))

    def drop(self) -> None:
        """Close a connection that was lent and is lost, without a word: what the client has been sent is unknown."""
        self._closing.set()
        self._loan.drop()

    async def serve_visit(self, watch: Arrivals) -> Visitor | None:
        """Serve a client that came from another process with its match, until it is over; return what goes back.

        Return None where the connection is closed. To be called when `arrive` was, and the match has begun.
        Its faults never reach another session.
        """
        self._arena.connect(self)
        try:
            sent = await run_connection(self._connection, partial(self._attend, watch))
        except Exception as error:
            log.error("session_failed", peer=self._quota.host, name=self.name, exc_info=error)
            return None
        return self._as_visitor() if sent and self._visit_is_over else None

    def arrive(self, visitor: Visitor) -> None:
        """Take what has come with a connection from another process; the client is in the lobby."""
        self._visits = True
        self.name, self.key, self.is_builtin = visitor.name, visitor.key, visitor.is_builtin
        self._connection.go_on(visitor.frames)
        self._end.sent(m.Welcome)
        self._take_over(visitor)

    def _as_visitor(self) -> Visitor:
        """Return what another process has to know to go on."""
        quota = self._quota
        return Visitor(
            self.name, self.key, self.is_builtin, quota.host, quota.limited, quota.connections, quota.owed,
            as_sent(self._unanswered), self._end.rest, self._connection.frames, self._errors, tuple(self._noticed),
        )  # fmt: skip

    def _take_over(self, visitor: Visitor) -> None:
        """Go on with what another process has read and not answered."""
        self._errors, self._noticed = visitor.errors, set(visitor.noticed)
        self._unanswered.extend(as_received(visitor.lines))
        self._end.rest = visitor.rest
        self._quota.go_on(visitor.owed)

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
        if self.state is State.THINKING and self._unanswered and str(self._unanswered[0]).startswith("MOVE "):
            return self._answer_next(arrived)  # free; to measure it would take longer than to read it
        quota = self._quota
        worked = quota.worked()
        later = self._answer_next(arrived)
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
        later = self._answer_next(arrived)
        work = (self._quota.worked() - worked) // WORK
        self._quota.used(1 + (self._connection.sent - before) // ANSWER_BYTES + work)
        return later

    def _answer_next(self, arrived: int) -> BackgroundAnswer | None:
        """Answer the next line, unless it went elsewhere with the connection; return the unfinished part, if any."""
        if not self._unanswered or self._is_leaving:
            return None
        return self._answer(self._unanswered.popleft(), arrived)

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
        unfinished: BackgroundAnswer | None = later
        try:
            while unfinished is not None:
                self._finishing = True
                try:
                    found = await unfinished.wait()
                finally:
                    self._finishing = False
                    work += unfinished.worked()
                before = self._quota.worked()
                try:
                    unfinished = None if self._closing.is_set() else unfinished.then(found)
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
    """Serve the peer at the other end of a stream until it ends, and close it."""
    await serve_connection(Connection(stream, arena.send_queue, arena.poller), arena, watch, quota, program)


async def serve_connection(
    connection: Connection,
    arena: Arena,
    watch: Arrivals,
    quota: ConnectionQuota,
    program: PipedProgram | None = None,
) -> None:
    """Serve one connection until it ends, and close it. Its faults never reach another connection."""
    session = Session(arena, connection, quota, program)
    try:
        await run_connection(connection, partial(session.run, watch))
    except Exception as error:
        log.error("session_failed", peer=quota.host, name=session.name, exc_info=error)
