"""Keeping a result: its record has to be on the disk before the store has it, so that no power cut parts the two."""

import structlog

from engine.outcome import ANNULLED, Termination
from server.archive import Archive
from server.contest.fixtures import Finished

log = structlog.get_logger()


def settled(archive: Archive, game: Finished) -> tuple[Finished, str]:
    """Return a game when its record is on the disk, and the SHA-256 of that; for a thread beside the loop.

    A game whose record cannot be kept is returned as annulled: its result would stand on nothing.
    """
    if game.match is None:
        return game, ""
    try:
        return game, archive.settle(game.match)
    except OSError as error:
        if game.termination in ANNULLED:
            return game, ""
        log.error("a game is played again, since its record is not to be had", match=game.match, error=str(error))
        detail = f"the disk has not kept the record of the game ({error.strerror}), which is played again"
        return game._replace(winner=None, termination=str(Termination.SERVER_FAULT), detail=detail), ""
