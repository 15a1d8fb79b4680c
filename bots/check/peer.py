"""The connection to the bot under test, seen from the server's end, and the faults of the bot."""

import socket
import struct
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from engine.match import referee
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import REQUEST_BYTES
from engine.wire.ends import ServerEnd, State, kind_of
from engine.wire.fields import read_note

SEND_SECONDS = 10.0
"""Deadline for a bot to read what it is sent."""

PIECE_BYTES = 3
PIECE_SECONDS = 0.001
"""Size of the pieces into which lines are cut, and the pause after each."""

NOISE = b"WEATHER fine 21\nNEWS 3 of 3\n| TURN 1 1\n|\n| MOVES 1\n"
"""A message and a block of kinds that no client knows."""

MAX_LINES = 10_000
"""Most lines of a bot in a match: the longest match takes some hundred."""

MAX_CROSSINGS = 3
"""Requests that may have been on their way when a match ended."""

MISTAKES = {
    Code.LINE_TOO_LONG: ("2.1", f"lines of at most {REQUEST_BYTES} bytes, each with an LF at its end"),
    Code.BAD_LINE: ("2.1", "UTF-8, and nothing in a line but printable characters and blanks"),
    Code.UNKNOWN_COMMAND: ("4", "a request of protocol.md; nothing else is to be said, nor the server's lines echoed"),
    Code.BAD_ARGUMENTS: ("4", "the fields of the request as they are written there"),
    Code.WRONG_STATE: ("3", "one of the requests that are possible in this state"),
    Code.NOT_YOUR_TURN: ("3", "to wait for TURN, and to say MOVE once for each"),
}
"""The section of protocol.md and the correct behaviour by error code."""

TITLES = {
    "1.8": "Common mistakes",
    "2": "Lines",
    "2.1": "Bytes",
    "2.4": "What clients must ignore",
    "2.5": "Versions",
    "3": "States",
    "4": "Requests",
    "5": "Messages from the server",
    "6": "Errors",
    "7": "Pairing",
    "8": "Matches",
    "8.1": "Notes",
    "9": "Clocks",
    "10": "Results",
    "11": "Reconnecting",
    "14": "Limits",
}
"""The sections of protocol.md that faults refer to."""


class Fault(Exception):
    """The bot has done what protocol.md does not allow, or has not done what it asks for."""

    def __init__(self, did: str, right: str, section: str, *, position: str = "") -> None:
        """Take what the bot did, what would have been right, and the section of protocol.md."""
        super().__init__(did)
        self.did = did
        self.right = right
        self.section = section
        self.position = position

    def lines(self) -> Iterator[str]:
        """Yield the lines that tell a person what was wrong, what is right and where that stands."""
        yield f"the bot: {self.did}"
        if self.position:
            yield "in the position:"
            for line in self.position.splitlines():
                yield f"  {line}"
        yield f"right would be: {self.right}"
        yield f"says protocol.md, section {self.section} ({TITLES[self.section]})"


class OutOfTime(Fault):
    """The bot has used up its clock."""


class Absent(Fault):
    """The bot did not connect."""


class Skipped(Exception):
    """A situation that cannot be brought about with this bot; the sentence says why."""


class Left(Exception):
    """The bot has closed the connection, or it broke."""


