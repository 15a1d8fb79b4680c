"""The listener: listeners that go on when the server is out of descriptors or memory, and remember that it was."""

import errno

import structlog
import trio

from server.net.os_faults import machine_fault

log = structlog.get_logger()

AGAIN_SECONDS = 0.1
"""Pause before a connection is accepted again that could not be accepted."""

CLOSED_SECONDS = 1.0
"""For so long after the last failure the entrance counts as closed: who tries to connect waits, or tries again."""

_LACKS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})


class CannotListen(OSError):
    """An address or a port is not to be had. ``str(error)`` names both, and says what to do."""


async def listen(host: str, port: int, backlog: int) -> list[trio.SocketListener]:
    """Listen at an address, or all addresses of a name; raises `CannotListen`."""
    try:
        return await trio.open_tcp_listeners(port, host=host, backlog=backlog)
    except OSError as error:
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        where = f"{host}, port {port}"
        if cause.errno == errno.EADDRINUSE:
            do = "another program listens there; stop it, or choose another port with --port (0 takes any that is free)"
        elif cause.errno == errno.EACCES:
            do = "ports below 1024 are not for everybody; choose another one with --port"
        else:
            do = f"{cause.strerror or cause}; choose an address of this machine with --host, 0.0.0.0 for every one"
        raise CannotListen(f"cannot listen on {where}: {do}") from None


class AcceptStatus:
    """Whether connections can be accepted: who cannot get in is not absent."""

    def __init__(self) -> None:
        """Begin with an open one."""
        self._closed_until = float("-inf")
        self._told = False

    @property
    def closed(self) -> bool:
        """Tell whether somebody may stand outside through a fault of the server's own."""
        return trio.current_time() < self._closed_until

    def failed(self, error: OSError) -> None:
        """A connection could not be accepted."""
        self._closed_until = trio.current_time() + CLOSED_SECONDS
        if not self._told:
            self._told = True
            log.error("accept_failed", error=machine_fault(error))

    def worked(self) -> None:
        """A connection was accepted."""
        if self._told and not self.closed:
            self._told = False
            log.warning("accept_recovered")


class Listener(trio.abc.Listener[trio.SocketStream]):
    """A listener that waits where the machine lacks what a connection takes."""

    def __init__(self, listener: trio.SocketListener, accept_status: AcceptStatus) -> None:
        """Take a listener over, and what is told of its failures."""
        self._listener = listener
        self._accept_status = accept_status

    async def accept(self) -> trio.SocketStream:
        """Wait for a connection."""
        while True:
            try:
                stream = await self._listener.accept()
            except OSError as error:
                if error.errno not in _LACKS:
                    raise
                self._accept_status.failed(error)
                await trio.sleep(AGAIN_SECONDS)
            else:
                self._accept_status.worked()
                return stream

    async def aclose(self) -> None:
        """Close it."""
        await self._listener.aclose()
