"""Bytes to and from one peer: handed over where the kernel takes them, queued within a bound where it does not."""

import os
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

import structlog
import trio

from server.config.settings import OUTBOX_BYTES, RECEIVE_BYTES, WRITE_BYTES, WRITE_SECONDS
from server.net.send_queue import SendQueue

log = structlog.get_logger()


class ByteStream(Protocol):
    """What a connection needs of a trio stream."""

    async def send_all(self, data: bytes) -> None:
        """Send everything."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Wait for bytes; none at the end."""

    async def aclose(self) -> None:
        """Close."""


@runtime_checkable
class Descriptors(Protocol):
    """A stream that is read and written by plain descriptors, which do not block; -1 for one that is closed."""

    def source(self) -> int:
        """Return the descriptor that bytes come from."""

    def target(self) -> int:
        """Return the descriptor that bytes go to."""


class Connection:
    """One peer. `send` never waits.

    At the end of the loop's pass the kernel gets what it takes at once, and `write_queued` sends the rest. Whoever
    made the connection runs `write_queued` beside its reader, and closes the stream.
    """

    def __init__(self, stream: ByteStream, send_queue: SendQueue) -> None:
        """Take the stream, for reading and writing directly where it has plain `Descriptors`, as sockets do."""
        self._stream = stream
        self._send_queue = send_queue
        self._source: Callable[[], int] | None = None
        self._target: Callable[[], int] | None = None
        if isinstance(stream, trio.SocketStream):
            self._source = self._target = stream.socket.fileno
        elif isinstance(stream, Descriptors):
            self._source, self._target = stream.source, stream.target
        self._queue = bytearray()
        self._added = False
        self._wake = trio.Event()
        self._taken = trio.lowlevel.ParkingLot()
        self._writing = False
        self._over = False
        self._writer = trio.CancelScope()
        self._last = False
        self._handed = 0
        self._to_call: deque[tuple[int, Callable[[], None]]] = deque()
        """What is to be called when so many bytes are handed over."""
        self.direct = self._target is not None
        """Whether `flush` hands over at once what the kernel takes; else `write_queued` does, in a later pass."""
        self.broken = False
        """Set when nothing more can be sent: the peer is gone or does not read."""
        self.sent = 0
        """Bytes that `send` has taken."""

    async def receive(self) -> bytes:
        """Wait for bytes from the peer; none when it has closed or is gone."""
        try:
            while (source := self._source) is not None:
                if (descriptor := source()) < 0:
                    return b""
                # a peer that has just been read has nothing more: to wait first saves a failing read
                await trio.lowlevel.wait_readable(descriptor)
                try:
                    return os.read(source(), RECEIVE_BYTES)  # another task may just have closed it
                except BlockingIOError:
                    continue
            return bytes(await self._stream.receive_some(RECEIVE_BYTES))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    def send(self, data: bytes, *, patient: bool = False) -> None:
        """Queue bytes to be sent, ``patient`` ones after those of others. Beyond the bound it counts as broken."""
        if self.broken or self._last:
            return
        self._queue += data
        self.sent += len(data)
        if not self._added:
            self._added = True
            self._send_queue.add(self, patient=patient)
        if len(self._queue) > WRITE_BYTES:
            self.flush()
            if len(self._queue) > OUTBOX_BYTES:
                self._give_up()

    def flush(self) -> None:
        """Hand the kernel what it takes now; the rest is left to `write_queued`."""
        self._added = False
        if not self._queue or self._writing:
            return
        if self._target is not None:
            try:
                del self._queue[: os.write(self._target(), self._queue)]
            except BlockingIOError:
                pass
            except OSError:
                self._give_up()
                return
        if self._queue:
            self._send_queue.soon(self._wake.set)

    def failed(self, error: Exception) -> None:
        """`flush` has raised an error: the peer is dropped."""
        log.error("connection_failed", exc_info=error)
        self._give_up()

    def call_when_sent(self, call: Callable[[], None]) -> None:
        """Call something in a later pass, when all that was sent until now is handed over, or can never be.

        For a connection that is not `direct`.
        """
        if self.broken or self._over or self._handed >= self.sent:
            self._send_queue.soon(call)
        else:
            self._to_call.append((self.sent, call))

    def close(self) -> None:
        """Send nothing more, ever: the stream is being closed, and its descriptor will be another one's."""
        self._source = self._target = None
        self._over = True
        if not self.broken:
            self._give_up()

    @property
    def behind(self) -> bool:
        """Tell whether so much waits for the peer that it is not to be asked for more requests."""
        return len(self._queue) > WRITE_BYTES

    async def catch_up(self) -> None:
        """Wait until the peer is no longer behind, or nothing can be sent any more."""
        while self.behind and not self.broken:
            await self._taken.park()

    def end(self) -> None:
        """Let `write_queued` return when everything is sent; nothing more is taken."""
        self._last = True
        self._wake.set()

    async def write_queued(self) -> None:
        """Send what the kernel did not take at once, until `end` is called or the peer does not take it."""
        try:
            await self._write_queued()
        finally:
            self._over = True
            self._call(self.sent)

    async def _write_queued(self) -> None:
        with self._writer:
            while not self.broken:
                if not self._queue:
                    self._writing = False
                    if self._last:
                        return
                    self._wake = trio.Event()
                    await self._wake.wait()
                    continue
                self._writing = True
                chunk = bytes(self._queue[:WRITE_BYTES])
                try:
                    with trio.fail_after(WRITE_SECONDS):
                        await self._stream.send_all(chunk)
                except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                    self._give_up()
                else:
                    del self._queue[: len(chunk)]
                    self._taken.unpark_all()
                    self._handed += len(chunk)
                    self._call(self._handed)

    def _call(self, handed: int) -> None:
        while self._to_call and self._to_call[0][0] <= handed:
            self._to_call.popleft()[1]()

    def _give_up(self) -> None:
        self.broken = True
        self._queue.clear()
        self._send_queue.soon(self._writer.cancel)
        self._send_queue.soon(self._taken.unpark_all)
        self._send_queue.soon(partial(self._call, self.sent))
