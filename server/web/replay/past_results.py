"""The results of earlier servers over the same data directory, read once, when somebody first looks at the lobby."""

from pathlib import Path

import msgspec
import structlog
import trio

from server.ops.workers.worker_process import FAULTS, ask_once
from server.web.replay.results_process import Asked
from server.web.views.lobby import RESULTS, Listed

log = structlog.get_logger()

SECONDS = 30.0
"""Longest that reading them may take."""


class PastResults:
    """The results of earlier servers, once they are read."""

    def __init__(self, data: Path) -> None:
        """Take the data directory; nothing is read yet."""
        self.results: tuple[Listed, ...] | None = None
        """The newest first; None as long as they have not been looked at."""
        self._data = data
        self._wanted = trio.Event()

    def want(self) -> None:
        """Let the results be read, now that somebody looks."""
        self._wanted.set()

    async def run(self) -> None:
        """Read the results when they are wanted."""
        await self._wanted.wait()
        with trio.move_on_after(SECONDS):
            try:
                asked = msgspec.json.encode(Asked(str(self._data), RESULTS))
                _, answer = await ask_once("server.web.replay.results_process", "newest", asked)
            except FAULTS as error:
                log.warning("past_results_read_failed", fault=str(error))
            else:
                self.results = msgspec.json.decode(answer, type=tuple[Listed, ...])
                return
        self.results = ()
