"""Verifies a record: the referee handles its events again, and has to write the same lines."""

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from engine.games.interface import ANNULLED, ENDED_PROGRAM, History, Outcome, Termination
from engine.match import referee
from engine.match.clock import INITIALISATION, Charge, Stall, about
from engine.match.record import BadRecord, Header, RecordReader, milliseconds
from engine.match.signature import WORD, read_signature
from engine.wire.messages import ProtocolError
from engine.wire.words import number_of, without_code

FROM_OUTSIDE = {str(reason): reason for reason in (*ANNULLED, *ENDED_PROGRAM, Termination.ADJUDICATED)}
"""Reasons of an end that follows neither from a move nor from a player's message."""

EVENTS = {
    "ready": ("side", "stamp", "left"),
    "move": ("ply", "side", "sent", "received", "left", "move"),
    "refused": ("side", "sent", "received", "move"),
    "gone": ("side", "stamp"),
    "back": ("side", "stamp"),
    "stall": ("begin", "until"),
    "lag": ("side", "allowance"),
    "restarted": ("stamp",),
    "runs": ("side", "stamp"),
    "note": ("number", "side", "note"),
    "resigned": ("side", "stamp"),
    "crashed": ("side", "stamp", "[sentence]"),
    "unanswered": ("side", "sent"),
    "result": ("result", "reason", "stamp", "first", "second", "[sentence]"),
    WORD: ("base64",),
}
"""The words behind the first word of a line, by that word. The last one may have blanks in it."""

_WITH_LAG = ("move", "refused", "unanswered", "result", "restarted")
"""Events that may stand behind a line ``lag``: the answer with which it was written, or the end of the server."""


class TurnCharge(NamedTuple):
    """A legal move of a record, or a READY: its side, the remaining times then in microseconds, and its charge."""

    side: int
    left: tuple[int, int]
    charge: Charge


