"""Programs that are asked for the moves of turns: over TCP, or on stdin and stdout.

A program is offered both at first: the lines of the match on its standard input, and a port to connect to. Whichever it
takes, that remains.
"""

import select
import socket
import time
from collections.abc import Callable, Sequence
from time import perf_counter

from bots.bot import Resigned
from bots.bridge.bridge import LinesBot
from bots.check.bot_under_test import HOST, LOOK_SECONDS, START_SECONDS, BotUnderTest
from bots.check.conformance_match import ConformanceMatch
from bots.check.peer import Left
from bots.check.report import Absent, Fault, Skipped
from bots.client.errors import ArenaError, BotFailed
from bots.workbench.replay.answers import Answer
from bots.workbench.replay.in_process import BotHere
from bots.workbench.replay.turns import Turn, match_of
from engine.clock import Clock
from engine.games.history import History
from engine.record import Header
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.notes import Note
from engine.wire.seat import Seat, fill_command
from engine.wire.words import word_of

OVER = "annulled", "server_stop", "the turn was replayed"
"""How a match ends after the turn: result, reason and sentence."""


def program(
    command: Sequence[str], header: Header, side: int, report: Callable[[str], None]
) -> "LinesProgram | ConnectedProgram":
    """Start a program that plays as the player of a side did; raises `ArenaError` where it does not get ready."""
    with socket.create_server((HOST, 0)) as listener:
        seat = _seat(header, side, listener)
        offered = _OfferedBoth(fill_command(command, seat), seat, report, listener)
        try:
            offered.history = History.begin(header.position)
            offered.prepare(match_of(header, side))
            offered.told(_over(header))
            offered.decided = True
            return LinesProgram(offered, header)
        except _Connects:
            offered.close()
        except BaseException as error:
            offered.close(at_once=True)
            if isinstance(error, Resigned):
                raise ArenaError("the program resigned before its first move") from None
            if isinstance(error, BotFailed):
                raise ArenaError(str(error)) from None
            raise
    listener = socket.create_server((HOST, 0))
    seat = _seat(header, side, listener)
    bot = BotUnderTest(listener, command, seat.game, report, name=seat.name, params=seat.params)
    return ConnectedProgram(bot, header)


class LinesProgram(BotHere):
    """A program on stdin and stdout."""

    def __init__(self, bot: LinesBot, header: Header) -> None:
        """Take the program, which is started."""
        super().__init__(bot, header)
        self._program = bot

    def answer(self, turn: Turn) -> Answer:
        """Return what the program plays, and end its match."""
        answer = super().answer(turn)
        self._program.told(_over(self._header))
        return answer

    def close(self) -> None:
        """End the program."""
        self._program.close()


class ConnectedProgram:
    """A program that connects. Each turn is the end of a match that it seeks."""

    def __init__(self, bot: BotUnderTest, header: Header) -> None:
        """Take the program and the place that it connects to."""
        self._bot = bot
        self._header = header

    def answer(self, turn: Turn) -> Answer:
        """Return what the program plays; one that has failed is started again for the next turn."""
        began = perf_counter()
        try:
            match = _ReplayedMatch(self._bot, self._header, turn)
            match.announce()
            match.ready()
            match.catch_up()
            began = perf_counter()
            move = match.choice()
            seconds = perf_counter() - began
            match.end()
            return Answer(move, "", seconds, match.take_notes())
        except Skipped as why:
            raise ArenaError(f"{why}, and the record is of another game") from None
        except Absent as absent:
            raise ArenaError(f"the program {absent.did}") from None
        except Fault as fault:
            failure = fault.did
        except Left:
            failure = "closed the connection in the middle of a match"
        self._bot.drop()
        return Answer("", failure, perf_counter() - began)

    def close(self) -> None:
        """End the program."""
        self._bot.close()


class _ReplayedMatch(ConformanceMatch):
    """The match of a record, told up to a turn as after a lost connection."""

    def __init__(self, bot: BotUnderTest, header: Header, turn: Turn) -> None:
        super().__init__(bot, header.position, side=turn.side, move_limit=header.move_limit)
        self.may_resign = True
        self.number = header.match
        self.control = header.control
        self._clock = Clock.full(header.control)
        self._opponent = header.players[1 - turn.side]
        self._replayed = turn

    def catch_up(self) -> None:
        """Say START and each MOVED, and set the clocks."""
        self.history = self._replayed.history
        self._clock = Clock(self._replayed.left, increment=self.control.increment)
        self._started = True
        self.peer.say(*self._replayed.shown)

    def choice(self) -> str:
        """Say TURN, and return the move as it was said; empty where the program resigns."""
        self.turn()
        while True:
            match self.request("MOVE while its clock lasts", "9"):
                case m.Move(move):
                    return move
                case m.Resign():
                    return ""
                case m.Crashed(sentence):
                    raise Fault(f"said CRASHED {sentence}".rstrip(), "a move", "8")

    def take_notes(self) -> tuple[Note, ...]:
        """Return what the program has noted."""
        taken = tuple(self.peer.notes)
        self.peer.notes.clear()
        return taken

    def end(self) -> None:
        """Say RESULT, unless the program has ended the match."""
        if not self._ended:
            self.result(*OVER)


class _Connects(Exception):
    """The program has connected."""


class _OfferedBoth(LinesBot):
    """A program on stdin and stdout that may connect instead, as long as it has not been ready there."""

    def __init__(
        self, command: Sequence[str], seat: Seat, report: Callable[[str], None], listener: socket.socket
    ) -> None:
        self.decided = False
        self._listener = listener
        super().__init__(command, seat, lambda line: report(line) if self.decided else None)

    def _wait_for(self, kind: type, milliseconds: int) -> m.Message:
        patience = milliseconds if self.decided else max(milliseconds, int(START_SECONDS * 1000))
        return super()._wait_for(kind, patience)

    def _line(self, deadline: float) -> str | ProtocolError | None:
        while not self.decided and time.monotonic() < deadline:
            try:
                line = super()._line(time.monotonic() + LOOK_SECONDS)
            finally:
                if select.select([self._listener], [], [], 0)[0]:
                    raise _Connects
            if line is not None:
                return line
        return super()._line(deadline)


def _seat(header: Header, side: int, listener: socket.socket) -> Seat:
    """Return what a program is told about where it plays, as whom and what."""
    position = header.position
    params = word_of(position.parameters)
    return Seat(HOST, listener.getsockname()[1], header.players[side], position.game.name, params=params)


def _over(header: Header) -> m.Result:
    """Return how a match ends after a turn."""
    result, reason, sentence = OVER
    return m.Result(header.match, result, reason, 0, 0, m.Text(sentence))
