"""The ledger of a running contest: results that stand on records, failures, and pauses after faults of the machine."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec
import trio

from engine.games.interface import ANNULLED, Termination
from server.contest.fixtures import SET_ASIDE, Fixture, GameResult, Intervention, Programs
from server.contest.hosts.arena_host import ArenaHost, Arguments, Result
from server.contest.hosts.host import MAX_FAILURES
from server.contest.report.structure import Pause
from server.contest.store.store import Store
from server.ops.faults import server_fault
from server.ops.logs import log
from server.ops.supervisor import pause_seconds
from server.storage.database import BadStore
from server.storage.record_store import RecordStore


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


def missing_resource(error: BaseException) -> str:
    """Return a clause about the missing resource that caused an error; empty for errors of other kinds."""
    if isinstance(error, BaseExceptionGroup):
        return next((clause for one in error.exceptions if (clause := missing_resource(one))), "")
    return str(error) if isinstance(error, BadStore) else server_fault(error)


class Ledger:
    """The ledger of a contest: its begun games, results, failures and pauses, in the store and in memory."""

    def __init__(
        self,
        contest: int,
        store: Store,
        record_store: RecordStore,
        seats: ArenaHost,
        kept: Callable[[GameResult], None] = lambda game: None,
        *,
        gives_up: bool = False,
    ) -> None:
        """Read a contest; ``kept`` is called with each result that the store has.

        With ``gives_up`` the first fault of the machine raises OSError. Else it pauses the contest.
        """
        self.definition = store.definition(contest)
        self.games = [] if self.definition.is_endless else store.games(contest)
        """Results in the order in which they were kept, as the organiser has left them; none of an endless contest."""
        self.failures = store.failures(contest)
        """How often games were begun in vain."""
        self.left = store.begun(contest)
        """The games that were running when the last server ended, by match."""
        self.began = store.stages(contest)
        """When stages began."""
        self._store = store
        self.contest = contest
        self._record_store = record_store
        self._kept = kept
        self.stored = seats.stored
        """Reads or writes the store in a thread, since the disk may be slow."""
        self.paused: Pause | None = None
        """The pause that lasts; it ends when a game is played."""
        self.pause_changed: Callable[[], None] = lambda: None
        """Called when a pause begins or ends."""
        self._faults = 0
        self._gives_up = gives_up

    async def begin(self, fixture: Fixture, match: int) -> bool:
        """Store a game before it begins; False, and nothing is stored, if the organiser has just intervened."""
        return await self.stored(self._store.begin, self.contest, fixture, match, len(self.definition.interventions))

    async def forget(self, match: int) -> None:
        """Remove a game that did not begin; one with a result stays."""
        await self.surely(self._store.forget, self.contest, match)

    async def save_programs(self, match: int, programs: Programs) -> None:
        """Store the resource usage of the programs of a game with a result."""
        await self.surely(self._store.save_programs, self.contest, match, programs)

    async def keep(self, game: GameResult) -> GameResult:
        """Keep a result after its record is on the disk, in the store and then in memory; return what is kept.

        Where this is cancelled before, the next server keeps the result from the record.
        """
        game, sha256 = await trio.to_thread.run_sync(sync_result, self._record_store, game, abandon_on_cancel=True)
        await self.surely(self._finish, game, sha256)
        self._kept(game)
        if game.termination in ANNULLED:
            log.warning(
                "contest_game_annulled", contest=self.definition.name, match=game.match, sentence=repr(game.detail)
            )
        return game

    def _finish(self, game: GameResult, sha256: str) -> None:
        """Store a result, and take it into memory in the same order."""
        stamp = self._store.finish(self.contest, game, sha256)
        if not self.definition.is_endless:
            self.games.append(game._replace(interventions=stamp))

    async def keep_cut_off(self, game: GameResult) -> None:
        """Keep a game that was annulled because its contest stops."""
        with trio.CancelScope(shield=True):
            await self.stored(self._finish, game, "")

    async def count_failure(self, fixture: Fixture) -> None:
        """Count a failed attempt to play a game; after too many, set the game aside."""
        number = self.failures[fixture] = self.failures.get(fixture, 0) + 1
        await self.surely(self._store.failed, self.contest, fixture)
        if number >= MAX_FAILURES:
            why = f"the server died or failed {number} times in this game; it is set aside, and a loss for nobody"
            log.error("contest_game_abandoned", contest=self.definition.name, players=fixture.players, failures=number)
            await self.keep(GameResult(fixture, None, None, SET_ASIDE, why))

    async def stage_began(self, stage: int, date: datetime) -> None:
        """Store when a stage began; the first date stands."""
        if stage not in self.began:
            self.began[stage] = date
            await self.surely(self._store.stage_began, self.contest, stage, date)

    async def read_interventions(self) -> Sequence[Intervention]:
        """Return the organiser's new interventions, which another process may have stored."""
        known = len(self.definition.interventions)

        def look() -> None:
            if len(self._store.interventions(self.contest)) > known:
                found = self._store.definition(self.contest)
                # both, or none where the store cannot be read
                self.definition, self.games = found, [] if found.is_endless else self._store.games(self.contest)

        await self.stored(look)
        return self.definition.interventions[known:]

    async def close(self) -> bool:
        """Close the contest in the store; False if the organiser has just intervened."""
        known = len(self.definition.interventions)
        return await self.surely(self._store.close_contest, self.contest, datetime.now(UTC), known)

    async def end_pauses(self) -> None:
        """End the pause that the last server has left."""
        await self.surely(self._store.end_pause, self.contest, datetime.now(UTC))

    async def pause(self, what: str, reason: str, **words: object) -> None:
        """Log a fault, and wait, longer each time that it comes again."""
        if self._gives_up:
            raise OSError(f"{what}: {reason}")
        self._faults += 1
        log.error("contest_paused", contest=self.definition.name, what=what, reason=reason, times=self._faults, **words)
        reason = f"{what}: {reason}"
        if self.paused is None or self.paused.reason != reason:
            self.paused = Pause(datetime.now(UTC) if self.paused is None else self.paused.began, None, reason)
            self.pause_changed()
            await self._keep_pause(self.paused)
        await trio.sleep(pause_seconds(self._faults))

    async def resume(self) -> None:
        """End the pause, since a game was played."""
        self._faults = 0
        if self.paused is not None:
            log.warning("contest_resumed", contest=self.definition.name, paused_since=self.paused.began.isoformat())
            over, self.paused = msgspec.structs.replace(self.paused, ended=datetime.now(UTC)), None
            self.pause_changed()
            await self._keep_pause(over)

    async def _keep_pause(self, pause: Pause) -> None:
        """Store a pause if possible; the failed disk may be the reason of it."""
        try:
            await self.stored(self._store.save_pause, self.contest, pause)
        except Exception as error:
            log.error("pause_write_failed", contest=self.definition.name, error=str(error))

    async def surely(self, write: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """Write to the store, and repeat until that succeeds; the first attempt is not cancelled."""
        while True:
            try:
                with trio.CancelScope(shield=True):
                    return await self.stored(write, *arguments)
            except Exception as error:
                if not (lack := missing_resource(error)):
                    raise
                await self.pause("the database of contests cannot be written", lack)
