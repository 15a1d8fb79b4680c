"""Writes what organisers do over the network, by the token of the server, into the audit log."""

from functools import partial

import structlog
import trio

from server.arena.arena import Arena
from server.league.accounts.accounts import Accounts

log = structlog.get_logger()

BY = "the organiser's token"
"""Who did it, in the audit log: none of those who have the token has a name."""

MAX_WAITING = 1000
"""Requests that wait to be written; what is beyond that stands in the server's log alone."""


async def keep_audit(accounts: Accounts, arena: Arena) -> None:
    """Write what is done in an arena into the audit log, until cancelled."""
    send, receive = trio.open_memory_channel[str](MAX_WAITING)

    def done(what: str) -> None:
        try:
            send.send_nowait(what)
        except trio.WouldBlock:
            log.error("audit_failed", what=what, error="too many requests at a time")

    arena.organiser_done = done
    async for what in receive:
        try:
            await trio.to_thread.run_sync(partial(accounts.note, BY, what))
        except Exception as error:  # the next line may be written
            log.error("audit_failed", what=what, error=str(error))
