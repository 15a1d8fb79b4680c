"""The referee, driven by every sequence of events that hypothesis can think of.

The journal that the referee has written is verified after each step, and read back as after a crash: what it says is
what the referee knows. With ARENA_CAMPAIGN=1 the walks are many times more.
"""

import os
from contextlib import suppress

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from engine.games.catalogue import GAMES
from engine.games.interface import ANNULLED, Outcome, Termination
from engine.match import recovery, referee, verification
from engine.match.clock import Stall, TimeControl
from engine.match.record import Header
from engine.wire.messages import Opponent, ProtocolError

WALKS = settings(max_examples=2000 if os.environ.get("ARENA_CAMPAIGN") else 25, stateful_step_count=40)

SIDES = st.integers(0, 1)
SPANS = st.integers(0, 300_000)


class RefereeMachine(RuleBasedStateMachine):
    """One match, its journal, and crashes of the server at any moment between."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.awaited = {0: False, 1: False}

    @initialize(
        parameters=st.sampled_from(["3 3 9 9", "2 2 5 5", "2 3 5 5"]),
        increment=st.sampled_from([0, 50_000]),
        lag=st.sampled_from([0, 0, 100_000]),
        limit=st.sampled_from([4, 60]),
    )
    def begin(self, parameters: str, increment: int, lag: int, limit: int) -> None:
        position, control = GAMES["gipf"].start(parameters), TimeControl(2_000_000, increment)
        date = "2026-01-02T03:04:05.678Z"
        self.header = Header(7, position, ("ann", "bob"), control, limit, "gipf-arena/test", date, lag)
        self.state = referee.begin(self.header)
        self.journal = self.header.text()

    def take(self, step: referee.Step) -> None:
        """Carry out what the match would carry out."""
        over = self.state.outcome is not None
        self.state, effects = step
        assert not (over and effects), "a match that is over does nothing"
        for effect in effects:
            if isinstance(effect, referee.WriteRecord):
                self.journal += effect.line
            elif isinstance(effect, referee.GiveTurn):
                assert effect.side == self.state.history.position.turn
                self.state = referee.start_turn(self.state, self.now)
            elif isinstance(effect, referee.GiveTime):
                self.take(referee.start_initialisation(self.state, effect.side, self.now))

    @property
    def runs(self) -> bool:
        return self.state.outcome is None

    @property
    def on_turn(self) -> bool:
        side = self.state.history.position.turn
        return self.state.playing and self.state.clock.since[side] is not None and self.is_connected(side)

    def is_connected(self, side: int) -> bool:
        return self.state.absent[side] is None

    @rule(span=SPANS)
    def wait(self, span: int) -> None:
        """Time goes by, but no flag is overlooked, nor is one that has fallen during a stall taken back."""
        began, self.now = self.now, self.now + span
        deadline = referee.deadline(self.state)
        if deadline is not None and deadline <= self.now:
            self.now = max(deadline, self.state.sent, began)
            if self.state.awaited is not None and self.state.awaited.until <= self.now:
                self.awaited = {0: False, 1: False}
            self.take(referee.flag(self.state, self.now))
            deadline = referee.deadline(self.state)
            assert deadline is None or deadline > self.now, "what was due is done"

    @precondition(lambda self: self.runs)
    @rule(span=st.integers(1, 10_000_000))
    def stall(self, span: int) -> None:
        begin, self.now = self.now, self.now + span
        before = [self.state.clock.remaining(side, begin) for side in (0, 1)]
        self.take(referee.credit_stall(self.state, Stall(begin, self.now)))
        assert [self.state.clock.remaining(side, self.now) for side in (0, 1)] == before

    @rule(side=SIDES, late=st.integers(0, 10_000))
    def ready(self, side: int, late: int) -> None:
        """Its line may have come before what was dealt with just now."""
        if self.is_connected(side):
            self.take(referee.ready(self.state, side, max(self.state.sent, self.now - late)))

    @precondition(lambda self: self.runs and self.on_turn)
    @rule(pick=st.integers(0, 1000))
    def move(self, pick: int) -> None:
        legal = self.state.history.position.legal_moves
        side = self.state.history.position.turn
        self.take(referee.move(self.state, side, legal[pick % len(legal)], self.now))

    @precondition(lambda self: self.runs and self.on_turn)
    @rule(text=st.sampled_from(["a1-a9", "nonsense", "a1-b2 w: a1 a2"]))
    def bad_move(self, text: str) -> None:
        self.take(referee.move(self.state, self.state.history.position.turn, text, self.now))

    @precondition(lambda self: self.runs and self.on_turn)
    @rule(lag=st.integers(0, 300_000), pick=st.integers(0, 1000))
    def lag(self, lag: int, pick: int) -> None:
        self.take(referee.allow_lag(self.state, 1 - self.state.history.position.turn, lag))
        self.move(pick)

    @precondition(lambda self: self.runs)
    @rule(side=SIDES)
    def resign(self, side: int) -> None:
        if self.is_connected(side):
            self.take(referee.resign(self.state, side, self.now))

    @precondition(lambda self: self.runs)
    @rule(side=SIDES, sentence=st.sampled_from(["", "ValueError: no move", "x" * 500]))
    def says_crashed(self, side: int, sentence: str) -> None:
        if self.is_connected(side):
            self.take(referee.report_crash(self.state, side, sentence, self.now))

    @precondition(lambda self: self.runs)
    @rule(side=SIDES, ply=st.none() | st.integers(0, 8), times=st.sampled_from([1, 17]))
    def note(self, side: int, ply: int | None, times: int) -> None:
        """A note changes nothing but itself; one that cannot be recorded changes nothing."""
        content = f"{'' if ply is None else f'ply={ply} '}depth=1 text=ż  x"
        for _ in range(times if self.is_connected(side) else 0):
            before, told = replace(self.state, notes=()), len(self.state.notes)
            with suppress(ProtocolError):
                self.take(referee.note(self.state, side, content))
                assert len(self.state.notes) == told + 1
            assert replace(self.state, notes=()) == before

    @precondition(lambda self: self.runs)
    @rule(side=SIDES)
    def drop_or_come_back(self, side: int) -> None:
        if self.is_connected(side):
            step = referee.disconnect(self.state, side, self.now)
            assert step[1][1:] == [referee.Tell(1 - side, Opponent("gone"))]
            self.take(step)
        else:
            self.come_back(side)

    def come_back(self, side: int) -> None:
        self.awaited[side] = False
        step = referee.reconnect(self.state, side, self.now)
        assert step[1][1] == referee.Tell(1 - side, Opponent("back"))
        self.take(step)

    @precondition(lambda self: self.runs)
    @rule(winner=st.sampled_from([None, 0, 1]))
    def adjudicate(self, winner: int | None) -> None:
        self.take(referee.end(self.state, Outcome(winner, Termination.ADJUDICATED, "proven"), self.now))

    @precondition(lambda self: self.runs)
    @rule(why=st.sampled_from(sorted(ANNULLED)))
    def annul(self, why: Termination) -> None:
        self.take(referee.end(self.state, Outcome(None, why, "so  it is"), self.now))

    @precondition(lambda self: self.runs)
    @rule(torn=st.integers(0, 30), down=SPANS, back=st.sampled_from([(0, 1), (1, 0), (0,), (1,), ()]))
    def die(self, torn: int, down: int, back: tuple[int, ...]) -> None:
        """The server dies, and its last line may be torn; it is started again, and some players come back."""
        data = self.journal.encode() + b"move 1 white 12.000 100000000.000"[:torn]
        leftover = recovery.examine(7, data)
        assert leftover.fault is None and leftover.summary is not None
        self.journal = leftover.text
        self.now = max(self.now, leftover.summary.latest) + down
        history = self.state.history
        self.state, lines = recovery.restore(leftover.summary, self.now, self.now + 250_000)
        assert self.state.history == history and self.state.clock.since == (None, None)
        self.journal += lines
        self.awaited = {0: True, 1: True}
        for side in back:
            if self.runs:
                self.come_back(side)

    @invariant()
    def a_clock_runs_while_its_player_is_to_answer_and_not_awaited(self) -> None:
        if not hasattr(self, "journal") or not self.runs:
            return
        turn = self.state.history.position.turn if self.state.playing else None
        for side in (0, 1):
            is_due = side == turn or not self.state.ready[side]
            assert (self.state.clock.since[side] is not None) == (is_due and not self.awaited[side])
            assert self.state.gone[side] != self.is_connected(side)

    @invariant()
    def the_journal_says_what_the_referee_knows(self) -> None:
        if not hasattr(self, "journal"):
            return
        summary = verification.verify(self.journal)
        assert summary.header == self.header
        assert summary.history.moves == self.state.history.moves
        assert summary.state.ready == self.state.ready
        assert summary.state.notes == self.state.notes
        for side in (0, 1):
            if self.state.clock.since[side] is None:
                assert summary.left[side] == self.state.clock.left[side]
        outcome = self.state.outcome
        if outcome is None:
            assert summary.result == ""
        else:
            assert (summary.result, summary.reason) == (outcome.result(self.state.sides), outcome.reason)
            assert self.state.clock.since == (None, None) and referee.deadline(self.state) is None


TestReferee = RefereeMachine.TestCase
TestReferee.settings = WALKS
