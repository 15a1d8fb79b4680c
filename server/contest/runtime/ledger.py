"""The ledger of a running contest: syncs records, keeps results, and repeats failed writes."""

from collections.abc import Callable
from functools import partial

import structlog
import trio

from engine.games.outcome import ANNULLED, Termination
from server.contest.fixtures import SET_ASIDE, Fixture, GameResult
from server.contest.hosts.seating import GameSeating, Result
from server.contest.runtime.pauses import Pauses, missing_resource
from server.contest.store.store import Store
from server.storage.record_store import RecordStore

log = structlog.get_logger()

STOP_SECONDS = 10.0
"""What the disk gets for the record of a game from the stop of its contest on."""


async def sync_result_in_thread(record_store: RecordStore, game: GameResult) -> tuple[GameResult, str]:
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


def sync_result(record_store: RecordStore, game: GameResult) -> tuple[GameResult, str]:
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


MAX_FAILURES = 5
"""A game in which the server has died so often, or failed otherwise through no lack of the machine's, is set aside.

From its first failure on it is played after all others, and alone: so it takes no other one with it."""


class Ledger:
    """The results of a contest, and how often its games have failed."""

    def __init__(
        self,
        contest: int,
        name: str,
        store: Store,
        record_store: RecordStore,
        seats: GameSeating,
        pauses: Pauses,
        kept: Callable[[GameResult], None],
    ) -> None:
        """Read the results of a contest from the store."""
        self.games = store.games(contest)
        """Results in the order in which they were kept, as the organiser has left them."""
        self.failures = store.failures(contest)
        """How often games were begun in vain."""
        self._contest = contest
        self._name = name
        self._store = store
        self._record_store = record_store
        self._seats = seats
        self._pauses = pauses
        self._kept = kept

    async def keep(self, game: GameResult) -> GameResult:
        """Keep a result after its record is on the disk, in the store and then in memory; return what is kept."""
        game, sha256 = await sync_result_in_thread(self._record_store, game)

        def keep() -> None:
            stamp = self._store.finish(self._contest, game, sha256)
            # in the same order as in the store
            self.games.append(game._replace(interventions=stamp))

        await self.surely(keep)
        self._kept(game)
        if game.termination in ANNULLED:
            log.warning("contest_game_annulled", contest=self._name, match=game.match, sentence=repr(game.detail))
        return game

    async def count_failure(self, fixture: Fixture) -> None:
        """Count a failed attempt to play a game; after too many, set the game aside."""
        number = self.failures[fixture] = self.failures.get(fixture, 0) + 1
        await self.surely(partial(self._store.failed, self._contest, fixture))
        if number >= MAX_FAILURES:
            why = f"the server died or failed {number} times in this game; it is set aside, and a loss for nobody"
            log.error("contest_game_abandoned", contest=self._name, players=fixture.players, failures=number)
            await self.keep(GameResult(fixture, None, None, SET_ASIDE, why))

    async def surely(self, write: Callable[[], Result]) -> Result:
        """Write to the store, and repeat until that succeeds; the first attempt is not cancelled."""
        while True:
            try:
                with trio.CancelScope(shield=True):
                    return await self.stored(write)
            except Exception as error:
                lack = missing_resource(error)
                if not lack:
                    raise
                await self._pauses.pause("the contest's database cannot be written", lack)

    async def stored(self, write: Callable[[], Result]) -> Result:
        """Read or write the store in a thread, since the disk may be slow."""
        return await self._seats.stored(write)
