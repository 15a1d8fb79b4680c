"""Both ends of a connection: bytes in, messages out; no I/O. One table says which message is possible in which state.

A session is in one of the states of `SessionState`, as the client sees it. Each end keeps the state of the session.
"""

import re
from enum import StrEnum

from engine.wire import messages as m
from engine.wire.coding import BLOCK_KIND, REPLY_BYTES, REQUEST_BYTES, LineReader, decode, encode, quote


class SessionState(StrEnum):
    """Where a session stands."""

    GUEST = "guest"
    """Connected, not logged in."""
    GUEST_WATCHING = "guest watching"
    LOBBY = "lobby"
    """Logged in, doing nothing."""
    SEEKING = "seeking"
    """Waiting to be paired."""
    WATCHING = "watching"
    PREPARING = "preparing"
    """A match was announced and READY not yet said: the own clock runs."""
    WAITING = "waiting"
    """In a match, ready, and not on turn."""
    THINKING = "thinking"
    """In a match and on turn: the own clock runs."""
    ORGANISING = "organising"
    """The session of an organiser."""
    CLOSED = "closed"


IN_MATCH = frozenset({SessionState.PREPARING, SessionState.WAITING, SessionState.THINKING})

ALWAYS: tuple[type, ...] = (m.Ping, m.Echo, m.AskHelp, m.Quit)
READ: tuple[type, ...] = (m.List, m.AskRecord, m.AskLog)
LOOK: tuple[type, ...] = (*READ, m.Watch)
SAY: tuple[type, ...] = (m.Note, m.Stderr)
PLAY: tuple[type, ...] = (*SAY, m.Ready, m.AskBoard, m.Resign, m.Crashed)

ALLOWED: dict[SessionState, frozenset[type]] = {
    SessionState.GUEST: frozenset((*ALWAYS, *LOOK, m.Login, m.Resume, m.Organise)),
    SessionState.GUEST_WATCHING: frozenset((*ALWAYS, *READ, m.AskBoard, m.Unwatch)),
    SessionState.LOBBY: frozenset((*ALWAYS, *LOOK, *SAY, m.Seek)),
    SessionState.SEEKING: frozenset((*ALWAYS, *READ, *SAY, m.Cancel)),
    SessionState.WATCHING: frozenset((*ALWAYS, *READ, m.AskBoard, m.Unwatch)),
    SessionState.PREPARING: frozenset((*ALWAYS, *PLAY)),
    SessionState.WAITING: frozenset((*ALWAYS, *PLAY)),
    SessionState.THINKING: frozenset((*ALWAYS, *PLAY, m.Move, m.AskMoves)),
    SessionState.ORGANISING: frozenset((*ALWAYS, *READ, m.Annul, m.Dismiss)),
    SessionState.CLOSED: frozenset(),
}
"""The requests of a client in each state. A second READY does nothing, nor do NOTE and STDERR without a match: they may
be on their way when a match ends."""

_LEAVE = {SessionState.GUEST_WATCHING: SessionState.GUEST, SessionState.WATCHING: SessionState.LOBBY} | dict.fromkeys(
    IN_MATCH, SessionState.LOBBY
)

NEXT: dict[tuple[SessionState, type], SessionState] = {
    (SessionState.GUEST, m.Welcome): SessionState.LOBBY,
    (SessionState.GUEST, m.Watching): SessionState.GUEST_WATCHING,
    (SessionState.GUEST, m.Organising): SessionState.ORGANISING,
    (SessionState.LOBBY, m.Watching): SessionState.WATCHING,
    (SessionState.LOBBY, m.Seeking): SessionState.SEEKING,
    (SessionState.SEEKING, m.Cancelled): SessionState.LOBBY,
    (SessionState.SEEKING, m.Match): SessionState.PREPARING,
    (SessionState.LOBBY, m.Match): SessionState.PREPARING,
    (SessionState.PREPARING, m.Ready): SessionState.WAITING,
    (SessionState.PREPARING, m.Start): SessionState.WAITING,
    (SessionState.WAITING, m.Turn): SessionState.THINKING,
    (SessionState.THINKING, m.Move): SessionState.WAITING,
    **{(state, m.Result): after for state, after in _LEAVE.items()},
    **{(state, m.Unwatched): _LEAVE[state] for state in (SessionState.GUEST_WATCHING, SessionState.WATCHING)},
    **{(state, m.Bye): SessionState.CLOSED for state in SessionState},
}
"""The state after a message of either side; other messages leave the state as it is."""


