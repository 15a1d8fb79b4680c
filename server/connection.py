"""Bytes to and from one peer: sent at once where the kernel takes them, queued within a bound where it does not."""

import os
from typing import Protocol

import trio

from server.settings import OUTBOX_BYTES, RECEIVE_BYTES, WRITE_BYTES, WRITE_SECONDS


class ByteStream(Protocol):
    """What a connection needs of a trio stream."""

    async def send_all(self, data: bytes) -> None:
        """Send everything."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Wait for bytes; none at the end."""

    async def aclose(self) -> None:
        """Close."""


class Connection:
    """One peer. `send` never waits: what the kernel does not take at once is left to `write_queued`.

    Whoever made the connection runs `write_queued` beside its reader, and closes the stream.
    """

    def __init__(self, stream: ByteStream) -> None:
        """Take the stream, for writing directly where it is a plain socket."""
        self._stream = stream
        self._descriptor = stream.socket.fileno() if isinstance(stream, trio.SocketStream) else None
        self._queue = bytearray()
        self._wake = trio.Event()
        self._writing = trio.CancelScope()
        self._last = False
        self.broken = False
        """Set when nothing more can be sent: the peer is gone or does not read."""

    async def receive(self) -> bytes:
        """Wait for bytes from the peer; none when it has closed or is gone."""
        try:
            while self._descriptor is not None:
                # a peer that has just been read has nothing more: to wait first saves a failing read
                await trio.lowlevel.wait_readable(self._descriptor)
                try:
                    return os.read(self._descriptor, RECEIVE_BYTES)
                except BlockingIOError:
                    continue
            return bytes(await self._stream.receive_some(RECEIVE_BYTES))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    def send(self, data: bytes) -> None:
        """Send, or queue what cannot be sent now. Beyond the bound the connection counts as broken."""
        if self.broken or self._last:
            return
        if self._descriptor is not None and not self._queue:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                pass
            except OSError:
                self._give_up()
                return
            if not data:
                return
        self._queue += data
        if len(self._queue) > OUTBOX_BYTES:
            self._give_up()
        self._wake.set()

    def end(self) -> None:
        """Let `write_queued` return when everything is sent; nothing more is taken."""
        self._last = True
        self._wake.set()

    async def write_queued(self) -> None:
        """Send what is queued, until `end` is called or the peer does not take it."""
        with self._writing:
            while not self.broken:
                if not self._queue:
                    if self._last:
                        return
                    self._wake = trio.Event()
                    await self._wake.wait()
                    continue
                chunk = bytes(self._queue[:WRITE_BYTES])
                try:
                    with trio.fail_after(WRITE_SECONDS):
                        await self._stream.send_all(chunk)
                except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                    self._give_up()
                else:
                    del self._queue[: len(chunk)]

    def _give_up(self) -> None:
        self.broken = True
        self._queue.clear()
        self._writing.cancel()
