"""The record of a match: one readable text file, written line by line while the match is played.

A record begins with headers, ``name value`` a line, and the first position. Then comes a line for each thing that
happened, and at last the result:

    arena-record 1
    match 17
    game gipf
    parameters 4 4 15 15
    white alice
    black bob
    budget 60000.000
    increment 0.000
    move-limit 1000
    server gipf-arena/0.1.0
    started 2026-11-20T20:15:00.000Z
    position
    | 4 4 15 15
    | …
    ready white 20.113 59979.887
    move 1 white 20.530 25.918 59974.499 a5-b5
    refused black 26.001 27.110 x9-y9
    gone black 30.000
    back black 35.125
    resigned white 59.100
    unanswered white 59.250
    result white bad_move 27.110 59974.499 59950.001 black played x9-y9: …

All times are milliseconds with three decimals. Stamps count from the moment at which the match began and both
clocks started. ``ready`` has the stamp at which READY came and what the side has left then; ``move`` and
``refused`` the stamps at which TURN was sent and the move received, and ``move`` what the side has left then, the
increment included; ``resigned`` the stamp of RESIGN; ``unanswered`` that of a TURN which the match ended before an
answer came; ``result`` its stamp and what both sides have left, the one that began first. A clock is charged the
time between its two stamps, and nothing else: anybody can recompute it.

A record without a result is that of a match that is still running, or was cut off.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.catalogue import GAMES
from engine.clock import Clock, TimeControl
from engine.game import BadMove, GameError, Position
from engine.history import History
from engine.outcome import ANNULLED, Termination

VERSION = 1


class BadRecord(ValueError):
    """A record that cannot be read or is not true. ``str(error)`` names the line and the fault."""

    def __init__(self, line: int, sentence: str) -> None:
        """Put the line, from 1, before the sentence."""
        super().__init__(f"line {line}: {sentence}")
        self.line = line


class Header(NamedTuple):
    """What is fixed when a match begins."""

    match: int
    position: Position
    players: tuple[str, str]
    """Names, that of the side that begins first."""
    control: TimeControl
    move_limit: int
    """The match is drawn after so many moves, both sides' counted."""
    server: str
    started: str
    """Date and time in UTC, as 2026-11-20T20:15:00.000Z."""

    def text(self) -> str:
        """Return the head of the record, down to the first position."""
        game = self.position.game
        lines = [
            f"arena-record {VERSION}",
            f"match {self.match}",
            f"game {game.name}",
            f"parameters {self.position.parameters}",
            f"{game.sides[0]} {self.players[0]}",
            f"{game.sides[1]} {self.players[1]}",
            f"budget {milliseconds(self.control.budget)}",
            f"increment {milliseconds(self.control.increment)}",
            f"move-limit {self.move_limit}",
            f"server {self.server}",
            f"started {self.started}",
            "position",
            *(f"| {line}" for line in self.position.text().splitlines()),
        ]
        return "\n".join(lines) + "\n"


class Summary(NamedTuple):
    """What a record says, after it was verified."""

    header: Header
    history: History
    left: tuple[int, int]
    """What both sides have left at the end, in microseconds."""
    stamp: int
    """Of the last event, in microseconds."""
    result: str
    """The winning side, ``draw``, ``annulled``, or empty for a match without a result."""
    reason: str
    sentence: str


def milliseconds(microseconds: int) -> str:
    """Write a time of the record: milliseconds with three decimals."""
    sign = "-" if microseconds < 0 else ""
    return f"{sign}{abs(microseconds) // 1000}.{abs(microseconds) % 1000:03}"


def ready_line(side: str, stamp: int, left: int) -> str:
    """Return the line of a READY."""
    return f"ready {side} {milliseconds(stamp)} {milliseconds(left)}\n"


def move_line(ply: int, side: str, sent: int, received: int, left: int, move: str) -> str:
    """Return the line of a legal move."""
    return f"move {ply} {side} {milliseconds(sent)} {milliseconds(received)} {milliseconds(left)} {move}\n"


def refused_line(side: str, sent: int, received: int, move: str) -> str:
    """Return the line of a move that was not legal, as it was typed."""
    return f"refused {side} {milliseconds(sent)} {milliseconds(received)} {move}\n"


def resigned_line(side: str, stamp: int) -> str:
    """Return the line of a RESIGN."""
    return f"resigned {side} {milliseconds(stamp)}\n"


def unanswered_line(side: str, sent: int) -> str:
    """Return the line of a TURN that was not answered before the match ended."""
    return f"unanswered {side} {milliseconds(sent)}\n"


def presence_line(word: str, side: str, stamp: int) -> str:
    """Return the line of a lost (``gone``) or resumed (``back``) connection."""
    return f"{word} {side} {milliseconds(stamp)}\n"


def result_line(result: str, reason: str, stamp: int, left: tuple[int, int], sentence: str) -> str:
    """Return the last line of a record."""
    times = f"{milliseconds(stamp)} {milliseconds(left[0])} {milliseconds(left[1])}"
    return f"result {result} {reason} {times} {sentence}".rstrip() + "\n"


def verify(text: str) -> Summary:
    """Replay a record: rules, clocks and result. Raises `BadRecord` at the first line that is not true."""
    return _Replay(text).run()


