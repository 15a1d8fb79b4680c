"""The results of earlier servers over the same data directory, read once, when somebody first looks at the lobby."""

from pathlib import Path

import msgspec
import structlog
import trio

from server.ops.typed_json import decode
from server.ops.workers.worker_process import FAULTS, ask_once
from server.web.replay.results_process import Asked
from server.web.views.lobby import RESULTS, Listed

log = structlog.get_logger()

FIRST_SECONDS, MAX_SECONDS = 30.0, 600.0
"""How long reading them may take for the first time, and how long it is given at most when it is tried again."""

PAUSE_SECONDS = 10.0


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
        """Read the results when they are wanted; try again with more time where that fails, as on a busy machine."""
        await self._wanted.wait()
        asked = msgspec.json.encode(Asked(str(self._data), RESULTS))
        seconds = FIRST_SECONDS
        while self.results is None:
            try:
                with trio.fail_after(seconds):
                    _, answer = await ask_once("server.web.replay.results_process", "newest", asked)
                self.results = decode(answer, type=tuple[Listed, ...])
            except (OSError, *FAULTS) as error:
                log.warning("past_results_read_failed", fault=str(error) or type(error).__name__)
                seconds = min(2 * seconds, MAX_SECONDS)
                await trio.sleep(PAUSE_SECONDS)
