"""Results of matches that earlier servers have played over the same data directory, for the lobby.

They are read once, when somebody first looks at the lobby, by a worker process (`server.ops.workers.question_loop`):
there may be many records, and one of them may be damaged, or take long. A question is an `Asked` in JSON.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic

import msgspec
import structlog
import trio

from server.config.process_settings import alarm_raising, lower_priority
from server.match.recovery import read_finished_match
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, Question, answer_questions
from server.ops.workers.worker_process import FAULTS, ask_once
from server.storage.record_store import RecordStore
from server.web.views.lobby import RESULTS, Listed, listed

log = structlog.get_logger()

NICENESS = 10
"""How much lower the priority of the process is than that of the server: matches go first."""

LOOKED_AT = 4
"""Records that are looked at for each that is wanted: some may not be true."""

MAX_BYTES = 2 * 1024 * 1024
"""A record that is longer is left out."""

RECORD_SECONDS, ALL_SECONDS = 1.0, 15.0
"""How long it may take to read one, and after how long no other is begun."""


FIRST_SECONDS, MAX_SECONDS = 30.0, 600.0
"""How long reading them may take for the first time, and how long it is given at most when it is tried again."""

PAUSE_SECONDS = 10.0


class Asked(msgspec.Struct, frozen=True):
    """The question: a data directory, and how many results are wanted."""

    folder: str
    count: int


class TooLong(Exception):
    """A record takes too long to read."""


def newest(folder: Path, count: int) -> list[Listed]:
    """Return the last results of a data directory, the newest first; what is no true record of a result is left out."""
    until = monotonic() + ALL_SECONDS
    found: list[Listed] = []
    with alarm_raising(TooLong) as set_timer:
        for path in RecordStore.newest(folder, LOOKED_AT * count):
            if len(found) == count or monotonic() > until:
                break
            with suppress(Exception):  # whatever is wrong with one record, there are others
                found += _result(path, set_timer)
    return found


def _result(path: Path, set_timer: Callable[[float], None]) -> list[Listed]:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        return []
    set_timer(RECORD_SECONDS)
    try:
        state = read_finished_match(data.decode())
    finally:
        set_timer(0)
    return [] if state is None or path.stem != str(state.header.match) else [listed(state, 0)]


def answer(question: Question[Event]) -> tuple[int, bytes]:
    """Return the JSON of the results that an `Asked` asks for."""
    asked = decode(question.body, type=Asked)
    return OK, msgspec.json.encode(newest(Path(asked.folder), asked.count))


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
                    _, answer = await ask_once("server.web.replay.past_results", "newest", asked)
                self.results = decode(answer, type=tuple[Listed, ...])
            except (OSError, *FAULTS) as error:
                log.warning("past_results_read_failed", fault=str(error) or type(error).__name__)
                seconds = min(2 * seconds, MAX_SECONDS)
                await trio.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    lower_priority(NICENESS)
    answer_questions(answer)
