"""The record of a match that is over, questions about it, and the log of a player in it, for pages."""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Any

import msgspec
import structlog
import trio

from engine.wire.codes import Code, ProtocolError
from server.arena.arena import Arena
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.storage.player_logs import LogRequest, read_log
from server.storage.record_store import RecordStore
from server.web.http.client_quota import GUESS_COST, TOO_MANY, ClientQuota
from server.web.http.errors import NOT_TRUE, Refused
from server.web.pool import Pool, TooLong

log = structlog.get_logger()

RECORD_BYTES = 2 * 1024 * 1024
"""Largest record that is read: one of ten thousand moves has less."""

MAX_BODY_BYTES = 1024
"""Longest question: a token and little else."""

KEPT_BYTES = 32 * 1024 * 1024
"""Answers about the server's own records that are kept, the last ones that were asked for."""

STATUS = {Code.UNKNOWN_MATCH: 404, Code.BAD_TOKEN: 403}
"""Status of an answer by the error code of the protocol."""


async def record_text(arena: Arena, record_store: RecordStore, number: int) -> str:
    """Return the record of a match that is over; raises `Refused` while it is played, and where there is none."""
    if number in arena.matches:
        raise Refused(409, f"match {number} is being played; its record can be had when it is over")
    text = await trio.to_thread.run_sync(record_store.read, number)
    if text is None:
        raise Refused(404, f"there is no match {number} here")
    return text


class RecordAnalyser:
    """Asks the pool about records, and keeps answers about those of the server, which never change."""

    def __init__(self, pool: Pool) -> None:
        """Begin with nothing kept."""
        self._pool = pool
        self._kept: LruCache[tuple[str, int, int], bytes] = LruCache(KEPT_BYTES, size_of=len)
        self._asked: dict[tuple[str, int, int, Hashable], trio.Lock] = {}

    async def of_match(self, kind: str, match: int, text: str, client: Hashable, before: int = 0) -> bytes:
        """Return what `ask` returns, for the record of a match of the server.

        What a client asks for again while it is worked out is worked out once; others do not wait for its turn.
        """
        key = kind, match, before
        asked = (*key, client)
        lock = self._asked.setdefault(asked, trio.Lock())
        try:
            async with lock:
                answer = self._kept.get(key)
                if answer is None:
                    answer = await self.ask(kind, text.encode(), client, before)
                    if kind != "values" or await trio.to_thread.run_sync(_is_whole, answer):
                        self._kept.put(key, answer)
        finally:
            if not lock.locked():
                self._asked.pop(asked, None)
        return answer

    async def ask(self, kind: str, record: bytes, client: Hashable, before: int = 0) -> bytes:
        """Return the JSON that tells of a record: its frames, times, values, or the review of moves before one.

        Raises `Refused`, also where the record is not true.
        """
        try:
            return await self._pool.ask(kind, b"%d\n%b" % (before, record) if kind == "review" else record, client)
        except TooLong as error:
            raise Refused(NOT_TRUE, f"the record takes longer than {error.seconds:.0f} seconds to read") from None


class _Values(msgspec.Struct):
    cut: bool


def _is_whole(answer: bytes) -> bool:
    """Tell whether values would be no other the next time: a slow machine may have had no time for all of them."""
    return not decode(answer, type=_Values).cut


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """What a page asks."""

    token: str


class PlayerLog(msgspec.Struct):
    """What it is answered: lines with side, number of the move, and text."""

    lines: tuple[str, ...]


async def player_log(
    arena: Arena, match: int, body: bytes, quota: ClientQuota, run_in_thread: Callable[..., Awaitable[Any]]
) -> bytes:
    """Return the JSON of a log; raises `Refused` where the token fits nothing."""
    try:
        token = decode(body, type=Question).token.strip()
    except msgspec.DecodeError:
        raise Refused(400, 'the log of a match is asked for by {"token": "…"}') from None
    if match in arena.matches:
        raise Refused(409, f"match {match} is being played; its log can be had when it is over")
    asked = LogRequest(match, token)
    read = partial(read_log, asked, arena.record_store, arena.settings, arena.contest_players.find_kept, arena.token_of)
    try:
        return msgspec.json.encode(PlayerLog(await run_in_thread(read)))
    except ProtocolError as error:
        if error.code == Code.BAD_TOKEN and quota.wait(GUESS_COST) is None:
            raise Refused(*TOO_MANY) from None
        sentence = str(error) if error.code != Code.BAD_TOKEN else "this token is of neither player of the match"
        raise Refused(STATUS[error.code], sentence) from None
    except OSError as error:
        log.error("log_read_failed", match=match, error=repr(str(error)))
        raise Refused(500, f"the log of match {match} cannot be read") from None