class _Replay:
    """Walks through the lines of a record, keeping what they must agree with."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.at = 0  # lines read so far: also the number, from 1, of the line last read
        self.stamp = 0  # of the last event: time does not run back
        self.settled = 0  # of the last event that stopped a clock: no TURN was sent before it
        self.refused: str | None = None  # why the last move was refused
        self.resigned: int | None = None  # the side that gave up

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
        clock = self.clock.stop(0, self.stamp).stop(1, self.stamp)
        return Summary(self.header, self.history, clock.left, self.stamp, "", "", "")

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
        if not re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{3}", word):
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
        return Header(match, position, players, control, limit, server, started)

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
        if (
            self.refused is not None
            or self.resigned is not None
            or self.history.verdict(self.header.move_limit) is not None
        ):
            self._fail("the game is over already")

    def _on_unknown(self, _rest: str) -> None:
        self._fail("this is no event of a record")

    def _on_ready(self, rest: str) -> None:
        name, stamp, left = self._words(rest, "side stamp left")
        side = self._side(name)
        if self.clock.since[side] is None:
            self._fail(f"{name} is ready already")
        self.clock = self.clock.stop(side, self._advance(self._time(stamp)))
        self._left(side, left)
        self.settled = self.stamp

    def _sent(self, word: str) -> int:
        """Read the stamp of a TURN; lost and resumed connections may stand between it and the answer."""
        stamp = self._time(word)
        if stamp < self.settled:
            self._fail(f"TURN cannot have been sent at {word}, before the other side's move")
        return stamp

    def _charge(self, side: int, sent: str, received: str) -> None:
        if self.clock.since != (None, None):
            self._fail("a move before both sides were ready")
        if side != self.history.position.turn:
            self._fail(f"it is not the turn of {self.sides[side]}")
        self._in_play()
        self.clock = self.clock.run(side, self._sent(sent)).stop(side, self._advance(self._time(received)))
        self.settled = self.stamp
        if self.clock.left[side] <= 0:
            self._fail(f"the clock of {self.sides[side]} had run out by {milliseconds(-self.clock.left[side])} ms")

    def _on_move(self, rest: str) -> None:
        ply, name, sent, received, left, move = self._words(rest, "number side sent received left move")
        side = self._side(name)
        if ply != str(self.history.plies + 1):
            self._fail(f"this is move {self.history.plies + 1}, not {ply}")
        self._charge(side, sent, received)
        self.clock = self.clock.add_increment(side)
        self._left(side, left)
        try:
            self.history = self.history.after(move)
        except BadMove as error:
            self._fail(f"{error.code}: {error}")
        if self.history.moves[-1] != move:
            self._fail(f"the move is written {self.history.moves[-1]}, not {move}")

    def _on_refused(self, rest: str) -> None:
        name, sent, received, move = self._words(rest, "side sent received move")
        self._charge(self._side(name), sent, received)
        try:
            self.history.after(move)
        except BadMove as error:
            self.refused = error.code
        else:
            self._fail(f"{move} is a legal move")

    def _on_resigned(self, rest: str) -> None:
        name, stamp = self._words(rest, "side stamp")
        self._in_play()
        self.resigned = self._side(name)
        self._advance(self._time(stamp))

    def _on_unanswered(self, rest: str) -> None:
        name, sent = self._words(rest, "side sent")
        side = self._side(name)
        if self.clock.since != (None, None) or side != self.history.position.turn:
            self._fail(f"{name} was not to move")
        self.clock = self.clock.run(side, self._sent(sent))

    def _on_gone(self, rest: str) -> None:
        # the server stamps it when it notices, which may be after a move that came before it
        name, stamp = self._words(rest, "side stamp")
        self._side(name)
        self._time(stamp)

    _on_back = _on_gone

    def _on_result(self, rest: str) -> Summary:
        words = rest.split(" ", 5)
        if len(words) < 5:
            self._fail("expected result reason stamp and both clocks")
        result, reason, *times = words[:5]
        before = self.stamp
        self._advance(self._time(times[0]))
        if self.stamp > before and self.clock.since == (None, None) and reason not in ANNULLED:
            self._fail(f"the match ended at {milliseconds(before)}, with the last event")
        if result not in (*self.sides, "draw", "annulled"):
            self._fail(f"there is no result {result!r}")
        winner = self.sides.index(result) if result in self.sides else None
        self._check_result(result, reason, winner, times[1:])
        sentence = words[5] if len(words) > 5 else ""
        return Summary(self.header, self.history, self.clock.left, self.stamp, result, reason, sentence)

    def _check_result(self, result: str, reason: str, winner: int | None, left: list[str]) -> None:
        """Hold the result against the board, the refused move and the clocks."""
        turn = self.history.position.turn
        if self.refused is not None and (reason, winner) != (Termination.BAD_MOVE, 1 - turn):
            self._fail(f"{self.sides[turn]} played an illegal move and has lost by {Termination.BAD_MOVE}")
        on_board = self.history.verdict(self.header.move_limit)
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
            if self.resigned is None or winner != 1 - self.resigned:
                self._fail("a side that resigns, and no other, loses by resigning")
        elif reason in ANNULLED:
            if result != "annulled":
                self._fail(f"a match that ends by {reason} is annulled")
        else:
            self._fail(f"the board shows no end by {reason}")
        self.clock = self.clock.stop(0, self.stamp).stop(1, self.stamp)
        for side in (0, 1):
            self._left(side, left[side])
