"""The handshake of WebSockets, after which their connections are taken from the HTTP library.

It would compress, collect whole messages of any length, and tell of them in a later pass of the event loop.
"""

from collections.abc import Callable

import trio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from wsproto.utilities import generate_accept_token

from engine.wire.messages import WEB_SOCKET_PATH
from server.web.http.client_quota import UNKNOWN
from server.web.http.errors import Refused
from server.web.http.listener import HOST, SEND_SECONDS, STREAM, BoundedStream

ACCEPTED = (
    b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: %b\r\n\r\n"
)


async def accept(scope: Scope) -> trio.SocketStream:
    """Accept the WebSocket that a request asks for; the caller closes what is returned.

    Raises trio.BrokenResourceError where the peer has gone or does not read, and OSError where there are too many open
    files. The request was checked by the HTTP library and by `server.web.http.response_guard`.
    """
    bounded: BoundedStream = scope["state"][STREAM]
    stream = await bounded.detach()
    key = Headers(scope=scope)["sec-websocket-key"].encode("latin-1")
    with trio.move_on_after(SEND_SECONDS):
        await stream.send_all(ACCEPTED % generate_accept_token(key))
        return stream
    await trio.aclose_forcefully(stream)
    raise trio.BrokenResourceError("the peer does not read")


class Players:
    """The route of bots that play over WebSockets."""

    def __init__(self, serve: Callable[[trio.SocketStream, str], None]) -> None:
        """Take a function that serves an accepted WebSocket of an address, and closes it."""
        self._serve = serve

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [WebSocketRoute(WEB_SOCKET_PATH, self), Route(WEB_SOCKET_PATH, _explain)]

    async def __call__(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        """Accept a WebSocket, and hand it over."""
        host = scope[HOST]
        if host == UNKNOWN:
            raise Refused(400, "the proxy has named no address of the client in X-Forwarded-For")
        try:
            stream = await accept(scope)
        except (OSError, trio.BrokenResourceError):
            return
        self._serve(stream, host)


async def _explain(_request: Request) -> None:
    raise Refused(426, "bots connect here by WebSocket, with the lines of protocol.md as text messages")
