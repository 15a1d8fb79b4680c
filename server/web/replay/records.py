"""The record of a match that is over, and the log of a player in it, for pages."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
import structlog
import trio

from engine.wire.codes import Code, ProtocolError
from server.arena.arena import Arena
from server.ops.typed_json import decode
from server.storage.player_logs import LogRequest, read_log
from server.storage.record_store import RecordStore
from server.web.http.client_quota import GUESS_COST, TOO_MANY, ClientQuota
from server.web.http.errors import Refused

log = structlog.get_logger()

RECORD_BYTES = 2 * 1024 * 1024
"""Largest record that is read: one of ten thousand moves has less."""

MAX_BODY_BYTES = 1024
"""Longest question: a token and little else."""

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
