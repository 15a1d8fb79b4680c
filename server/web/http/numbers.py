"""Numbers in paths and queries: those that a match or a contest can have, so that none is too long for a file."""

import re

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request

from server.web.http.errors import Refused

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


def query_number(request: Request, name: str, otherwise: int) -> int:
    """Return a number of a request's query, ``otherwise`` where it has none; raises `Refused`."""
    given = request.query_params.get(name, "")
    if not re.fullmatch(f"[0-9]{{0,{DIGITS}}}", given):
        raise Refused(400, f"{name} is a number, 1 to {DIGITS} digits, and not {given!r}")
    return int(given or otherwise)


def query_before(request: Request) -> int:
    """Return the number that a request asks to stay below, one above all numbers where it has none."""
    return query_number(request, "before", 10**DIGITS)
