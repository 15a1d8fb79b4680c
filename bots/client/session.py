"""A bot's session on a server, across lost and resumed connections: its moves, checked, and its notes.

PING is sent after each match and each connection. After its PONG no message can follow that belongs to the time before
(an ERROR to a late move, the moves of a resumed match).
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Unpack

from bots.bot import Bot, Clocks, GameResult, MatchMessage, NoteFields, Resigned, match_title
from bots.client.connection import OVER, Address, Connection, reconnect_pauses
from bots.client.errors import (
    MAX_FAILURE_CHARACTERS,
    ArenaError,
    BadChoice,
    BotFailed,
    ConnectionLost,
    Refused,
    ServerFault,
    Unreachable,
    describe_failure,
    failure_lines,
    log_lines,
    printable,
    traceback_of,
)
from bots.client.watchdog import Interrupted, Watchdog
from engine.games.catalogue import GAMES
from engine.games.interface import Child, GameError, History, Position
from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES
from engine.wire.fields import Note, read_note, write_note
from engine.wire.seat import PIPES
from engine.wire.words import ANY, LADDER, LOST_ON_TIME, parameters_of

MIN_RECONNECT_SECONDS = 30.0
"""Shortest time of attempts to reconnect, even if the clocks of the match have less left: a restarting server
resumes its matches and charges no player for it."""

ENDLESS_RECONNECT_SECONDS = 86_400.0
"""The same for a bot that plays contests or on a ladder without end: nobody watches it while its server is away."""

WAIT_SECONDS = 2.0
"""Time without an opponent after which it is reported for whom this bot waits."""

PRESENCES = {
    "absent": "is not connected",
    "here": "has sent no SEEK",
    "seeking": "seeks another match",
    "playing": "plays",
}
"""Presences of AWAITED in words."""

TOLD_TO_END = (129, 130, 143)
"""Exit statuses of a process that SIGHUP, SIGINT or SIGTERM has told to end."""

MAX_MOVE_BYTES = REQUEST_BYTES - len("MOVE ")
"""Longest text of a move that fits a line."""

SETTLED = m.Text("settled")
"""Text of the PING after whose PONG no late message can follow."""

MAX_CONTENT_BYTES = REQUEST_BYTES - len("NOTE ")
"""Longest note: the text of longer ones is cut."""

MAX_PV_BYTES = 512
"""Bytes of the longest principal variation in a note; further moves are cut. The text gets the rest."""


def make_note(move: int, **said: Unpack[NoteFields]) -> Note:
    """Return a note of a bot. Without a ply of its own, it is about ``move``.

    Characters that cannot be printed become spaces. Raises `ProtocolError`, and exceptions of the values themselves.
    """
    convert: dict[str, Callable[[Any], Any]] = {
        "score": float,
        "pv": lambda moves: tuple(printable(each.move if isinstance(each, Child) else each) for each in moves),
        "text": lambda text: printable(str(text)).strip(),
    }
    values: dict[str, Any] = {"ply": move}
    for key, value in said.items():
        if key in Note._fields and value is not None:
            try:
                values[key] = convert.get(key, int)(value)
            except (AttributeError, OverflowError, TypeError, ValueError) as error:
                raise ValueError(f"{key}: {error}") from None
    return read_note(write_note(Note(**values)))


def cut_note(note: Note) -> Note:
    """Cut a note that is too long for a line."""
    while len(write_note(Note(pv=note.pv)).encode()) > MAX_PV_BYTES:
        note = note._replace(pv=note.pv[:-1])
    too_long = len(write_note(note).encode()) - MAX_CONTENT_BYTES
    if too_long > 0:
        kept = note.text.encode()[: -too_long - len("…".encode())].decode(errors="ignore")
        note = note._replace(text=f"{kept.rstrip()}…")
    return note


def text_of(choice: object, position: Position) -> str:
    """Return the text of the move that a bot has returned, legal or not; raises `BadChoice` for other values."""
    text = choice.move if isinstance(choice, Child) else choice
    if not isinstance(text, str):
        move = next(position.children()).move
        right = f"a move is text, as in {move!r}, or one of position.children()"
        raise BadChoice(f"the bot returned {choice!r:.60} ({type(choice).__name__}); {right}")
    return text


def legal_move(text: str, position: Position) -> str:
    """Return a move in canonical text; raises `BadChoice` where it is not legal."""
    try:
        return position.child(text).move
    except GameError as error:
        raise BadChoice(f"the bot chose {text!r}, which is no legal move: {error}", text) from error


class _Game:
    """The state of a running match in the client, across connections."""

    def __init__(self, match: m.Match) -> None:
        self.match = match
        self.side = GAMES[match.game].sides.index(match.side)
        """The side of the bot: 0 or 1."""
        self.history = History.begin(GAMES[match.game].start(parameters_of(match.parameters)))
        self.prepared = False
        self.started = False
        self.start_reported = False
        """Whether the bot was passed START."""
        self.failure: m.Resign | m.Crashed | m.Move | None = None
        """The message by which the match is lost: an illegal move is sent as it is."""
        self.left_ms = 2 * match.budget
        """Sum of both remaining times."""
        self.reported_moves: tuple[str, ...] = ()
        """The moves that were passed to the bot; a power cut of the server may have lost the last ones."""
        self.answers: dict[tuple[str, ...], str] = {}
        """The chosen moves by the moves before them, so that none is searched again after a reconnect."""


class Session:
    """The session of one bot: `run` it once."""

    def __init__(
        self,
        bot: Bot,
        address: Address,
        login: m.Login,
        seek: m.Seek,
        *,
        carry_on: bool,
        report: Callable[[str], None],
    ) -> None:
        """Take bot, address and requests; `run` connects."""
        self._bot = bot
        self._address = address
        self._login = login
        self._has_name = False
        """Whether the server has confirmed the name."""
        self._seek = seek
        self._carry_on = carry_on
        self._report = report
        self._connection: Connection
        self._note_reported = False
        """Whether it was reported that a note is left out."""
        self._game: _Game | None = None
        self._pending: m.Message = None
        """SEEK or MOVE without an answer so far; None if there is none."""
        self._ready_sent = False
        self._silence = math.inf
        """Seconds without a message after which it is reported for whom this bot waits."""
        self._pings = 0
        """Number of PINGs without an answer on this connection."""
        self._results: list[GameResult] = []
        self._failure: BotFailed | None = None
        self._watchdog = Watchdog(Session._call.__code__, self._overdue, self._is_over)
        self._unresumed = 0
        self._is_endless = False
        """Whether the bot comes back to a server that was stopped, and plays until its contest is over."""
        self._patience = MIN_RECONNECT_SECONDS
        self._pauses: Iterator[None] | None = None
        """Pauses of the present attempts to reconnect; None while connected."""

    def run(self, games: int) -> list[GameResult]:
        """Play a number of matches, for 0 until the contest is over, and return the results; raises `ArenaError`."""
        self._is_endless = games == 0
        if self._is_endless and self._seek.game in (ANY, LADDER):
            self._patience = ENDLESS_RECONNECT_SECONDS
        try:
            self._connect()
        except ConnectionLost as lost:
            raise Unreachable(str(lost)) from lost
        try:
            self._bot.connected()
            with self._watchdog:
                self._play(games)
        except BaseException as error:
            self._give_up_quietly(error)
            raise
        finally:
            self._connection.close()
        return self._results

    def _play(self, games: int) -> None:
        while games == 0 or len(self._results) + self._unresumed < games:
            try:
                message = self._connection.receive(self._silence)
                if message is not None:
                    self._handle(message)
                else:
                    self._silence = math.inf
                    self._report(f"waiting for an opponent: {' '.join(self._seek)}".rstrip())
            except ConnectionLost as lost:
                self._reconnect(lost)
            except Refused as refused:
                if self._is_endless and refused.code == OVER:
                    self._report(refused.sentence)
                    return
                if not self._is_endless or refused.code != m.Code.STOPPING:
                    raise
                self._reconnect(ConnectionLost(refused.sentence))
            if self._failure is not None and self._game is None and not self._carry_on:
                raise self._failure

    def _connect(self) -> None:
        """Connect, and log in or resume the running match."""
        self._connection = Connection(*self._address)
        self._silence = math.inf
        self._pending, self._ready_sent, self._pings = None, False, 0
        try:
            match = self._game.match if self._game else None
            self._connection.send(m.Resume(match.match, match.token) if match else self._login)
            welcome = self._connection.answer(m.Welcome)
            assert isinstance(welcome, m.Welcome)
            self._handle_welcome(welcome.name)
            self._ping()
        except BaseException:
            self._connection.close()
            raise

    def _handle_welcome(self, name: str) -> None:
        """Take the name that the server has given; raises `Refused` for another one than on the last connection."""
        if name.lower() == self._login.name.lower():
            self._has_name = True
        elif self._has_name:
            raise Refused(m.Code.NAME_TAKEN, f"{self._login.name} is still logged in")
        else:
            self._report(f"{self._login.name} plays already on this machine, so this bot plays as {name}")
            self._login, self._has_name = self._login._replace(name=name), True

    def _reconnect(self, lost: ConnectionLost) -> None:
        """Reconnect after growing pauses, while the clocks of the match last; raises `Unreachable`."""
        self._connection.close()
        if self._address.host == PIPES:
            raise Unreachable(str(lost)) from lost
        if self._pauses is None:
            self._report(f"{lost}; trying to come back")
            self._pauses = reconnect_pauses(max(self._patience, self._game.left_ms / 1000 if self._game else 0.0))
        for _ in self._pauses:
            try:
                self._connect()
                return
            except (ConnectionLost, Unreachable):
                continue
            except Refused as refused:
                if self._game is not None and refused.code in (m.Code.UNKNOWN_MATCH, m.Code.BAD_TOKEN):
                    self._report(f"match {self._game.match.match} cannot be resumed: {refused}")
                    self._game = None
                    self._unresumed += 1
                elif refused.code not in (m.Code.NAME_TAKEN, m.Code.STOPPING):
                    raise  # NAME_TAKEN: the server still holds our own lost connection
        raise Unreachable(f"{lost}; the server could not be reached again") from lost

    def _ping(self) -> None:
        self._pings += 1
        self._connection.send(m.Ping(SETTLED))

    def _give_up_quietly(self, error: BaseException) -> None:
        """Give up the running match: resign if the process was told to end, else report a failure of the bot."""
        if self._game is None:
            return
        told_to_end = isinstance(error, ArenaError | KeyboardInterrupt) or (
            isinstance(error, SystemExit) and error.code in TOLD_TO_END
        )
        with suppress(ConnectionLost):
            if self._is_over():
                return
            if told_to_end:
                self._connection.send(m.Resign())
            else:
                self._log(failure_lines(error))
                self._connection.send(_crashed(describe_failure("and ended", error)))

    def _log(self, lines: Iterable[str]) -> None:
        """Send lines for the author's log of the match."""
        for line in lines:
            self._connection.send(m.Stderr(m.Text(f"| {line}".rstrip())))

    def _handle(self, message: m.Message) -> None:
        match message:
            case m.Pong(text) if text == SETTLED:
                self._pings -= 1
                if self._pings == 0:
                    self._handle_settled()
            case m.Announcement(sentence):
                self._report(f"the organiser announces: {sentence}")
            case m.Notice(m.Code.UNKNOWN_PLAYER, sentence):
                self._report(sentence)
            case m.Notice(_, sentence):
                self._leave_note_out(sentence)
            case m.Probe(text):
                self._connection.send(m.Echo(text))
            case m.Error():
                self._handle_error(message)
            case m.Match():
                self._handle_match(message)
            case m.Seeking():
                self._pending, self._silence = None, WAIT_SECONDS
            case m.Awaited(name, presence):
                self._silence = math.inf
                self._report(f"waiting for {name}, who {PRESENCES.get(presence, f'is {presence}')}")
            case m.Plays(name, number):
                self._report(f"{name} plays match {number}")
            case m.Cancelled():
                self._pending = self._seek  # the match cannot be begun; an ERROR will say why
            case _ if self._game is None:
                return
            case m.Board():
                self._handle_board(self._game, message)
            case m.Start(first, second):
                if not self._game.start_reported:
                    self._notify_bot(self._game, message)
                self._game.started = self._game.start_reported = True
                self._game.left_ms = first + second
            case m.Moved():
                self._handle_moved(self._game, message)
            case m.Turn():
                self._handle_turn(self._game, message)
            case m.Opponent(presence):
                self._notify_bot(self._game, message)
                self._report(f"{self._game.match.opponent} is {presence}")
            case m.Result():
                self._handle_result(self._game, message)

    def _handle_settled(self) -> None:
        """Continue after a PONG, when no late message can follow."""
        if self._pauses is not None:
            self._report("back again")
            self._pauses = None
        if self._game is None:
            self._pending = self._seek
            self._connection.send(self._seek)
        elif self._game.failure is not None:
            self._connection.send(self._game.failure)
        elif self._game.prepared and not (self._game.started or self._ready_sent):
            self._send_ready()

    def _send_ready(self) -> None:
        self._ready_sent = True
        self._connection.send(m.Ready())

    def _handle_error(self, error: m.Error) -> None:
        """Raise an ERROR to a pending request; report one that came late, as after the end of a match."""
        refused = Refused(error.code, error.sentence)
        if self._is_endless and error.code == m.Code.STOPPING:
            self._pending = None  # BYE follows
            return
        if self._pending is not None:
            raise refused
        self._report(str(refused))

    def _handle_match(self, match: m.Match) -> None:
        self._pending, self._ready_sent = None, False
        self._silence = math.inf
        if self._game is not None and self._game.match.match == match.match:
            self._game.started = False  # a power cut may have taken the server back to before the start
            return
        try:
            self._game = _Game(match)
        except (LookupError, ValueError, GameError) as error:
            raise ServerFault(f"the match is one of {match.game} {match.parameters}, unknown here") from error
        self._bot.match, self._bot.history, self._bot.noting = match, self._game.history, self._note
        self._bot.logging = self._log
        self._report(f"{match_title(match)}, {match.side} against {match.opponent}")

    def _handle_board(self, game: _Game, board: m.Board) -> None:
        """Start the history of the game; prepare the bot for a new match."""
        try:
            position = GAMES[game.match.game].read("".join(line + "\n" for line in board.lines))
        except GameError as error:
            raise ServerFault(f"the server's board cannot be read: {error}") from error
        self._bot.history = game.history = History.begin(position)
        if not game.prepared:
            game.prepared = True
            prepared = self._call(game, "to prepare", self._bot.prepare, game.match, game.match.budget)
            if prepared and self._pauses is None:
                self._send_ready()

    def _handle_moved(self, game: _Game, moved: m.Moved) -> None:
        self._pending = None
        game.left_ms = moved.first + moved.second
        try:
            self._bot.history = game.history = game.history.after(moved.move)
        except GameError as error:
            raise ServerFault(f"the server's move {moved.move} is refused by the rules here: {error}") from error
        if game.history.moves != game.reported_moves[: game.history.plies]:
            game.reported_moves = game.history.moves
            self._notify_bot(game, moved)

    def _notify_bot(self, game: _Game, message: MatchMessage) -> None:
        left = math.inf
        if isinstance(message, m.Start | m.Moved) and game.history.position.turn == game.side:
            left = (message.first, message.second)[game.side]
        self._call(game, "to handle a message", self._bot.handle_message, message, left)

    def _call(
        self, game: _Game, what: str, method: Callable[[Any], object], argument: object, milliseconds: float
    ) -> bool:
        """Call a method of the bot with a time limit in milliseconds; return False if it did not return.

        An exception gives up the match. A method that is interrupted has lost the match on time.
        """
        try:
            with self._watchdog.watching(method.__name__.strip("_"), milliseconds if self._bot.watched else math.inf):
                method(argument)
        except Interrupted:
            return False
        except Exception as error:
            self._handle_failure(game, what, error)
            return False
        return True

    def _overdue(self, sentence: str, stack: str) -> None:
        """Report the stack of a method of the bot that has used up its clock; called in another thread."""
        if self._game is None:
            return
        sentence = f"match {self._game.match.match} {LOST_ON_TIME}{sentence}"
        print(stack, end="", file=sys.stderr, flush=True)
        self._report(sentence)
        with suppress(ConnectionLost):  # the bot's own thread finds out
            self._log([*log_lines(stack), sentence])

    def _is_over(self) -> bool:
        """Tell whether RESULT has arrived, or nothing more can arrive."""
        try:
            return self._connection.has(m.Result) or self._connection.is_lost
        except ServerFault:
            return True

    def _handle_turn(self, game: _Game, turn: m.Turn) -> None:
        if game.failure is not None:
            return
        game.started, game.left_ms = True, turn.yours + turn.theirs
        if game.history.moves not in game.answers:
            clocks = Clocks(turn.yours, turn.theirs, game.match.increment, self._note)
            if not self._call(game, "to choose a move", self._choose, clocks, turn.yours):
                return
        if not self._connection.has(m.Result):
            self._pending = m.Move(m.Text(game.answers[game.history.moves]))
            self._connection.send(self._pending)

    def _note(self, **said: Unpack[NoteFields]) -> None:
        """Send a note of the bot in its match; report what is wrong with it."""
        if self._game is not None:
            history = self._game.history
            move = history.plies + 1 if history.position.turn == self._game.side else history.plies or 2
            try:
                note = cut_note(make_note(move, **said))
            except Exception as error:  # whatever a bot of no types says
                self._leave_note_out(str(error))
                return
            with self._watchdog.lock, suppress(ConnectionLost):  # the next receive raises it
                self._connection.send(m.Note(m.Text(write_note(note))))

    def _leave_note_out(self, sentence: str) -> None:
        """Report that a note is left out, once."""
        if not self._note_reported:
            self._note_reported = True
            self._report(f"a note is left out: {sentence}")

    def _choose(self, clocks: Clocks) -> None:
        """Let the bot choose the answer to TURN."""
        assert self._game is not None
        history = self._game.history
        move = text_of(self._bot.choose(history.position, clocks), history.position)
        self._game.answers[history.moves] = legal_move(move, history.position) if self._bot.checked else move

    def _handle_failure(self, game: _Game, what: str, error: Exception) -> None:
        """Lose the match because of an exception of the bot, unless it is over; RESULT follows."""
        over = self._connection.has(m.Result)
        if isinstance(error, Resigned):
            game.failure = m.Resign()
        else:
            self._failure = error if isinstance(error, BotFailed) else _failure(what, error)
            self._report(f"match {game.match.match} {'was over' if over else 'is lost'}: {self._failure}")
            move = self._failure.move if isinstance(self._failure, BadChoice) else ""
            can_be_sent = move.isprintable() and move.strip() and len(move.encode()) <= MAX_MOVE_BYTES
            game.failure = m.Move(m.Text(move)) if can_be_sent else _crashed(str(self._failure))
            if not over:
                self._log(failure_lines(self._failure))
        if not over:
            self._connection.send(game.failure)

    def _handle_result(self, game: _Game, message: m.Result) -> None:
        self._pending, self._game = None, None
        result = GameResult(game.match, message.result, message.reason, message.sentence, game.history)
        self._results.append(result)
        self._report(str(result))
        try:
            self._bot.handle_message(message)
            self._bot.finished(result)
        except Exception as error:
            self._failure = _failure("after the match", error)
        self._ping()


def _failure(what: str, error: Exception) -> BotFailed:
    """Print the traceback of an exception of the bot, and return it as a `BotFailed`."""
    print(traceback_of(error), end="", file=sys.stderr, flush=True)
    failure = BotFailed(describe_failure(what, error))
    failure.__cause__ = error
    return failure


def _crashed(sentence: str) -> m.Crashed:
    """Return the message that gives up a match because of a failure."""
    return m.Crashed(m.Text(printable(sentence, MAX_FAILURE_CHARACTERS).strip()))
