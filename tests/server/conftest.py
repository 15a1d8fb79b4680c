"""Fixtures of several rooms of the server."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from trio.testing import MockClock

from tests.server.harness import ArenaHarness, open_arena
from tests.server.machines import Machines


@pytest.fixture
async def harness(tmp_path: Path, autojump_clock: MockClock) -> AsyncIterator[ArenaHarness]:
    """Run an arena on a simulated clock. The test names the clock too: pytest-trio looks at its own arguments alone."""
    async with open_arena(tmp_path) as harness:
        yield harness


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """Start a cluster of dask, and end it behind the test."""
    found = Machines(tmp_path)
    yield found
    found.end()
