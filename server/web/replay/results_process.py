"""The results of the newest records of a data directory, by a worker process (`server.ops.workers.question_loop`).

A process of its own reads them, for those of earlier servers: there may be many, and one of them may be damaged, or
take long. A question is an `Asked` in JSON.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic

import msgspec

from server.config.process_settings import alarm_raising, lower_priority
from server.match.recovery import read_finished_match
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, Question, answer_questions
from server.storage.record_store import RecordStore
from server.web.views.lobby import Listed, listed

NICENESS = 10
"""How much lower the priority of the process is than that of the server: matches go first."""

LOOKED_AT = 4
"""Records that are looked at for each that is wanted: some may not be true."""

MAX_BYTES = 2 * 1024 * 1024
"""A record that is longer is left out."""

RECORD_SECONDS, ALL_SECONDS = 1.0, 15.0
"""How long it may take to read one, and after how long no other is begun."""


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


if __name__ == "__main__":
    lower_priority(NICENESS)
    answer_questions(answer)
