"""The endpoint of live events, which are server-sent."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import trio
from starlette.types import Receive, Scope, Send

from server.web.http.errors import Refused
from server.web.http.listener import STREAM
from server.web.http.request_body import cancel_when_gone
from server.web.live.event_stream import Mailbox

RETRY = b"retry: 2000\n\n"
"""The first event: after so many milliseconds a browser that has lost the connection comes back."""

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
]
"""nginx would else keep events until its buffer is full, and proxies that compress would wait for more."""

Listen: TypeAlias = Callable[[Mailbox], Awaitable[None]]


class Live:
    """An endpoint that sends events until the browser goes."""

    def __init__(self, find: Callable[[Scope], Listen]) -> None:
        """Take a function that finds what a request wants to listen to, or raises `Refused`."""
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin the response, and leave the rest of it to a mailbox, which writes past the protocol."""
        if scope["method"] != "GET" or scope["http_version"] != "1.1":
            raise Refused(405, "what is live is told to a GET of HTTP/1.1")
        listen = self._find(scope)
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": RETRY, "more_body": True})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cancel_when_gone, receive, nursery.cancel_scope)
            await listen(Mailbox(scope["state"][STREAM]))
            nursery.cancel_scope.cancel()
