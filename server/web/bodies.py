"""The body of a request, within bounds."""

from contextlib import aclosing

import trio
from starlette.requests import Request

from server.web.errors import Refused

SECONDS = 20.0
"""Longest that a browser may take to send one."""


async def read_body(request: Request, most_bytes: int) -> bytes:
    """Return what a browser sends; raises `Refused` where it is longer, or does not arrive in time."""
    body = bytearray()
    with trio.move_on_after(SECONDS):
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > most_bytes:
                    raise Refused(413, f"a request has at most {most_bytes} bytes here, and this is longer")
        return bytes(body)
    raise Refused(408, f"the request did not arrive within {SECONDS:.0f} seconds")
