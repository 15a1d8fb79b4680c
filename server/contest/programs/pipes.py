"""The pipes of a program as a stream."""

import os
from typing import IO

import trio


class Pipes:
    """The standard input and output of a program, as a stream: a `server.net.connection.ByteStream` with `Descriptors`.

    `aclose` closes its input alone. What it still writes then goes nowhere, but is no error for it.
    """

    def __init__(self, to: IO[bytes], from_: IO[bytes]) -> None:
        """Own both pipes."""
        self._to, self._from = _stream_of(to), _stream_of(from_)

    def source(self) -> int:
        """Return the descriptor that its output is read from; -1 when it is closed."""
        return self._from.fileno()

    def target(self) -> int:
        """Return the descriptor that its input is written to; -1 when it is closed."""
        return self._to.fileno()

    async def send_all(self, data: bytes) -> None:
        """Send everything."""
        await self._to.send_all(data)

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Wait for bytes; none at the end."""
        return bytes(await self._from.receive_some(max_bytes))

    async def aclose(self) -> None:
        """Close the program's input."""
        await self._to.aclose()

    async def leave(self) -> None:
        """Close both pipes."""
        await self._to.aclose()
        await self._from.aclose()


def _stream_of(file: IO[bytes]) -> trio.lowlevel.FdStream:
    """Make a stream of a pipe, and own it."""
    stream = trio.lowlevel.FdStream(os.dup(file.fileno()))
    file.close()
    return stream
