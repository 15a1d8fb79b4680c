"""What a result has to agree with: the board, the last event, the clocks, and its own sentence."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.clock import Clock
from engine.games.history import History
from engine.games.interface import BadMove
from engine.games.outcome import ANNULLED, ENDED_PROGRAM, Outcome, Termination
from engine.record.text import Header, milliseconds
from engine.record.time_use import Fall, TimeUse

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
        yield from self._sentence_faults(claim)

    def _stamp_faults(self, reason: str) -> Iterator[str]:
        if reason == Termination.TIME:
            return  # the clocks say when
        if (reason not in BY_THE_SERVER or self.resigned is not None) and self.stamp > self.last:
            yield f"the match ended at {milliseconds(self.last)}, with the last event"
        # after a fault a match is also ended where it stood, without the connections that were lost since
        by_now = reason in BY_THE_SERVER - {Termination.SERVER_FAULT} and self.resigned is None
        if by_now and self.stamp < self.latest:
            yield f"the stamp {milliseconds(self.stamp)} lies before {milliseconds(self.latest)}, the latest one"

    def _sentence_faults(self, claim: Claim) -> Iterator[str]:
        right = self._sentence(claim)
        if right is not None:
            if claim.sentence != right:
                yield f"the sentence of the result is {right!r}, not {claim.sentence!r}"
        elif claim.reason in ENDED_PROGRAM and claim.winner is not None:
            who = self.header.who(1 - claim.winner)
            if not claim.sentence.startswith(f"{who} "):
                yield f"the sentence of the result begins with {who}"

    def _sentence(self, claim: Claim) -> str | None:
        """Return the sentence that follows from the record; None where the server or an organiser chose the words."""
        if claim.reason == Termination.TIME:
            plies = self.history.plies
            fall = Fall(self.header, plies, self.ready, self.clock, self.uses, self.absent, self.stamp)
            return fall.sentence()
        if self.resigned is not None:
            if self.crashed is None:
                return resignation(self.header, self.resigned).detail
            return failure(self.header, self.resigned, self.crashed).detail
        if self.refused is not None:
            return refusal(self.header, self.history, self.refused).detail
        return None if self.verdict is None else self.verdict.detail

    def _given_up(self) -> Termination:
        return Termination.RESIGN if self.crashed is None else Termination.CRASHED


def bad_move(header: Header, side: int, text: str, error: BadMove) -> Outcome:
    """Return the outcome after an illegal move of a side."""
    return Outcome(1 - side, Termination.BAD_MOVE, f"{header.who(side)} played {text!r}, {error.code}: {error}")


def refusal(header: Header, history: History, text: str) -> Outcome:
    """Return the outcome after an illegal move of the side to move, found out again."""
    try:
        history.after(text)
    except BadMove as error:
        return bad_move(header, history.position.turn, text, error)
    raise AssertionError("a record that was verified has refused a legal move")


def resignation(header: Header, side: int) -> Outcome:
    """Return the outcome after a side has resigned."""
    return Outcome(1 - side, Termination.RESIGN, f"{header.who(side)} resigned")


def failure(header: Header, side: int, sentence: str) -> Outcome:
    """Return the outcome after a side has reported that its program failed."""
    says = f", and says: {sentence!r}" if sentence else ""
    return Outcome(1 - side, Termination.CRASHED, f"{header.who(side)} crashed{says}")
