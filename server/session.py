"""One connection: its lines in, its replies out, and whom it stands for."""

from typing import TYPE_CHECKING, Protocol

import structlog
import trio

from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.ends import ServerEnd
from engine.wire.messages import encode
from server.connection import ByteStream, Connection
from server.hall import Hall
from server.settings import ERRORS

if TYPE_CHECKING:
    from server.match import Match

log = structlog.get_logger()

LINES_AT_A_TIME = 32
"""Lines of one peer that are answered before others get their turn."""


class Arrivals(Protocol):
    """Tells when bytes arrived: `server.loopwatch.LoopWatch`."""

    def arrival(self) -> int:
        """Return the stamp, in microseconds, of bytes that were received just now."""


class Session:
    """A peer, from greeting to goodbye."""

    def __init__(self, hall: Hall, connection: Connection) -> None:
        """Take the hall and the connection; `run` greets."""
        self.name = ""
        self.house = False
        self.match: Match | None = None
        self.side: int | None = None
        self._hall = hall
        self._connection = connection
        self._end = ServerEnd()
        self._errors = 0
        self._closing = trio.Event()

    def reply(self, message: m.Message) -> None:
        """Send a message."""
        self._connection.send(self._end.send(message))

    def tell(self, kinds: tuple[type, ...], data: bytes) -> None:
        """Send messages of these kinds, already encoded."""
        for kind in kinds:
            self._end.sent(kind)
        self._connection.send(data)

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
        self._hall.come(self)
        access = "open" if self._hall.settings.tokens is None else "token"
        self.reply(m.Arena(m.VERSION, self._hall.server, access))
        try:
            while not self._closing.is_set():
                data = await self._connection.receive()
                if not data:
                    return
                arrived = watch.arrival()
                for number, line in enumerate(self._end.receive(data), 1):
                    self._answer(line, arrived)
                    if self._closing.is_set():
                        return
                    if number % LINES_AT_A_TIME == 0:
                        await trio.lowlevel.checkpoint()
        finally:
            self._hall.gone(self)

    def _answer(self, line: str | ProtocolError, arrived: int) -> None:
        try:
            self._hall.answer(self, self._end.accept(line), arrived)
        except ProtocolError as error:
            self.reply(m.Error(error.code, m.Text(str(error))))
            self._errors += 1
            if self._errors >= ERRORS:
                self.close("errors", f"{ERRORS} lines of this session were not accepted; read protocol.md")
        except Exception as error:
            self._hall.fault(self, error)
            self.close("server_fault", "a fault of the server's own, which was written to its log")


async def serve_stream(stream: ByteStream, hall: Hall, watch: Arrivals, peer: str) -> None:
    """Serve one connection until it is closed; close it. Nothing that happens on it reaches another."""
    connection = Connection(stream, hall.outbox)
    session = Session(hall, connection)
    try:
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                await session.run(watch)
                connection.end()

            nursery.start_soon(read)
            await connection.write_queued()
            nursery.cancel_scope.cancel()
    except Exception as error:
        log.error("session failed", peer=peer, name=session.name, exc_info=error)
    finally:
        with trio.move_on_after(1) as scope:
            scope.shield = True
            await stream.aclose()


def refusal(sentence: str) -> bytes:
    """Return what a peer is told that is not let in."""
    return encode(m.Bye("too_many", m.Text(sentence)))
