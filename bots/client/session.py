"""A bot's session on a server: every message handled as it comes, the same on a first and on a resumed connection.

After a match, and whenever a connection was made, a PING is sent: when its PONG comes, nothing can follow any more
that belongs to what went before (an ERROR to a move that came too late, the moves of a resumed match).
"""

import math
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from bots.bot import Bot, Clocks, GameResult, Resigned, Told, place_of_choose
from bots.client.address import Address
from bots.client.connection import CONNECT_SECONDS, Connection
from bots.client.errors import BadChoice, BotFailed, ConnectionLost, Refused, ServerFault, Unreachable
from bots.client.formatting import time_control, variant, waiting_for, waiting_for_named
from bots.client.reconnect_backoff import ReconnectBackoff
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import GameError, Successor, moves
from engine.wire import messages as m
from engine.wire.codes import Code
from engine.wire.words import parameters_of

PATIENCE_SECONDS = 30.0
"""How long to try to come back at least, also when the clocks of the match have less left: a server that
restarts resumes its matches and charges nobody for it."""

MAX_SAID = 200
"""Characters that are said of a failure in CRASHED: all that a server shows, and far less than a line may have."""

WAIT_SECONDS = 2.0
"""After so long without an opponent it is said for whom this bot waits."""

MAX_SHOWN = 60
"""Characters that are shown of what a bot has returned in place of a move."""

SETTLED = m.Text("settled")
"""Text of the PING behind which everything is settled."""


class _Game:
    """A match being played, as far as the client knows it. Outlives connections."""

    def __init__(self, match: m.Match) -> None:
        self.match = match
        self.history = History.begin(GAMES[match.game].start(parameters_of(match.parameters)))
        self.prepared = False
        self.started = False
        self.start_told = False
        """Whether the bot was told of the start."""
        self.failure: m.Resign | m.Crashed | None = None
        """How the match was given up."""
        self.left_ms = 2 * match.budget
        """What both clocks have left together."""
        self.told: tuple[str, ...] = ()
        """The moves that the bot was told; a power cut may have taken the last of them back."""
        self.answer: tuple[tuple[str, ...], str] | None = None
        """The moves before the last one that was chosen, and that one: it is not thought about twice."""


