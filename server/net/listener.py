"""Listeners that survive a lack of descriptors or memory."""

import errno
import os
from collections.abc import Sequence
from contextlib import suppress

import structlog
import trio

from server.ops.faults import machine_fault

log = structlog.get_logger()

RETRY_SECONDS = 0.1
"""Pause after a failure to accept a connection."""

CLOSE_SECONDS = 1.0
"""Deadline for closing listeners."""

REFUSAL_SECONDS = 0.5
"""Deadline for accepting a connection with the spare descriptor, and for sending the refusal."""

CLOSED_SECONDS = 1.0
"""Time after the last failure during which clients may be unable to connect."""

_LACKS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})


class CannotListen(OSError):
    """An address and port cannot be used. ``str(error)`` names both, and says what to do."""


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


async def close_all(listeners: Sequence[trio.SocketListener]) -> None:
    """Close listeners, also while the caller is being cancelled."""
    with trio.move_on_after(CLOSE_SECONDS, shield=True):
        for listener in listeners:
            await listener.aclose()


class AcceptStatus:
    """Whether connections can be accepted: a player who cannot connect is not charged as absent."""

    def __init__(self) -> None:
        """Start in the state of accepting."""
        self._closed_until = float("-inf")
        self._logged = False

    @property
    def closed(self) -> bool:
        """Tell whether clients may be unable to connect through a fault of the server."""
        return trio.current_time() < self._closed_until

    def failed(self, error: OSError) -> None:
        """Note that accepting a connection failed."""
        self._closed_until = trio.current_time() + CLOSED_SECONDS
        if not self._logged:
            self._logged = True
            log.error("accept_failed", error=machine_fault(error))

    def worked(self) -> None:
        """Note that a connection was accepted."""
        if self._logged and not self.closed:
            self._logged = False
            log.warning("accept_recovered")


class Listener(trio.abc.Listener[trio.SocketStream]):
    """A listener that waits and retries when the machine lacks descriptors or memory.

    It keeps a spare descriptor. When no other descriptor is left, the listener refuses connections with it.
    """

    def __init__(self, listener: trio.SocketListener, accept_status: AcceptStatus, refusal: bytes = b"") -> None:
        """Wrap a listener; failures are noted in the status. A refused peer is sent the ``refusal``."""
        self._listener = listener
        self._accept_status = accept_status
        self._refusal = refusal
        self._spare = -1
        self._take_spare()

    async def accept(self) -> trio.SocketStream:
        """Wait for a connection."""
        while True:
            # without descriptors accept fails at once, whether or not somebody connects
            await trio.lowlevel.wait_readable(self._listener.socket)
            self._take_spare()  # before a connection takes the last descriptor, and nobody is refused
            try:
                stream = await self._listener.accept()
            except OSError as error:
                if error.errno not in _LACKS:
                    raise
                self._accept_status.failed(error)
                await self._refuse()
                await trio.sleep(RETRY_SECONDS)
            else:
                self._accept_status.worked()
                return stream

    async def _refuse(self) -> None:
        """Refuse the next connection with the spare descriptor."""
        self._release_spare()
        with trio.move_on_after(REFUSAL_SECONDS), suppress(OSError, trio.BrokenResourceError):
            async with await self._listener.accept() as stream:
                await stream.send_all(self._refusal)
                await stream.send_eof()
                while await stream.receive_some():  # a connection that is closed with unread bytes loses the refusal
                    pass
        self._take_spare()

    def _take_spare(self) -> None:
        if self._spare < 0:
            with suppress(OSError):  # the next attempt to accept tries again
                self._spare = os.open(os.devnull, os.O_RDONLY)

    def _release_spare(self) -> None:
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1

    async def aclose(self) -> None:
        """Leave the wrapped listener open, so that a service that has failed can begin again. Its owner closes it."""
        self._release_spare()
