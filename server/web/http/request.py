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

    def to_string(self, value: int) -> str:
        """Return the digits."""
        return str(value)


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
"""So many bytes count as a request more: to receive them, and to hand them on, takes the event loop as long."""


DRAINED_BYTES = 64 * 1024 * 1024
"""So much of what is too long is read and dropped: who still sends when the connection ends, reads no answer."""


async def read_body(request: Request, most_bytes: int) -> bytes:
    """Return what a browser sends; raises `Refused` where it is longer, does not arrive in time, or is too much.

    Of an address that sends much it is read more slowly.
    """
    body, received, charged = bytearray(), 0, CHARGED_BYTES
    quota: ClientQuota | None = request.scope.get(QUOTA)
    with trio.move_on_after(SECONDS):
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                received += len(piece)
                if received <= most_bytes:
                    body += piece
                elif received > most_bytes + DRAINED_BYTES:
                    break
                while quota is not None and received > charged:
                    charged += CHARGED_BYTES
                    wait = quota.wait()
                    if wait is None:
                        raise Refused(*TOO_MANY)
                    await trio.sleep(wait)
        if received > most_bytes:
            raise Refused(413, f"a request has at most {_size(most_bytes)} here, and this is longer")
        return bytes(body)
    raise Refused(408, f"the request did not arrive within {SECONDS:.0f} seconds")


def _size(number: int) -> str:
    """Return a bound as people read it."""
    return f"{number >> 20} MB" if number >= 1 << 20 else f"{number} bytes"


async def cancel_when_gone(receive: Receive, scope: trio.CancelScope) -> None:
    """Cancel what a browser asked for when it has gone; its body has been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
