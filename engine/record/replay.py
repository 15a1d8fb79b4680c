"""Reading a record back: rules, clocks and result are replayed, and held against what is written."""

import re
from collections.abc import Callable
from typing import Any

from engine.catalogue import GAMES
from engine.clock import Charge, Clock, Stall, TimeControl
from engine.game import BadMove, GameError
from engine.history import History
from engine.outcome import ANNULLED, Outcome, Termination
from engine.record.summary import BadRecord, Played, Summary
from engine.record.text import VERSION, Header, milliseconds

TIME = re.compile(r"-?[0-9]{1,15}\.[0-9]{3}")
"""Milliseconds with three decimals."""

_BY_THE_SERVER = ANNULLED | {Termination.ADJUDICATED, Termination.CRASHED}
"""How a match ends, at any time, without anything that a player does or fails to do."""


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
        self.settled = 0  # of the last event that stopped a clock: no TURN was sent before it
        self.ready = [False, False]
        self.heard = [False, False]  # who was told of the match
        self.gone = [False, False]  # who has no connection
        self.restarted = False
        self.initialised: list[Played] = []
        self.played: list[Played] = []
        self.refused: str | None = None  # the last move, where it was refused
        self.resigned: int | None = None  # the side that gave up
        self.crashed: str | None = None  # what it said of its failure, where that was why
        self.stalls: list[Stall] = []  # which the next span in play has to touch
        self.stood = 0  # when the last stall was over

    def run(self) -> Summary:
        self.header = self._read_header()
        self.sides = self.header.position.game.sides
        self.history = History.begin(self.header.position)
        self.clock = Clock.full(self.header.control).run(0, 0).run(1, 0)
        while self.at < len(self.lines):
            word, _, rest = self._next().partition(" ")
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

    def _fail(self, sentence: str) -> Any:
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
        return value

    def _number(self, name: str) -> int:
        value = self._value(name)
        if not re.fullmatch(r"[0-9]{1,15}", value):
            self._fail(f"{name} is a whole number, not {value!r}")
        return int(value)

    def _time(self, word: str) -> int:
        if not TIME.fullmatch(word):
            self._fail(f"a time is written in milliseconds with three decimals, not {word!r}")
        return int(word.replace(".", ""))

    def _read_header(self) -> Header:
        version = self._number("arena-record")
        if version != VERSION:
            self._fail(f"version {version} of the format; this program reads version {VERSION}")
        match = self._number("match")
        name = self._value("game")
        game = GAMES.get(name)
        if game is None:
            raise BadRecord(self.at, f"there is no game {name!r}; there is {', '.join(GAMES)}")
        parameters = self._next().partition(" ")[2]
        players = self._value(game.sides[0]), self._value(game.sides[1])
        control = TimeControl(self._time(self._value("budget")), self._time(self._value("increment")))
        lag = 0
        if self.at < len(self.lines) and self.lines[self.at].startswith("lag-allowance "):
            lag = self._time(self._value("lag-allowance"))
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

    def _in_play(self) -> None:
        if self.refused is not None or self.resigned is not None or self._verdict() is not None:
            self._fail("the game is over already")

    def _verdict(self) -> Outcome | None:
        return self.history.verdict(self.header.move_limit)

    def _on_unknown(self, _rest: str) -> None:
        self._fail("this is no event of a record")

    def _on_ready(self, rest: str) -> None:
        name, stamp, left = self._words(rest, "side stamp left")
        side = self._side(name)
        if self.ready[side]:
            self._fail(f"{name} is ready already")
        self.ready[side] = True
        if not self.restarted:  # both were told in one go, before either could answer
            self.heard = [True, True]
        running, self.clock = self.clock, self.clock.stop(side, self._advance(self._time(stamp)))
        self._left(side, left)
        self.initialised.append(Played(side, self.clock.left, Charge.of(running, side, self.stamp)))
        self.settled = self.stamp

    def _sent(self, word: str) -> int:
        """Read the stamp of a TURN; lost and resumed connections may stand between it and the answer."""
        stamp = self._time(word)
        if stamp < self.settled:
            self._fail(f"TURN cannot have been sent at {word}, before the other side's move")
        return stamp

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
        begin, until = map(self._time, self._words(rest, "stamp stamp"))
        if not self.stood <= begin < until:
            self._fail("a stall ends after it began, and begins after the one before")
        self.stood, self.latest = until, max(self.latest, until)
        stall = Stall(begin, until)
        if all(self.ready):
            self._in_play()
            self.stalls.append(stall)
        else:
            self._stalled(stall)

    def _on_lag(self, rest: str) -> None:
        name, time = self._words(rest, "side allowance")
        allowance, most = self._time(time), self.header.lag_allowance
        if not 0 <= allowance <= most:
            self._fail(f"the allowance for lag is 0.000 to {milliseconds(most)} here, not {time}")
        self.clock = self.clock.allow(self._side(name), allowance)

    def _charge(self, side: int, sent: str, received: str) -> Charge:
        if not all(self.ready):
            self._fail("a move before both sides were ready")
        if side != self.history.position.turn:
            self._fail(f"it is not the turn of {self.sides[side]}")
        self._in_play()
        self._run(side, self._sent(sent))
        running, self.clock = self.clock, self.clock.stop(side, self._advance(self._time(received)))

        self.settled = self.stamp
        return Charge.of(running, side, self.stamp)
        if self.clock.left[side] <= 0:
            self._fail(f"the clock of {self.sides[side]} had run out by {milliseconds(-self.clock.left[side])} ms")

    def _on_move(self, rest: str) -> None:
        ply, name, sent, received, left, move = self._words(rest, "number side sent received left move")
        side = self._side(name)
        if ply != str(self.history.plies + 1):
            self._fail(f"this is move {self.history.plies + 1}, not {ply}")
        charge = self._charge(side, sent, received)
        self.clock = self.clock.add_increment(side)
        self._left(side, left)
        try:
            self.history = self.history.after(move)
        except BadMove as error:
            self._fail(f"{error.code}: {error}")
        if self.history.moves[-1] != move:
            self._fail(f"the move is written {self.history.moves[-1]}, not {move}")
        self.played.append(Played(side, self.clock.left, charge))

    def _on_refused(self, rest: str) -> None:
        name, sent, received, move = self._words(rest, "side sent received move")
        self._charge(self._side(name), sent, received)
        try:
            self.history.after(move)
        except BadMove:
            self.refused = move
        else:
            self._fail(f"{move} is a legal move")

    def _on_resigned(self, rest: str) -> None:
        name, stamp = self._words(rest, "side stamp")
        self._in_play()
        self.resigned = self._side(name)
        self._advance(self._time(stamp))

    def _on_crashed(self, rest: str) -> None:
        words = rest.split(" ", 2)
        self._on_resigned(" ".join(words[:2]))
        self.crashed = words[2] if len(words) > 2 else ""

    def _on_unanswered(self, rest: str) -> None:
        name, sent = self._words(rest, "side sent")
        side = self._side(name)
        if not all(self.ready) or side != self.history.position.turn:
            self._fail(f"{name} was not to move")
        self._run(side, self._sent(sent))

    def _presence(self, rest: str) -> int:
        # the server stamps it when it notices, which may be after a move that came before it
        name, stamp = self._words(rest, "side stamp")
        self.latest = max(self.latest, self._time(stamp))
        return self._side(name)

    def _on_gone(self, rest: str) -> None:
        self.gone[self._presence(rest)] = True

    def _on_back(self, rest: str) -> None:
        side = self._presence(rest)
        self.heard[side], self.gone[side] = True, False

    def _on_restarted(self, rest: str) -> None:
        (stamp,) = self._words(rest, "stamp")
        if self.refused is not None or self.resigned is not None or (all(self.ready) and self._verdict() is not None):
            self._fail("the game is over already")
        if self._time(stamp) < self.latest:
            self._fail(f"the stamp {stamp} lies before that of a connection, {milliseconds(self.latest)}")
        self._stop_clocks()  # what ran then is charged up to the last event, and nothing of what nobody wrote down
        self.stalls = []
        self.settled = self._advance(self._time(stamp))
        self.restarted = True
        self.gone = [True, True]

    def _on_runs(self, rest: str) -> None:
        name, stamp = self._words(rest, "side stamp")
        side = self._side(name)
        if not self.restarted or self.ready[side] or self.clock.since[side] is not None:
            self._fail(f"no restart has stopped the clock of {name}, or it runs again already")
        self.clock = self.clock.run(side, self._advance(self._time(stamp)))

    def _on_result(self, rest: str) -> Summary:
        words = rest.split(" ", 5)
        if len(words) < 5:
            self._fail("expected result reason stamp and both clocks")
        result, reason, *times = words[:5]
        before = self.stamp
        self._advance(self._time(times[0]))
        if self.stamp > before and self.clock.since == (None, None) and reason not in _BY_THE_SERVER:
            self._fail(f"the match ended at {milliseconds(before)}, with the last event")
        if result not in (*self.sides, "draw", "annulled"):
            self._fail(f"there is no result {result!r}")
        winner = self.sides.index(result) if result in self.sides else None
        self._check_result(result, reason, winner, times[1:])
        sentence = words[5] if len(words) > 5 else ""
        return self._summary()._replace(result=result, reason=reason, sentence=sentence)

    def _check_result(self, result: str, reason: str, winner: int | None, left: list[str]) -> None:
        """Hold the result against the board, the refused move and the clocks."""
        turn = self.history.position.turn
        if self.refused is not None and (reason, winner) != (Termination.BAD_MOVE, 1 - turn):
            self._fail(f"{self.sides[turn]} played an illegal move and has lost by {Termination.BAD_MOVE}")
        on_board = self._verdict()
        if on_board is not None:
            if (result, reason) != (on_board.result(self.sides), on_board.termination):
                right = f"{on_board.result(self.sides)} {on_board.termination}"
                self._fail(f"the game ended as {right}, not {result} {reason}")
        elif reason == Termination.BAD_MOVE:
            if self.refused is None:
                self._fail("no illegal move was played")
        elif reason == Termination.TIME:
            late = [side for side in (0, 1) if self.clock.fallen(self.stamp)[side]]
            if not late:
                self._fail("no clock that ran has run out")
            if winner != (1 - late[0] if len(late) == 1 else None) or result == "annulled":
                self._fail(f"the loser on time is {' and '.join(self.sides[side] for side in late)}")
        elif reason == Termination.RESIGN:
            if self.resigned is None or self.crashed is not None or winner != 1 - self.resigned:
                self._fail("a side that resigns, and no other, loses by resigning")
        elif reason == Termination.CRASHED and self.crashed is not None:
            if self.resigned is None or winner != 1 - self.resigned:
                self._fail("a side that says that it has crashed, and no other, loses by that")
        elif reason == Termination.CRASHED:
            if winner is None or not self.gone[1 - winner] or self.resigned is not None:
                self._fail("a side whose program has ended has no connection, and no other loses by that")
        elif reason == Termination.ADJUDICATED:
            if self.resigned is not None or not all(self.ready) or any(self.clock.fallen(self.stamp)):
                self._fail("a game is adjudicated while it is played, and its clocks have time left")
            if result == "annulled":
                self._fail("a game that is adjudicated has a result")
        elif reason in ANNULLED:
            if result != "annulled":
                self._fail(f"a match that ends by {reason} is annulled")
        else:
            self._fail(f"the board shows no end by {reason}")
        self._stop_clocks()
        for side in (0, 1):
            self._left(side, left[side])
