"""Messages between two processes of this machine, with file descriptors, over a pair of Unix sockets."""

import os
import socket
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

import trio

MAX_BYTES = 64 * 1024
"""Longest message; the system takes more than twice as much in one piece."""

MAX_DESCRIPTORS = 4
"""Most descriptors with a message."""


def channel_pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a channel, which keeps messages apart; raises OSError where the system has none."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


class ProcessChannel:
    """One end. `send` never waits; `run` sends what the other process is too busy to take at once."""

    def __init__(self, end: socket.socket) -> None:
        """Take an end of `channel_pair`; `close` closes it."""
        end.setblocking(False)
        self._end = end
        self._queue: deque[tuple[bytes, list[int]]] = deque()
        self._wake = trio.Event()

    def send(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        """Send a message with copies of descriptors, after those before it; nothing if the other end is closed."""
        if not self._queue:
            try:
                socket.send_fds(self._end, [data], descriptors)
                return
            except BlockingIOError:
                pass
            except OSError:
                return  # `receive` tells
        self._queue.append((data, [os.dup(descriptor) for descriptor in descriptors]))
        self._wake.set()

    async def run(self) -> None:
        """Send what waits, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            while self._queue:
                await trio.lowlevel.wait_writable(self._end)
                data, descriptors = self._queue[0]
                try:
                    socket.send_fds(self._end, [data], descriptors)
                except BlockingIOError:
                    continue
                except OSError:
                    self._drop()
                    break
                self._queue.popleft()
                _close(descriptors)

    async def receive(self) -> tuple[bytes, list[int]]:
        """Return the next message, and descriptors that are the caller's to close; no bytes when the end is closed."""
        while True:
            await trio.lowlevel.wait_readable(self._end)
            try:
                data, descriptors, _, _ = socket.recv_fds(self._end, MAX_BYTES, MAX_DESCRIPTORS)
            except BlockingIOError:
                continue
            except OSError:
                return b"", []
            return data, descriptors

    def close(self) -> None:
        """Close the end, and what waited to be sent."""
        self._drop()
        self._end.close()

    def _drop(self) -> None:
        while self._queue:
            _close(self._queue.popleft()[1])


def _close(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)
