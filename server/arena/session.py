"""One connection: its lines in, its replies out, and whom it stands for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import structlog
import trio

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import ServerEnd
from engine.wire.states import State
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

LINES_AT_A_TIME = 32
"""Lines of one peer that are answered before others get their turn."""


class Arrivals(Protocol):
    """Tells when bytes arrived: `server.net.stall_monitor.StallMonitor`."""

    def arrival(self) -> int:
        """Return the stamp, in microseconds, of bytes that were received just now."""


class Session:
    """A peer, from greeting to goodbye."""

    def __init__(self, arena: Arena, connection: Connection, visit: ConnectionQuota) -> None:
        """Take the arena, the connection, and what limits hold for it; `run` greets."""
        self.name = self.key = ""
        self.is_builtin = False
        self.ticket = visit.ticket
        self.match: Match | None = None
        self.side: int | None = None
        self._arena = arena
        self._requests = Requests(arena)
        self._connection = connection
        self._visit = visit
        self._end = ServerEnd()
        self._errors = 0
        self._asked: type = object
        """Of which kind the last request was."""
        self._closing = trio.Event()
        visit.session = self

    @property
    def state(self) -> State:
        """Return the state of the protocol that the session is in."""
        return self._end.state

    def reply(self, message: m.Message) -> None:
        """Send a message."""
        self._connection.send(self._end.send(message))

    def answer(self, kind: type, data: bytes) -> None:
        """Send the answer to a request, already encoded."""
        self._end.sent(kind)
        self._connection.send(data)

    def tell(self, kind: type, data: bytes) -> None:
        """Send messages of a kind, already encoded. Spectators get them after the players."""
        self._end.sent(kind)
        self._connection.send(data, patient=self.side is None)

    @property
    def direct(self) -> bool:
        """Tell whether what was told is handed over at the end of the loop's pass, unless the peer does not take it."""
        return self._connection.direct

    def when_handed(self, call: Callable[[], None]) -> None:
        """Call something when all that was told is handed over; for a session that is not `direct`."""
        self._connection.when_handed(call)

    def leave(self) -> None:
        """Forget the match: it is over."""
        self.match = self.side = None

    def close(self, reason: str, sentence: str) -> None:
        """Say goodbye; the connection closes when that is sent."""
        if not self._closing.is_set():
            self.reply(m.Bye(reason, m.Text(sentence)))
            self._connection.end()
            self._closing.set()

    async def run(self, watch: Arrivals) -> None:
        """Greet, and serve the peer until either side closes the connection."""
        self._arena.come(self)
        access = "open" if self._arena.settings.tokens is None else "token"
        self.reply(m.Arena(m.VERSION, self._arena.server, access))
        try:
            while not self._closing.is_set():
                data = await self._connection.receive()
                if not data:
                    return
                arrived = watch.arrival()
                lines = self._end.receive(data)
                self._visit.read(data, arrived)
                for number, line in enumerate(lines, 1):
                    if self._visit.limited:
                        await self._answer_in_turn(line, arrived, number < len(lines) or len(data) == RECEIVE_BYTES)
                    else:
                        await self._answer_trusted(line, arrived)
                    if self._closing.is_set():
                        return
                    if self._connection.behind:
                        await self._connection.catch_up()
                    if number % LINES_AT_A_TIME == 0:
                        await trio.lowlevel.checkpoint()
                if self._visit.limited and not lines:
                    self._visit.used(1 + len(data) // READ_BYTES)
                    await self._visit.pay(len(data) == RECEIVE_BYTES)
        except TooMany as flood:
            self.close("flood", str(flood))
        finally:
            self._arena.gone(self)

    async def _answer_trusted(self, line: str | ProtocolError, arrived: int) -> None:
        """Answer at once, unless what was asked for before has taken the event loop for too long."""
        visit = self._visit
        await visit.rest()
        worked = visit.worked()
        later = self._answer(line, arrived)
        work = visit.worked() - worked
        if later is not None:
            work += await self._finish(later)
        if self._asked is not m.Move:
            visit.made_work(work, sought=self._asked is m.Seek)

    async def _answer_in_turn(self, line: str | ProtocolError, arrived: int, more: bool) -> None:
        """Answer no faster than the limits allow; what the peer sends meanwhile waits in the network, and fills it."""
        async with await self._visit.turn(more):
            before, worked = self._connection.sent, self._visit.worked()
            later = self._answer(line, arrived)
            work = (self._visit.worked() - worked) // WORK
            self._visit.used(1 + (self._connection.sent - before) // ANSWER_BYTES + work)
        if later is not None:
            before = self._connection.sent
            work = await self._finish(later)
            self._visit.used((self._connection.sent - before) // ANSWER_BYTES + work // WORK)

    def _answer(self, line: str | ProtocolError, arrived: int) -> BackgroundAnswer | None:
        """Answer a request; return what is left to be done, if it takes time."""
        try:
            self._asked = object
            message = self._end.accept(line)
            self._asked = type(message)
            if type(message) is m.Seek:
                self._visit.seek()
            return self._requests.answer(self, message, arrived)
        except Exception as error:
            self._failed(error)
            return None

    async def _finish(self, later: BackgroundAnswer) -> int:
        """Do the rest of a request. Others of the peer wait meanwhile. Return the work that it made for the loop."""
        began = None
        try:
            found = await later.wait()
            began = self._visit.worked()
            if not self._closing.is_set():
                later.then(found)
        except Exception as error:
            self._failed(error)
        return later.worked() + (0 if began is None else self._visit.worked() - began)

    def _failed(self, error: Exception) -> None:
        """A request was refused, or something went wrong with it."""
        if isinstance(error, ProtocolError):
            self.reply(m.Error(error.code, m.Text(str(error))))
            if self.ticket:
                self._arena.contest_players.refused(self.ticket, str(error))
            error.__traceback__ = None  # its frames may hold it: a circle, and work for the garbage collector
            self._errors += 1
            if self._errors >= ERRORS:
                self.close("errors", f"{ERRORS} lines of this session were not accepted; read protocol.md")
            return
        sentence = "a fault of the server's own, which was written to its log"
        if self._arena.fault(self, error):
            self.reply(m.Error(Code.SERVER_FAULT, m.Text(sentence)))
        else:
            self.close("server_fault", sentence)


async def serve_stream(stream: ByteStream, arena: Arena, watch: Arrivals, visit: ConnectionQuota) -> None:
    """Serve one connection until it is closed; close it. Nothing that happens on it reaches another."""
    connection = Connection(stream, arena.send_queue)
    session = Session(arena, connection, visit)
    try:
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                await session.run(watch)
                connection.end()

            nursery.start_soon(read)
            await connection.write_queued()
            nursery.cancel_scope.cancel()
    except Exception as error:
        log.error("session_failed", peer=visit.host, name=session.name, exc_info=error)
    finally:
        connection.close()
        with trio.move_on_after(1) as scope:
            scope.shield = True
            await stream.aclose()
