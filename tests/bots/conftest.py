"""What tests of bots share."""

import pytest

from bots import patience


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a client that has lost its connection come back at once."""
    monkeypatch.setattr(patience, "PAUSES", (0.0, 0.01))
