"""Replays of matches that ended under an earlier server, in a worker process.

Replaying a record takes up to a third of a second. Another process does it, one record at a time
(`server.ops.workers.question_loop`).
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import trio

from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.messages import KINDS
from server.match import referee
from server.match.match_messages import Seat, SpectatorBacklog, announcement
from server.match.recovery import read_finished_match
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, answer_questions
from server.ops.workers.worker_process import FAULTS, ask_once
from server.storage.record_store import RecordStore

MAX_MATCHES = 16
"""Replayed matches in the cache: a record has at most a megabyte."""


class PastMatch(msgspec.Struct, frozen=True):
    """A finished match, ready to be sent to a player who resumes it."""

    players: tuple[str, str]
    announcements: tuple[str, str]
    """MATCH of each side, without its token."""
    messages: tuple[tuple[str, str], ...]
    """What was shown, in order: kinds of messages, and the text of those that follow on each other."""

    def send(self, seat: Seat, side: int, token: str) -> None:
        """Send the whole match to a player who resumes it."""
        seat.tell(m.Match, f"{self.announcements[side]}{token}\n".encode())
        for kind, text in self.messages:
            seat.tell(m.REPLIES[kind], text.encode())
        seat.leave()


class PastMatches:
    """Cache of replayed matches."""

    def __init__(self, record_store: RecordStore) -> None:
        """Start empty; take the store of the records."""
        self._record_store = record_store
        self._cache: LruCache[int, PastMatch | None] = LruCache(MAX_MATCHES)
        self._lock = trio.Lock()

    async def find(self, number: int, in_thread: Callable[..., Awaitable[Any]]) -> PastMatch | None:
        """Return a finished match; None if there is no record, or an invalid one.

        ``in_thread`` runs a function in another thread. Results are cached. Raises `NotReplayed`, and OSError if the
        record cannot be read or no process can be started; errors are not cached.
        """
        async with self._lock:
            if number not in self._cache:
                # the record moves when it has been synced: it is read where it is by now
                text = await in_thread(self._record_store.read, number)
                if text is None:
                    return None
                self._cache.put(number, await replay_in_process(text))
            return self._cache.get(number)


class NotReplayed(Exception):
    """The process that replays a record failed; ``str(error)`` has the end of its traceback, where it told one."""


async def replay_in_process(text: str) -> PastMatch | None:
    """Replay a record in another process. Raises `NotReplayed`, and OSError if the process cannot be started."""
    try:
        _, answer = await ask_once("server.arena.past_matches", "replay", text.encode())
    except FAULTS as error:
        raise NotReplayed(str(error)) from None
    return decode(answer, type=PastMatch | None)


def replay_record(text: str) -> PastMatch | None:
    """Replay a complete record; return None if it is invalid."""
    state = read_finished_match(text)
    return None if state is None else past_match(state)


def past_match(state: referee.State) -> PastMatch:
    """Convert the state of a finished match into the messages for players who resume it."""
    first, second = (encode(announcement(state.header, side, "")).decode().rstrip("\n") + " " for side in (0, 1))
    shown = [(KINDS[kind], data.decode()) for kind, data in SpectatorBacklog(state).messages(state, 0)]
    return PastMatch(state.header.players, (first, second), tuple(shown))


if __name__ == "__main__":
    answer_questions(lambda question: (OK, msgspec.json.encode(replay_record(question.body.decode()))))
