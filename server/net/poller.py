"""The poller: lets functions read sockets in the pass of the event loop in which bytes arrive, without waking a task.

A task that waits for a socket costs the event loop a system call to ask for it again, and a turn of its own, for each
piece that arrives. Here one task waits for all sockets of players in matches. What arrives is stamped as by a task of
its own: both are woken by the same look at all sockets, and read in the same pass (`server.net.timing`).
"""

import select
from collections.abc import Callable

import trio


class _Watched:
    """A socket with the function that reads it, until that is done."""

    __slots__ = ("done", "error", "readable")

    def __init__(self, readable: Callable[[], bool]) -> None:
        self.readable = readable
        self.done = trio.Event()
        self.error: Exception | None = None


class Poller:
    """Calls functions when there is something to read; `run` does so, and without it nothing may be watched."""

    def __init__(self) -> None:
        """Watch nothing."""
        self._epoll: select.epoll | None = None
        self._watched: dict[int, _Watched] = {}

    @property
    def runs(self) -> bool:
        """Tell whether sockets can be watched now."""
        return self._epoll is not None

    async def watch(self, descriptor: int, readable: Callable[[], bool]) -> None:
        """Call a function in each pass in which there is something to read, or the peer is gone, while it returns True.

        Returns when it has returned False, or `leave` was called, or `run` has ended; raises what it raises. Nothing
        else may be called for the descriptor meanwhile but `leave`, which has to come before it is closed.
        """
        assert self._epoll is not None
        watched = _Watched(readable)
        self._epoll.register(descriptor, select.EPOLLIN)
        self._watched[descriptor] = watched
        try:
            await watched.done.wait()
        finally:
            self.leave(descriptor)
        if watched.error is not None:
            raise watched.error

    def leave(self, descriptor: int) -> None:
        """Call nothing more for a descriptor."""
        watched = self._watched.pop(descriptor, None)
        if watched is not None:
            watched.done.set()
            if self._epoll is not None:
                self._epoll.unregister(descriptor)

    async def run(self) -> None:
        """Run until cancelled; return at once where the system has no epoll."""
        if not hasattr(select, "epoll"):
            return
        with select.epoll() as epoll:
            self._epoll = epoll
            try:
                while True:
                    await trio.lowlevel.wait_readable(epoll.fileno())
                    for descriptor, _ in epoll.poll(0, max(1, len(self._watched))):
                        self._call(descriptor)
            finally:
                self._epoll = None
                for descriptor in list(self._watched):
                    self.leave(descriptor)

    def _call(self, descriptor: int) -> None:
        watched = self._watched.get(descriptor)
        if watched is None:  # another function has left it in this pass
            return
        try:
            if watched.readable():
                return
        except Exception as error:
            watched.error = error
        self.leave(descriptor)
