"""Rows of the store's tables as values, and values as rows."""

from datetime import UTC, datetime
from typing import Any

from server.contest.fixtures import Finished, Fixture


def read_fixture(values: Any) -> Fixture:
    """Return the game of a pairing."""
    stage, round, variant, pair, opening, first, second = values
    return Fixture(stage, round, variant, pair, opening, (first, second))


def read_result(row: Any) -> Finished:
    """Return the result of a game."""
    fixture = read_fixture(row[:7])
    match, interventions, winner, termination, detail, plies, *flags, seconds = row[7:]
    used, ready, gone = flags[:2], flags[2:4], flags[4:]
    return Finished(
        fixture, match, winner, termination, detail, plies,
        (used[0], used[1]), (bool(ready[0]), bool(ready[1])), (bool(gone[0]), bool(gone[1])),
        seconds, interventions,
    )  # fmt: skip


def placeholders(number: int) -> str:
    """Return placeholders for a number of parameters."""
    return ", ".join("?" * number)


def date_text(date: datetime) -> str:
    """Return a date as it is stored; raises ValueError where it has no time zone."""
    if date.tzinfo is None:
        raise ValueError(f"a date needs its time zone, and {date.isoformat()} has none")
    return date.astimezone(UTC).isoformat()


def read_date(text: str) -> datetime:
    """Return a date that was stored."""
    return datetime.fromisoformat(text)
