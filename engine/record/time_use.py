"""What the time of a side went to: which turn took most of it, what was not charged, and how a loss on time says so.

The referee counts it while a match is played, and so does who reads a record: both come to the same figures.
"""

import re
from typing import NamedTuple

from engine.clock import Clock, TimeControl, about, span
from engine.record.text import Header, milliseconds

INITIALISATION = 0
"""Stands for the initialisation, where moves have numbers from 1."""


LOSS = re.compile(r"\S+ \(\w+\) ran out of time( while initialising)?: ")
"""What the sentence of a loss on time begins with."""

USED = re.compile(r"; [0-9.]+ ms used of [0-9.]+ ms allowed for [0-9]+ moves?$")
"""What contests add to it."""

EXACT = re.compile(r"\b([0-9]+\.[0-9]{3}) ms\b")
"""A time as records have it."""


SECOND = 1_000_000
"""In microseconds."""


class TimeUse(NamedTuple):
    """What the time of a side went to, in microseconds."""

    longest: int = 0
    """What was charged for the turn that took most."""
    ply: int = INITIALISATION
    """The number of the move of that turn."""
    uncharged: int = 0
    """What was not charged: stalls of the server, and lag within the allowance."""

    def with_turn(self, ply: int, charged: int, uncharged: int) -> "TimeUse":
        """Add a turn."""
        if charged > self.longest:
            return TimeUse(charged, ply, self.uncharged + uncharged)
        return TimeUse(self.longest, self.ply, self.uncharged + uncharged) if uncharged else self

    def until(self, ply: int, clock: Clock, side: int, now: int, budget: int) -> "TimeUse":
        """Add the turn, or the initialisation, that is under way; the clock still runs."""
        since, remaining = clock.since[side], clock.remaining(side, now)
        charged = clock.left[side] - remaining
        uncharged = 0 if since is None else max(0, now - since) - charged
        if ply == INITIALISATION:
            return TimeUse(budget - remaining, ply, self.uncharged + uncharged)  # with that before a restart
        return self.with_turn(ply, charged, uncharged)


class Fall(NamedTuple):
    """How a match stood when a flag fell; the clocks still run."""

    header: Header
    plies: int
    playing: bool
    """Whether both sides were ready."""
    clock: Clock
    uses: tuple[TimeUse, TimeUse]
    """Without the turn that is under way."""
    absent: tuple[int | None, int | None]
    """Stamp since which each side has had no connection; None while it has one."""
    now: int

    def sentence(self) -> str:
        """Return the sentence of the result: who lost on time, by how much, and what the time went to."""
        fallen = self.clock.fallen(self.now)
        return "; ".join(
            self._lateness(side) + self._account(side, alone=not all(fallen)) for side in (0, 1) if fallen[side]
        )

    def _lateness(self, side: int) -> str:
        phase = "" if self.playing else " while initialising"
        over, budget = -self.clock.remaining(side, self.now), self.header.control.budget
        return f"{self.header.who(side)} ran out of time{phase}: {_ms(over)} beyond a budget of {_ms(budget)}"

    def _account(self, side: int, *, alone: bool) -> str:
        ply = self.plies + 1 if self.playing else INITIALISATION
        use = self.uses[side].until(ply, self.clock, side, self.now, self.header.control.budget)
        clauses = []
        if self.playing:
            turn = f"move {use.ply}" if use.ply != INITIALISATION else "initialisation"
            clauses.append(f"{_ms(use.longest)} of {_ms(self._used(side))} went to {turn}")
        if alone:
            clauses.append(f"its opponent used {_ms(self._used(1 - side))}")
        if use.uncharged:
            clauses.append(f"{_ms(use.uncharged)} were not charged, for stalls of the server and lag")
        since = self.absent[side]
        if since is not None:
            clauses.append(f"its connection had been lost for {_ms(max(0, self.now - since))}")
        return "".join(f"; {clause}" for clause in clauses)

    def _used(self, side: int) -> int:
        moves = moves_of(side, self.header.position.turn, self.plies)
        return charged(self.header.control, moves, self.clock.remaining(side, self.now))


def moves_of(side: int, first: int, plies: int) -> int:
    """Return how many moves of a side there are among the first ``plies``, where the side ``first`` began."""
    return (plies + (side == first)) // 2


def charged(control: TimeControl, moves: int, left: int) -> int:
    """Return what a side was charged in all, from its moves and what it has left."""
    return control.budget + moves * control.increment - left


def readable(sentence: str) -> str:
    """Return a sentence of a result as people read it: times of a loss on time are rounded, not those that were set."""
    begin = 0 if LOSS.match(sentence) else found.start() if (found := USED.search(sentence)) else len(sentence)
    return sentence[:begin] + EXACT.sub(lambda time: _for_people(round(1000 * float(time[1]))), sentence[begin:])


def _for_people(microseconds: int) -> str:
    """Write a time: a whole number of seconds was set, and is told exactly."""
    return span(microseconds) if microseconds % SECOND == 0 else about(microseconds)


def _ms(microseconds: int) -> str:
    return f"{milliseconds(microseconds)} ms"
