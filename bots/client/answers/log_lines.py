"""Lines for the author's log of a match, which the server keeps: the traceback of a bot that has failed."""

from collections.abc import Callable, Iterator

from bots.client.errors import ArenaError, BadChoice
from bots.client.failures import traceback_of
from engine.wire import messages as m
from engine.wire.codes import Code

MAX_LINES = 60
"""Lines of a failure that are sent; an older server answers each with an ERROR, and closes a session after 100."""

FIRST_LINES = 10
"""Those of the beginning among them: an exception that was the cause of another one stands there."""

MAX_LINE_CHARACTERS = 200
"""Longest line: it fits into a line of the protocol whatever its characters are."""


class LogSender:
    """Sends the log lines of a session, as long as the server knows STDERR."""

    def __init__(self, send: Callable[[m.Message], None]) -> None:
        """Take what sends a message."""
        self._send = send
        self._known = True
        self._sent = 0
        """Lines that an older server has still to answer."""

    def connected(self) -> None:
        """Note that the connection is a new one, on which nothing is on its way."""
        self._sent = 0

    def send(self, lines: Iterator[str]) -> None:
        """Send lines; raises `bots.client.errors.ConnectionLost`."""
        if self._known:
            for line in lines:
                self._send(m.Stderr(m.Text(f"| {line}".rstrip())))
                self._sent += 1

    def refused(self, code: str) -> bool:
        """Take an ERROR if it answers a line that the server does not know; tell whether it does."""
        if code != Code.UNKNOWN_COMMAND or not self._sent:
            return False
        self._known = False
        self._sent -= 1
        return True


def failure_lines(failure: BaseException) -> Iterator[str]:
    """Yield the traceback of what a bot raised, or, where nothing was raised, the sentence that says what was wrong."""
    raised = failure.__cause__ if isinstance(failure, ArenaError) else failure
    text = traceback_of(raised) if raised is not None and not isinstance(failure, BadChoice) else str(failure)
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        last = FIRST_LINES + 1 - MAX_LINES
        left_out = f"[{len(lines) + last - FIRST_LINES} lines are left out here]"
        lines = [*lines[:FIRST_LINES], left_out, *lines[last:]]
    for line in lines:
        printable = "".join(character if character.isprintable() else " " for character in line)
        yield f"{printable[: MAX_LINE_CHARACTERS - 1]}…" if len(printable) > MAX_LINE_CHARACTERS else printable
