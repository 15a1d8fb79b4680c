"""The numbers and the body of a request, within bounds, and the end of its connection."""

import re
from collections.abc import Mapping
from contextlib import aclosing

import trio
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.types import Receive

from server.web.http.errors import Refused
from server.web.http.guard import QUOTA, TOO_MANY, ClientQuota

DIGITS = 15
"""Of the largest number that a match can have (`server.storage.record_store`)."""


class Number(Convertor[int]):
    """``{number:number}`` in a route: 1 to 15 decimal digits, no leading zero: each match has one address."""

    regex = f"0|[1-9][0-9]{{0,{DIGITS - 1}}}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)


register_url_convertor("number", Number())


def number_in(values: Mapping[str, str], name: str, otherwise: int | None = None) -> int:
    """Return a number of a query or of a form, ``otherwise`` where it holds none; raises `Refused`."""
    given = values.get(name, "")
    if not given and otherwise is not None:
        return otherwise
    if not re.fullmatch(f"[0-9]{{1,{DIGITS}}}", given):
        raise Refused(400, f"{name} is a number, 1 to {DIGITS} digits, and not {given!r}")
    return int(given)


def query_before(request: Request) -> int:
    """Return the number that a request asks to stay below, one above all numbers where it has none."""
    return number_in(request.query_params, "before", 10**DIGITS)


SECONDS = 20.0
"""Longest that a browser may take to send one."""


CHARGED_BYTES = 64 * 1024
"""So many bytes count as one more request: the event loop takes as long to receive them."""

DRAINED_BYTES = 64 * 1024 * 1024
"""Most bytes of a long body that are read and dropped: a browser that still sends reads no answer."""


async def read_body(request: Request, most_bytes: int) -> bytes:
    """Return the body of a request.

    Raises `Refused` if it is longer or does not arrive in time, or if its address has sent too much.
    """
    body, received = bytearray(), 0
    with trio.move_on_after(SECONDS) as late:
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                received += len(piece)
                if received <= most_bytes:
                    body += piece
                elif received > most_bytes + DRAINED_BYTES:
                    break
    if late.cancelled_caught:
        raise Refused(408, f"the request did not arrive within {SECONDS:.0f} seconds")
    quota: ClientQuota | None = request.scope.get(QUOTA)
    wait = quota.wait(received // CHARGED_BYTES) if quota is not None else 0
    if wait is None:
        raise Refused(*TOO_MANY)
    await trio.sleep(wait)
    if received > most_bytes:
        raise Refused(413, f"a request has at most {most_bytes} bytes here, and this is longer")
    return bytes(body)


async def cancel_when_gone(receive: Receive, scope: trio.CancelScope) -> None:
    """Cancel what a browser asked for when it has gone; its body has been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
