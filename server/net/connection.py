"""Connections, and the pass over all of them: read what has arrived, answer it, send the answers, and start clocks.

A connection sends directly what the kernel takes, and queues the rest within a bound.

One task waits for all connections. A task for each would cost the event loop a system call to wait again, and a turn of
its own, for each line: a quarter more processor time for a move.

Answers are sent when all lines of a pass are answered. Waking a sleeping reader costs the kernel ten times as much as
sending to a reader that is awake. Sent back to back, the answers of a pass find most readers awake.

A connection stands on a *wire*, a non-blocking stream of bytes: the socket of a peer, or the pipes of a program.
``source`` and ``target`` return the descriptors to read from and to write to, negative when they are closed. ``recv``
returns no bytes at the end. ``recv`` and ``send`` raise one of `WOULD_BLOCK` where they would have to wait. ``pending``
returns how many bytes can be received that the descriptor does not show, since TLS has decrypted them. ``closing`` is
called before the descriptors are closed.
"""

import os
import select
import selectors
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import IO, TypeAlias

import trio

from server.config.settings import OUTBOX_BYTES, RECEIVE_BYTES, WRITE_BYTES, WRITE_SECONDS
from server.ops.logs import log

WOULD_BLOCK = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

LOOK_SECONDS = 0.005
"""How often to look whether a program has read its input, which the system does not tell."""

READ_BYTES = 64 * 1024
"""Read at a time of what a program writes."""

FLOOD_SECONDS = 0.01
"""Pause after so much, and after less in proportion: a flood takes its turn with everybody else."""


class SocketWire:
    """A socket, perhaps encrypted."""

    def __init__(self, connected: socket.socket) -> None:
        """Own a connected socket."""
        connected.setblocking(False)
        self._socket = connected
        self.closing: Callable[[], None] = lambda: None
        self.recv, self.send = connected.recv, connected.send
        self.source = self.target = connected.fileno
        self.pending: Callable[[], int] = connected.pending if isinstance(connected, ssl.SSLSocket) else lambda: 0

    def close(self) -> None:
        """Close the socket; TLS says goodbye."""
        if isinstance(self._socket, ssl.SSLSocket):
            with suppress(OSError, ValueError):
                self._socket.unwrap()
        self._socket.close()


def detached(stream: trio.SocketStream) -> socket.socket:
    """Take the socket out of a stream, which can be used no more."""
    return socket.socket(fileno=stream.socket.detach())


CAN_WAIT_FOR_PIPES = hasattr(trio.lowlevel, "FdStream")
"""Whether the event loop can wait for pipes: not on Windows."""


class Pipes:
    """The standard input and output of a program, as a `Wire`.

    `close` closes only its input. Its later output is discarded, without an error for the program.
    """

    def __init__(self, to: IO[bytes], from_: IO[bytes]) -> None:
        """Own both pipes."""
        self._to, self._from = _stream_of(to), _stream_of(from_)
        self.closing: Callable[[], None] = lambda: None

    def source(self) -> int:
        """Return the descriptor that its output is read from; -1 when it is closed."""
        return self._from.fileno()

    def target(self) -> int:
        """Return the descriptor that its input is written to; -1 when it is closed."""
        return self._to.fileno()

    async def has_read(self, awaited: Callable[[], bool]) -> bool:
        """Wait until the program has read all that was written to it; False where it has said something, or ended.

        It is the first that can be seen of a program which is not to speak before it is spoken to. Once it is not
        ``awaited`` any more, only the other is waited for.
        """
        import fcntl
        import termios

        if self.source() < 0:  # its game ended before the program was looked at
            return False
        looking = select.poll()
        looking.register(self.source(), select.POLLIN)
        with suppress(trio.ClosedResourceError):
            while not looking.poll(0) and self.target() >= 0:
                if not awaited():
                    await trio.lowlevel.wait_readable(self.source())
                elif not any(fcntl.ioctl(self.target(), termios.FIONREAD, bytes(4))):  # no byte is unread
                    return True
                else:
                    with trio.move_on_after(LOOK_SECONDS):
                        await trio.lowlevel.wait_readable(self.source())
        return False

    def recv(self, max_bytes: int) -> bytes:
        """Read bytes of the program, none at the end; raises BlockingIOError where there are none yet."""
        return os.read(self.source(), max_bytes)

    def send(self, data: bytes | bytearray) -> int:
        """Write bytes to the program; return how many the pipe has taken."""
        return os.write(self.target(), data)

    def pending(self) -> int:
        """Return 0: the descriptor shows all bytes."""
        return 0

    def close(self) -> None:
        """Close the program's input."""
        self._to.close()

    async def discard(self) -> None:
        """Read and discard what the program writes, until it ends or the pipe is closed: else it would wait in vain."""
        with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            while data := await self._from.receive_some(READ_BYTES):
                await trio.sleep(FLOOD_SECONDS * len(data) / READ_BYTES)

    def leave(self) -> None:
        """Close both pipes."""
        self.closing()
        self._to.close()
        self._from.close()


