"""Syncs the record of a result to the disk before the store keeps the result."""

import structlog
import trio

from engine.games.outcome import ANNULLED, Termination
from server.contest.fixtures import Finished
from server.storage.record_store import RecordStore

log = structlog.get_logger()

STOP_SECONDS = 10.0
"""What the disk gets for the record of a game from the stop of its contest on."""


async def sync_result_in_thread(record_store: RecordStore, game: Finished) -> tuple[Finished, str]:
    """Run `sync_result` in a thread.

    Who cancels this waits for it `STOP_SECONDS` at most. Where the disk does not answer for so long, the result is kept
    when the server starts again, from the record.
    """
    try:
        return await trio.to_thread.run_sync(sync_result, record_store, game, abandon_on_cancel=True)
    except trio.Cancelled:
        with trio.move_on_after(STOP_SECONDS, shield=True):
            return await trio.to_thread.run_sync(sync_result, record_store, game, abandon_on_cancel=True)
        log.error("result_write_deferred", match=game.match)
        raise


def sync_result(record_store: RecordStore, game: Finished) -> tuple[Finished, str]:
    """Sync the record of a game, and return the game with the record's SHA-256; to be called in a thread.

    A game whose record cannot be kept is returned as annulled: its result would stand on nothing.
    """
    if game.match is None:
        return game, ""
    try:
        return game, record_store.sync_record(game.match)
    except OSError as error:
        if game.termination in ANNULLED:
            return game, ""
        log.error("contest_game_replayed", match=game.match, error=str(error))
        detail = f"the disk has not kept the record of the game ({error.strerror}), which is played again"
        return game._replace(winner=None, termination=str(Termination.SERVER_FAULT), detail=detail), ""
