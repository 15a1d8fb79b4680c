"""What a result has to agree with: the board, the last event, the clocks, and the figures in its own sentence."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.clock import Clock
from engine.games.history import History
from engine.games.interface import BadMove
from engine.games.outcome import ANNULLED, ENDED_PROGRAM, Outcome, Termination
from engine.record.text import Header, milliseconds
from engine.record.time_use import Fall, TimeUse, figures

BY_THE_SERVER = ANNULLED | ENDED_PROGRAM | {Termination.ADJUDICATED}
"""How a match ends, at any time, without anything that a player does or fails to do."""


class Claim(NamedTuple):
    """What a result says."""

    result: str
    reason: str
    winner: int | None
    sentence: str


class Ending(NamedTuple):
    """How a match stood when its result was written; the clocks run on."""

    header: Header
    history: History
    verdict: Outcome | None
    """What the board says."""
    refused: str | None
    """The last move, where it was not legal."""
    resigned: int | None
    """The side that gave up."""
    crashed: str | None
    """What it said, where that was because it failed."""
    ready: bool
    """Whether both sides were."""
    absent: tuple[int | None, int | None]
    """Stamp since which each side has had no connection; None while it has one."""
    clock: Clock
    uses: tuple[TimeUse, TimeUse]
    """What the time of each side has gone to, up to its last READY or move."""
    last: int
    """Stamp of the last event that clocks depend on."""
    latest: int
    """The largest stamp of any event."""
    stamp: int
    """That of the result."""

    def fault(self, claim: Claim) -> str:
        """Say what of a claim is not true; empty where all is."""
        return next(self._faults(claim), "")

    def _faults(self, claim: Claim) -> Iterator[str]:
        sides, turn, reason = self.header.position.game.sides, self.history.position.turn, claim.reason
        fallen = self.clock.fallen(self.stamp)
        if self.refused is not None and (reason, claim.winner) != (Termination.BAD_MOVE, 1 - turn):
            yield f"{sides[turn]} played an illegal move and has lost by {Termination.BAD_MOVE}"
        elif self.resigned is not None and (reason, claim.winner) != (self._given_up(), 1 - self.resigned):
            yield f"{sides[self.resigned]} has given up and lost by {self._given_up()}"
        elif self.verdict is not None:
            if (claim.result, reason) != (self.verdict.result(sides), self.verdict.termination):
                right = f"{self.verdict.result(sides)} {self.verdict.termination}"
                yield f"the game ended as {right}, not {claim.result} {reason}"
        elif reason == Termination.BAD_MOVE:
            if self.refused is None:
                yield "no illegal move was played"
        elif reason == Termination.TIME:
            late = [side for side in (0, 1) if fallen[side]]
            if not late:
                yield "no clock that ran has run out"
            elif claim.winner != (1 - late[0] if len(late) == 1 else None) or claim.result == "annulled":
                yield f"the loser on time is {' and '.join(sides[side] for side in late)}"
        elif reason == Termination.RESIGN:
            if self.resigned is None:
                yield "nobody has given up"
        elif reason in ENDED_PROGRAM:
            if claim.winner is None or (self.absent[1 - claim.winner] is None and self.resigned is None):
                yield "a side whose program has ended has no connection, and no other loses by that"
        elif reason == Termination.ADJUDICATED:
            if not self.ready:
                yield "a game is adjudicated while it is played"
            if claim.result == "annulled":
                yield "a game that is adjudicated has a result"
        elif reason in ANNULLED:
            if claim.result != "annulled":
                yield f"a match that ends by {reason} is annulled"
        else:
            yield f"the board shows no end by {reason}"
        if reason not in ANNULLED and reason != Termination.TIME and any(fallen):
            yield f"the clock of {sides[fallen.index(True)]} had run out, and the match is lost by {Termination.TIME}"
        yield from self._stamp_faults(reason)
        yield from self._sentence_faults(claim, fallen)

    def _stamp_faults(self, reason: str) -> Iterator[str]:
        if reason == Termination.TIME:
            return  # the clocks say when
        if (reason not in BY_THE_SERVER or self.resigned is not None) and self.stamp > self.last:
            yield f"the match ended at {milliseconds(self.last)}, with the last event"
        # after a fault a match is also ended where it stood, without the connections that were lost since
        by_now = reason in BY_THE_SERVER - {Termination.SERVER_FAULT} and self.resigned is None
        if by_now and self.stamp < self.latest:
            yield f"the stamp {milliseconds(self.stamp)} lies before {milliseconds(self.latest)}, the latest one"

    def _sentence_faults(self, claim: Claim, fallen: tuple[bool, bool]) -> Iterator[str]:
        """Hold names and figures against the sentence, in their order. Its words are the server's own."""
        who = self.header.who(0), self.header.who(1)
        if claim.reason == Termination.TIME:
            parts: list[str] = []
            for side in (0, 1):
                if fallen[side]:
                    over = milliseconds(-self.clock.remaining(side, self.stamp))
                    parts += [who[side], over, milliseconds(self.header.control.budget)]
            yield from _missing(claim.sentence, parts)
            yield from self._time_faults(claim.sentence)
            yield from (
                f"the sentence names {who[side]}, whose clock had time left"
                for side in (0, 1)
                if not fallen[side] and who[side] in claim.sentence
            )
        elif self.resigned is not None:
            yield from _missing(claim.sentence, [who[self.resigned], *([repr(self.crashed)] if self.crashed else ())])
            own_words = repr(self.crashed) if self.crashed else ""  # may name anybody
            if who[1 - self.resigned] in (claim.sentence.replace(own_words, "", 1) if own_words else claim.sentence):
                yield f"the sentence names {who[1 - self.resigned]}, who has not given up"
        elif self.refused is not None:
            yield from _missing(claim.sentence, [who[self.history.position.turn], repr(self.refused), self._code()])
        elif self.verdict is not None:
            yield from _missing(claim.sentence, re.findall(FIGURE, self.verdict.detail))
        elif claim.reason in ENDED_PROGRAM and claim.winner is not None:
            yield from _missing(claim.sentence, [who[1 - claim.winner]])

    def _time_faults(self, sentence: str) -> Iterator[str]:
        """Hold all figures of a loss on time."""
        fall = Fall(self.header, self.history.plies, self.ready, self.clock, self.uses, self.absent, self.stamp)
        right = fall.sentence()
        if figures(sentence, self.header) != figures(right, self.header):
            yield f"the figures of the sentence ought to be those of {right!r}"

    def _given_up(self) -> Termination:
        return Termination.RESIGN if self.crashed is None else Termination.CRASHED

    def _code(self) -> str:
        try:
            self.history.after(self.refused or "")
        except BadMove as error:
            return str(error.code)
        raise AssertionError("what was refused is no legal move")


FIGURE = r"\w*[0-9]\w*"
"""A number, a field, a move: what a sentence of the rules says of this game alone."""


def _missing(sentence: str, parts: Iterable[str]) -> Iterator[str]:
    at = 0
    for part in parts:
        found = re.compile(rf"(?<![\w.+-]){re.escape(part)}(?!\w|\.[0-9])").search(sentence, at)
        if found is None:
            yield f"the sentence of the result ought to say {part!r}"
            return
        at = found.end()
