"""Numbers in paths: those that a match or a contest can have, and no others, so that none is too long for a file."""

from starlette.convertors import Convertor, register_url_convertor

DIGITS = 15
"""Of the largest number that a match can have (`server.archive`)."""


class Number(Convertor[int]):
    """``{number:number}`` in a route: 1 to 15 decimal digits. What has more of them is not found."""

    regex = f"[0-9]{{1,{DIGITS}}}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the digits."""
        return str(value)


register_url_convertor("number", Number())
