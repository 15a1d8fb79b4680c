"""Dates as the heads of records have them."""

from datetime import UTC, datetime


def now_text() -> str:
    """Return the date and the time now, in UTC, as 2026-11-20T20:15:00.000Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
