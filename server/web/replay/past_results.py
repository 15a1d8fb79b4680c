"""The results of earlier servers over the same data directory, read once, when somebody first looks at the lobby."""

from pathlib import Path

import msgspec
import structlog
import trio

from server.web.replay import one_shot_process
from server.web.views.lobby import RESULTS, Listed

log = structlog.get_logger()

SECONDS = 30.0
"""Longest that reading them may take."""


class PastResults:
    """What is known of them."""

    def __init__(self, data: Path) -> None:
        """Read nothing yet of a data directory."""
        self.results: tuple[Listed, ...] | None = None
        """The newest first; None as long as they have not been looked at."""
        self._data = data
        self._wanted = trio.Event()

    def want(self) -> None:
        """Somebody looks."""
        self._wanted.set()

    async def run(self) -> None:
        """Read them when they are wanted."""
        await self._wanted.wait()
        with trio.move_on_after(SECONDS):
            done = await one_shot_process.run("results_process", str(self._data), str(RESULTS))
            if done.returncode == 0:
                self.results = msgspec.json.decode(done.stdout, type=tuple[Listed, ...])
                return
            log.warning("past_results_read_failed", fault=done.stderr.decode(errors="replace")[-2000:])
        self.results = ()
