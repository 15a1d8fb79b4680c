"""Non-blocking streams of bytes: the socket of a peer, and the pipes of a program.

``source`` and ``target`` return the descriptors to read from and to write to, negative when they are closed. ``recv``
returns no bytes at the end. ``recv`` and ``send`` raise one of `WOULD_BLOCK` where they would have to wait. ``pending``
returns how many bytes can be received that the descriptor does not show, since TLS has decrypted them. ``closing`` is
called before the descriptors are closed.
"""

import fcntl
import os
import select
import socket
import ssl
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import IO, TypeAlias

import trio

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


class Pipes:
    """The standard input and output of a program, as a `Wire`.

    `close` closes its input alone. What it still writes then goes nowhere, but is no error for it.
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


def _stream_of(file: IO[bytes]) -> trio.lowlevel.FdStream:
    """Make a stream of a pipe, and own it."""
    stream = trio.lowlevel.FdStream(os.dup(file.fileno()))
    file.close()
    return stream


Wire: TypeAlias = SocketWire | Pipes
