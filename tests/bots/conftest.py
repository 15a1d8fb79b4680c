"""Fixtures that tests of bots share."""

import pytest

from bots.client import connection, session


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a client that has lost its connection come back at once, and not say for whom it waits, however busy."""
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.01))
    monkeypatch.setattr(session, "WAIT_SECONDS", 3600.0)
