"""A connection that its session may lend to another process for the time of a match."""

from collections.abc import Callable

import trio

from server.net.connection import Connection
from server.net.lending.relay import Relay
from server.net.lending.visitor import Borrower


class Loan:
    """Whether a connection is lent, and the way of it.

    The other process gets the socket itself; where it could do nothing with it, as with TLS, it gets an end of a
    `server.net.lending.relay.Relay`.
    """

    def __init__(self, connection: Connection) -> None:
        """Take a connection, which is not lent."""
        self._connection = connection
        self._relay: Relay | None = None
        self._reading = trio.CancelScope()
        self._back = trio.Event()
        self.borrower: Borrower | None = None
        """The process that has the connection; None while it is not lent."""

    @property
    def is_possible(self) -> bool:
        """Tell whether another process can go on with the connection now."""
        connection = self._connection
        all_sent = connection.is_sent or connection.socket is None
        return all_sent and connection.between and not connection.broken

    def begin(self, borrower: Borrower) -> int:
        """Lend the connection; return the descriptor for the other process."""
        self.borrower, self._back = borrower, trio.Event()
        descriptor = self._connection.socket
        if descriptor is not None:
            self._connection.pause()
            return descriptor
        self._relay = Relay(self._connection)
        self._reading.cancel()
        return self._relay.descriptor

    async def receive(self, take: Callable[[bytes], bool] | None) -> bytes | None:
        """Return bytes as `Connection.receive`, and none when the connection is lent."""
        if self._connection.socket is not None:
            return await self._connection.receive(take)
        data: bytes | None = b""
        with trio.CancelScope() as self._reading:
            data = await self._connection.receive()
        if self._relay is not None and data is not None:
            self._relay.put(data)
            return b""
        return data

    async def last(self) -> bytes:
        """Wait until the connection is not lent any more; return what has arrived too late for the other process."""
        if self._relay is not None:
            return await self._relay.run()
        await self._back.wait()
        return b""

    def end(self, frames: bytes | None) -> bytes:
        """Go on with the connection; return what was relayed in vain. ``frames`` are what came with it."""
        self._connection.go_on(frames)
        return self._over()

    def drop(self) -> None:
        """Close a connection that is lost, without a word."""
        self._over()
        self._connection.end()
        self._connection.pause()

    def give_up(self) -> None:
        """Let the other process find the connection closed, if it is lent."""
        if self._relay is not None:
            self._relay.stop()

    def _over(self) -> bytes:
        relay, self._relay, self.borrower = self._relay, None, None
        unread = b"" if relay is None else relay.stop()
        self._back.set()
        return unread
