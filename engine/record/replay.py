"""Reading a record back: rules, clocks and result are replayed, and held against what is written."""

from collections.abc import Callable

from engine.clock import MICROSECONDS, Charge, Clock, Stall
from engine.games.history import History
from engine.games.interface import BadMove
from engine.games.outcome import Outcome, Termination
from engine.record.ending import Claim, Ending
from engine.record.notes import RecordedNote, take_note
from engine.record.reader import WHOLE, RecordReader
from engine.record.signature import WORD, read_signature
from engine.record.summary import Absence, Played, Summary
from engine.record.text import milliseconds
from engine.record.time_use import INITIALISATION, TimeUse
from engine.wire.codes import ProtocolError
from engine.wire.fields import read_note

_WITH_LAG = ("move", "refused", "unanswered", "result", "restarted")
"""What may stand behind a line ``lag``: the answer with which it was written, or the end of the server."""


def verify(text: str) -> Summary:
    """Replay a record: rules, clocks and result. Raises `BadRecord` at the first line that is not true."""
    return _Replay(text).run()


class _Replay(RecordReader):
    """Walks through the lines of a record, keeping what they must agree with."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.stamp = 0  # of the last event: time does not run back
        self.latest = 0  # the same with lost and resumed connections, whose stamps may lie behind what follows
        self.settled = 0  # of all that was written when a clock was last stopped: no TURN was sent before it
        self.noticed = 0  # of the last connection that was lost or resumed
        self.begun = 0  # of the last restart, and of what let clocks run after it
        self.ready = [False, False]
        self.heard = [False, False]  # who was told of the match
        self.absent: list[int | None] = [None, None]  # the stamp since which each side has no connection
        self.absences: list[Absence] = []  # those that are over
        self.uses = [TimeUse(), TimeUse()]
        self.restarted = False
        self.initialised: list[Played] = []
        self.played: list[Played] = []
        self.notes: tuple[RecordedNote, ...] = ()
        self.refused: str | None = None  # the last move, where it was refused
        self.resigned: int | None = None  # the side that gave up
        self.crashed: str | None = None  # what it said of its failure, where that was why
        self.unanswered: int | None = None  # the stamp of the TURN that was under way at the end
        self.over = False  # nothing but the result may follow
        self.lagged = False  # the last line was one of lag
        self.stalls: list[Stall] = []  # which the next span in play has to touch
        self.stood = 0  # when the last stall was over

    def run(self) -> Summary:
        self.header = self._header()
        self.sides = self.header.position.game.sides
        self.history = History.begin(self.header.position)
        self.clock = Clock.full(self.header.control).run(0, 0).run(1, 0)
        while self.at < len(self.lines):
            word, _, rest = self._next().partition(" ")
            self._expect(word)
            handler: Callable[[str], Summary | None] = getattr(self, f"_on_{word}", self._on_unknown)
            summary = handler(rest)
            if summary is not None:
                if self.at < len(self.lines) and self.lines[self.at].startswith(f"{WORD} "):
                    try:
                        summary = summary._replace(signature=read_signature(self._next().removeprefix(f"{WORD} ")))
                    except ValueError:
                        self._fail("a signature is 64 bytes in base64")
                if self.at < len(self.lines):
                    self.at += 1
                    self._fail("nothing but a signature may follow the result")
                self._end()
                return summary
        self._end()
        self._stop_clocks()
        return self._summary()

    def _summary(self) -> Summary:
        return Summary(
            self.header,
            self.history,
            self.clock.left,
            self.stamp,
            max(self.stamp, self.latest),
            (self.ready[0], self.ready[1]),
            (self.heard[0], self.heard[1]),
            self._gone(),
            tuple(self.initialised),
            tuple(self.played),
            self.clock.allowances,
            (self.uses[0], self.uses[1]),
            (*self.absences, *(Absence(side, at, None) for side, at in enumerate(self.absent) if at is not None)),
            self.notes,
            self.refused,
            self.resigned,
            self.crashed,
        )

    def _gone(self) -> tuple[bool, bool]:
        return (self.absent[0] is not None, self.absent[1] is not None)

    def _use(self, side: int, ply: int, now: int) -> None:
        """Take note of what the clock of a side, which still runs, is charged."""
        self.uses[side] = self.uses[side].until(ply, self.clock, side, now, self.header.control.budget)

    def _stop_clocks(self) -> None:
        self.clock = self.clock.stop(0, self.stamp).stop(1, self.stamp)

    def _expect(self, word: str) -> None:
        """Refuse what cannot stand here whatever it says: after the end, or behind a line of lag."""
        if self.over and word != "result" and (word, self.unanswered) != ("unanswered", None):
            self._fail("the game is over already")
        if self.unanswered is not None and word != "result":
            self._fail("nothing but the result follows a TURN that was not answered")
        if self.lagged and word not in _WITH_LAG:
            self._fail("a line of lag stands directly before the other side's move")
        self.lagged = word == "lag"

    def _side(self, word: str) -> int:
        if word not in self.sides:
            self._fail(f"there is no side {word!r}")
        return self.sides.index(word)

    def _advance(self, stamp: int) -> int:
        if stamp < self.stamp:
            self._fail(f"the stamp {milliseconds(stamp)} lies before the one of the last event")
        self.stamp = stamp
        return stamp

    def _left(self, side: int, word: str) -> None:
        if self._time(word) != self.clock.left[side]:
            right = milliseconds(self.clock.left[side])
            self._fail(f"{self.sides[side]} has {right} ms left by the stamps, not {word}")

    def _verdict(self) -> Outcome | None:
        return self.history.verdict(self.header.move_limit)

    def _on_unknown(self, _rest: str) -> None:
        self._fail("this is no event of a record")

    def _on_ready(self, rest: str) -> None:
        name, stamp, left = self._words(rest, "side stamp left")
        side, now = self._present(name), self._stamp(stamp)
        if self.ready[side]:
            self._fail(f"{name} is ready already")
        if now < self.begun:
            self._fail(f"READY cannot have come at {stamp}, before {milliseconds(self.begun)}")
        self._flag(side, now)
        self.ready[side] = True
        if not self.restarted:  # both were told in one go, before either could answer
            self.heard = [True, True]
        self._use(side, INITIALISATION, now)
        running, self.clock = self.clock, self.clock.stop(side, now)
        self._left(side, left)
        self.initialised.append(Played(side, self.clock.left, Charge.of(running, side, now)))
        self._settle(max(self.stamp, now))  # both clocks run, each on its own: READYs come in any order
        self.over = all(self.ready) and self._verdict() is not None

    def _sent(self, word: str) -> int:
        """Read the stamp of a TURN; lost and resumed connections may stand between it and the answer."""
        stamp = self._stamp(word)
        if stamp < self.settled:
            self._fail(f"TURN cannot have been sent at {word}, before what was written at {milliseconds(self.settled)}")
        return stamp

    def _present(self, name: str) -> int:
        """Read the side of something that came over its connection."""
        side = self._side(name)
        if self.absent[side] is not None:
            self._fail(f"{name} has no connection")
        return side

    def _flag(self, side: int, now: int) -> None:
        """Refuse what comes when the side's clock has run out, before a move earns its increment."""
        if self.clock.used_up(side, now):
            over = milliseconds(-self.clock.remaining(side, now))
            self._fail(f"the clock of {self.sides[side]} had run out, {over} ms before")

    def _settle(self, stamp: int) -> None:
        self.stamp = stamp
        self.settled = self.latest = max(stamp, self.latest)

    def _run(self, side: int, sent: int) -> None:
        """Let the clock of the side to move run through the stalls that were written down for it."""
        self.clock = self.clock.run(side, sent)
        for stall in self.stalls:
            self._stalled(stall)
        self.stalls = []

    def _stalled(self, stall: Stall) -> None:
        if not self.clock.touched(stall):
            self._fail(f"no clock ran when the stall at {milliseconds(stall.begin)} began")
        self.clock = self.clock.stalled(stall)

    def _on_stall(self, rest: str) -> None:
        begin, until = map(self._stamp, self._words(rest, "stamp stamp"))
        # a connection may have been lost, and written down, within a stall that was only noticed at its end
        if not self.stood <= begin < until:
            self._fail("a stall ends after it began, and begins after the one before")
        self.stood, self.latest = until, max(self.latest, until)
        stall = Stall(begin, until)
        if all(self.ready):
            if begin < self.settled:
                self._fail(f"no clock ran when the stall at {milliseconds(begin)} began")
            self.stalls.append(stall)
        else:
            self._stalled(stall)

    def _on_lag(self, rest: str) -> None:
        name, time = self._words(rest, "side allowance")
        side, allowance, most = self._side(name), self._time(time), self.header.lag_allowance
        if not 0 <= allowance <= most:
            self._fail(f"the allowance for lag is 0.000 to {milliseconds(most)} here, not {time}")
        if allowance % MICROSECONDS:
            self._fail(f"an allowance for lag is whole milliseconds, not {time}")
        if not all(self.ready) or side == self.history.position.turn:
            self._fail(f"the allowance of {name} changes when the other side moves")
        if allowance == self.clock.allowances[side]:
            self._fail(f"the allowance of {name} is {time} already")
        self.clock = self.clock.allow(side, allowance)

    def _charge(self, name: str, sent: str, received: str) -> tuple[int, Charge]:
        """Take an answer to TURN: return whose it is, and what its clock is charged, which stands then."""
        side = self._present(name)
        if not all(self.ready):
            self._fail("a move before both sides were ready")
        if side != self.history.position.turn:
            self._fail(f"it is not the turn of {name}")
        self._run(side, self._sent(sent))
        now = self._stamp(received)
        if now < self._stamp(sent):
            self._fail(f"the answer at {received} came before TURN was sent, at {sent}")
        self._flag(side, now)
        self._use(side, self.history.plies + 1, now)
        running, self.clock = self.clock, self.clock.stop(side, now)
        self._settle(now)
        return side, Charge.of(running, side, now)

    def _on_move(self, rest: str) -> None:
        ply, name, sent, received, left, move = self._words(rest, "number side sent received left move")
        if ply != str(self.history.plies + 1):
            self._fail(f"this is move {self.history.plies + 1}, not {ply}")
        side, charge = self._charge(name, sent, received)
        self.clock = self.clock.add_increment(side)
        self._left(side, left)
        try:
            self.history = self.history.after(move)
        except BadMove as error:
            self._fail(f"{error.code}: {error}")
        if self.history.moves[-1] != move:
            self._fail(f"the move is written {self.history.moves[-1]}, not {move}")
        self.played.append(Played(side, self.clock.left, charge))
        self.over = self._verdict() is not None

    def _on_refused(self, rest: str) -> None:
        name, sent, received, move = self._words(rest, "side sent received move")
        self._charge(name, sent, received)
        if not move or move != move.strip():
            self._fail("a move is written without blanks around it")
        try:
            self.history.after(move)
        except BadMove:
            self.refused, self.over = move, True
        else:
            self._fail(f"{move} is a legal move")

    def _on_resigned(self, rest: str) -> None:
        name, stamp = self._words(rest, "side stamp")
        self.resigned, self.over = self._present(name), True
        self._advance(self._stamp(stamp))

    def _on_crashed(self, rest: str) -> None:
        words = rest.split(" ", 2)
        self._on_resigned(" ".join(words[:2]))
        self.crashed = words[2] if len(words) > 2 else ""
        if self.crashed != self.crashed.strip() or (len(words) > 2 and not self.crashed):
            self._fail("what a program says is written without blanks around it")

    def _on_unanswered(self, rest: str) -> None:
        name, sent = self._words(rest, "side sent")
        side = self._side(name)
        if not all(self.ready) or side != self.history.position.turn or (self.over and self.resigned is None):
            self._fail(f"{name} was not to move")
        self.unanswered = self._sent(sent)
        self._run(side, self.unanswered)

    def _on_note(self, rest: str) -> None:
        ply, name, said = self._words(rest, "number side note")
        side = self._present(name)
        if not WHOLE.fullmatch(ply):
            self._fail(f"the number of a move is a whole number, not {ply!r}")
        try:
            note = read_note(said)
            if note.ply is not None:
                self._fail("a note names its move before its side")
            noted = take_note(self.notes, self.history, self.sides, side, note._replace(ply=int(ply)))
        except ProtocolError as error:
            self._fail(str(error))
        if not said.isprintable() or noted.line(self.sides) != f"{self.lines[self.at - 1]}\n":
            self._fail(f"the note is written {noted.line(self.sides).rstrip()!r}")
        self.notes = (*self.notes, noted)

    def _presence(self, rest: str) -> int:
        # the server stamps it when it notices, which may be after a move that came before it
        name, stamp = self._words(rest, "side stamp")
        noticed = self._stamp(stamp)
        if noticed < self.latest:
            self._fail(f"the stamp {stamp} lies before {milliseconds(self.latest)}, the latest one so far")
        self.latest = self.noticed = noticed
        return self._side(name)

    def _on_gone(self, rest: str) -> None:
        side = self._presence(rest)
        if self.absent[side] is not None:
            self._fail(f"{self.sides[side]} had no connection already")
        self.absent[side] = self.noticed

    def _on_back(self, rest: str) -> None:
        side = self._presence(rest)
        since = self.absent[side]
        if since is None:
            self._fail(f"{self.sides[side]} had a connection already")
        self.absences.append(Absence(side, since, self.noticed))
        self.heard[side], self.absent[side] = True, None

    def _on_restarted(self, rest: str) -> None:
        (stamp,) = self._words(rest, "stamp")
        now = self._stamp(stamp)
        if now < self.latest:
            self._fail(f"the stamp {stamp} lies before {milliseconds(self.latest)}, the latest one so far")
        self._stop_clocks()  # what ran then is charged up to the last event, and nothing of what nobody wrote down
        self.stalls = []
        self._settle(now)
        self.begun = now
        self.restarted = True
        self.absences += [Absence(side, at, now) for side, at in enumerate(self.absent) if at is not None]
        self.absent = [now, now]

    def _on_runs(self, rest: str) -> None:
        name, stamp = self._words(rest, "side stamp")
        side = self._side(name)
        if not self.restarted or self.ready[side] or self.clock.since[side] is not None:
            self._fail(f"no restart has stopped the clock of {name}, or it runs again already")
        self.begun = self._advance(self._stamp(stamp))
        if self.absent[side] is None and self.begun < self.noticed:
            self._fail(
                f"the clock of {name} cannot run from {stamp}, before it was back at {milliseconds(self.noticed)}"
            )
        self.latest = max(self.latest, self.begun)
        self.clock = self.clock.run(side, self.begun)

    def _on_result(self, rest: str) -> Summary:
        words = rest.split(" ", 5)
        if len(words) < 5:
            self._fail("expected result reason stamp and both clocks")
        result, reason, time, *left = words[:5]
        sentence = words[5] if len(words) > 5 else ""
        if sentence != sentence.strip() or (len(words) > 5 and not sentence):
            self._fail("a sentence is written without blanks around it")
        if result not in (*self.sides, "draw", "annulled"):
            self._fail(f"there is no result {result!r}")
        last = self.stamp
        self._advance(self._stamp(time))
        if self.unanswered is not None and self.stamp < self.unanswered:
            self._fail(f"the match cannot have ended before TURN was sent, at {milliseconds(self.unanswered)}")
        # a crash of the server may have cut off that a TURN was under way
        if self.stalls and self.resigned is None and reason != Termination.SERVER_FAULT:
            self._fail(f"no clock ran when the stall at {milliseconds(self.stalls[0].begin)} began")
        winner = self.sides.index(result) if result in self.sides else None
        ending = Ending(
            self.header,
            self.history,
            self._verdict() if all(self.ready) else None,
            self.refused,
            self.resigned,
            self.crashed,
            all(self.ready),
            (self.absent[0], self.absent[1]),
            self.clock,
            (self.uses[0], self.uses[1]),
            last,
            self.latest,
            self.stamp,
        )
        fault = ending.fault(Claim(result, reason, winner, sentence))
        if fault:
            self._fail(fault)
        for side in (0, 1):
            if self.clock.runs[side]:
                self._use(side, self.history.plies + 1 if all(self.ready) else INITIALISATION, self.stamp)
        self._stop_clocks()
        for side in (0, 1):
            self._left(side, left[side])
        return self._summary()._replace(result=result, reason=reason, sentence=sentence)
