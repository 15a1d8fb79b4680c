"""One match with the bot under test: messages, clocks, and verification of the bot's moves."""

import secrets
import time

from bots.check.bot_under_test import ANSWER_SECONDS, BotUnderTest
from bots.check.peer import Left, Peer
from bots.check.report import Fault, OutOfTime, Skipped
from engine.games.history import History
from engine.games.interface import BadMove, Position, moves
from engine.match.clock import Clock, TimeControl
from engine.wire import messages as m
from engine.wire.codes import Code
from engine.wire.messages import MICROSECONDS
from engine.wire.words import word_of

BUDGET_MS = 5000
"""Budget of a match where the bot leaves it open and nothing depends on it."""

MOVE_LIMIT = 1000
MAX_ASKED = 8
"""BOARD and MOVES, each, in a turn."""

OPPONENT = "checker"

SECOND = 1_000_000
"""Microseconds in a second: the unit of the clocks, and of `_now`."""

SHOWN_MOVES = 3
"""Legal moves that are listed with an illegal one."""


class ConformanceMatch:
    """A match with the bot; the situation plays the other side."""

    def __init__(
        self,
        bot: BotUnderTest,
        position: Position | None = None,
        *,
        side: int | None = None,
        budget: int | None = None,
        increment: int = 0,
        move_limit: int = MOVE_LIMIT,
    ) -> None:
        """Bring the bot to a match from that position on, on that side; raises `Skipped` where it seeks another.

        What is left out is as the bot wishes, or as usual.
        """
        self.peer = bot.seeking()
        game, wish = bot.game, bot.options
        if position is not None and position.game is not game:
            raise Skipped(f"the bot seeks {game.name}")
        if position is not None and wish.parameters not in (None, position.parameters):
            raise Skipped(f"the bot seeks params={word_of(wish.parameters or '')}")
        side = wish.side or 0 if side is None else side
        if wish.side not in (None, side):
            raise Skipped(f"the bot seeks colour={game.sides[wish.side or 0]}")
        start = position or game.start(wish.parameters or game.default_parameters)
        self.bot = bot
        self.may_resign = False
        """Whether the bot may resign without fault."""
        self.lists_moves = True
        """Whether MOVES is answered with the list."""
        self.side = side
        self.name = start.game.sides[side]
        self.history = History.begin(start)
        usual = TimeControl.of_milliseconds(budget or BUDGET_MS, increment)
        self.control = TimeControl(
            wish.budget or usual.budget, usual.increment if wish.increment is None else wish.increment
        )
        self._limit = move_limit
        self.number = bot.number()
        self.token = secrets.token_hex(16)
        self._opponent = wish.opponent or OPPONENT
        self._shown: list[m.Moved] = []
        self._started = self._ended = False
        self._asked: dict[type, int] = {}
        self._clock = Clock.full(self.control)

    # What the server says.

    def announce(self) -> None:
        """Say MATCH and BOARD. The bot's clock runs."""
        self.bot.seeks = False
        self._clock = self._clock.run(self.side, _now())
        self.peer.say(self._match(), m.board_of(self.history.start.text()))

    def start(self) -> None:
        """Say START."""
        self._started = True
        self.peer.say(self._start())

    def turn(self, *before: m.Message) -> None:
        """Say TURN, after other messages in the same piece. The bot's clock runs."""
        self._asked.clear()
        left = self._clock.milliseconds(_now())
        self.peer.say(*before, m.Turn(left[self.side], left[1 - self.side]))
        self._clock = self._clock.run(self.side, _now())

    def moved(self, move: str) -> None:
        """Let the other side play, and say MOVED."""
        self.peer.say(self.played(move))

    def answered(self, move: str) -> None:
        """Let the other side play, and say MOVED and TURN in one piece."""
        self.turn(self.played(move))

    def result(self, result: str, reason: str, sentence: str = "") -> None:
        """Say RESULT."""
        self._ended = True
        self.peer.result(self.result_message(result, reason, sentence))

    def result_message(self, result: str, reason: str, sentence: str = "") -> m.Result:
        """Return RESULT with the clocks of this moment."""
        return m.Result(self.number, result, reason, *self._clock.milliseconds(_now()), m.Text(sentence))

    def ends(self, move: str) -> bool:
        """Tell whether a move ends the match."""
        return self.history.after(move).verdict(self._limit) is not None

    def over(self) -> bool:
        """Say RESULT if the rules have ended the game, and tell whether it was said."""
        outcome = self.history.verdict(self._limit)
        if outcome is not None and not self._ended:
            self.result(outcome.result(self.history.position.game.sides), str(outcome.termination), outcome.detail)
        return self._ended

    def close(self) -> None:
        """Say RESULT, if that was not said: of the rules, or that there is none."""
        if not self.over():
            self.result("annulled", "server_stop", "this is all that was to be tried")

    # What the bot says.

    def ready(self) -> None:
        """Wait for READY."""
        while not isinstance(self.request("READY while its clock lasts", "8"), m.Ready):
            pass
        self._clock = self._clock.stop(self.side, _now())

    def opening(self) -> None:
        """Announce, wait for READY, and start."""
        self.announce()
        self.ready()
        self.start()

    def asked(self) -> m.Move:
        """Wait for MOVE, and return it as it was said."""
        while True:
            request = self.request("MOVE while its clock lasts", "9")
            if isinstance(request, m.Move):
                return request

    def answer(self) -> None:
        """Wait for a legal MOVE, charge it, and say MOVED."""
        self.judge(self.asked())

    def judge(self, request: m.Move) -> None:
        """Charge a MOVE that was just said, and say MOVED; raises `Fault` where it is not legal."""
        clock = self._clock.stop(self.side, _now())
        try:
            history = self.history.after(request.move)
        except BadMove as error:
            where = f"{self.name} played {request.move!r}, {error.code}: {error}"
            self.result(self._others_name(), "bad_move", where)
            raise self._fault(f"said {self.peer.last!r}: {error}", self._legal(), "8") from error
        self._clock = clock.add_increment(self.side)
        self.history = history
        self.peer.say(self._note_moved(self.name))

    def exchange(self) -> None:
        """Say TURN, and wait for a legal move."""
        self.turn()
        self.answer()

    @property
    def bot_moves(self) -> bool:
        """Tell whether the bot is to move."""
        return self.history.position.turn == self.side

    def first_move(self) -> str:
        """Return the first of the legal moves."""
        return next(self.history.position.successors()).move

    def ply(self) -> None:
        """Play one move: the bot's, or the first one of the other side."""
        if self.bot_moves:
            self.exchange()
        else:
            self.moved(self.first_move())

    def turn_to_bot(self) -> None:
        """Say TURN, after a move of the other side where that is to move."""
        if not self.bot_moves:
            self.moved(self.first_move())
        self.turn()

    def request(self, right: str, section: str) -> m.Message:
        """Return what the bot says but BOARD and MOVES; raises `Fault` when its time is over, or it gives up."""
        falls = self._clock.deadline()
        deadline = time.monotonic() + ANSWER_SECONDS if falls is None else falls / SECOND
        request = self._said(deadline, right, section)
        if request is None:
            milliseconds = self.control.milliseconds[0]
            self.result(self._others_name(), "time", f"{self.name} ran out of time")
            did = f"used up its clock ({milliseconds} ms for the match)"
            raise OutOfTime(did, right, section, position=self.history.position.text())
        return request

    def silent(self, seconds: float) -> None:
        """See that the bot does not move for so long."""
        until = time.monotonic() + seconds
        while self._said(until, "to wait for TURN", "8") is not None:
            pass

    def resumed(self, peer: Peer) -> None:
        """Go on over another connection, and tell the bot what it has missed but TURN and RESULT."""
        self.peer = peer
        start = [self._start()] if self._started else []
        peer.say(m.Welcome(peer.name), self._match(), m.board_of(self.history.start.text()), *start, *self._shown)

    # Parts.

    def _said(self, deadline: float, right: str, section: str) -> m.Message | None:
        """Return what the bot says but BOARD and MOVES, None when nothing comes in time."""
        while True:
            try:
                request = self.peer.request(deadline)
            except Left as left:
                self.bot.lost()
                did = "closed the connection in the middle of a match"
                raise self._fault(did, f"{right}; who gives up says RESIGN", "1.8") from left
            match request:
                case m.AskBoard():
                    self._reply(request, m.board_of(self.history.position.text()))
                case m.AskMoves():
                    self._reply(request, m.Moves(m.Block(tuple(moves(self.history.position)))))
                case m.Resign():
                    self.result(self._others_name(), "resign", f"{self.name} resigned")
                    if self.may_resign:
                        return request
                    raise self._fault("said 'RESIGN'", f"{right}, so that this could be tried", section)
                case m.Crashed(sentence):
                    says = f", and says: {sentence!r}" if sentence else ""
                    self.result(self._others_name(), "crashed", f"{self.name} crashed{says}")
                    if self.may_resign:
                        return request
                    raise self._fault(f"said {self.peer.last!r}", f"{right}; its program has failed", section)
                case m.Quit():
                    self.peer.say(m.Bye("quit", m.Text("goodbye")))
                    self.bot.lost()
                    raise self._fault("said 'QUIT' in the middle of a match", f"{right}; to give up, RESIGN", "1.8")
                case _:
                    return request

    def _reply(self, request: m.Message, reply: m.Message) -> None:
        kind = type(request)
        self._asked[kind] = self._asked.get(kind, 0) + 1
        if self._asked[kind] > MAX_ASKED:
            self.peer.refuse(Code.TOO_MANY, f"{MAX_ASKED} times in a turn is enough")
            raise self._fault(f"said {self.peer.last!r} more than {MAX_ASKED} times in a turn", "less of it", "14")
        if isinstance(request, m.AskMoves) and not self.lists_moves:
            self.peer.refuse(Code.TOO_MANY, "more moves are legal than can be listed")
        else:
            self.peer.say(reply)

    def played(self, move: str) -> m.Moved:
        """Let the other side play, and return MOVED, without saying it."""
        self.history = self.history.after(move)
        return self._note_moved(self._others_name())

    def _note_moved(self, name: str) -> m.Moved:
        text = m.Text(self.history.moves[-1])
        moved = m.Moved(self.history.plies, name, *self._clock.milliseconds(_now()), text)
        self._shown.append(moved)
        return moved

    def _match(self) -> m.Match:
        game, parameters = self.history.start.game.name, word_of(self.history.start.parameters)
        milliseconds = self.control.milliseconds
        return m.Match(self.number, game, parameters, self.name, self._opponent, *milliseconds, self._limit, self.token)

    def _start(self) -> m.Start:
        return m.Start(*self._clock.milliseconds(_now()))

    def _others_name(self) -> str:
        return self.history.start.game.sides[1 - self.side]

    def _legal(self) -> str:
        legal = moves(self.history.position)
        shown = ", ".join(map(repr, legal[:SHOWN_MOVES])) + (", …" if len(legal) > SHOWN_MOVES else "")
        return f"one of the {len(legal)} legal moves of {self.name}: {shown}"

    def _fault(self, did: str, right: str, section: str) -> Fault:
        return Fault(did, right, section, position=self.history.position.text())


def _now() -> int:
    return time.monotonic_ns() // MICROSECONDS
