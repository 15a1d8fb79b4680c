"""Replays games that were over before this server began, from their records, in a worker process.

To replay a record takes up to a third of a second, and its check as long again. Another process does both
(`server.ops.question_loop`); its argument is the fixture.
"""

import sys

import msgspec
import structlog
import trio

from engine.match.verification import finished_match
from server.contest.fixtures import Fixture, GameResult
from server.contest.scoring.results import game_result
from server.ops.question_loop import OK, answer_questions
from server.ops.typed_json import decode
from server.ops.worker_process import FAULTS, ask_once
from server.storage.record_store import RecordStore

log = structlog.get_logger()


async def replay_record(fixture: Fixture, match: int, record_store: RecordStore) -> GameResult | None:
    """Return the result of a fixture by replaying its record in a worker process; None without a true record.

    Raises OSError where the process cannot be started, or does not come to an answer.
    """
    try:
        text = await trio.to_thread.run_sync(record_store.read, match)
    except OSError as error:
        log.error("record_read_failed", match=match, error=repr(str(error)))
        return None
    if text is None:
        return None
    fixture_text = msgspec.json.encode(fixture).decode()
    try:
        _, answer = await ask_once("server.contest.runtime.finished_games", "replay", text.encode(), fixture_text)
    except FAULTS as error:
        fault = " ".join(str(error).strip().splitlines()[-1:]) or type(error).__name__
        raise OSError(f"the record of match {match} could not be replayed: {fault}") from error
    return None if answer == b"null" else decode(answer, type=GameResult)


def game_of_record(fixture: Fixture, text: str) -> GameResult | None:
    """Return the result of a fixture from the text of its record; None if that is not true."""
    summary = finished_match(text)
    return None if summary is None else game_result(fixture, summary.state, summary.gone)


if __name__ == "__main__":
    played = decode(sys.argv[1], type=Fixture)
    answer_questions(lambda question: (OK, msgspec.json.encode(game_of_record(played, question.body.decode()))))
