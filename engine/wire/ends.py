"""Both ends of a connection: bytes in, messages out; no I/O.

An end keeps the session's state. Messages that it sends and those that it accepts go through the same table.
"""

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import BLOCK_KIND, decode, encode
from engine.wire.lines import REPLY_BYTES, REQUEST_BYTES, LineReader
from engine.wire.messages import KINDS, REPLIES, REQUESTS, Message
from engine.wire.states import AFTER, ALLOWED, State, after

MAX_BLOCK_LINES = 100_000
"""Longest block that a client accepts: a record of a very long match has some thousand lines."""

MAX_BLOCK_BYTES = 16 * 1024 * 1024
"""Largest block that a client accepts: a record of a very long match has some hundred thousand bytes."""


class ServerEnd:
    """The server's end: reads requests, and refuses those that a client in this state may not make."""

    def __init__(self) -> None:
        """Begin as a guest."""
        self.state = State.GUEST
        self._lines = LineReader(REQUEST_BYTES)

    def receive(self, data: bytes) -> list[str | ProtocolError]:
        """Return the lines that are whole now; blank ones are left out. `accept` each in turn."""
        return [line for line in self._lines.feed(data) if isinstance(line, ProtocolError) or line.strip()]

    def accept(self, line: str | ProtocolError) -> Message:
        """Return the request of a line; raises `ProtocolError` where it cannot be read, or not be made now."""
        if isinstance(line, ProtocolError):
            raise line
        message, _ = decode(line, REQUESTS)
        if type(message) not in ALLOWED[self.state]:
            raise _not_now(self.state, type(message))
        self.sent(type(message))
        return message

    def send(self, message: Message) -> bytes:
        """Return a reply as bytes."""
        self.sent(type(message))
        return encode(message)

    def sent(self, kind: type) -> None:
        """Take note of a message of either side, also of a reply that was encoded elsewhere for several peers."""
        self.state = AFTER[self.state].get(kind, self.state)


def kind_of(line: str | ProtocolError) -> str:
    """Return the kind of the request that a line is, or would be if it could be read, in capital letters."""
    return line.kind if isinstance(line, ProtocolError) else line.strip().partition(" ")[0].upper()


def _not_now(state: State, kind: type) -> ProtocolError:
    possible = ", ".join(sorted(KINDS[allowed] for allowed in ALLOWED[state]))
    if kind in (m.Move, m.AskMoves):
        return ProtocolError(Code.NOT_YOUR_TURN, f"{KINDS[kind]} is for your own turn, between TURN and MOVE")
    return ProtocolError(Code.WRONG_STATE, f"{KINDS[kind]} is not possible now ({state}); possible are {possible}")


class ClientEnd:
    """The client's end: reads replies, and leaves out those of kinds that it does not know."""

    def __init__(self) -> None:
        """Begin as a guest."""
        self.state = State.GUEST
        self._lines = LineReader(REPLY_BYTES)
        self._block_of: Message = None
        self._block: list[str] = []
        self._missing = 0
        self._block_bytes = 0

    def receive(self, data: bytes) -> list[Message]:
        """Return the messages that are whole now, blocks included; raises `ProtocolError`."""
        messages = []
        for line in self._lines.feed(data):
            if isinstance(line, ProtocolError):
                raise line
            message = self._read(line)
            if message is not None:
                self.state = after(self.state, type(message))
                messages.append(message)
        return messages

    def send(self, message: Message) -> bytes:
        """Return a request as bytes."""
        self.state = after(self.state, type(message))
        return encode(message)

    def _read(self, line: str) -> Message | None:
        kind = line.partition(" ")[0]
        if self._missing:
            if kind != BLOCK_KIND:
                raise ProtocolError(Code.BAD_LINE, f"{self._missing} lines of a block are missing before {line!r}")
            self._block_bytes += len(line)
            if self._block_bytes > MAX_BLOCK_BYTES:
                raise ProtocolError(Code.TOO_MANY, f"a longer block; at most {MAX_BLOCK_BYTES} bytes are accepted")
            self._block.append(line[2:])
            self._missing -= 1
            return None if self._missing else self._block_of._replace(lines=tuple(self._block))
        if kind not in REPLIES:
            return None
        message, follow = decode(line, REPLIES)
        if not follow:
            return message
        if follow > MAX_BLOCK_LINES:
            raise ProtocolError(Code.TOO_MANY, f"a block of {follow} lines; at most {MAX_BLOCK_LINES} are accepted")
        self._block_of, self._block, self._missing, self._block_bytes = message, [], follow, 0
        return None
