"""Bridge for programs on stdin and stdout, in two dialects.

The bridge logs in, seeks, comes back after a lost connection, and ends the program. The moves of the program are sent
as they are: the server judges them.
"""

import os
import re
import sys
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from bots.bot import Bot, Clocks, GameResult, MatchMessage, Resigned
from bots.bridge.program import BridgedProgram, ProgramEnded, ProgramFailed
from bots.client.errors import BotFailed
from engine.games.arrows.position import NO_MOVE
from engine.games.interface import Position
from engine.match import referee
from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES, LineReader
from engine.wire.ends import IN_MATCH, PipeEnd, kind_of, log_line_of, refusal_of
from engine.wire.fields import read_note
from engine.wire.seat import Seat, environment_variables

GRACE_SECONDS = 2.0
"""Time after the end of its clock for which a program may still answer before it is killed."""

MAX_ERRORS = 100
"""Invalid lines after which a program is ended, as the server ends a session."""

MAX_FAILURES = 3
"""Failed matches in a row after which a program is not started again."""


class ProgramBot(Bot):
    """A program as a bot, with its start, failures and end; subclasses speak its protocol."""

    checked = watched = False

    def __init__(self, command: Sequence[str], seat: Seat) -> None:
        """Take the command of the program, which finds in its environment where it plays."""
        self.played = 0
        """Number of finished matches."""
        self.failures = 0
        """Number of failed matches in a row."""
        self._command = command
        self._environment = os.environ | environment_variables(seat)
        self._program: BridgedProgram | None = None

    def connected(self) -> None:
        """Start the program; raises `ArenaError` where it cannot be started."""
        self.running()

    def running(self) -> BridgedProgram:
        """Return the program; start it, unless it runs."""
        if self._program is None:
            self._program = BridgedProgram(self._command, self._environment)
            self._inbox: deque[str | m.ProtocolError] = deque()
            self._receive = self._begun()
        return self._program

    def close(self, *, at_once: bool = False) -> None:
        """End the program."""
        if self._program is not None:
            self._program.end(at_once=at_once)
            self._program = None

    def prepare(self, match: m.Match) -> None:
        """Announce the match to the program, after restarting it if it has ended."""
        try:
            try:
                self._announce(match)
            except ProgramEnded:
                self.close()
                self.running()
                self._announce(match)
        except BotFailed:
            self.close(at_once=True)
            raise

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Ask the program for a move; end it if it fails."""
        try:
            return self._ask(position, clocks)
        except BotFailed:
            self.close(at_once=True)
            raise

    def finished(self, result: GameResult) -> None:
        """Count the match, whose program was ended if it has failed."""
        self.played += 1
        self.failures = self.failures + 1 if self._program is None else 0

    def _line(self, deadline: float) -> str | m.ProtocolError | None:
        """Return the program's next line; None if none arrives in time."""
        while not self._inbox:
            data = self.running().hear(deadline)
            if not data:
                return None
            self._inbox.extend(self._receive(data))
        return self._inbox.popleft()

    @abstractmethod
    def _begun(self) -> Callable[[bytes], Iterable[str | m.ProtocolError]]:
        """Greet a program that was just started, and return the function that makes lines of its bytes."""

    @abstractmethod
    def _announce(self, match: m.Match) -> None:
        """Announce a match to the program, and wait until it is ready."""

    @abstractmethod
    def _ask(self, position: Position, clocks: Clocks) -> str:
        """Ask the program for a move."""


