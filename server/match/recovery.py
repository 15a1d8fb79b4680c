"""Recovery of a match from the journal that a dead server left. Pure: bytes in, the match out.

The journal of a step is written before its messages are sent. So a torn end was never sent to anybody, and everything
that was sent is in the journal.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from engine import record
from engine.clock import Clock
from engine.games.outcome import Outcome, Termination
from engine.record import BadRecord, Summary
from engine.record.ending import failure, refusal, resignation
from engine.wire import messages as m
from server.match import referee

ESCAPED = "surrogateescape"
"""Decoding of bytes that are no UTF-8, until their line is found."""


class Leftover(NamedTuple):
    """The valid part of a journal."""

    text: str
    """Complete, valid lines."""
    summary: Summary | None
    """Summary of these lines; None if not even the head can be read."""
    torn: int
    """Bytes that were cut off after the last complete step."""
    fault: str
    """Description of the first invalid line; empty if there is none."""


def examine(match: int, data: bytes) -> Leftover:
    """Read the journal of a match; never raises."""
    whole = data[: data.rfind(b"\n") + 1].decode(errors=ESCAPED)
    lines = _drop_ending([f"{line}\n" for line in whole.split("\n")[:-1]])
    text = "".join(lines)
    summary, error = _verify(match, lines)
    if error is None:
        return Leftover(text, summary, len(data) - len(text.encode()), "")
    sound = _drop_ending(lines[: error.line - 1])
    return Leftover("".join(sound), _verify(match, sound)[0], 0, str(error))


def _drop_ending(lines: list[str]) -> list[str]:
    """Drop the first line of an ending whose result was not written: that ending has not happened."""
    ending = (
        len(lines) > 1 and lines[-1].startswith("unanswered ") and not lines[-2].startswith(("resigned ", "crashed "))
    )
    return lines[:-1] if ending else lines


def restore(summary: Summary, stamp: int, until: int) -> referee.Step:
    """Restore a match without a result at a stamp, waiting for its players until the stamp ``until``.

    A match that was over, and lacks only its result, is finished.
    """
    state = _state(summary)
    outcome = _missing_outcome(summary)
    if outcome is not None:
        return referee.finish(state, outcome, summary.stamp)
    awaited = referee.Awaited((True, True), until)
    state = state._replace(sent=stamp, stamp=stamp, awaited=awaited, absent=(stamp, stamp))
    return state, [referee.WriteRecord(record.restarted_line(stamp))]


def annul(summary: Summary, sentence: str) -> referee.Step:
    """End a match that cannot be resumed, in its last state."""
    state, outcome = _state(summary), _missing_outcome(summary)
    return referee.finish(state, outcome or Outcome(None, Termination.SERVER_FAULT, sentence), summary.stamp)


def read_finished_match(text: str) -> referee.State | None:
    """Return the state of a match from its complete record; None if that is invalid."""
    try:
        summary = record.verify(text)
    except BadRecord:
        return None
    return finished_state(summary)


def finished_state(summary: Summary) -> referee.State | None:
    """Return the state of a match from the summary of its record; None if that has no result."""
    if not summary.result:
        return None
    on_board = summary.history.verdict(summary.header.move_limit)
    termination = on_board.termination if on_board is not None else Termination(summary.reason)
    return _state(summary)._replace(outcome=Outcome(summary.winner, termination, summary.sentence))


def stamp_at(summary: Summary, date: datetime) -> int:
    """Convert a date to a stamp of a match, never before its last event."""
    try:
        since = (date - datetime.fromisoformat(summary.header.started)) // timedelta(microseconds=1)
    except (ValueError, TypeError):  # no date, or no time zone
        since = 0
    return max(summary.latest, since)


def _verify(match: int, lines: list[str]) -> tuple[Summary | None, BadRecord | None]:
    """Verify lines of a journal; an error has the number of the first invalid line."""
    for number, line in enumerate(lines, 1):
        if not line.isascii() and line != line.encode(errors=ESCAPED).decode(errors="replace"):
            return None, BadRecord(number, "this is no UTF-8")
    try:
        summary = record.verify("".join(lines))
    except BadRecord as error:
        return None, error
    except Exception as error:  # a fault of the rules must not keep the server from starting
        return None, BadRecord(1, f"{type(error).__name__}: {error}")
    if summary.header.match != match:
        return None, BadRecord(2, f"this is match {summary.header.match}, not {match}")
    return summary, None


def _state(summary: Summary) -> referee.State:
    """Return the state of a match with stopped clocks."""
    header = summary.header
    sides = header.position.game.sides
    shown = []
    for ply, (played, move) in enumerate(zip(summary.played, summary.history.moves, strict=True), 1):
        first, second = Clock(played.left).milliseconds(0)
        shown.append(m.Moved(ply, sides[played.side], first, second, m.Text(move)))
    clock = Clock(summary.left, increment=header.control.increment, allowances=summary.allowances)
    stamp = summary.stamp
    return referee.State(
        header,
        summary.history,
        clock,
        summary.ready,
        stamp,
        tuple(shown),
        stamp=stamp,
        uses=summary.uses,
        notes=summary.notes,
    )


def _missing_outcome(summary: Summary) -> Outcome | None:
    """Return the outcome of a match whose result is missing; None if the match goes on."""
    if summary.resigned is not None and summary.crashed is not None:
        return failure(summary.header, summary.resigned, summary.crashed)
    if summary.resigned is not None:
        return resignation(summary.header, summary.resigned)
    if summary.refused is not None:
        return refusal(summary.header, summary.history, summary.refused)
    return summary.history.verdict(summary.header.move_limit) if all(summary.ready) else None
