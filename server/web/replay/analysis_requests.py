"""Questions about records, each answered by a process of its own (`record_analysis`), within bounds."""

from collections.abc import Hashable

import msgspec
import structlog
import trio

from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.ops.worker_process import FAULTS, ask_once
from server.web.http.errors import NOT_TRUE, Refused
from server.web.http.work_queue import Full, WorkQueue

log = structlog.get_logger()

QUICK = 4.0
"""Seconds that a process gets at first: most records need a tenth of it. One that needs more is begun again among
those, so that whoever sends slow records from many addresses keeps nobody from a turn for longer than this."""

READING, SEARCHING = ("frames", "positions", "times"), ("values", "review")
"""Kinds of questions, by what takes the time of an answer."""

SECONDS = {**dict.fromkeys(READING, (QUICK, 20.0)), **dict.fromkeys(SEARCHING, (240.0,))}
"""How long an answer may take, each time that it is tried. Searching includes compiling it, which is done once for a
variant; the nodes are bounded, so that a slow record costs no more than another."""

AT_A_TIME = 3, 2
"""Answers that are worked out side by side, quick ones and others; of one client all but one of each."""

MAX_WAITING, MAX_WAITING_OF_ONE = 48, 16
"""Questions that wait for their turn, of all and of one client; further ones are told to try later."""

KEPT_BYTES = 32 * 1024 * 1024
"""Answers about the server's own records that are kept, the last ones that were asked for."""


class RecordAnalyser:
    """Answers some questions of each kind at a time, in turns of the clients who ask."""

    def __init__(self) -> None:
        """Begin with nothing kept."""
        quick, slow, searching = (
            WorkQueue(count, MAX_WAITING, MAX_WAITING_OF_ONE) for count in (AT_A_TIME[0], AT_A_TIME[1], AT_A_TIME[1])
        )
        self._turns = {**dict.fromkeys(READING, (quick, slow)), **dict.fromkeys(SEARCHING, (searching,))}
        self._kept: LruCache[tuple[str, int, int], bytes] = LruCache(KEPT_BYTES, size_of=len)
        self._asked: dict[tuple[str, int, int, Hashable], trio.Lock] = {}

    async def review_of_match(self, match: int, before: int, text: str, client: Hashable) -> bytes:
        """Return the JSON of a `server.web.replay.evaluations.ReviewPart` of a match of the server."""
        return await self._kept_answer(("review", match, before), review_question(before, text.encode()), client)

    async def of_match(self, kind: str, match: int, text: str, client: Hashable) -> bytes:
        """Return what `ask` returns, for the record of a match of the server, which never changes."""
        return await self._kept_answer((kind, match, 0), text.encode(), client)

    async def _kept_answer(self, key: tuple[str, int, int], body: bytes, client: Hashable) -> bytes:
        """Return what is kept, or else ask and keep it.

        What a client asks for again while it is worked out is worked out once; others do not wait for its turn.
        """
        kind, asked = key[0], (*key, client)
        lock = self._asked.setdefault(asked, trio.Lock())
        try:
            async with lock:
                answer = self._kept.get(key)
                if answer is None:
                    answer = await self.ask(kind, body, client)
                    if await trio.to_thread.run_sync(_is_whole, kind, answer):
                        self._kept.put(key, answer)
        finally:
            if not lock.locked():
                self._asked.pop(asked, None)
        return answer

    async def ask(self, kind: str, record: bytes, client: Hashable) -> bytes:
        """Return the JSON that tells of a record: its frames, times or values. Raises `Refused` where it is not true.

        For positions it is, in place of a record, a `server.web.replay.record_analysis.Played` in JSON, and for review
        a `review_question`.
        """
        try:
            for turns, seconds in zip(self._turns[kind], SECONDS[kind], strict=True):
                async with turns.of(client):
                    with trio.move_on_after(seconds):
                        return await _answer(kind, record)
        except Full:
            raise Refused(503, "too many records are being read now; try again in a minute") from None
        raise Refused(422, f"the record takes longer than {SECONDS[kind][-1]:.0f} seconds to read")


def review_question(before: int, record: bytes) -> bytes:
    """Return the question for a review of the moves of a record before that of a number."""
    return b"%d\n%b" % (before, record)


class _Values(msgspec.Struct):
    cut: bool


def _is_whole(kind: str, answer: bytes) -> bool:
    """Tell whether an answer would be no other the next time: a slow machine may have had no time for all values."""
    return kind != "values" or not decode(answer, type=_Values).cut


async def _answer(kind: str, record: bytes) -> bytes:
    try:
        status, answer = await ask_once("server.web.replay.record_analysis", kind, record)
    except (OSError, *FAULTS) as error:
        log.error("record_analysis_failed", kind=kind, fault=str(error))
        raise Refused(500, "a fault of the server's own, which was written to its log") from None
    if status == NOT_TRUE:
        raise Refused(422, f"this is no true record: {answer.decode()}")
    return answer
