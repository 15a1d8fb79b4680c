"""The content of a verified record, the times that both sides used, and the exception for a record that is not true."""

from typing import NamedTuple

from engine.clock import Charge, about
from engine.games.history import History
from engine.record.notes import RecordedNote
from engine.record.text import Header
from engine.record.time_use import INITIALISATION, TimeUse, charged, moves_of
from engine.wire.words import number_of


class BadRecord(ValueError):
    """A record that cannot be read or is not true. ``str(error)`` names the line and the fault."""

    def __init__(self, line: int, sentence: str) -> None:
        """Put the line, from 1, before the sentence."""
        super().__init__(f"line {line}: {sentence}")
        self.line = line


class Played(NamedTuple):
    """A legal move of a record, or a READY: whose, what both sides had left then, in microseconds, and what it cost."""

    side: int
    left: tuple[int, int]
    charge: Charge


class Absence(NamedTuple):
    """A time in which a side had no connection, from one stamp to another one."""

    side: int
    since: int
    until: int | None
    """None: up to the end."""


class Summary(NamedTuple):
    """What a record says, after it was verified. Of one that ends without a result, all that is needed to go on."""

    header: Header
    history: History
    left: tuple[int, int]
    """What both sides have left at the end, in microseconds."""
    stamp: int
    """Of the last event that clocks depend on, in microseconds."""
    latest: int
    """The largest stamp of any event."""
    ready: tuple[bool, bool]
    heard: tuple[bool, bool]
    """Which side is known to have been told that there is a match: it came back to it, or one of both was ready before
    the server died for the first time."""
    gone: tuple[bool, bool]
    """Which side has no connection at the end."""
    initialised: tuple[Played, ...]
    """Each READY."""
    played: tuple[Played, ...]
    """The moves of the history."""
    allowances: tuple[int, int]
    """What each side is not charged of a turn, at the end, in microseconds."""
    uses: tuple[TimeUse, TimeUse]
    """What the time of each side has gone to, up to its last READY or move, or to the result."""
    absences: tuple[Absence, ...] = ()
    """Each time without a connection."""
    notes: tuple[RecordedNote, ...] = ()
    """What both players have noted."""
    refused: str | None = None
    """The last move as it was typed, where it was not legal."""
    resigned: int | None = None
    """The side that has given up."""
    crashed: str | None = None
    """What it said of its failure, where it gave up by CRASHED; may be empty."""
    result: str = ""
    """The winning side, ``draw``, ``annulled``, or empty for a match without a result."""
    reason: str = ""
    sentence: str = ""
    signature: bytes | None = None
    """That of the server; None where there is none. Whether it is true, only a key tells."""

    @property
    def winner(self) -> int | None:
        """The side that has won; None for any other result, and for none."""
        sides = self.header.position.game.sides
        return sides.index(self.result) if self.result in sides else None


def time_account(summary: Summary) -> tuple[str, str]:
    """Return a line for each side of a match that is over: what it used, for what, and what it was not charged."""
    return _line(summary, 0), _line(summary, 1)


def _line(summary: Summary, side: int) -> str:
    header, use = summary.header, summary.uses[side]
    moves = moves_of(side, header.position.turn, len(summary.played))
    used = charged(header.control, moves, summary.left[side])
    turn = "initialisation" if use.ply == INITIALISATION else f"move {use.ply}"
    parts = [f"{header.who(side)} used {about(used)} for {number_of(moves, 'move')}"]
    parts.append(f"most for {turn}: {about(use.longest)}")
    if use.uncharged:
        parts.append(f"not charged for stalls of the server and lag: {about(use.uncharged)}")
    spans = [
        (summary.stamp if one.until is None else one.until) - one.since for one in summary.absences if one.side == side
    ]
    if spans:
        lost = about(sum(max(0, span) for span in spans))
        times = "once" if len(spans) == 1 else f"{len(spans)} times"
        parts.append(f"its connection was lost {times}, for {lost}")
    return "; ".join(parts)
