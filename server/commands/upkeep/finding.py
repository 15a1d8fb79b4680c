"""What ``arena-server doctor`` finds: a sentence about a thing, and whether it is well."""

from typing import NamedTuple

GOOD, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(NamedTuple):
    """The result of a check."""

    state: str
    """`GOOD`, `NOTE` or `WRONG`."""
    about: str
    sentence: str

    def line(self) -> str:
        """Format the finding as a line."""
        return f"{self.state:5} {self.about}: {self.sentence}"
