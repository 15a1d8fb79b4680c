"""One match with the bot under test: the referee's messages, said when a situation wants them."""

import secrets
import time
from collections.abc import Callable
from enum import StrEnum
from types import UnionType

from bots.check.bot_under_test import ANSWER_SECONDS, BotUnderTest, Disconnected, Fault, LostOnTime, Peer, Skipped
from engine.games.interface import BadMove, History, Outcome, Position, Termination
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header
from engine.wire import messages as m
from engine.wire.words import word_of

BUDGET_MS = 5000
"""Budget of a match where the bot leaves it open and nothing depends on it."""

SHOWN_MOVES = 3
"""Legal moves that are listed with an illegal one."""


class UnknownReason(StrEnum):
    """Reason of a result that no client knows."""

    NEW_RULE = "by_a_new_rule"


class ConformanceMatch:
    """A match with the bot; the situation plays the other side, whose clock does not run."""

    def __init__(
        self,
        bot: BotUnderTest,
        position: Position | None = None,
        *,
        side: int | None = None,
        budget: int = BUDGET_MS,
        move_limit: int = 1000,
    ) -> None:
        """Bring the bot to a match from that position on, on that side; raises `Skipped` where it seeks another.

        Arguments that are left out are those of the bot's SEEK, or the usual ones.
        """
        self.peer = bot.seeking()
        game, requested = bot.game, bot.options
        if position is not None and position.game is not game:
            raise Skipped(f"the bot seeks {game.name}")
        if position is not None and requested.parameters not in (None, position.parameters):
            raise Skipped(f"the bot seeks params={word_of(requested.parameters or '')}")
        side = requested.side or 0 if side is None else side
        if requested.side not in (None, side):
            raise Skipped(f"the bot seeks colour={game.sides[requested.side or 0]}")
        start = position or game.start(requested.parameters or game.default_parameters)
        self.bot = bot
        self.may_resign = False
        """Whether the bot may resign without fault."""
        self.side = side
        control = TimeControl(requested.budget or budget * m.MICROSECONDS, requested.increment or 0)
        name, opponent = self.peer.name, requested.opponent or "checker"
        players = (opponent, name) if side else (name, opponent)
        self.header = Header(bot.number(), start, players, control, move_limit, "", "")
        self.token = secrets.token_hex(16)
        self._state = referee.begin(self.header)
        self._began = time.monotonic()
        self.is_started = False
        """Whether START was said."""

    # The match.

    @property
    def history(self) -> History:
        """The game."""
        return self._state.history

    @property
    def bot_moves(self) -> bool:
        """Tell whether the bot is to move."""
        return self.history.position.turn == self.side

    @property
    def is_over(self) -> bool:
        """Tell whether the match is over; then RESULT was said."""
        return self._state.outcome is not None

    def first_move(self) -> str:
        """Return the first of the legal moves."""
        return next(self.history.position.children()).move

    def open(self) -> None:
        """Announce the match, wait for READY, and say START."""
        self.announce()
        self.ready()
        self.start()

    def close(self) -> None:
        """End the match without a result, if it is not over."""
        if not self.is_over:
            self.end(None, Termination.SERVER_STOP, "the conformance test has ended the match")

    # What the server says.

    def announce(self) -> None:
        """Say MATCH and BOARD. The bot's clock runs."""
        self.bot.seeks = False
        self._began = time.monotonic()
        self._state, _ = referee.ready(self._state, 1 - self.side, 0)
        self.peer.say(*self._announcement())

    def start(self) -> None:
        """Say START, and RESULT where the game is over before the first move."""
        self.is_started = True
        self.peer.say(m.Start(*self._state.clock.milliseconds(self._now())), *self._result())

    def turn(self, *before: m.Message) -> None:
        """Say TURN, after other messages in the same piece. The bot's clock runs."""
        self.peer.say(*before, referee.turn_message(self._state, self._now()))
        self._state = referee.start_turn(self._state, self._now())

    def answered(self, move: str) -> None:
        """Let the other side play, and say MOVED and TURN in one piece."""
        messages = self.played(move)
        (self.peer.say if self.is_over else self.turn)(*messages)

    def played(self, move: str) -> list[m.Message]:
        """Let the other side play, and return MOVED, with RESULT where that ends the match, without saying it."""
        now = self._now()
        self._state = referee.start_turn(self._state, now)
        return self._take(referee.move(self._state, 1 - self.side, move, now))

    def end(self, winner: int | None, reason: StrEnum, sentence: str) -> None:
        """End the match, and say RESULT."""
        self.peer.say(*self._take(referee.finish(self._state, Outcome(winner, reason, sentence), self._now())))

    def resumed(self, peer: Peer) -> None:
        """Go on over another connection, and tell the bot what it has missed."""
        self.peer = peer
        start = [m.Start(*self._state.clock.milliseconds(self._now()))] if self.is_started else []
        turn = self._state.playing and self._state.clock.since[self.side] is not None
        last = [referee.turn_message(self._state, self._now())] if turn else self._result()
        peer.say(m.Welcome(peer.name), *self._announcement(), *start, *self._state.shown, *last)

    # What the bot says.

    def ready(self) -> None:
        """Wait for READY."""
        self.wait_for(m.Ready, "READY while its clock lasts", "8")
        self._state, _ = referee.ready(self._state, self.side, self._in_time())

    def judge(self, request: m.Move) -> None:
        """Charge a MOVE that was just said, and say MOVED; raises `Fault` where it is not legal."""
        position = self.history.position
        self.peer.say(*self._take(referee.move(self._state, self.side, request.move, self._in_time())))
        try:
            position.child(request.move)
        except BadMove as error:
            raise self._fault(f"said {self.peer.last!r}: {error}", self._legal(), "8") from error

    def exchange(self) -> None:
        """Say TURN, if that was not said, wait for a legal MOVE, charge it, and say MOVED."""
        if self._state.clock.since[self.side] is None:
            self.turn()
        move = self.wait_for(m.Move, "MOVE while its clock lasts", "9")
        assert isinstance(move, m.Move)
        self.judge(move)

    def ply_of_bot(self) -> None:
        """Let the bot move, after a move of the other side where that is to move."""
        if not self.bot_moves:
            self.answered(self.first_move())
        if not self.is_over:
            self.exchange()

    def wait_for(self, kind: type | UnionType, right: str, section: str) -> m.Message:
        """Return the next request of a kind; raises `Fault` when the bot's time is over, or it gives up."""
        falls = referee.deadline(self._state)
        deadline = time.monotonic() + ANSWER_SECONDS if falls is None else self._began + falls / 1_000_000
        while (request := self._said(deadline, right, section)) is not None:
            if isinstance(request, kind):
                return request
        self.peer.say(*self._take(referee.flag(self._state, falls or self._now())))
        raise LostOnTime(
            f"used up its clock ({self.header.control.milliseconds[0]} ms for the match)",
            right,
            section,
            position=self.history.position.text(),
        )

    def silent(self, seconds: float) -> None:
        """See that the bot does not move for so long."""
        until = time.monotonic() + seconds
        while self._said(until, "to wait for TURN", "8") is not None:
            pass

    # Parts.

    def _said(self, deadline: float, right: str, section: str) -> m.Message | None:
        """Return what the bot says but BOARD and MOVES, None when nothing comes in time."""
        while True:
            request = self.peer.request(deadline)
            match request:
                case m.AskBoard() | m.AskMoves():
                    self.peer.say(referee.answer(request, self.history.position))
                case m.Resign() | m.Crashed():
                    return self._given_up(request, right, section)
                case m.Quit():
                    raise Disconnected
                case _:
                    return request

    def _given_up(self, request: m.Message, right: str, section: str) -> m.Message:
        self.peer.say(*self._take(referee.resign(self._state, self.side, self._in_time())))
        if self.may_resign:
            return request
        raise self._fault(f"said {self.peer.last!r}", f"{right}, so that this could be tried", section)

    def _take(self, step: referee.Step) -> list[m.Message]:
        """Take a step of the referee, and return what is said to both players."""
        self._state, effects = step
        return [effect.message for effect in effects if isinstance(effect, referee.Show)]

    def _result(self) -> list[m.Result]:
        return [referee.result(self._state, self._now())] if self.is_over else []

    def _announcement(self) -> tuple[m.Match, m.Board]:
        return referee.announcement(self.header, self.side, self.token), referee.first_board(self.header)

    def _now(self) -> int:
        return int((time.monotonic() - self._began) * 1_000_000)

    def _in_time(self) -> int:
        """Return the stamp of a request that has come before the bot's clock was used up."""
        falls = referee.deadline(self._state)
        return self._now() if falls is None else min(self._now(), falls - 1)

    def _legal(self) -> str:
        legal = self.history.position.legal_moves
        shown = ", ".join(map(repr, legal[:SHOWN_MOVES])) + (", …" if len(legal) > SHOWN_MOVES else "")
        return f"one of the {len(legal)} legal moves of {self._state.sides[self.side]}: {shown}"

    def _fault(self, did: str, right: str, section: str) -> Fault:
        return Fault(did, right, section, position=self.history.position.text())


def wait(match: ConformanceMatch) -> None:
    """Bring the bot to where it waits for the opponent's move."""
    match.open()
    if match.bot_moves:
        match.exchange()


def think(match: ConformanceMatch) -> None:
    """Bring the bot to where it thinks about its move."""
    match.open()
    if match.bot_moves:
        match.turn()
    else:
        match.answered(match.first_move())


Moment = Callable[[ConformanceMatch], None]
"""Brings a bot to a moment of a match."""

MOMENTS: dict[str, Moment] = {"prepares": ConformanceMatch.announce, "waits": wait, "thinks": think}
