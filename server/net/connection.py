"""One TCP connection: sends directly what the kernel takes, and queues the rest within a bound."""

import os
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, runtime_checkable

import structlog
import trio

from server.config.settings import OUTBOX_BYTES, RECEIVE_BYTES, WRITE_BYTES, WRITE_SECONDS
from server.net.poller import Poller
from server.net.send_queue import SendQueue

log = structlog.get_logger()

CLOSE_SECONDS = 1.0
"""Deadline for closing a stream: TLS says goodbye."""


class ByteStream(Protocol):
    """What a connection needs of a trio stream."""

    async def send_all(self, data: bytes) -> None:
        """Send all bytes."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Wait for bytes; return none at the end."""

    async def aclose(self) -> None:
        """Close the stream."""


@runtime_checkable
class Descriptors(Protocol):
    """A stream with non-blocking file descriptors; -1 for a closed one."""

    def source(self) -> int:
        """Return the descriptor to read from."""

    def target(self) -> int:
        """Return the descriptor to write to."""


class Connection:
    """A connection to one peer. `send` never waits.

    At the end of a pass of the event loop the kernel gets what it takes at once, and `write_queued` sends the rest. The
    creator of the connection runs `write_queued` in a task of its own, and calls `aclose` in the end.
    """

    def __init__(self, stream: ByteStream, send_queue: SendQueue, poller: Poller | None = None) -> None:
        """Take a stream; one with `Descriptors`, as of a socket, is read and written directly.

        A socket is read by the ``poller`` where `receive` is told what to call.
        """
        self._stream = stream
        self._send_queue = send_queue
        self._poller = poller if isinstance(stream, trio.SocketStream) else None
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
        self._handed_over = 0
        self._to_call: deque[tuple[int, Callable[[], None]]] = deque()
        """Functions to call when a number of bytes has been sent."""
        self.direct = self._target is not None
        """Whether `flush` writes to the kernel directly; else `write_queued` writes, in a later pass."""
        self.broken = False
        """Whether sending has failed: the peer is gone or does not read."""
        self.sent = 0
        """Number of bytes passed to `send`."""

    async def receive(self, take: Callable[[bytes], bool] | None = None) -> bytes | None:
        """Wait for bytes of lines from the peer; return None when the connection is closed.

        Where bytes can be read without waking this task, ``take`` is called with them instead, for as long as it
        returns True; then none are returned.
        """
        try:
            while (source := self._source) is not None:
                if (descriptor := source()) < 0:
                    return None
                if take is not None and self._poller is not None and self._poller.runs:
                    return await self._watch(self._poller, descriptor, take)
                # waiting first saves a failing read, as a peer rarely sends twice
                await trio.lowlevel.wait_readable(descriptor)
                try:
                    return os.read(source(), RECEIVE_BYTES) or None  # another task may have closed it
                except BlockingIOError:
                    continue
            return bytes(await self._stream.receive_some(RECEIVE_BYTES)) or None
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return None

    async def _watch(self, poller: Poller, descriptor: int, take: Callable[[bytes], bool]) -> bytes | None:
        """Pass on what arrives until that is to end; return None when the connection is closed, else nothing."""
        closed = False

        def readable() -> bool:
            nonlocal closed
            try:
                data = os.read(descriptor, RECEIVE_BYTES)
            except BlockingIOError:
                return True
            except OSError:
                data = b""
            closed = not data
            return not closed and take(data)

        await poller.watch(descriptor, readable)
        return None if closed else b""

    def send(self, data: bytes, *, low_priority: bool = False) -> None:
        """Queue bytes to send, ``low_priority`` ones after those of others; beyond the bound, drop the peer."""
        if self.broken or self._last:
            return
        self._queue += data
        self.sent += len(data)
        if not self._added:
            self._added = True
            self._send_queue.add(self, low_priority=low_priority)
        if len(self._queue) > WRITE_BYTES:
            self.flush()
            if len(self._queue) > OUTBOX_BYTES:
                self._give_up()

    def flush(self) -> None:
        """Write what the kernel takes now; `write_queued` sends the rest."""
        self._added = False
        if not self._queue or self._writing:
            return
        if self._target is not None:
            try:
                taken = os.write(self._target(), self._queue)
                if taken == len(self._queue):
                    self._queue.clear()
                    return
                del self._queue[:taken]
            except BlockingIOError:
                pass
            except OSError:
                self._give_up()
                return
        if self._queue:
            self._send_queue.soon(self._wake.set)

    def failed(self, error: Exception) -> None:
        """Drop the peer after an error of `flush`."""
        log.error("connection_failed", exc_info=error)
        self._give_up()

    def call_when_sent(self, call: Callable[[], None]) -> None:
        """Call a function in a later pass, when all bytes up to now are sent, or can never be.

        For a connection that is not `direct`.
        """
        if self.broken or self._over or self._handed_over >= self.sent:
            self._send_queue.soon(call)
        else:
            self._to_call.append((self.sent, call))

    def close(self) -> None:
        """Stop using the descriptors: the stream is being closed, and the system will reuse them."""
        self._source = self._target = None
        self._over = True
        if not self.broken:
            self._give_up()

    async def aclose(self) -> None:
        """Close the connection and its stream, also while cancelled."""
        self.close()
        with trio.move_on_after(CLOSE_SECONDS, shield=True):
            await self._stream.aclose()

    @property
    def is_behind(self) -> bool:
        """Tell whether too many bytes are queued to read further requests of the peer."""
        return len(self._queue) > WRITE_BYTES

    async def catch_up(self) -> None:
        """Wait until the peer is not behind any more, or is dropped."""
        while self.is_behind and not self.broken:
            await self._taken.park()

    def end(self) -> None:
        """Let `write_queued` return when all bytes are sent; further ones are ignored."""
        self._last = True
        self._wake.set()

    async def write_queued(self) -> None:
        """Send what the kernel did not take at once, until `end` is called or the peer is dropped."""
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
                    self._handed_over += len(chunk)
                    self._call(self._handed_over)

    def _call(self, handed: int) -> None:
        while self._to_call and self._to_call[0][0] <= handed:
            self._to_call.popleft()[1]()

    def _give_up(self) -> None:
        self.broken = True
        self._queue.clear()
        self._send_queue.soon(self._writer.cancel)
        self._send_queue.soon(self._taken.unpark_all)
        self._send_queue.soon(partial(self._call, self.sent))


async def run_connection(connection: Connection, serve: Callable[[], Awaitable[None]]) -> None:
    """Run ``serve`` until it returns or the peer is gone, send what is left to be sent, and close the stream."""
    try:
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                await serve()
                connection.end()

            nursery.start_soon(read)
            await connection.write_queued()
            nursery.cancel_scope.cancel()
    finally:
        await connection.aclose()
