"""Recovery of a match from the journal that a dead server left. Pure: bytes in, the match out.

The journal of a step is written before its messages are sent. So a torn end was never sent to anybody, and everything
that was sent is in the journal.
"""

from typing import NamedTuple

from engine.games.interface import Outcome, Termination
from engine.match import referee
from engine.match.record import BadRecord, decoded, seconds_of
from engine.match.verification import Summary, verify


class Leftover(NamedTuple):
    """The valid part of a journal."""

    text: str
    """Complete, valid lines."""
    summary: Summary | None
    """Summary of these lines; None if not even the head can be read."""
    torn: int
    """Bytes that were cut off after the last complete step."""
    fault: BadRecord | None
    """The first invalid line; None if there is none."""


def examine(match: int, data: bytes) -> Leftover:
    """Read the journal of a match; never raises."""
    lines = _drop_ending([line + b"\n" for line in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]])
    torn, fault = len(data) - len(b"".join(lines)), None
    while True:
        summary, error = _verify(match, b"".join(lines))
        if error is None or error.line > len(lines):
            return Leftover(b"".join(lines).decode(), summary, 0 if fault or error else torn, fault or error)
        fault, lines = error, _drop_ending(lines[: error.line - 1])


def _drop_ending(lines: list[bytes]) -> list[bytes]:
    """Drop the first line of an ending whose result was not written: that ending has not happened."""
    ending = (
        len(lines) > 1
        and lines[-1].startswith(b"unanswered ")
        and not lines[-2].startswith((b"resigned ", b"crashed "))
    )
    return lines[:-1] if ending else lines


def restore(summary: Summary, stamp: int, until: int) -> tuple[referee.MatchState, str]:
    """Restore a match without a result at a stamp, waiting for its players until the stamp ``until``.

    Return it with the lines to add to its journal. A match that is over, and lacks only its result, gets that.
    """
    if summary.missing:
        return summary.state, summary.missing
    state, effects = referee.restart(summary.state, stamp, until)
    return state, "".join(referee.lines_of(effects))


def annul(summary: Summary, sentence: str) -> str:
    """Return the lines that end a match that cannot be resumed, in its last state; none where it has a result."""
    _, effects = referee.end(summary.state, Outcome(None, Termination.SERVER_FAULT, sentence), summary.state.stamp)
    return summary.missing or "".join(referee.lines_of(effects))


def stamp_at(summary: Summary, seconds: float) -> int:
    """Convert a date, in seconds from 1970, to a stamp of a match, never before its last event."""
    began = seconds_of(summary.header.started)
    return summary.latest if began is None else max(summary.latest, round((seconds - began) * 1_000_000))


def _verify(match: int, journal: bytes) -> tuple[Summary | None, BadRecord | None]:
    """Verify lines of a journal; an error has the number of the first invalid line."""
    try:
        summary = verify(decoded(journal))
    except BadRecord as error:
        return None, error
    except Exception as error:  # a fault of the rules must not keep the server from starting
        return None, BadRecord(1, f"{type(error).__name__}: {error}")
    if summary.header.match != match:
        return None, BadRecord(2, f"this is match {summary.header.match}, not {match}")
    return summary, None
