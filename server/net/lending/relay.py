"""A connection that only this process can read and write, as one with TLS: lent to another process, it is relayed."""

import socket
from collections.abc import Iterator
from contextlib import suppress

import trio

from server.config.settings import RECEIVE_BYTES
from server.net.connection import Connection


class Relay:
    """Both ends of a way to another process, which has a copy of one for as long as the connection is lent."""

    def __init__(self, connection: Connection) -> None:
        """Take the connection; `run` relays it, and `stop` ends that."""
        self._connection = connection
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)
        self._scope = trio.CancelScope()
        self._unsent = self._late = b""

    @property
    def descriptor(self) -> int:
        """Return the descriptor of the end that the other process gets a copy of."""
        return self._theirs.fileno()

    async def run(self) -> bytes:
        """Relay until `stop` is called, and return what came too late for that.

        Where this is cancelled, the other process finds its end closed.
        """
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read)
                    nursery.start_soon(self._write)
        finally:
            self._close()
        return self._late

    def put(self, data: bytes) -> None:
        """Relay bytes that were read of the connection just before."""
        self._unsent += data

    def stop(self) -> bytes:
        """End, when all is passed on that the other process has said; return what it has not read."""
        if self._closed:
            return b""
        self._scope.cancel()
        for data in _there(self._ours):
            self._connection.send(data)
        unread = b"".join(_there(self._theirs)) + self._unsent
        self._close()
        return unread

    @property
    def _closed(self) -> bool:
        return self._ours.fileno() < 0

    def _close(self) -> None:
        if not self._closed:
            trio.lowlevel.notify_closing(self._ours)
            self._ours.close()
            self._theirs.close()

    async def _read(self) -> None:
        """Pass on what the peer says, and that it has gone."""
        data: bytes | None = b""
        while data is not None:
            try:
                while self._unsent:
                    await trio.lowlevel.wait_writable(self._ours)
                    with suppress(BlockingIOError):
                        self._unsent = self._unsent[self._ours.send(self._unsent) :]
            except (OSError, trio.ClosedResourceError):  # the other process has closed its end, or is gone
                return
            data = await self._connection.receive()
            if self._closed:
                self._late = data or b""
                return
            self._unsent = data or b""
        self._ours.shutdown(socket.SHUT_WR)

    async def _write(self) -> None:
        """Pass on what the other process says. It has an end of our own open, so that this never finds it closed."""
        while True:
            await self._connection.catch_up()
            try:
                await trio.lowlevel.wait_readable(self._ours)
                with suppress(BlockingIOError):
                    self._connection.send(self._ours.recv(RECEIVE_BYTES))
            except (OSError, trio.ClosedResourceError):
                return


def _there(end: socket.socket) -> Iterator[bytes]:
    """Yield what can be read at once."""
    while True:
        try:
            data = end.recv(RECEIVE_BYTES)
        except OSError:
            return
        if not data:
            return
        yield data
