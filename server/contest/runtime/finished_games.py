"""Games that were over before this server began: ``python -m server.contest.runtime.finished_games FIXTURE < RECORD``.

To replay a record takes up to a third of a second, and its check as long again. Another process does both.
"""

import sys

import msgspec
import structlog
import trio

from engine import record
from server.contest.fixtures import Finished, Fixture
from server.contest.scoring.game_result import finished
from server.match.recovery import read_finished_match as state_of
from server.storage.record_store import RecordStore

log = structlog.get_logger()


async def past_game(fixture: Fixture, match: int, record_store: RecordStore) -> Finished | None:
    """Return the game of a fixture by the record of its match; None where there is no true one.

    Raises OSError where the process cannot be started, or does not come to an answer.
    """
    try:
        text = await trio.to_thread.run_sync(record_store.read, match)
    except OSError as error:
        log.error("record_read_failed", match=match, error=repr(str(error)))
        return None
    if text is None:
        return None
    command = [
        sys.executable,
        "-P",
        "-m",
        "server.contest.runtime.finished_games",
        msgspec.json.encode(fixture).decode(),
    ]
    done = await trio.run_process(command, stdin=text.encode(), capture_stdout=True, capture_stderr=True, check=False)
    if done.returncode:
        fault = " ".join(done.stderr.decode(errors="replace").strip().splitlines()[-1:])
        raise OSError(f"the record of match {match} could not be replayed: status {done.returncode}, {fault}")
    return msgspec.json.decode(done.stdout, type=Finished | None)


def told(fixture: Fixture, text: str) -> Finished | None:
    """Return the game of a fixture by the record of its match; None where that is not true."""
    state = state_of(text)
    return None if state is None else finished(fixture, state, record.verify(text).gone)


if __name__ == "__main__":
    found = told(msgspec.json.decode(sys.argv[1], type=Fixture), sys.stdin.buffer.read().decode())
    sys.stdout.buffer.write(msgspec.json.encode(found))
