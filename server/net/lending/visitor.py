"""A session on its way between processes: what goes with its socket."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from engine.wire.codes import Code, ProtocolError


class Unreadable(NamedTuple):
    """A line that is no message: a `engine.wire.codes.ProtocolError`."""

    code: Code
    sentence: str
    kind: str


def as_sent(lines: Iterable[str | ProtocolError]) -> tuple[str | Unreadable, ...]:
    """Return lines as they go to another process."""
    return tuple(line if isinstance(line, str) else Unreadable(line.code, str(line), line.kind) for line in lines)


def as_received(lines: Iterable[str | Unreadable]) -> list[str | ProtocolError]:
    """Return the lines again that `as_sent` was given."""
    return [line if isinstance(line, str) else ProtocolError(*line) for line in lines]


class Visitor(NamedTuple):
    """A logged-in session in the lobby, as another process is to go on with it."""

    name: str
    key: str
    is_builtin: bool
    host: str
    limited: bool
    """Whether its messages are counted (`server.net.rate_limiter`)."""
    connections: int
    """Those of its address, in all processes, where they are counted."""
    owed: int
    """Microseconds until its messages during matches are paid off."""
    lines: tuple[str | Unreadable, ...]
    """What was read of the connection, and not answered yet."""
    rest: bytes | None
    """The line that has no end yet; None where it is too long, and is being left out."""
    frames: bytes | None
    """Of a WebSocket: what was read of it beyond whole frames; None where lines come as they are."""
    errors: int
    noticed: tuple[Code, ...]


class Borrower(Protocol):
    """The process that a session has lent its connection to."""

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE and close the connection."""