class Session:
    """One bot's session. `run` does everything."""

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
        """Keep what to say; nothing is connected yet."""
        self._bot = bot
        self._address = address
        self._login = login
        self._seek = seek
        self._carry_on = carry_on
        self._report = report
        self._connection: Connection
        self._game: _Game | None = None
        self._asked: m.Message = None
        """The SEEK or MOVE that the server has not answered yet, None when there is none."""
        self._ready_said = False
        self._told_at = math.inf
        """When to say for whom this bot waits, on `time.monotonic`; never, where it does not wait or has said it."""
        self._pings = 0
        """Sent on this connection and not answered yet."""
        self._results: list[GameResult] = []
        self._failure: BotFailed | None = None
        self._unresumed = 0
        self._lost_at = 0.0
        """When the connection was lost, on `time.monotonic`."""
        self._patience: ReconnectBackoff | None = None
        """What is left of it while a lost connection is not made up for."""

    def run(self, games: int) -> list[GameResult]:
        """Play that many matches, endlessly for 0, and return how they ended; raises `ArenaError`."""
        try:
            self._enter()
        except ConnectionLost as lost:
            raise Unreachable(str(lost)) from lost
        try:
            while games == 0 or len(self._results) + self._unresumed < games:
                try:
                    message = self._connection.receive(max(0.0, self._told_at - time.monotonic()))
                    if message is not None:
                        self._handle(message)
                    elif time.monotonic() >= self._told_at:
                        self._told_at = math.inf
                        self._report(waiting_for(self._seek))
                except ConnectionLost as lost:
                    self._come_back(lost)
                if self._failure is not None and self._game is None and not self._carry_on:
                    raise self._failure
        except BaseException:
            self._resign_quietly()
            raise
        finally:
            self._connection.close()
        return self._results

    # Connections.

    def _enter(self) -> None:
        """Connect; log in, or resume the match that is being played."""
        self._connection = Connection(*self._address)
        self._told_at = math.inf
        self._asked, self._ready_said, self._pings = None, False, 0
        try:
            match = self._game.match if self._game else None
            self._connection.send(m.Resume(match.match, match.token) if match else self._login)
            while not isinstance(reply := self._connection.receive(CONNECT_SECONDS), m.Welcome):
                if isinstance(reply, m.Error):
                    raise Refused(reply.code, reply.sentence)
                if reply is None:
                    raise ConnectionLost("the server does not answer")
            self._ping()
        except BaseException:
            self._connection.close()
            raise

    def _come_back(self, lost: ConnectionLost) -> None:
        """Connect again, after growing pauses, for as long as the clocks of the match last; raises `Unreachable`."""
        self._connection.close()
        if self._patience is None:
            self._report(f"{lost}; trying to come back")
            self._lost_at = time.monotonic()
            self._patience = ReconnectBackoff(max(PATIENCE_SECONDS, self._game.left_ms / 1000 if self._game else 0.0))
        while self._patience.pause():
            try:
                self._enter()
                return
            except (ConnectionLost, Unreachable):
                continue
            except Refused as refused:
                if self._game is not None and refused.code in (Code.UNKNOWN_MATCH, Code.BAD_TOKEN):
                    self._report(f"match {self._game.match.match} cannot be resumed: {refused}")
                    self._game = None
                    self._unresumed += 1
                elif refused.code != Code.NAME_TAKEN:  # by our own lost connection, as long as the server holds it
                    raise
        raise Unreachable(f"{lost}; the server could not be reached again") from lost

    def _ping(self) -> None:
        self._pings += 1
        self._connection.send(m.Ping(SETTLED))

    def _resign_quietly(self) -> None:
        if self._game is not None:
            with suppress(ConnectionLost):
                self._connection.send(m.Resign())

    # Messages.

    def _handle(self, message: m.Message) -> None:
        match message:
            case m.Pong(text) if text == SETTLED:
                self._pings -= 1
                if self._pings == 0:
                    self._settled()
            case m.Probe(text):
                self._connection.send(m.Echo(text))
            case m.Error():
                self._error(message)
            case m.Match():
                self._matched(message)
            case m.Seeking():
                self._asked = None
                self._told_at = time.monotonic() + WAIT_SECONDS
            case m.Awaited(name, presence):
                self._told_at = math.inf
                self._report(waiting_for_named(name, presence))
            case m.Plays(name, number):
                self._report(f"{name} plays match {number}")
            case m.Cancelled():
                self._asked = self._seek  # the match cannot be begun; an ERROR will say why
            case _ if self._game is None:
                return
            case m.Board():
                self._board(self._game, message)
            case m.Start(first, second):
                if not self._game.start_told:
                    self._tell(self._game, message)
                self._game.started = self._game.start_told = True
                self._game.left_ms = first + second
            case m.Moved():
                self._moved(self._game, message)
            case m.Turn():
                self._turn(self._game, message)
            case m.Opponent(presence):
                self._tell(self._game, message)
                self._report(f"{self._game.match.opponent} is {presence}")
            case m.Result():
                self._over(self._game, message)

    def _settled(self) -> None:
        """Go on, now that nothing old can come any more."""
        if self._patience is not None:
            self._report(f"back again, after {time.monotonic() - self._lost_at:.1f} s without a connection")
            self._patience = None
        if self._game is None:
            self._asked = self._seek
            self._connection.send(self._seek)
        elif self._game.failure is not None:
            self._connection.send(self._game.failure)
        elif self._game.prepared and not (self._game.started or self._ready_said):
            self._say_ready()

    def _say_ready(self) -> None:
        self._ready_said = True
        self._connection.send(m.Ready())

    def _error(self, error: m.Error) -> None:
        """Tell a refusal that cannot be lived with from one that came late, as after the end of a match."""
        if error.code == Code.UNKNOWN_COMMAND and self._game is not None and isinstance(self._game.failure, m.Crashed):
            self._game.failure = m.Resign()  # the server is older than CRASHED
            self._connection.send(self._game.failure)
            return
        refused = Refused(error.code, error.sentence)
        if self._asked is not None:
            raise refused
        self._report(str(refused))

    def _matched(self, match: m.Match) -> None:
        self._asked, self._ready_said = None, False
        self._told_at = math.inf
        if self._game is not None and self._game.match.match == match.match:
            self._game.started = False  # a power cut may have taken the server back to before the start
            return
        try:
            self._game = _Game(match)
        except (KeyError, GameError) as error:
            raise ServerFault(f"the match is one of {variant(match)}, unknown here") from error
        self._bot.match, self._bot.history = match, self._game.history
        times = time_control(match.budget, match.increment)
        what = f"{variant(match)}, {times}, {match.side} against {match.opponent}"
        self._report(f"match {match.match}: {what}")

    def _board(self, game: _Game, board: m.Board) -> None:
        """Begin the game's history; when the match is new, get ready."""
        try:
            position = GAMES[game.match.game].read("".join(line + "\n" for line in board.lines))
        except GameError as error:
            raise ServerFault(f"the server's board cannot be read: {error}") from error
        self._bot.history = game.history = History.begin(position)
        if not game.prepared:
            game.prepared = True
            try:
                self._bot.prepare(game.match)
            except Exception as error:
                self._failed(game, "prepare", error)
                return
            if self._patience is None:
                self._say_ready()

    def _moved(self, game: _Game, moved: m.Moved) -> None:
        self._asked = None
        game.left_ms = moved.first + moved.second
        try:
            self._bot.history = game.history = game.history.after(moved.move)
        except GameError as error:
            raise ServerFault(f"the server's move {moved.move} is refused by the rules here: {error}") from error
        if game.history.moves != game.told[: game.history.plies]:
            game.told = game.history.moves
            self._tell(game, moved)

    def _tell(self, game: _Game, message: Told) -> None:
        try:
            self._bot.told(message)
        except Exception as error:
            self._failed(game, "hear what the server told", error)

    def _turn(self, game: _Game, turn: m.Turn) -> None:
        if game.failure is not None:
            return
        game.started, game.left_ms = True, turn.yours + turn.theirs
        if game.answer is None or game.answer[0] != game.history.moves:
            move = self._chosen(game, Clocks(turn.yours, turn.theirs, game.match.increment))
            if move is None:
                return
            game.answer = (game.history.moves, move)
        if not self._connection.has(m.Result):
            self._asked = m.Move(m.Text(game.answer[1]))
            self._connection.send(self._asked)

    def _chosen(self, game: _Game, clocks: Clocks) -> str | None:
        """Ask the bot; None when it failed."""
        try:
            move: object = self._bot.choose(game.history.position, clocks)  # whatever a bot of no types returns
        except Exception as error:
            self._failed(game, "choose a move", error)
            return None
        if isinstance(move, Successor):
            move = move.move
        if not isinstance(move, str):
            shown, kind = f"{move!r:.{MAX_SHOWN}}", type(move).__name__
            right = f"a move as text, as in {moves(game.history.position)[0]!r}, or one of position.successors()"
            sentence = f"{place_of_choose(self._bot)} returned {shown} ({kind}); it has to return {right}"
            self._give_up(game, BadChoice(move, sentence))
            return None
        if not self._bot.checked:
            return move
        try:
            return game.history.position.resolve(move).move
        except GameError as error:
            sentence = f"the bot chose {move!r}, which is no legal move: {error}"
            failure = BadChoice(move, sentence)
            failure.__cause__ = error
            self._give_up(game, failure)
            return None

    def _failed(self, game: _Game, what: str, error: Exception) -> None:
        """Show what went wrong, unless the bot has said it itself, and give up."""
        if isinstance(error, Resigned):
            self._give_up(game, None)
        elif isinstance(error, BotFailed):
            self._give_up(game, error)
        else:
            traceback.print_exception(error)
            failure = BotFailed(f"the bot failed to {what}: {_brief(error)}")
            failure.__cause__ = error
            self._give_up(game, failure)

    def _give_up(self, game: _Game, failure: BotFailed | None) -> None:
        """Give up, if the match is not over already, and say why; it ends with RESULT as any other."""
        over = self._connection.has(m.Result)
        if failure is not None:
            self._failure = failure
            self._report(f"match {game.match.match} {'was over' if over else 'is given up'}: {failure}")
        game.failure = m.Resign() if failure is None else m.Crashed(_printable(str(failure)))
        if not over:
            self._connection.send(game.failure)

    def _over(self, game: _Game, message: m.Result) -> None:
        self._asked, self._game = None, None
        result = GameResult(game.match, message.result, message.reason, message.sentence, game.history)
        self._results.append(result)
        self._report(str(result))
        try:
            self._bot.told(message)
            self._bot.finished(result)
        except Exception as error:
            traceback.print_exception(error)
            self._failure = BotFailed(f"the bot failed after the match: {_brief(error)}")
            self._failure.__cause__ = error
        self._ping()


def _brief(error: Exception) -> str:
    return traceback.format_exception_only(error)[-1].strip()


def _printable(sentence: str) -> m.Text:
    """Return a sentence as a line of the protocol can carry it."""
    text = "".join(character if character.isprintable() else " " for character in sentence).strip()
    return m.Text(text if len(text) <= MAX_SAID else f"{text[: MAX_SAID - 1]}…")
