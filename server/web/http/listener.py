"""HTTP connections: hypercorn's protocol on streams whose every send has a deadline, in bounded numbers.

hypercorn shields what it sends from cancellation; the deadline here is what lets a server stop that has a browser
which does not read, and it lets go of that browser while the server runs.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import trio
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from hypercorn.utils import wrap_app

from server.ops.logs import log
from server.web.http.request import QUOTA, HttpRateLimiter

MAX_CONNECTIONS = 2000
"""Browsers keep up to six connections each, one of them for what is live."""

SEND_SECONDS = 20.0
"""Longest that a browser may take for what is sent to it at a time."""

IDLE_SECONDS = 15
"""How long a connection may say nothing between two requests, and take for the head of one."""

HEAD_BYTES = 16 * 1024
"""Largest head of a request."""

REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n"
    b"Too many browsers are connected; try again later.\n"
)
"""Answer to a connection beyond the limits, or for which the server has no descriptor."""

STREAM = "stream"
"""Key of an application's ``scope["state"]``: the connection's `BoundedStream`."""


class BoundedStream:
    """The stream of one browser. Live events are written to it directly, beside the protocol."""

    def __init__(self, stream: trio.SocketStream) -> None:
        """Take a connection."""
        self.socket = stream.socket
        self.open = True
        self._stream = stream

    def send_now(self, data: bytes) -> int:
        """Hand over what the kernel takes at once, and return how many bytes; all of them count where nobody reads."""
        if not self.open:
            return len(data)
        try:
            return os.write(self.socket.fileno(), data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    async def send_all(self, data: bytes) -> None:
        """Send everything; raises trio.BrokenResourceError where the browser does not take it in time."""
        with trio.move_on_after(SEND_SECONDS):
            await self._stream.send_all(data)
            return
        await self.aclose()
        raise trio.BrokenResourceError("the browser does not read")

    async def receive_some(self, most: int) -> bytes:
        """Wait for bytes."""
        return bytes(await self._stream.receive_some(most))

    def cut(self) -> None:
        """Close at once, whoever is sending."""
        self.open = False
        self.socket.close()

    async def send_eof(self) -> None:
        """Say that nothing more follows."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """Close."""
        self.open = False
        await self._stream.aclose()


def configuration() -> Config:
    """Return hypercorn's settings: no logs of its own, its name not told, and bounds."""
    config = Config()
    config.accesslog = config.errorlog = None
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_SECONDS
    config.h11_max_incomplete_size = HEAD_BYTES
    return config


async def serve_browsers(
    app: Callable[..., Awaitable[Any]],
    listeners: Sequence[trio.abc.Listener[trio.SocketStream]],
    http_rate_limiter: HttpRateLimiter,
) -> None:
    """Serve an ASGI application on listeners, which the caller closes, until cancelled."""
    config = configuration()
    context = WorkerContext(None)
    wrapped = wrap_app(app, config.wsgi_max_body_size, "asgi")
    connected: set[BoundedStream] = set()

    async def handle(stream: trio.SocketStream) -> None:
        bounded = BoundedStream(stream)
        try:
            quota = http_rate_limiter.enter(stream.socket.getpeername()[0])
        except OSError:  # gone before it was looked at
            await trio.aclose_forcefully(stream)
            return
        connected.add(bounded)
        try:
            if quota is None:
                await bounded.send_all(REFUSAL)
            else:
                state = ConnectionState({STREAM: bounded, QUOTA: quota})
                await TCPServer(wrapped, config, context, state, bounded)  # type: ignore[arg-type]
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        except Exception as error:
            log.error("http_connection_failed", exc_info=error)
        finally:
            connected.discard(bounded)
            if quota is not None:
                http_rate_limiter.leave(quota)
            with trio.move_on_after(1, shield=True):
                await bounded.aclose()

    async with trio.open_nursery() as browsers:
        try:
            await trio.serve_listeners(handle, list(listeners), handler_nursery=browsers)
        finally:
            for stream in connected:
                stream.cut()
