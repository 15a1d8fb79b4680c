"""Where the time of both sides went, as lines for people, rounded: more than the sentence of a result holds."""

from typing import NamedTuple

from engine.clock import about
from engine.record.summary import Summary
from engine.record.time_use import INITIALISATION, charged, moves_of
from engine.wire.words import number_of


class SideTime(NamedTuple):
    """What a side has used in a match that is over, in microseconds."""

    moves: int
    used: int
    allowed: int
    """Its budget, and what its moves have added to it."""
    longest: int
    """What was charged for the turn that took most."""


def side_times(summary: Summary) -> tuple[SideTime, SideTime]:
    """Return what each side has used in a match that is over."""
    return _time(summary, 0), _time(summary, 1)


def _time(summary: Summary, side: int) -> SideTime:
    control = summary.header.control
    moves = moves_of(side, summary.header.position.turn, len(summary.played))
    allowed = control.budget + moves * control.increment
    return SideTime(moves, charged(control, moves, summary.left[side]), allowed, summary.uses[side].longest)


def time_account(summary: Summary) -> tuple[str, str]:
    """Return a line for each side of a match that is over: what it used, for what, and what it was not charged."""
    return _line(summary, 0), _line(summary, 1)


def _line(summary: Summary, side: int) -> str:
    header, use = summary.header, summary.uses[side]
    moves, used, _, _ = _time(summary, side)
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
