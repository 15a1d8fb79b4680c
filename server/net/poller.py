"""The pass over all connections: read what has arrived, answer it, send the answers, and start clocks.

One task waits for all connections. A task for each would cost the event loop a system call to wait again, and a turn of
its own, for each line: a quarter more processor time for a move.

Answers are sent when all lines of a pass are answered. Waking a sleeping reader costs the kernel ten times as much as
sending to a reader that is awake. Sent back to back, the answers of a pass find most readers awake.
"""

import selectors
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import structlog
import trio

log = structlog.get_logger()

LOW_PRIORITY_AT_ONCE = 4
"""Low-priority connections that are flushed one after the other."""

LOW_PRIORITY_SECONDS = 0.001
"""Pause before the next of them: without it, 500 spectators of a match would take the processor from players."""


class Flushable(Protocol):
    """A connection with bytes to send."""

    def flush(self) -> None:
        """Write the bytes to the kernel, without waiting."""

    def failed(self, error: Exception) -> None:
        """Handle an error of `flush`: nothing more can be sent."""


class Starting(Protocol):
    """A match with clocks to start."""

    def start_clocks(self) -> None:
        """Start the clocks that wait for the messages of this pass."""

    def failed(self, error: Exception) -> None:
        """Handle an error of `start_clocks`."""


class _Watched:
    """A descriptor with the function that reads it, until that is done."""

    __slots__ = ("done", "error", "readable")

    def __init__(self, readable: Callable[[], bool]) -> None:
        self.readable = readable
        self.done = trio.Event()
        self.error: Exception | None = None


class Poller:
    """Reads and flushes connections while `running`."""

    def __init__(self) -> None:
        """Start without connections."""
        self._selector = selectors.DefaultSelector()
        self._soon = trio.lowlevel.current_trio_token().run_sync_soon
        self._in_pass = False
        self._unsent: list[Flushable] = []
        self._starting: list[Starting] = []
        self._low_priority: deque[Flushable] = deque()
        self._low_priority_added = trio.Event()

    async def watch(self, descriptor: int, readable: Callable[[], bool]) -> None:
        """Call a function in each pass in which a descriptor can be read, while it returns True; raise its error.

        Also returns after `leave`, which has to be called before the descriptor is closed.
        """
        watched = _Watched(readable)
        self._selector.register(descriptor, selectors.EVENT_READ, watched)
        try:
            await watched.done.wait()
        finally:
            self.leave(descriptor)
        if watched.error is not None:
            raise watched.error

    def leave(self, descriptor: int) -> None:
        """Stop watching a descriptor."""
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor).data.done.set()

    def flush(self, connection: Flushable, *, low_priority: bool = False) -> None:
        """Flush a connection at the end of this pass of the poller or the event loop; ``low_priority`` ones later."""
        if low_priority:
            self._low_priority.append(connection)
            self._low_priority_added.set()
        else:
            self._unsent.append(connection)
            if not self._in_pass:
                self._soon(self._end_pass, idempotent=True)

    def start_clocks(self, match: Starting) -> None:
        """Start clocks of a match when the messages of this pass are sent."""
        self._starting.append(match)
        if not self._in_pass:
            self._soon(self._end_pass, idempotent=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Read and flush connections in the background of a ``with`` block."""
        with self._selector:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._run)
                nursery.start_soon(self._flush_low_priority)
                yield
                nursery.cancel_scope.cancel()

    async def _run(self) -> None:
        while True:
            await trio.lowlevel.wait_readable(self._selector.fileno())
            self._pass()

    def _pass(self) -> None:
        """Read all connections on which something has arrived, and answer."""
        self._in_pass = True
        for key, _ in self._selector.select(0):
            watched: _Watched = key.data
            if watched.done.is_set():  # another function has left it in this pass
                continue
            try:
                if watched.readable():
                    continue
            except Exception as error:
                watched.error = error
            self.leave(key.fd)
        self._end_pass()

    def _end_pass(self) -> None:
        """Send the answers, then start the clocks."""
        self._in_pass = False
        unsent, self._unsent = self._unsent, []
        for connection in unsent:
            _flush(connection)
        starting, self._starting = self._starting, []
        for match in starting:
            try:
                match.start_clocks()
            except Exception as error:
                match.failed(error)

    async def _flush_low_priority(self) -> None:
        while True:
            await self._low_priority_added.wait()
            while self._low_priority:
                for _ in range(min(LOW_PRIORITY_AT_ONCE, len(self._low_priority))):
                    _flush(self._low_priority.popleft())
                if self._low_priority:
                    await trio.sleep(LOW_PRIORITY_SECONDS)
            self._low_priority_added = trio.Event()


def _flush(connection: Flushable) -> None:
    try:
        connection.flush()
    except Exception as error:
        connection.failed(error)
