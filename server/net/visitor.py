"""A session on its way between processes: what goes with its socket."""

from typing import NamedTuple, Protocol

from engine.wire.codes import Code


class Visitor(NamedTuple):
    """A logged-in session in the lobby, as another process is to go on with it."""

    name: str
    key: str
    is_builtin: bool
    host: str
    limited: bool
    """Whether its messages are counted (`server.net.rate_limiter`)."""
    unread: bytes
    """What was read of the connection, and not answered yet."""
    errors: int
    noticed: tuple[Code, ...]


class Borrower(Protocol):
    """The process that a session has lent its connection to."""

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE and close the connection."""
