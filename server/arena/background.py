"""Answers that are made outside of the event loop, because they take too long for it."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple


class BackgroundAnswer(NamedTuple):
    """The unfinished part of a request. The session's next request waits for it."""

    wait: Callable[[], Awaitable[Any]]
    """Computes the result; may raise `engine.wire.codes.ProtocolError`."""
    then: Callable[[Any], None]
    """Sends the answer for a result, unless the session was closed meanwhile; may raise the same error."""
    worked: Callable[[], int] = lambda: 0
    """Returns the processor time spent in the event loop's thread, in microseconds."""
