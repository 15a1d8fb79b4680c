"""Fixtures of several rooms of the server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.machines import Machines


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """Start a cluster of dask, and end it behind the test."""
    found = Machines(tmp_path)
    yield found
    found.end()
