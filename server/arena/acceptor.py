"""The connection acceptor: takes a connection through the rate limiter and the TLS handshake to its session."""

import ssl

import structlog
import trio

from engine.wire import messages as m
from engine.wire.coding import encode
from server.arena.arena import Arena
from server.arena.session import Arrivals, serve_stream
from server.net.rate_limiter import ConnectionQuota, RateLimiter, TooMany

log = structlog.get_logger()

HANDSHAKE_SECONDS = 10.0
"""How long a peer may take to agree on keys."""

REFUSAL_SECONDS = 1.0
"""How long a peer that is not let in may take to hear why."""

PATROL_SECONDS = 2.0
"""How often it is looked who has been silent for too long."""

NAMED_ADDRESSES = 5
"""Addresses that a log line names of those that were not let in."""


class Acceptor:
    """Everything between a listener and the sessions."""

    def __init__(
        self, arena: Arena, watch: Arrivals, rate_limiter: RateLimiter, tls: ssl.SSLContext | None = None
    ) -> None:
        """Take where sessions belong, who stamps their bytes, the rate limiter, and how to encrypt, None for no."""
        self._arena = arena
        self._watch = watch
        self._rate_limiter = rate_limiter
        self._tls = tls

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve a connection that was accepted, and close it. Raises nothing that the peer could cause."""
        try:
            visit = self._rate_limiter.admit(stream.socket.getpeername()[0])
        except TooMany as error:
            await self._refuse(stream, str(error))
        except OSError:  # gone before it was looked at
            await trio.aclose_forcefully(stream)
        else:
            try:
                await self._serve(stream, visit)
            finally:
                self._rate_limiter.leave(visit)

    async def _serve(self, stream: trio.SocketStream, visit: ConnectionQuota) -> None:
        if self._tls is None:
            await serve_stream(stream, self._arena, self._watch, visit)
            return
        secured = trio.SSLStream(stream, self._tls, server_side=True)
        try:
            with trio.fail_after(HANDSHAKE_SECONDS):
                await secured.do_handshake()
        except (trio.BrokenResourceError, trio.TooSlowError) as error:
            log.debug("tls_handshake_failed", peer=visit.host, error=repr(error.__cause__ or error))
            await trio.aclose_forcefully(stream)
            return
        await serve_stream(secured, self._arena, self._watch, visit)

    async def _refuse(self, stream: trio.SocketStream, sentence: str) -> None:
        """Say why, where that can be read: a handshake would cost more than a session."""
        with trio.move_on_after(REFUSAL_SECONDS):
            async with stream:
                if self._tls is None:
                    try:
                        await stream.send_all(encode(m.Bye("too_many", m.Text(sentence))))
                    except trio.BrokenResourceError:
                        return

    async def patrol(self) -> None:
        """Close what has been silent or unfinished for too long, and say who was not let in, until cancelled."""
        while True:
            await trio.sleep(PATROL_SECONDS)
            for _ in self._rate_limiter.close_overdue():
                await trio.lowlevel.checkpoint()
            refused, self._rate_limiter.refused = self._rate_limiter.refused, {}
            loudest = sorted(refused.items(), key=lambda item: item[1], reverse=True)[:NAMED_ADDRESSES]
            if refused:
                log.warning("connections_refused", count=sum(refused.values()), addresses=len(refused), most=loudest)
