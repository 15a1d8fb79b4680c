"""The protocol as programs on stdin and stdout speak it, whoever has started them: a contest, or `bots.bridge`.

Such a program need not log in, and need not seek: that was done for it. It hears WELCOME behind the greeting, and
SEEKING before each match. So what is written for a network plays as well: its own LOGIN and SEEK get no other answer.
What is said and heard in a match is the protocol's.
"""

from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import ServerEnd, kind_of
from engine.wire.messages import KINDS, REQUESTS, Message
from engine.wire.states import ALLOWED, IN_MATCH

POSSIBLE = frozenset(KINDS[kind] for state in IN_MATCH for kind in ALLOWED[state])
"""Requests that such a program may make, each in its state."""

ANSWERED = frozenset({"LOGIN", "SEEK"})
"""Requests that were answered before they are made."""


class PipeEnd(ServerEnd):
    """The server's end of the pipes of a program."""

    def accept(self, line: str | ProtocolError) -> Message:
        """Return the request of a line; refuse requests that are not for a match. LOGIN and SEEK give None."""
        kind = kind_of(line)
        if kind in ANSWERED:
            return None
        if kind in REQUESTS and kind not in POSSIBLE:
            raise ProtocolError(Code.WRONG_STATE, f"{kind} is not for a program that plays on stdin and stdout")
        return super().accept(line)
