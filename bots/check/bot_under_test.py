"""The bot under test, seen from the server's end: its connection, its faults, its start, its login and its SEEK."""

import os
import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from bots.bridge.program import Process
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import Game
from engine.match import referee
from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES
from engine.wire.ends import ServerEnd, SessionState, kind_of
from engine.wire.fields import SeekOptions, read_note, read_options
from engine.wire.seat import Seat, environment_variables, fill_command
from engine.wire.words import ANY, LADDER, NAME_PATTERN, NAME_RULE

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
    m.Code.LINE_TOO_LONG: ("2.1", f"lines of at most {REQUEST_BYTES} bytes, each with an LF at its end"),
    m.Code.BAD_LINE: ("2.1", "UTF-8, and nothing in a line but printable characters and blanks"),
    m.Code.UNKNOWN_COMMAND: (
        "4",
        "a request of protocol.md; nothing else is said, nor are the server's lines echoed",
    ),
    m.Code.BAD_ARGUMENTS: ("4", "the fields of the request as they are written there"),
    m.Code.WRONG_STATE: ("3", "one of the requests that are possible in this state"),
    m.Code.NOT_YOUR_TURN: ("3", "to wait for TURN, and to say MOVE once for each"),
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


class LostOnTime(Fault):
    """The bot has used up its clock."""


class Absent(Fault):
    """The bot did not connect."""


class Skipped(Exception):
    """A situation that cannot be brought about with this bot; the sentence says why."""


class Disconnected(Exception):
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
        self._lines: deque[str | m.ProtocolError] = deque()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def say(self, *messages: m.Message) -> None:
        """Send messages, in one piece unless they are to be cut; raises `Disconnected`.

        After RESULT, requests of the bot may still be on their way.
        """
        if any(isinstance(message, m.Result) for message in messages):
            self.crossing, self._count = MAX_CROSSINGS, 0
        self.send(b"".join((NOISE if self.noisy else b"") + self._end.send(message) for message in messages))

    def send(self, data: bytes) -> None:
        """Send bytes; raises `Disconnected`."""
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
            raise Disconnected from error

    def request(self, deadline: float) -> m.Message | None:
        """Return the next request but those that are answered here; None when none comes before the deadline.

        The deadline is one of `time.monotonic`. Raises `Disconnected`, and `Fault` for a request that may not be made
        now.
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
            except m.ProtocolError as error:
                if kind_of(line) == m.KINDS[m.Note]:
                    self.say(m.Notice(error.code, m.Text(str(error))))
                    raise Fault(
                        f"said {self.last!r}: {error}",
                        "a note as in NOTE score=35 depth=7 nodes=120345 pv=a3-b3,c5-c4 text=in the book",
                        "8.1",
                    ) from error
                section, right = MISTAKES[error.code]
                fault = self.refused(error.code, error, right, section)
                if self.crossing and error.code in (m.Code.NOT_YOUR_TURN, m.Code.WRONG_STATE):
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
        self._end.state = SessionState.THINKING
        self.refuse(code, sentence)

    def close(self) -> None:
        """Close the connection in order."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _answered(self, request: m.Message) -> bool:
        """Answer requests that do not depend on the situation."""
        if answer := referee.answer(request):
            self.say(answer)
        return answer is not None

    def _line(self, deadline: float) -> str | m.ProtocolError | None:
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
                raise Disconnected from error
            if not data:
                raise Disconnected
            self._lines.extend(self._end.receive(data))
        return self._lines.popleft()


HOST = "127.0.0.1"
NAME = "subject"
"""Name that the bot is asked to use."""

ANSWER_SECONDS = 10.0
"""Deadline for requests while the bot's clock does not run."""

START_SECONDS = 120.0
"""Deadline from the start of a program to its connection: some compile first."""

MAX_REFUSALS = 20
"""Repetitions of a refused request after which the bot counts as repeating it for ever."""

LOOK_SECONDS = 0.1
"""Time between two checks whether an awaited program has ended."""

OF_SERVER = (ANY, LADDER)
"""Words in place of a game in SEEK: a contest or the ladder chooses it, and here the conformance test."""

MIN_BUDGET, MAX_BUDGET = 10_000, 24 * 3600 * 1_000_000
"""Bounds of a budget, in microseconds, as servers usually have them."""


