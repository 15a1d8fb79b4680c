"""The connection acceptor: rate limit and handshakes, then a session."""

import ssl

import structlog
import trio

from engine.wire import messages as m
from engine.wire.coding import encode
from server.arena.arena import Arena
from server.arena.session import serve_stream
from server.net.connection import SocketWire, detached
from server.net.rate_limiter import ConnectionQuota, RateLimiter, TooMany

log = structlog.get_logger()

HANDSHAKE_SECONDS = 10.0
"""Deadline of the TLS handshake."""

REFUSAL_SECONDS = 1.0
"""Deadline for sending the reason to a peer that is refused."""

PATROL_SECONDS = 2.0
"""Time between two checks for connections that have been silent for too long."""

MAX_LOGGED_ADDRESSES = 5
"""Refused addresses that a log line names."""


class Acceptor:
    """Serves the connections that a listener accepts."""

    def __init__(self, arena: Arena, rate_limiter: RateLimiter, tls: ssl.SSLContext | None = None) -> None:
        """Take the arena, the rate limiter, and TLS; None for plain TCP."""
        self._arena = arena
        self._rate_limiter = rate_limiter
        self._tls = tls

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve an accepted connection, and close it. Raises nothing that the peer could cause."""
        try:
            quota = self._rate_limiter.admit(stream.socket.getpeername()[0])
        except TooMany as error:
            # with TLS nothing is said: a handshake would cost more than a session
            await _send_and_close(stream, b"" if self._tls else encode(m.Bye("too_many", m.Text(str(error)))))
        except OSError:  # already disconnected
            await trio.aclose_forcefully(stream)
        else:
            try:
                await self._serve(stream, quota)
            finally:
                self._rate_limiter.leave(quota)

    async def _serve(self, stream: trio.SocketStream, quota: ConnectionQuota) -> None:
        connected = detached(stream)
        if self._tls is not None:
            connected.setblocking(False)
            connected = self._tls.wrap_socket(connected, server_side=True, do_handshake_on_connect=False)
            try:
                with trio.fail_after(HANDSHAKE_SECONDS):
                    await _shake_hands(connected)
            except (OSError, trio.TooSlowError) as error:
                log.debug("tls_handshake_failed", peer=quota.host, error=repr(error))
                connected.close()
                return
        await serve_stream(SocketWire(connected), self._arena, quota)

    async def patrol(self) -> None:
        """Close overdue connections and log refused ones at intervals, until cancelled."""
        while True:
            await trio.sleep(PATROL_SECONDS)
            for _ in self._rate_limiter.close_overdue():
                await trio.lowlevel.checkpoint()
            refused, self._rate_limiter.refused = self._rate_limiter.refused, {}
            most_refused = sorted(refused.items(), key=lambda item: item[1], reverse=True)[:MAX_LOGGED_ADDRESSES]
            if refused:
                log.warning(
                    "connections_refused", count=sum(refused.values()), addresses=len(refused), most=most_refused
                )


async def _send_and_close(stream: trio.SocketStream, data: bytes) -> None:
    with trio.move_on_after(REFUSAL_SECONDS):
        async with stream:
            try:
                await stream.send_all(data)
            except trio.BrokenResourceError:
                return


async def _shake_hands(connected: ssl.SSLSocket) -> None:
    """Do the handshake of a non-blocking socket; raises OSError."""
    while True:
        try:
            connected.do_handshake()
        except ssl.SSLWantReadError:
            await trio.lowlevel.wait_readable(connected)
        except ssl.SSLWantWriteError:
            await trio.lowlevel.wait_writable(connected)
        else:
            return