def _stream_of(file: IO[bytes]) -> "trio.lowlevel.FdStream":
    """Make a stream of a pipe, and own it."""
    stream = trio.lowlevel.FdStream(os.dup(file.fileno()))
    file.close()
    return stream


Wire: TypeAlias = SocketWire | Pipes


LOW_PRIORITY_AT_ONCE = 4
"""Low-priority connections that are flushed one after the other."""

LOW_PRIORITY_SECONDS = 0.001
"""Pause before the next of them: without it, 500 spectators of a match would take the processor from players."""


class _Watched:
    """A descriptor with the function that reads it, until that is done."""

    __slots__ = ("done", "error", "readable", "waiting")

    def __init__(self, readable: Callable[[], bool]) -> None:
        self.readable = readable
        self.done = trio.Event()
        self.waiting = trio.CancelScope()
        self.error: Exception | None = None


class Poller:
    """Reads and flushes connections while `running`."""

    def __init__(self) -> None:
        """Start without connections."""
        self._selector = selectors.DefaultSelector()
        self._soon = trio.lowlevel.current_trio_token().run_sync_soon
        self._in_pass = False
        self._unsent: list[Callable[[], None]] = []
        self._starting: list[Callable[[], None]] = []
        self._low_priority: deque[Callable[[], None]] = deque()
        self._low_priority_added = trio.Event()

    async def watch(self, descriptor: int, readable: Callable[[], bool]) -> None:
        """Call a function in each pass in which a descriptor can be read, while it returns True; raise its error.

        Also returns after `leave`, which has to be called before the descriptor is closed.
        """
        watched = _Watched(readable)
        self._selector.register(descriptor, selectors.EVENT_READ, watched)
        try:
            if hasattr(self._selector, "fileno"):
                await watched.done.wait()
            else:  # the selector itself cannot be waited for
                with watched.waiting:
                    while True:
                        await trio.lowlevel.wait_readable(descriptor)
                        self._pass()
        finally:
            self.leave(descriptor)
        if watched.error is not None:
            raise watched.error

    def leave(self, descriptor: int) -> None:
        """Stop watching a descriptor."""
        if descriptor in self._selector.get_map():
            watched = self._selector.unregister(descriptor).data
            watched.done.set()
            watched.waiting.cancel()

    def flush(self, flush: Callable[[], None], *, low_priority: bool = False) -> None:
        """Call `Connection.flush` at the end of this pass, or later if it has low priority."""
        if low_priority:
            self._low_priority.append(flush)
            self._low_priority_added.set()
        else:
            self._unsent.append(flush)
            if not self._in_pass:
                self._soon(self._end_pass, idempotent=True)

    def start_clocks(self, start: Callable[[], None]) -> None:
        """Call `server.match.match.Match.start_clocks` when the messages of this pass are sent."""
        self._starting.append(start)
        if not self._in_pass:
            self._soon(self._end_pass, idempotent=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Read and flush connections in the background of a ``with`` block."""
        with self._selector:
            async with trio.open_nursery() as nursery:
                if hasattr(self._selector, "fileno"):
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
        for flush in unsent:
            flush()
        starting, self._starting = self._starting, []
        for start in starting:
            start()

    async def _flush_low_priority(self) -> None:
        while True:
            await self._low_priority_added.wait()
            while self._low_priority:
                for _ in range(min(LOW_PRIORITY_AT_ONCE, len(self._low_priority))):
                    self._low_priority.popleft()()
                if self._low_priority:
                    await trio.sleep(LOW_PRIORITY_SECONDS)
            self._low_priority_added = trio.Event()


class Connection:
    """A connection to one peer. `send` never waits.

    The creator of the connection runs `write_queued` in a task of its own, and calls `close` in the end.
    """

    def __init__(self, wire: Wire, poller: Poller) -> None:
        """Take a stream, and the poller that reads and flushes it."""
        self._wire = wire
        self._poller = poller
        wire.closing = self._leave
        self._queue = bytearray()
        self._added = False
        self._wake = trio.Event()
        self._taken = trio.lowlevel.ParkingLot()
        self._over = False
        self._writer = trio.CancelScope()
        self._last = False
        self.broken = False
        """Whether sending has failed: the peer is gone or does not read."""
        self.sent = 0
        """Number of bytes passed to `send`."""

    async def receive(self, take: Callable[[bytes], bool]) -> bool:
        """Call ``take`` with what arrives, in the pass in which it does, until it returns False.

        Return whether the connection is still open. Raises errors of ``take``.
        """
        is_open = True

        def readable() -> bool:
            nonlocal is_open
            while True:
                try:
                    data = self._wire.recv(RECEIVE_BYTES)
                except WOULD_BLOCK:
                    return True
                except OSError:
                    data = b""
                if not data:
                    is_open = False
                    return False
                if not take(data):
                    return False
                if not self._wire.pending():
                    return True

        if not self._over and (not self._wire.pending() or readable()):
            await self._poller.watch(self._wire.source(), readable)
        return is_open and not self._over

    def send(self, data: bytes, *, low_priority: bool = False) -> None:
        """Queue bytes to send, ``low_priority`` ones after those of others; beyond the bound, drop the peer."""
        if self.broken or self._last:
            return
        self._queue += data
        self.sent += len(data)
        if not self._added:
            self._added = True
            self._poller.flush(self.flush, low_priority=low_priority)
        if len(self._queue) > WRITE_BYTES:
            self.flush()
            if len(self._queue) > OUTBOX_BYTES:
                self._give_up()

    def flush(self) -> None:
        """Write what the kernel takes now; `write_queued` sends the rest. Raises nothing."""
        self._added = False
        if not self._queue:
            return
        try:
            taken = self._wire.send(self._queue if len(self._queue) <= WRITE_BYTES else self._queue[:WRITE_BYTES])
        except WOULD_BLOCK:
            taken = 0
        except Exception as error:
            if not isinstance(error, OSError):
                log.error("connection_failed", exc_info=error)
            self._give_up()
            return
        del self._queue[:taken]
        if self._queue:
            self._wake.set()

    def close(self) -> None:
        """Close the stream."""
        self._leave()
        self._wire.close()

    def _leave(self) -> None:
        """Stop using the descriptors: the system will reuse them."""
        if not self._over:
            self._over = True
            self._wire.closing = lambda: None  # no cycle is left for the garbage collector
            self._poller.leave(self._wire.source())
            self._give_up()

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
        with self._writer:
            while not self.broken:
                if self._queue:
                    target = self._wire.target()
                    if target < 0:  # the event loop would remember a wait for a descriptor that is not there
                        self._give_up()
                        return
                    try:
                        with trio.fail_after(WRITE_SECONDS):
                            await trio.lowlevel.wait_writable(target)
                    except (OSError, trio.ClosedResourceError, trio.TooSlowError):
                        self._give_up()
                    else:
                        self.flush()
                        self._taken.unpark_all()
                elif self._last:
                    return
                else:
                    self._wake = trio.Event()
                    await self._wake.wait()

    def _give_up(self) -> None:
        self.broken = True
        self._queue.clear()
        self._writer.cancel()
        self._taken.unpark_all()