AFTER: dict[SessionState, dict[type, SessionState]] = {
    state: {kind: following for (before, kind), following in NEXT.items() if before is state} for state in SessionState
}
"""The same by state."""


MAX_BLOCK_LINES = 100_000
"""Longest block that a client accepts: a record of a very long match has some thousand lines."""

MAX_BLOCK_BYTES = 16 * 1024 * 1024
"""Largest block that a client accepts: a record of a very long match has some hundred thousand bytes."""


class ServerEnd:
    """The server's end: reads requests, and refuses those that a client in this state may not make."""

    def __init__(self) -> None:
        """Begin as a guest."""
        self.state = SessionState.GUEST
        self._lines = LineReader(REQUEST_BYTES)

    def receive(self, data: bytes) -> list[str | m.ProtocolError]:
        """Return the lines that are whole now; blank ones are left out. `accept` each in turn."""
        return [line for line in self._lines.feed(data) if isinstance(line, m.ProtocolError) or line.strip()]

    def accept(self, line: str | m.ProtocolError) -> m.Message:
        """Return the request of a line; raises `ProtocolError` where it cannot be read, or not be made now."""
        if isinstance(line, m.ProtocolError):
            raise line
        try:
            message, _ = decode(line, m.REQUESTS)
        except m.ProtocolError as error:
            raise self._with_hint(line, error) from None
        if type(message) not in ALLOWED[self.state]:
            raise _not_now(self.state, type(message))
        self.sent(type(message))
        return message

    def unfinished(self) -> m.ProtocolError | None:
        """Return what is wrong with the last bytes, which are no line yet; None where there are none."""
        return self._lines.unfinished()

    def _with_hint(self, line: str, error: m.ProtocolError) -> m.ProtocolError:
        """Say how a move is written to a player on turn whose line is no request."""
        if error.code is not m.Code.UNKNOWN_COMMAND or self.state is not SessionState.THINKING:
            return error
        return m.ProtocolError(
            error.code, f"unknown command {quote(line.split()[0])}; a move is a line MOVE and the move"
        )

    def send(self, message: m.Message) -> bytes:
        """Return a reply as bytes."""
        self.sent(type(message))
        return encode(message)

    def sent(self, kind: type) -> None:
        """Take note of a message of either side, also of a reply that was encoded elsewhere for several peers."""
        self.state = AFTER[self.state].get(kind, self.state)


def kind_of(line: str | m.ProtocolError) -> str:
    """Return the kind of the request that a line is, or would be if it could be read, in capital letters."""
    words = (line.line if isinstance(line, m.ProtocolError) else line).split(maxsplit=1)
    return words[0].upper() if words else ""


WITH_TOKEN = frozenset(m.KINDS[kind] for kind in (m.Login, m.Resume, m.Organise, m.AskLog))
"""Requests that may have a secret in them."""


def refusal_of(line: str | m.ProtocolError, error: m.ProtocolError) -> str:
    """Describe a line that was refused, and why, for its author and in public."""
    if (kind := kind_of(line)) in WITH_TOKEN:
        why = "" if error.code is m.Code.BAD_ARGUMENTS else f": {error}"  # those sentences quote the fields
        return f"{kind}{why} ({error.code})"
    return f"{shown_line(line)}: {error} ({error.code})"


def log_line_of(refusal: str) -> str:
    """Return the line of an author's log about a line that was refused."""
    return f"[refused: {refusal}]"