class LinesBot(ProgramBot):
    """A bot that runs a program with the lines of the protocol, as contests do (`engine.wire.ends`).

    Requests of the program for the position and the moves are answered here.
    """

    def __init__(self, command: Sequence[str], seat: Seat, report: Callable[[str], None]) -> None:
        """Take the command. A program that logs in and seeks is answered with the seat's name and game."""
        self._name = seat.name
        self._game = seat.game
        self._report = report
        self._number = 0
        """Number of the last announced match."""
        super().__init__(command, seat)

    def handle_message(self, message: MatchMessage) -> None:
        """Pass the message on to the program."""
        if self._program is not None and self._end.state in IN_MATCH:
            self._tell(message)

    def _begun(self) -> Callable[[bytes], Iterable[str | m.ProtocolError]]:
        self._end = PipeEnd()
        self._errors = 0
        self._noticed: set[str] = set()
        self._tell(m.Arena(m.VERSION, "arena-bot-bridge", "open"))
        self._tell(m.Welcome(self._name))
        return self._end.receive

    def _announce(self, match: m.Match) -> None:
        if self._end.state in IN_MATCH:
            lost = m.Text("the connection was lost, and the match could not be resumed")
            self._tell(m.Result(self._number, "annulled", "server_fault", 0, 0, lost))
        self._refused = ""
        self._catch_up()
        self._tell(m.Seeking(self._game))
        self._number = match.match
        self._ask_for(match)
        self._tell(m.board_of(self.history.position.text()))
        self._wait_for(m.Ready, match.budget)

    def _ask(self, position: Position, clocks: Clocks) -> str:
        self._catch_up()
        self._ask_for(m.Turn(clocks.mine_ms, clocks.theirs_ms))
        move = self._wait_for(m.Move, clocks.mine_ms)
        assert isinstance(move, m.Move)
        return move.move

    def _ask_for(self, message: m.Message) -> None:
        self.running().ask(self._end.send(message))

    def _tell(self, message: m.Message) -> None:
        self.running().tell(self._end.send(message))

    def _catch_up(self) -> None:
        """Handle the lines of the program since the last read: its notes are about its last move."""
        last = self.history.plies - 1 if self.history.plies > 1 else None
        while (line := self._line(time.monotonic())) is not None:
            self._answer(line, last)

    def _wait_for(self, kind: type, milliseconds: int) -> m.Message:
        """Return the program's next request of a kind, within its remaining time and `GRACE_SECONDS`."""
        deadline = time.monotonic() + milliseconds / 1000 + GRACE_SECONDS
        while (line := self._line(deadline)) is not None:
            request = self._answer(line)
            if isinstance(request, kind):
                return request
        wanted = "READY" if kind is m.Ready else "a MOVE"
        if error := self._end.unfinished():
            self._refuse(error, error)
        refused = f"; it wrote a line that was refused: {self._refused}" if self._refused else ""
        raise ProgramFailed(f"the program did not say {wanted} in the {milliseconds} ms that it had{refused}")

    def _answer(self, line: str | m.ProtocolError, noted_ply: int | None = None) -> m.Message:
        """Parse a line of the program, answer it if possible, and return the message.

        ``noted_ply`` is the move that a note is about where it names none; None for the next one.
        """
        try:
            request = self._end.accept(line)
            if isinstance(request, m.Note):
                note = read_note(request.note)
                self.note(**note._replace(ply=noted_ply if note.ply is None else note.ply).said)
        except m.ProtocolError as error:
            if kind_of(line) != m.KINDS[m.Note]:
                return self._refuse(line, error)
            if error.code not in self._noticed:
                self._noticed.add(error.code)
                self._tell(m.Notice(error.code, m.Text(str(error))))
            return None
        if answer := referee.answer(request, self.history.position):
            self._tell(answer)
        match request:
            case m.Stderr(text):
                print(text.removeprefix("|").removeprefix(" "), file=sys.stderr, flush=True)
            case m.Quit():
                self._tell(m.Bye("quit", m.Text("goodbye")))
                raise ProgramEnded("the program said QUIT")
            case m.Resign():
                raise Resigned
            case m.Crashed(sentence):
                raise ProgramFailed(f"the program said CRASHED {sentence}".rstrip())
        return request

    def _refuse(self, line: str | m.ProtocolError, error: m.ProtocolError) -> None:
        self._errors += 1
        refusal = refusal_of(line, error)
        if self._errors >= MAX_ERRORS:
            raise ProgramFailed(
                f"the program wrote {MAX_ERRORS} lines that cannot be accepted; the last one: {refusal}"
            )
        self._refused = self._refused or refusal
        self._report(f"a line of the program's is refused: {refusal}")
        if self.logging is not None:
            self.logging([log_line_of(refusal)])
        self._tell(m.Error(error.code, m.Text(str(error))))


class ArrowsBot(ProgramBot):
    """A bot that runs a program with the module protocol of the arrows contest (docs/rules.md, 2.3).

    ``InitGame <sec>``, the pairs of the board file and an empty line begin a game and are not answered; ``turn <d>
    <sec>`` asks for a direction, 0 to 7, and 255 in answer gives up. Seconds are those left when the line is written,
    with three decimals; thinking about a board file is charged to the first turn. An answer that is no direction is
    sent all the same, for the server to judge. The program learns that a game is over only by the next ``InitGame``.
    """

    def _begun(self) -> Callable[[bytes], Iterable[str | m.ProtocolError]]:
        return LineReader(REQUEST_BYTES).feed

    def _announce(self, match: m.Match) -> None:
        pairs = (re.sub("#.*", "", line).strip() for line in self.history.position.text().splitlines())
        self._say(f"InitGame {match.budget / 1000:.3f}", *filter(None, pairs), "")

    def _ask(self, position: Position, clocks: Clocks) -> str:
        opponents = self.history.moves[-1] if self.history.moves else NO_MOVE
        self._say(f"turn {opponents} {clocks.mine_ms / 1000:.3f}")
        answer = self._answer(time.monotonic() + clocks.mine_ms / 1000 + GRACE_SECONDS)
        if answer is None:
            raise ProgramFailed(f"the program did not answer in the {clocks.mine_ms} ms that it had")
        if answer == NO_MOVE:
            raise Resigned
        return answer

    def _say(self, *lines: str) -> None:
        """Write lines to the program, and discard those that it wrote without being asked."""
        while self._answer(time.monotonic()) is not None:
            pass
        self.running().ask("".join(f"{line}\n" for line in lines).encode())

    def _answer(self, deadline: float) -> str | None:
        """Return the next line that is not blank; None if none arrives in time."""
        while (line := self._line(deadline)) is not None:
            if isinstance(line, m.ProtocolError):
                raise ProgramFailed(f"the program's answer cannot be read: {line}")
            if line.strip():
                return line.strip()
        return None


def bridge(bot: ProgramBot, play: Callable[[int], object], games: int, report: Callable[[str], None]) -> None:
    """Let ``play`` play that many matches with the bot, 0 for no end, and end the program; raises `ArenaError`.

    A program that has failed is started again for the next match, but not after `MAX_FAILURES` in a row.
    """
    try:
        while True:
            try:
                play(games and games - bot.played)
                return
            except BotFailed:
                if 0 < games <= bot.played or bot.failures >= MAX_FAILURES:
                    raise
                report("the program is started again")
    finally:
        bot.close()