class BotUnderTest:
    """The bot under test. `seeking` brings it from any state to one where a match can start."""

    def __init__(
        self,
        listener: socket.socket,
        command: Sequence[str],
        game: str | None,
        note: Callable[[str], None],
    ) -> None:
        """Take the listening socket, the command that starts the bot, if any, and the game that it has to seek."""
        self.game: Game
        """The game that the bot seeks, and what it asks for."""
        self.options: SeekOptions
        self.seeks = False
        """Whether the bot waits for a match."""
        self._listener = listener
        self._port: int = listener.getsockname()[1]
        self._game = game
        self._note = note
        self._matches = 0
        self._peer: Peer | None = None
        self._program: Process | None = None
        seat = Seat(HOST, self._port, NAME, game or USUAL_GAME)
        self._command = fill_command(command, seat)
        self._environment = os.environ | environment_variables(seat)

    def number(self) -> int:
        """Return a new match number."""
        self._matches += 1
        return self._matches

    def seeking(self) -> Peer:
        """Return a connection on which the bot seeks a match; raises `Fault` if it does not seek."""
        if self.seeks and self._peer is not None:
            return self._peer
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                peer = self._peer or self.connection()
                if peer.name == "":
                    self.login(peer)
                request = self.said(peer, "SEEK, or QUIT", "4")
                if isinstance(request, m.Seek):
                    self.accept(peer, request)
                    return peer
            except Disconnected:
                self.lost()
        raise Fault(f"came and went for {START_SECONDS:g} s without SEEK", "LOGIN, then SEEK", "4")

    def requested(self) -> tuple[Game, SeekOptions]:
        """Return the game and the options of the bot's SEEK."""
        self.seeking()
        return self.game, self.options

    def sides(self) -> tuple[int, ...]:
        """Return the sides that the SEEK of the bot allows: 0 moves first, 1 second."""
        _, options = self.requested()
        return (0, 1) if options.side is None else (options.side,)

    def connection(self) -> Peer:
        """Restart the bot, and return its new connection before the greeting; raises `Absent` if there is none."""
        self.drop()
        if self._command:
            self._program = Process(self._command, self._environment)
        else:
            self._note(f"waiting for the bot at {HOST} port {self._port}")
        deadline = time.monotonic() + START_SECONDS
        while (peer := self.accept_connection(LOOK_SECONDS)) is None:
            if ended := self.program_ended():
                self.stop_program()
                raise Absent(f"{ended}, before it had connected", "to connect, and to say LOGIN", "4")
            if time.monotonic() >= deadline:
                raise Absent(f"did not connect to {HOST} port {self._port} in {START_SECONDS:g} s", "to connect", "4")
        return peer

    def accept_connection(self, seconds: float) -> Peer | None:
        """Accept a connection of the bot within a time; return None if there is none."""
        self._listener.settimeout(seconds)
        try:
            connection, _ = self._listener.accept()
        except TimeoutError:
            return None
        self._peer = Peer(connection)
        self.seeks = False
        return self._peer

    def login(self, peer: Peer) -> None:
        """Send the greeting, and answer LOGIN; RESUME of an earlier match is refused."""
        greet(peer)
        for _ in range(MAX_REFUSALS):
            match self.said(peer, "LOGIN", "4"):
                case m.Login(name, _):
                    if not re.fullmatch(NAME_PATTERN, name):
                        raise peer.refused(m.Code.BAD_NAME, f"{name!r} is no name", f"a name of {NAME_RULE}", "4")
                    peer.name = name
                    peer.say(m.Welcome(name))
                    return
                case m.Resume(number):
                    peer.refuse(m.Code.BAD_TOKEN, f"match {number} is not to be resumed; log in with LOGIN")
        raise Fault(f"said {peer.last!r} {MAX_REFUSALS} times", "LOGIN", "11")

    def said(self, peer: Peer, right: str, section: str) -> m.Message:
        """Return the next request; raises `Fault` if none arrives in time, and `Disconnected` after QUIT."""
        request = peer.request(time.monotonic() + ANSWER_SECONDS)
        if request is None:
            raise Fault(f"said nothing for {ANSWER_SECONDS:g} s", right, section)
        if isinstance(request, m.Quit):
            peer.say(m.Bye("quit", m.Text("goodbye")))
            raise Disconnected
        return request

    def accept(self, peer: Peer, seek: m.Seek) -> None:
        """Answer SEEK, and store its conditions; raises `Fault` if they cannot be met."""
        if seek.game not in (*GAMES, *OF_SERVER):
            raise peer.refused(
                m.Code.UNKNOWN_GAME, unknown_game(seek.game), f"SEEK and one of {', '.join((*GAMES, *OF_SERVER))}", "7"
            )
        self.game = GAMES[(self._game or USUAL_GAME) if seek.game in OF_SERVER else seek.game]
        try:
            self.options = read_options(
                self.game, seek.options, name=peer.name, least_budget=MIN_BUDGET, most_budget=MAX_BUDGET
            )
        except m.ProtocolError as error:
            sides = " or ".join(self.game.sides)
            raise peer.refused(
                error.code,
                error,
                f"params=, budget=, increment=, colour= ({sides}), opponent= (a name), or no option at all",
                "7",
            ) from error
        if self._game not in (None, self.game.name):
            raise Fault(f"said {peer.last!r}", f"SEEK {self._game}, the game to be checked", "7")
        peer.crossing = 0
        peer.say(m.Seeking(*seek))
        self.seeks = True

    def lost(self) -> None:
        """Note a lost connection; a program that does not reconnect by itself is ended."""
        self._hang_up()
        if self._program is not None and self.accept_connection(LOOK_SECONDS) is None:
            self.stop_program()

    def drop(self) -> None:
        """Drop the connection and the program, so that the bot starts again."""
        self._hang_up()
        self.stop_program()

    def _hang_up(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def program_ended(self) -> str | None:
        """Describe how the program ended; None if it runs, or there is none."""
        return self._program.ended() if self._program is not None else None

    def stop_program(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.end()
            self._program = None

    def close(self) -> None:
        """Close the connection, the socket and the program."""
        self.drop()
        self._listener.close()


def greet(peer: Peer, version: int = m.VERSION) -> None:
    """Send the greeting."""
    peer.say(m.Arena(version, "arena-bot-check", "open"))


class Situation(NamedTuple):
    """``play`` raises `Fault` where the bot does wrong, and `Skipped` where it cannot be tried."""

    title: str
    play: Callable[[BotUnderTest], object]
    tries: int = 1
    """How often it is tried, at most, until the clock lasts: a short one may be used up by a busy machine."""