REFUSED_LINE = re.compile(r"^\[refused: (.*)\]$", re.MULTILINE)
"""The same line in a log."""


def shown_line(line: str | m.ProtocolError) -> str:
    """Quote the beginning of a line."""
    return quote((line.line if isinstance(line, m.ProtocolError) else line).strip())


def _not_now(state: SessionState, kind: type) -> m.ProtocolError:
    possible = ", ".join(sorted(m.KINDS[allowed] for allowed in ALLOWED[state]))
    if kind in (m.Move, m.AskMoves):
        return m.ProtocolError(m.Code.NOT_YOUR_TURN, f"{m.KINDS[kind]} is for your own turn, between TURN and MOVE")
    return m.ProtocolError(
        m.Code.WRONG_STATE, f"{m.KINDS[kind]} is not possible now ({state}); possible are {possible}"
    )


POSSIBLE = frozenset(m.KINDS[kind] for state in IN_MATCH for kind in ALLOWED[state])
"""Requests that such a program may make, each in its state."""

ANSWERED = frozenset({"LOGIN", "SEEK"})
"""Requests that were answered before they are made."""


class PipeEnd(ServerEnd):
    """The server's end of the pipes of a program that a contest or `bots.bridge` has started.

    Such a program is logged in and seeks already. WELCOME follows the greeting, and SEEKING comes before each match.
    Its own LOGIN and SEEK get no other answer, so that a bot written for a network plays as well.
    """

    def accept(self, line: str | m.ProtocolError) -> m.Message:
        """Return the request of a line; refuse requests that are not for a match. LOGIN and SEEK give None."""
        kind = kind_of(line)
        if kind in ANSWERED:
            return None
        if kind in m.REQUESTS and kind not in POSSIBLE:
            raise m.ProtocolError(m.Code.WRONG_STATE, f"{kind} is not for a program that plays on stdin and stdout")
        return super().accept(line)


class ClientEnd:
    """The client's end: reads replies, and leaves out those of kinds that it does not know."""

    def __init__(self) -> None:
        """Begin as a guest."""
        self.state = SessionState.GUEST
        self._lines = LineReader(REPLY_BYTES)
        self._block_of: m.Message = None
        self._block: list[str] = []
        self._missing = 0
        self._block_bytes = 0

    def receive(self, data: bytes) -> list[m.Message]:
        """Return the messages that are whole now, blocks included; raises `ProtocolError`."""
        messages = []
        for line in self._lines.feed(data):
            if isinstance(line, m.ProtocolError):
                raise line
            message = self._read(line)
            if message is not None:
                self.state = AFTER[self.state].get(type(message), self.state)
                messages.append(message)
        return messages

    def send(self, message: m.Message) -> bytes:
        """Return a request as bytes."""
        self.state = AFTER[self.state].get(type(message), self.state)
        return encode(message)

    def _read(self, line: str) -> m.Message | None:
        kind = line.partition(" ")[0]
        if self._missing:
            if kind != BLOCK_KIND:
                raise m.ProtocolError(m.Code.BAD_LINE, f"{self._missing} lines of a block are missing before {line!r}")
            self._block_bytes += len(line)
            if self._block_bytes > MAX_BLOCK_BYTES:
                raise m.ProtocolError(m.Code.TOO_MANY, f"a longer block; at most {MAX_BLOCK_BYTES} bytes are accepted")
            self._block.append(line[2:])
            self._missing -= 1
            return None if self._missing else self._block_of._replace(lines=tuple(self._block))
        if kind not in m.REPLIES:
            return None
        message, follow = decode(line, m.REPLIES)
        if not follow:
            return message
        if follow > MAX_BLOCK_LINES:
            raise m.ProtocolError(m.Code.TOO_MANY, f"a block of {follow} lines; at most {MAX_BLOCK_LINES} are accepted")
        self._block_of, self._block, self._missing, self._block_bytes = message, [], follow, 0
        return None
