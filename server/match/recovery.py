"""What the journal of a match that a server did not end comes to. Pure: bytes in, the match out.

A journal is written before anything of it is told, a whole step at a time. So what is cut off at its end was never
told to anybody, and all that anybody was told is there.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from engine import record
from engine.clock import Clock
from engine.games.history import History
from engine.games.interface import BadMove
from engine.games.outcome import Outcome, Termination
from engine.record import BadRecord, Summary
from engine.wire import messages as m
from server.match import referee

ESCAPED = "surrogateescape"
"""How bytes that are no UTF-8 are kept until their line is found."""


class Leftover(NamedTuple):
    """What of a journal stands."""

    text: str
    """Whole lines, all of them true."""
    summary: Summary | None
    """What they say; None where not even the head can be read."""
    torn: int
    """How many bytes behind the last whole step were cut off."""
    fault: str
    """What is wrong behind the text, for people; empty where nothing is."""


def examine(match: int, data: bytes) -> Leftover:
    """Read the journal of a match; never raises, whatever the bytes are."""
    whole = data[: data.rfind(b"\n") + 1].decode(errors=ESCAPED)
    lines = _without_an_end(whole.splitlines(keepends=True))
    text = "".join(lines)
    summary, error = _read(match, lines)
    if error is None:
        return Leftover(text, summary, len(data) - len(text.encode()), "")
    sound = _without_an_end(lines[: error.line - 1])
    return Leftover("".join(sound), _read(match, sound)[0], 0, str(error))


def _without_an_end(lines: list[str]) -> list[str]:
    """Leave out that the match was being ended, by whatever the result would have said: that has not happened."""
    ending = (
        len(lines) > 1 and lines[-1].startswith("unanswered ") and not lines[-2].startswith(("resigned ", "crashed "))
    )
    return lines[:-1] if ending else lines


def restored(summary: Summary, stamp: int, until: int) -> referee.Step:
    """Take up, at a stamp, a match whose record has no result, and wait for its players until another one.

    A match that was over, and lacks but its result, is ended.
    """
    state = _state(summary)
    outcome = _ended(summary)
    if outcome is not None:
        return referee.finish(state, outcome, summary.stamp)
    awaited = referee.Awaited((True, True), until)
    state = state._replace(sent=stamp, stamp=stamp, awaited=awaited, absent=(stamp, stamp))
    return state, [referee.WriteRecord(record.restarted_line(stamp))]


def annulled(summary: Summary, sentence: str) -> referee.Step:
    """End a match that cannot be taken up, where it stands."""
    state, outcome = _state(summary), _ended(summary)
    return referee.finish(state, outcome or Outcome(None, Termination.SERVER_FAULT, sentence), summary.stamp)


def finished(text: str) -> referee.State | None:
    """Return a match from its complete record; None where that is not true."""
    try:
        summary = record.verify(text)
    except BadRecord:
        return None
    return ended(summary)


def ended(summary: Summary) -> referee.State | None:
    """Return a match from what its record says; None where that has no result."""
    if not summary.result:
        return None
    sides = summary.header.position.game.sides
    winner = sides.index(summary.result) if summary.result in sides else None
    on_board = summary.history.verdict(summary.header.move_limit)
    termination = on_board.termination if on_board is not None else Termination(summary.reason)
    return _state(summary)._replace(outcome=Outcome(winner, termination, summary.sentence))


def stamp_at(summary: Summary, date: datetime) -> int:
    """Return the stamp of a date for a match: by when it began, but never before its last event."""
    try:
        since = (date - datetime.fromisoformat(summary.header.started)) // timedelta(microseconds=1)
    except (ValueError, TypeError):  # no date, or one without a time zone
        since = 0
    return max(summary.latest, since)


def _read(match: int, lines: list[str]) -> tuple[Summary | None, BadRecord | None]:
    """Verify; an error has the line from which on the text cannot be trusted."""
    for number, line in enumerate(lines, 1):
        if not line.isascii() and line != line.encode(errors=ESCAPED).decode(errors="replace"):
            return None, BadRecord(number, "this is no UTF-8")
    try:
        summary = record.verify("".join(lines))
    except BadRecord as error:
        return None, error
    except Exception as error:  # a journal that the rules stumble over is no reason not to start
        return None, BadRecord(1, f"{type(error).__name__}: {error}")
    if summary.header.match != match:
        return None, BadRecord(2, f"this is match {summary.header.match}, not {match}")
    return summary, None


def _state(summary: Summary) -> referee.State:
    """Return the match with clocks that stand."""
    header = summary.header
    sides = header.position.game.sides
    shown = []
    for ply, (played, move) in enumerate(zip(summary.played, summary.history.moves, strict=True), 1):
        first, second = Clock(played.left).milliseconds(0)
        shown.append(m.Moved(ply, sides[played.side], first, second, m.Text(move)))
    clock = Clock(summary.left, increment=header.control.increment, allowances=summary.allowances)
    stamp = summary.stamp
    return referee.State(header, summary.history, clock, summary.ready, stamp, tuple(shown), stamp=stamp)


def _ended(summary: Summary) -> Outcome | None:
    """Return how a match has ended whose result was cut off, None where it goes on."""
    if summary.resigned is not None and summary.crashed is not None:
        return referee.failure(summary.header, summary.resigned, summary.crashed)
    if summary.resigned is not None:
        return referee.resignation(summary.header, summary.resigned)
    if summary.refused is not None:
        return _refused(summary.header, summary.history, summary.refused)
    return summary.history.verdict(summary.header.move_limit) if all(summary.ready) else None


def _refused(header: record.Header, history: History, text: str) -> Outcome:
    try:
        history.after(text)
    except BadMove as error:
        return referee.bad_move(header, history.position.turn, text, error)
    raise AssertionError("a record that was verified has refused a legal move")
