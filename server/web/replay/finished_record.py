"""The record of a match that is over, for whoever asks a page for it."""

import trio

from server.arena.arena import Arena
from server.storage.record_store import RecordStore
from server.web.http.errors import Refused

RECORD_BYTES = 2 * 1024 * 1024
"""Largest record that is read: one of ten thousand moves has less."""


async def record_text(arena: Arena, record_store: RecordStore, number: int) -> str:
    """Return the record of a match that is over; raises `Refused` while it is played, and where there is none."""
    if number in arena.matches:
        raise Refused(409, f"match {number} is being played; its record can be had when it is over")
    text = await trio.to_thread.run_sync(record_store.read, number)
    if text is None:
        raise Refused(404, f"there is no match {number} here")
    return text
