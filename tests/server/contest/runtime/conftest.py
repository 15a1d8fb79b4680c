"""Fixtures of tests that start programs."""

import pytest

from server.ops import descendants


@pytest.fixture(autouse=True, scope="session")
def _guarded() -> None:
    """Start the guard of this process before tests count its descriptors and children."""
    descendants.marker("0" * 16)