class Summary(NamedTuple):
    """A record that was verified: the match as its referee left it, and what the record alone tells."""

    state: referee.MatchState
    """Its clocks are stopped."""
    missing: str
    """Last lines that the record of a match that is over lacks, because the server died."""
    latest: int
    """The largest stamp of any event."""
    heard: tuple[bool, bool]
    """Whether each side is known to have received MATCH: it resumed, or one of both sides was ready before the server
    died for the first time."""
    initialised: tuple[TurnCharge, ...]
    """Each READY."""
    played: tuple[TurnCharge, ...]
    """The moves of the history."""
    refused: str | None
    """The last move as it was typed, where it was not legal."""
    signature: bytes | None
    """The server's signature; None where there is none. Whether it is true, only a key tells."""

    @property
    def header(self) -> Header:
        """The head of the record."""
        return self.state.header

    @property
    def history(self) -> History:
        """The game."""
        return self.state.history

    @property
    def left(self) -> tuple[int, int]:
        """The remaining time of both sides at the end, in microseconds."""
        return self.state.clock.left

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None for a record without a result."""
        return None if self.missing else self.state.outcome

    @property
    def result(self) -> str:
        """The winning side, ``draw``, ``annulled``, or empty for a record without a result."""
        return self.outcome.result(self.state.sides) if self.outcome else ""

    @property
    def reason(self) -> str:
        """The termination; empty for a record without a result."""
        return str(self.outcome.reason) if self.outcome else ""

    @property
    def sentence(self) -> str:
        """The sentence of the result."""
        return self.outcome.detail if self.outcome else ""

    @property
    def winner(self) -> int | None:
        """The side that has won; None for any other result, and for none."""
        return self.outcome.winner if self.outcome else None


def time_account(summary: Summary) -> tuple[str, str]:
    """Return a line for each side of a match that is over: what it used, for what, and what it was not charged."""
    return _account(summary, 0), _account(summary, 1)


def _account(summary: Summary, side: int) -> str:
    state, use = summary.state, summary.state.uses[side]
    turn = "initialisation" if use.ply == INITIALISATION else f"move {use.ply}"
    moves = sum(played.side == side for played in summary.played)
    parts = [f"{state.header.who(side)} used {about(state.used[side])} for {number_of(moves, 'move')}"]
    parts.append(f"most for {turn}: {about(use.longest)}")
    if use.uncharged:
        parts.append(f"not charged for stalls of the server and lag: {about(use.uncharged)}")
    return "; ".join(parts)


def verify(text: str) -> Summary:
    """Verify a record: rules, clocks and result. Raises `BadRecord` at the first line that is not true."""
    return _Verification(text).run()


def finished_match(text: str) -> Summary | None:
    """Verify the complete record of a match; return None if it is not true or has no result."""
    try:
        summary = verify(text)
    except BadRecord:
        return None
    return summary if summary.result else None


class _Verification(RecordReader):
    """Gives the events of a record to the referee, line by line.

    The stamp of a TURN stands in the line of its answer. So the referee gets a TURN, and the stalls during it, when the
    answer is read. It gets a resignation or a crash when the next line shows whether a TURN was under way.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.state = referee.begin(self.header())
        self.word = ""  # of the line that was read last
        self.missing = ""  # lines that have to follow, because the match is over
        self.latest = 0  # largest stamp so far; stamps of lost connections may lie behind those of later lines
        self.settled = 0  # largest stamp when a clock was last stopped: no TURN was sent before it
        self.noticed = 0  # stamp of the last connection that was lost or resumed
        self.stood = 0  # end of the last stall
        self.stalls: list[Stall] = []  # stalls of the turn that is under way
        self.heard = [False, False]
        self.restarted = False
        self.initialised: list[TurnCharge] = []
        self.played: list[TurnCharge] = []
        self.refused: str | None = None
        self.giving_up: Callable[[referee.MatchState], referee.Step] | None = None
        self.signature: bytes | None = None

    def run(self) -> Summary:
        while self.at < len(self.lines):
            word, _, rest = self._next().partition(" ")
            self._expect(word)
            self.word = word
            getattr(self, f"_on_{word}")(*self._words(rest, EVENTS[word]))
        self._end()
        if self.giving_up is not None and self.state.outcome is None:
            self._give_up()
        clock, stamp = self.state.clock, self.state.stamp
        state = replace(self.state, clock=clock.stop(0, stamp).stop(1, stamp))
        return Summary(
            state,
            self.missing,
            max(self.latest, stamp),
            (self.heard[0], self.heard[1]),
            tuple(self.initialised),
            tuple(self.played),
            self.refused,
            self.signature,
        )

    def _expect(self, word: str) -> None:
        """Refuse a line that cannot stand here whatever it says: after the end, or behind a line of lag."""
        if word not in EVENTS:
            self._fail("this is no event of a record")
        if (self.word in ("result", WORD) or word == WORD) and (self.word, word) != ("result", WORD):
            self._fail("a signature stands behind the result, and nothing but a signature may follow it")
        if word != "result" and self.word == "unanswered":
            self._fail("nothing but the result follows a TURN that was not answered")
        over = self.state.outcome is not None or (self.giving_up is not None and word != "unanswered")
        if over and word not in ("result", WORD):
            self._fail("the game is over already")
        if self.word == "lag" and word not in _WITH_LAG:
            self._fail("a line of lag stands directly before the other side's move")

    def _side(self, name: str) -> int:
        if name not in self.state.sides:
            self._fail(f"there is no side {name!r}")
        return self.state.sides.index(name)

    def _present(self, name: str) -> int:
        """Read the side of a message that came over its connection."""
        side = self._side(name)
        if self.state.absent[side] is not None:
            self._fail(f"{name} has no connection")
        return side

    def _later(self, word: str, than: int) -> int:
        """Read a stamp that does not lie before another one."""
        stamp = self._time(word)
        if stamp < than:
            self._fail(f"the stamp {word} lies before {milliseconds(than)}, that of an earlier event")
        return stamp

    def _hold(self, line: str) -> None:
        """Hold the line that was read against the one that the referee has written."""
        read, right = self.lines[self.at - 1], line.removesuffix("\n")
        if read != right:
            self._fail(f"this line is written {right!r}, not {read!r}")

    def _answered(self, step: referee.Step, side: int, now: int) -> TurnCharge:
        """Take the referee's step for READY or MOVE, whose first line has to be the one that was read."""
        clock = self.state.clock
        self.state, effects = step
        line, *following = referee.lines_of(effects)
        if self.state.outcome is not None and not line.startswith(self.word):
            self._fail(without_code(self.state.outcome.detail))
        self._hold(line)
        self.missing = "".join(following)
        self.settled = self.latest = max(self.state.stamp, self.latest)
        return TurnCharge(side, self.state.clock.left, Charge.of(clock, side, now))

    def _on_ready(self, name: str, stamp: str, _left: str) -> None:
        side, now = self._present(name), self._time(stamp)
        if self.state.ready[side]:
            self._fail(f"{name} is ready already")
        if now < self.state.sent:
            self._fail(f"READY cannot have come at {stamp}, before {milliseconds(self.state.sent)}")
        self.initialised.append(self._answered(referee.ready(self.state, side, now), side, now))
        if not self.restarted:  # MATCH was sent to both sides before either could answer
            self.heard = [True, True]

    def _run(self, sent: str) -> None:
        """Let the clock of the side to move run from its TURN on, through the stalls that were written down for it."""
        stamp = self._time(sent)
        if stamp < self.settled:
            self._fail(f"TURN cannot have been sent at {sent}, before what was written at {milliseconds(self.settled)}")
        self.state = referee.start_turn(self.state, stamp)
        for stall in self.stalls:
            self._stall(stall)
        self.stalls = []

    def _stall(self, stall: Stall) -> None:
        self.state, effects = referee.credit_stall(self.state, stall)
        if not effects:
            self._fail(f"no clock ran when the stall at {milliseconds(stall.begin)} began")

    def _on_stall(self, begin: str, until: str) -> None:
        stall = Stall(self._time(begin), self._time(until))
        # a connection may have been lost, and written down, within a stall that was only noticed at its end
        if not self.stood <= stall.begin < stall.until:
            self._fail("a stall ends after it began, and begins after the one before")
        self.stood, self.latest = stall.until, max(self.latest, stall.until)
        if not self.state.playing:
            self._stall(stall)
        elif stall.begin < self.settled:
            self._fail(f"no clock ran when the stall at {milliseconds(stall.begin)} began")
        else:
            self.stalls.append(stall)

    def _on_lag(self, name: str, time: str) -> None:
        side = self._side(name)
        if not self.state.playing or side == self.state.history.position.turn:
            self._fail(f"the allowance of {name} changes when the other side moves")
        self.state, effects = referee.allow_lag(self.state, side, self._time(time))
        if not effects:
            self._fail(f"the allowance of {name} is that already")
        self._hold(referee.lines_of(effects)[0])

    def _answer_to_turn(self, name: str, sent: str, received: str) -> tuple[int, int]:
        """Read the side and the stamp of an answer to TURN."""
        side = self._present(name)
        if not self.state.playing:
            self._fail("a move before both sides were ready")
        if side != self.state.history.position.turn:
            self._fail(f"it is not the turn of {name}")
        self._run(sent)
        now = self._time(received)
        if now < self.state.sent:
            self._fail(f"the answer at {received} came before TURN was sent, at {sent}")
        return side, now

    def _on_move(self, _ply: str, name: str, sent: str, received: str, _left: str, move: str) -> None:
        side, now = self._answer_to_turn(name, sent, received)
        self.played.append(self._answered(referee.move(self.state, side, move, now), side, now))

    def _on_refused(self, name: str, sent: str, received: str, move: str) -> None:
        side, now = self._answer_to_turn(name, sent, received)
        self._answered(referee.move(self.state, side, move, now), side, now)
        self.refused = move

    def _on_resigned(self, name: str, stamp: str) -> None:
        self.giving_up = partial(referee.resign, side=self._present(name), now=self._later(stamp, self.state.stamp))

    def _on_crashed(self, name: str, stamp: str, sentence: str) -> None:
        side, now = self._present(name), self._later(stamp, self.state.stamp)
        if len(sentence) > referee.MAX_SENTENCE_CHARACTERS:
            self._fail(f"a sentence has at most {referee.MAX_SENTENCE_CHARACTERS} characters")
        self.giving_up = partial(referee.report_crash, side=side, sentence=sentence, now=now)

    def _give_up(self) -> None:
        """Let the referee end the match because a player gave up."""
        assert self.giving_up is not None
        self.state, effects = self.giving_up(self.state)
        *given_up, self.missing = referee.lines_of(effects)
        if not given_up and self.state.outcome is not None:
            self._fail(without_code(self.state.outcome.detail))

    def _on_unanswered(self, name: str, sent: str) -> None:
        if not self.state.playing or self._side(name) != self.state.history.position.turn:
            self._fail(f"{name} was not to move")
        self._run(sent)

    def _on_note(self, ply: str, name: str, content: str) -> None:
        try:
            self.state, effects = referee.note(self.state, self._present(name), f"ply={ply} {content}")
        except ProtocolError as error:
            self._fail(str(error))
        self._hold(referee.lines_of(effects)[0])

    def _connection(self, name: str, stamp: str) -> int:
        """Read the side of a connection that was lost or resumed; the server stamps that when it notices."""
        side = self._side(name)
        if (self.state.absent[side] is None) == (self.word == "back"):
            self._fail(f"{name} had {'a' if self.word == 'back' else 'no'} connection already")
        self.latest = self.noticed = self._later(stamp, self.latest)
        return side

    def _on_gone(self, name: str, stamp: str) -> None:
        self.state, _ = referee.disconnect(self.state, self._connection(name, stamp), self.noticed)

    def _on_back(self, name: str, stamp: str) -> None:
        side = self._connection(name, stamp)
        self.heard[side] = True
        self.state, _ = referee.reconnect(self.state, side, self.noticed)

    def _on_restarted(self, stamp: str) -> None:
        now = self._later(stamp, self.latest)
        self.state = replace(referee.restart(self.state, now, now)[0], awaited=None)  # no line says how long it waited
        self.settled = self.latest = now
        self.stalls = []
        self.restarted = True

    def _on_runs(self, name: str, stamp: str) -> None:
        side = self._side(name)
        if self.state.ready[side] or self.state.clock.since[side] is not None:
            self._fail(f"no restart has stopped the clock of {name}, or it runs again already")
        begun = self._later(stamp, self.state.stamp)
        if self.state.absent[side] is None and begun < self.noticed:
            back = milliseconds(self.noticed)
            self._fail(f"the clock of {name} cannot run from {stamp}, before it was back at {back}")
        self.latest = max(self.latest, begun)
        self.state, _ = referee.start_initialisation(self.state, side, begun)

    def _on_signature(self, base64: str) -> None:
        try:
            self.signature = read_signature(base64)
        except ValueError:
            self._fail("a signature is 64 bytes in base64")

    def _on_result(self, result: str, reason: str, stamp: str, _first: str, _second: str, sentence: str) -> None:
        if result not in (*self.state.sides, "draw", "annulled"):
            self._fail(f"there is no result {result!r}")
        now = self._later(stamp, self.state.stamp)
        if now < self.state.sent:
            sent = milliseconds(self.state.sent)
            self._fail(f"the match cannot have ended before TURN was sent, at {sent}")
        # a crash of the server may have cut off that a TURN was under way
        if self.stalls and self.giving_up is None and reason != Termination.SERVER_FAULT:
            self._fail(f"no clock ran when the stall at {milliseconds(self.stalls[0].begin)} began")
        if self.giving_up is not None:
            self._give_up()
        elif self.state.outcome is None:
            self._decide(reason, self.state.sides.index(result) if result in self.state.sides else None, sentence, now)
        self._hold(self.missing)
        self.missing = ""

    def _refusals(self, sentence: str, now: int) -> tuple[str, str]:
        """Read the refused lines of a loss on time, which stand in its sentence alone."""
        fallen = self.state.clock.fallen(max(now, self.state.stamp))
        parts = [
            f"(?:{re.escape(referee.refused(self.state.header, side))}(.+?))?" if fallen[side] else "()"
            for side in (0, 1)
        ]
        # the first one begins behind the sentence of the referee, in which no line of a player stands
        found = re.fullmatch(f".*?{''.join(parts)}", sentence)
        return ("", "") if found is None else (found[1] or "", found[2] or "")

    def _decide(self, reason: str, winner: int | None, sentence: str, now: int) -> None:
        """Let the referee end a match that no move and no player has ended."""
        if reason == Termination.TIME:
            self.state = replace(self.state, refusals=self._refusals(sentence, now))
            self.state, effects = referee.flag(self.state, now)
            if not effects:
                self._fail("no clock that ran has run out")
        elif reason in FROM_OUTSIDE:
            termination = FROM_OUTSIDE[reason]
            if termination in ANNULLED:
                winner = None
            if termination in ENDED_PROGRAM:
                if winner is None or self.state.absent[1 - winner] is None:
                    self._fail("only a side without a connection can lose by the end of its program")
                if not sentence.startswith(f"{self.state.header.who(1 - winner)} "):
                    self._fail(f"the sentence of the result begins with {self.state.header.who(1 - winner)}")
            # after a fault a match is also ended where it stood, without the connections that were lost since
            if termination != Termination.SERVER_FAULT:
                self._later(milliseconds(now), self.latest)
            self.state, effects = referee.end(self.state, Outcome(winner, termination, sentence), now)
            if not effects and not self.state.playing:
                self._fail("a game is adjudicated while it is played")
            if not effects:
                self.state, effects = referee.flag(self.state, now)
        else:
            self._fail(f"nothing in the record ends the match by {reason}")
        self.missing = referee.lines_of(effects)[-1]
