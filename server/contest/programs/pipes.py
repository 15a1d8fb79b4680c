"""The pipes of a program as a stream."""

import fcntl
import os
import select
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import IO

import trio

LOOK_SECONDS = 0.005
"""How often to look whether a program has read its input, which the system does not tell."""

READ_BYTES = 64 * 1024
"""Read at a time of what a program writes."""

FLOOD_SECONDS = 0.01
"""Pause after so much, and after less in proportion: a flood takes its turn with everybody else."""


class Pipes:
    """The standard input and output of a program, as a `server.net.connection.Wire`.

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
