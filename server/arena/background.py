"""Answers that take time: what would hold up the event loop is waited for beside it."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple


class BackgroundAnswer(NamedTuple):
    """The rest of a request that was not dealt with at once. The session's next request waits until it is."""

    wait: Callable[[], Awaitable[Any]]
    """Finds what the answer needs; may raise `engine.wire.codes.ProtocolError`."""
    then: Callable[[Any], None]
    """Gives the answer, with what was found; not called if the session has been closed meanwhile. Raises the same."""
    worked: Callable[[], int] = lambda: 0
    """Returns how many microseconds the processor has worked for that in the event loop's thread."""
