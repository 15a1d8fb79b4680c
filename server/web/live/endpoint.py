"""The endpoint of live events: server-sent, or over WebSocket."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import trio
from starlette.types import Receive, Scope, Send

from engine.wire.web_socket import WebSocketEnd
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA, STREAM, BoundedStream
from server.web.http.request_body import cancel_when_gone
from server.web.http.web_socket import accept
from server.web.live.event_stream import WEB_SOCKET, Mailbox

RETRY = b"retry: 2000\n\n"
"""The first event: after so many milliseconds a browser that has lost the connection comes back."""

READ_BYTES = 4096
"""Bytes that are read at a time of who listens by WebSocket."""

Listen: TypeAlias = Callable[[Mailbox], Awaitable[None]]


class Live:
    """An endpoint that sends events until the browser goes."""

    def __init__(self, find: Callable[[Scope], Listen]) -> None:
        """Take a function that finds what a request wants to listen to, or raises `Refused`."""
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin the response, and leave the rest of it to a mailbox, which writes past the protocol."""
        if scope["type"] == "websocket":
            await _talk(scope, self._find(scope))
            return
        if scope["method"] != "GET" or scope["http_version"] != "1.1":
            raise Refused(405, "what is live is told to a GET of HTTP/1.1")
        listen = self._find(scope)
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": RETRY, "more_body": True})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cancel_when_gone, receive, nursery.cancel_scope)
            await listen(Mailbox(scope["state"][STREAM]))
            nursery.cancel_scope.cancel()


async def _talk(scope: Scope, listen: Listen) -> None:
    """Send events over a WebSocket until it is closed."""
    try:
        stream = BoundedStream(await accept(scope))
    except (OSError, trio.BrokenResourceError):
        return
    mailbox = Mailbox(stream, WEB_SOCKET)
    try:
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                await _read(stream, mailbox, scope[QUOTA])
                nursery.cancel_scope.cancel()

            nursery.start_soon(read)
            await listen(mailbox)
            nursery.cancel_scope.cancel()
    finally:
        await stream.aclose()


async def _read(stream: BoundedStream, mailbox: Mailbox, quota: ClientQuota) -> None:
    """Answer PING until the WebSocket is closed, or too much comes; what else is sent says nothing."""
    end, more = WebSocketEnd(), False
    while True:
        if not more:
            try:
                data = await stream.receive_some(READ_BYTES)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not data:
                return
            end.feed(data)
        _, reply, more, _, closed = end.read()
        if reply:
            mailbox.put(reply)
        wait = quota.wait()
        if closed or wait is None:
            return
        await trio.sleep(wait)
