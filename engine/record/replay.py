"""Reading a record back: rules, clocks and result are replayed, and held against what is written."""

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import NoReturn

from engine.clock import MICROSECONDS, Charge, Clock, Stall, TimeControl
from engine.games.catalogue import GAMES, unknown_game
from engine.games.history import History
from engine.games.interface import BadMove, GameError
from engine.games.outcome import Outcome, Termination
from engine.record.ending import Claim, Ending
from engine.record.summary import BadRecord, Played, Summary
from engine.record.text import VERSION, Header, milliseconds

TIME = re.compile(r"-?(0|[1-9][0-9]{0,14})\.[0-9]{3}")
"""Milliseconds with three decimals."""

WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")
"""A whole number, as it is written."""

_WITH_LAG = ("move", "refused", "unanswered", "result", "restarted")
"""What may stand behind a line ``lag``: the answer with which it was written, or the end of the server."""


def verify(text: str) -> Summary:
    """Replay a record: rules, clocks and result. Raises `BadRecord` at the first line that is not true."""
    return _Replay(text).run()


class _Replay:
    """Walks through the lines of a record, keeping what they must agree with."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.at = 0  # lines read so far: also the number, from 1, of the line last read
        self.stamp = 0  # of the last event: time does not run back
        self.latest = 0  # the same with lost and resumed connections, whose stamps may lie behind what follows
        self.settled = 0  # of all that was written when a clock was last stopped: no TURN was sent before it
        self.noticed = 0  # of the last connection that was lost or resumed
        self.begun = 0  # of the last restart, and of what let clocks run after it
        self.ready = [False, False]
        self.heard = [False, False]  # who was told of the match
        self.gone = [False, False]  # who has no connection
        self.restarted = False
        self.initialised: list[Played] = []
        self.played: list[Played] = []
        self.refused: str | None = None  # the last move, where it was refused
        self.resigned: int | None = None  # the side that gave up
        self.crashed: str | None = None  # what it said of its failure, where that was why
        self.unanswered: int | None = None  # the stamp of the TURN that was under way at the end
        self.over = False  # nothing but the result may follow
        self.lagged = False  # the last line was one of lag
        self.stalls: list[Stall] = []  # which the next span in play has to touch
        self.stood = 0  # when the last stall was over

    def run(self) -> Summary:
        self.header = self._read_header()
        self.sides = self.header.position.game.sides
        self.history = History.begin(self.header.position)
        self.clock = Clock.full(self.header.control).run(0, 0).run(1, 0)
        while self.at < len(self.lines):
            word, _, rest = self._next().partition(" ")
            self._expect(word)
            handler: Callable[[str], Summary | None] = getattr(self, f"_on_{word}", self._on_unknown)
            summary = handler(rest)
            if summary is not None:
                if self.at < len(self.lines):
                    self.at += 1
                    self._fail("nothing may follow the result")
                return summary
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
            (self.gone[0], self.gone[1]),
            tuple(self.initialised),
            tuple(self.played),
            self.clock.allowances,
            self.refused,
            self.resigned,
            self.crashed,
        )

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

    def _fail(self, sentence: str) -> NoReturn:
        raise BadRecord(self.at, sentence)

    def _next(self) -> str:
        if self.at >= len(self.lines):
            raise BadRecord(self.at + 1, "the record ends before its first position is complete")
        self.at += 1
        return self.lines[self.at - 1]

    def _value(self, name: str) -> str:
        line = self._next()
        word, _, value = line.partition(" ")
        if word != name or not value:
            self._fail(f"expected {name} and its value, not {line!r}")
        if value != value.strip():
            self._fail(f"{name} is written without blanks around it, not {value!r}")
        return value

    def _number(self, name: str) -> int:
        value = self._value(name)
        if not WHOLE.fullmatch(value):
            self._fail(f"{name} is a whole number without zeros before it, not {value!r}")
        return int(value)

    def _time(self, word: str) -> int:
        if not TIME.fullmatch(word):
            self._fail(f"a time is written in milliseconds with three decimals, not {word!r}")
        time = int(word.replace(".", ""))
        if time == 0 and word.startswith("-"):
            self._fail(f"nothing is written 0.000, not {word!r}")
        return time

    def _stamp(self, word: str) -> int:
        if word.startswith("-"):
            self._fail(f"a stamp counts from the beginning of the match, and is not {word!r}")
        return self._time(word)

    def _read_header(self) -> Header:
        version = self._number("arena-record")
        if version != VERSION:
            self._fail(f"version {version} of the format; this program reads version {VERSION}")
        match = self._number("match")
        name = self._value("game")
        game = GAMES.get(name)
        if game is None:
            raise BadRecord(self.at, unknown_game(name))
        word, _, parameters = self._next().partition(" ")
        if word != "parameters":
            self._fail(f"expected parameters and their values, not {self.lines[self.at - 1]!r}")
        players = self._value(game.sides[0]), self._value(game.sides[1])
        budget = self._time(self._value("budget"))
        if budget <= 0:
            self._fail("a budget is more than nothing")
        increment = self._time(self._value("increment"))
        if increment < 0:
            self._fail("an increment is nothing or more")
        control = TimeControl(budget, increment)
        lag = 0
        if self.at < len(self.lines) and self.lines[self.at].startswith("lag-allowance "):
            lag = self._time(self._value("lag-allowance"))
            if lag <= 0:
                self._fail("an allowance for lag is more than nothing; where there is none the line is left out")
        limit, server, started = self._number("move-limit"), self._value("server"), self._value("started")
        if self._next() != "position":
            self._fail("expected the first position")
        first = self.at
        while self.at < len(self.lines) and self.lines[self.at].startswith("|"):
            self.at += 1
        try:
            position = game.read("\n".join(line[2:] for line in self.lines[first : self.at]))
        except GameError as error:
            raise BadRecord(first + 1, f"the first position cannot be read: {error}") from None
        if position.parameters != parameters:
            self._fail(f"the position has the parameters {position.parameters}, not {parameters}")
        written = [f"| {line}" for line in position.text().splitlines()]
        for number, (line, right) in enumerate(zip_longest(self.lines[first : self.at], written), first + 1):
            if line != right:
                raise BadRecord(number, f"this line of the position is written {right!r}, not {line!r}")
        return Header(match, position, players, control, limit, server, started, lag)

    def _words(self, rest: str, names: str) -> list[str]:
        words = rest.split(" ", names.count(" "))
        if len(words) != names.count(" ") + 1 or "" in words[:-1]:
            self._fail(f"expected {names}")
        return words

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
        if self.gone[side]:
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
        if self.gone[side]:
            self._fail(f"{self.sides[side]} had no connection already")
        self.gone[side] = True

    def _on_back(self, rest: str) -> None:
        side = self._presence(rest)
        if not self.gone[side]:
            self._fail(f"{self.sides[side]} had a connection already")
        self.heard[side], self.gone[side] = True, False

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
        self.gone = [True, True]

    def _on_runs(self, rest: str) -> None:
        name, stamp = self._words(rest, "side stamp")
        side = self._side(name)
        if not self.restarted or self.ready[side] or self.clock.since[side] is not None:
            self._fail(f"no restart has stopped the clock of {name}, or it runs again already")
        self.begun = self._advance(self._stamp(stamp))
        if not self.gone[side] and self.begun < self.noticed:
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
            (self.gone[0], self.gone[1]),
            self.clock,
            last,
            self.latest,
            self.stamp,
        )
        fault = ending.fault(Claim(result, reason, winner, sentence))
        if fault:
            self._fail(fault)
        self._stop_clocks()
        for side in (0, 1):
            self._left(side, left[side])
        return self._summary()._replace(result=result, reason=reason, sentence=sentence)
