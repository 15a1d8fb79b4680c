"""The bot under test: started or waited for, logged in, seeking."""

import os
import re
import socket
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bots.bridge.program import Process
from bots.check.peer import Absent, Fault, Left, Peer
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import Game
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.fields import SeekOptions, read_options
from engine.wire.seat import Seat, environment_variables, fill_command
from engine.wire.words import NAME_PATTERN, NAME_RULE

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
            except Left:
                self.lost()
        raise Fault(f"came and went for {START_SECONDS:g} s without SEEK", "LOGIN, then SEEK", "4")

    def wish(self) -> tuple[Game, SeekOptions]:
        """Return the game and the options of the bot's SEEK."""
        self.seeking()
        return self.game, self.options

    def sides(self) -> tuple[int, ...]:
        """Return the sides that the SEEK of the bot allows: 0 moves first, 1 second."""
        _, options = self.wish()
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
                        raise peer.refused(Code.BAD_NAME, f"{name!r} is no name", f"a name of {NAME_RULE}", "4")
                    peer.name = name
                    peer.say(m.Welcome(name))
                    return
                case m.Resume(number):
                    peer.refuse(Code.BAD_TOKEN, f"match {number} is not to be resumed; log in with LOGIN")
        raise Fault(f"said {peer.last!r} {MAX_REFUSALS} times", "LOGIN", "11")

    def said(self, peer: Peer, right: str, section: str) -> m.Message:
        """Return the next request; raises `Fault` if none arrives in time, and `Left` for QUIT, which is answered."""
        request = peer.request(time.monotonic() + ANSWER_SECONDS)
        if request is None:
            raise Fault(f"said nothing for {ANSWER_SECONDS:g} s", right, section)
        if isinstance(request, m.Quit):
            peer.say(m.Bye("quit", m.Text("goodbye")))
            raise Left
        return request

    def accept(self, peer: Peer, seek: m.Seek) -> None:
        """Answer SEEK, and store its conditions; raises `Fault` if they cannot be met."""
        if seek.game not in GAMES:
            right = f"SEEK and one of {', '.join(GAMES)}"
            raise peer.refused(Code.UNKNOWN_GAME, unknown_game(seek.game), right, "7")
        self.game = GAMES[seek.game]
        try:
            self.options = read_options(
                self.game, seek.options, name=peer.name, least_budget=MIN_BUDGET, most_budget=MAX_BUDGET
            )
        except ProtocolError as error:
            sides = " or ".join(self.game.sides)
            right = f"params=, budget=, increment=, colour= ({sides}), opponent= (a name), or no option at all"
            raise peer.refused(error.code, error, right, "7") from error
        if self._game not in (None, seek.game):
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
    """``play`` raises `bots.check.peer.Fault` where the bot does wrong, and `Skipped` where it cannot be tried."""

    title: str
    play: Callable[[BotUnderTest], object]
    tries: int = 1
    """How often it is tried, at most, until the clock lasts: a short one may be used up by a busy machine."""
