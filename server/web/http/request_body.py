"""The body of a request, within bounds, and the end of its connection."""

from contextlib import aclosing

import trio
from starlette.requests import Request
from starlette.types import Receive

from server.web.http.client_quota import TOO_MANY, ClientQuota
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA

SECONDS = 20.0
"""Longest that a browser may take to send one."""


CHARGED_BYTES = 64 * 1024
"""So many bytes count as a request more: to receive them, and to hand them on, takes the event loop as long."""


async def read_body(request: Request, most_bytes: int) -> bytes:
    """Return what a browser sends; raises `Refused` where it is longer, does not arrive in time, or is too much.

    Of an address that sends much it is read more slowly.
    """
    body, charged = bytearray(), CHARGED_BYTES
    quota: ClientQuota | None = request.scope.get(QUOTA)
    with trio.move_on_after(SECONDS):
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > most_bytes:
                    raise Refused(413, f"a request has at most {most_bytes} bytes here, and this is longer")
                while quota is not None and len(body) > charged:
                    charged += CHARGED_BYTES
                    wait = quota.wait()
                    if wait is None:
                        raise Refused(*TOO_MANY)
                    await trio.sleep(wait)
        return bytes(body)
    raise Refused(408, f"the request did not arrive within {SECONDS:.0f} seconds")


async def cancel_when_gone(receive: Receive, scope: trio.CancelScope) -> None:
    """Cancel what a browser asked for when it has gone; its body has been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
