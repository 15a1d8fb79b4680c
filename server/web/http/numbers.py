"""Numbers in paths, queries and forms, short enough for the name of a file."""

import re
from collections.abc import Mapping

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
