"""Numbers in paths: those that a match or a contest can have, and no others, so that none is too long for a file."""

from starlette.convertors import Convertor, register_url_convertor

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