class Peer:
    """One connection of the bot."""

    def __init__(self, connection: socket.socket) -> None:
        """Take the connection; nothing is sent yet."""
        self.name = ""
        self.noisy = False
        """Whether every message is preceded by unknown ones."""
        self.cut = False
        """Whether lines are sent in pieces."""
        self.crossing = 0
        """Number of late requests that are no fault."""
        self.last = ""
        """The last line of the bot."""
        self._count = 0
        """Number of lines since the last match."""
        self._connection = connection
        self._end = ServerEnd()
        self._lines: deque[str | ProtocolError] = deque()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def say(self, *messages: m.Message) -> None:
        """Send messages, in one piece unless they are to be cut; raises `Left`.

        After RESULT, requests of the bot may still be on their way.
        """
        if any(isinstance(message, m.Result) for message in messages):
            self.crossing, self._count = MAX_CROSSINGS, 0
        self.send(b"".join((NOISE if self.noisy else b"") + self._end.send(message) for message in messages))

    def send(self, data: bytes) -> None:
        """Send bytes; raises `Left`."""
        size = PIECE_BYTES if self.cut else max(1, len(data))
        try:
            self._connection.settimeout(SEND_SECONDS)
            for at in range(0, len(data), size):
                self._connection.sendall(data[at : at + size])
                if self.cut:
                    time.sleep(PIECE_SECONDS)
        except TimeoutError as error:
            raise Fault("does not read what it is sent", "to read all that comes, at any time", "5") from error
        except OSError as error:
            raise Left from error

    def request(self, deadline: float) -> m.Message | None:
        """Return the next request but those that are answered here; None when none comes before the deadline.

        The deadline is one of `time.monotonic`. Raises `Left`, and `Fault` where it is no request that may be made now.
        """
        while True:
            line = self._line(deadline)
            if line is None:
                return None
            self._count += 1
            if self._count > MAX_LINES:
                raise Fault(f"said {self._count} lines in a match", "a few for each turn", "14")
            self.last = line if isinstance(line, str) else f"({line.code})"
            try:
                request = self._end.accept(line)
                if isinstance(request, m.Note):
                    read_note(request.note)
            except ProtocolError as error:
                if kind_of(line) == m.KINDS[m.Note]:
                    self.say(m.Notice(error.code, m.Text(str(error))))
                    right = "a note as in NOTE score=35 depth=7 nodes=120345 pv=a3-b3,c5-c4 text=in the book"
                    raise Fault(f"said {self.last!r}: {error}", right, "8.1") from error
                section, right = MISTAKES[error.code]
                fault = self.refused(error.code, error, right, section)
                if self.crossing and error.code in (Code.NOT_YOUR_TURN, Code.WRONG_STATE):
                    self.crossing -= 1
                    continue
                raise fault from error
            if not isinstance(request, m.Note | m.Stderr) and not self._answered(request):
                return request

    def refuse(self, code: str, sentence: str) -> None:
        """Answer the last request with an ERROR."""
        self.say(m.Error(code, m.Text(sentence)))

    def refused(self, code: str, error: object, right: str, section: str) -> Fault:
        """Answer the last request with an ERROR, and return what is wrong with the request."""
        self.refuse(code, str(error))
        return Fault(f"said {self.last!r}: {error}", right, section)

    def refuse_move(self, code: str, sentence: str) -> None:
        """Answer the last MOVE with an ERROR: the bot is on turn as before."""
        self._end.state = State.THINKING
        self.refuse(code, sentence)

    def close(self) -> None:
        """Close the connection in order."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def reset(self) -> None:
        """Cut the connection; what is under way on it is lost."""
        with suppress(OSError):
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()

    def _answered(self, request: m.Message) -> bool:
        """Answer requests that do not depend on the situation."""
        if answer := referee.answer(request):
            self.say(answer)
            return True
        match request:
            case m.List():
                self.say(m.Matches(m.Block(())))
            case m.Watch(number) | m.AskRecord(number):
                self.refuse(Code.UNKNOWN_MATCH, f"there is no match {number} here")
            case _:
                return False
        return True

    def _line(self, deadline: float) -> str | ProtocolError | None:
        while not self._lines:
            seconds = deadline - time.monotonic()
            if seconds <= 0:
                return None
            try:
                self._connection.settimeout(seconds)
                data = self._connection.recv(4096)
            except TimeoutError:
                return None
            except OSError as error:
                raise Left from error
            if not data:
                raise Left
            self._lines.extend(self._end.receive(data))
        return self._lines.popleft()
