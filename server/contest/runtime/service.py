"""The contest service: runs all open contests of a data directory, also those that are opened later, and reports them.

A contest is opened by writing it into the store, also from another process. The contest service polls the store.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import trio

from server.arena.arena import Arena
from server.contest.definition import Definition
from server.contest.fixtures import GameResult, counted_games
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.contest_players import ContestPlayers, Presence
from server.contest.hosts.dask_cluster import Cluster
from server.contest.plan import Plan, Present, plan
from server.contest.programs.program import end_left_programs
from server.contest.programs.sandbox.cores import Cores
from server.contest.report import files
from server.contest.report.contents import make_report
from server.contest.report.formatting import all_pauses
from server.contest.report.progress import Moment
from server.contest.report.structure import Report
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Runner
from server.contest.store.folders import folder_of, link_to_log, links_to_logs
from server.contest.store.store import Contest, Store
from server.contest.store.verifier import verify
from server.ops.logs import log
from server.ops.supervisor import supervise

POLL_SECONDS = 0.5
"""How often to look for a contest that was opened."""

REPORT_SECONDS = 3.0
"""Shortest pause between two reports of a contest, where there are games that are not in it."""

REPORT_SHARE = 20.0
"""The pause is so many times as long as the last report has taken: that of a long contest takes seconds."""

VERIFY_SECONDS = 5.0
"""Pause before a contest that is over is verified: the command that holds it does so itself, and stops the server."""


class ContestSnapshot(NamedTuple):
    """The state of a contest at a moment."""

    definition: Definition
    games: list[GameResult]
    plan: Plan
    moment: Moment


def take_snapshot(store: Store, contest: int, now: datetime, present: Presence | None = None) -> ContestSnapshot:
    """Return the present state of a contest; without ``present``, from the store alone."""
    row, definition = store.contest(contest), store.definition(contest)
    games, began = store.games(contest), store.stages(contest)
    if present is None:
        present = Presence(frozenset(store.begun(contest).values()))
    # the results of some have just been kept
    running = present.running.difference(game.fixture for game in counted_games(games))
    pauses = store.pauses(contest)
    if present.paused is not None and (not pauses or pauses[-1].ended is not None):
        pauses.append(present.paused)  # that could not be kept
    pauses = all_pauses(pauses, definition.interventions)
    seconds = {stage: (now - date).total_seconds() for stage, date in began.items()}
    found = plan(definition, games, Present(running, (), seconds))
    verified = store.verification(contest) if row.closed is not None else None
    notes = verified.notes if verified else ()
    moment = Moment(now, row.opened, row.closed, began, running, present.missing, pauses, notes, Cores().count)
    return ContestSnapshot(definition, games, found, moment)


def write_report(data: Path, contest: int, found: ContestSnapshot) -> Report:
    """Write the report of a contest into its folder, and return it; raises OSError.

    It links to the logs of programs, which are for their authors and the organiser: a report is for everybody.
    """
    kept = links_to_logs(data, contest)

    def log_link(match: int | None, name: str) -> str:
        link = link_to_log(match or 0, name)
        return link if link in kept else ""

    made = make_report(*found, log_link=log_link)
    files.write_report_files(made, folder_of(data, contest))
    return made


class ContestService:
    """The service that runs contests. It also reports and verifies contests that an earlier server ran to their end."""

    def __init__(self, arena: Arena, store: Store, cluster: Cluster | None = None) -> None:
        """Take the arena in which games are played, and the store.

        Contests that can be played on the ``cluster`` are.
        """
        self._cluster = cluster
        self._arena = arena
        self._store = store
        self.seats = ArenaHost(arena)
        """The host of its games, also for others that play on the same cores."""
        self.cleaned = trio.Event()
        """Set when no program of an earlier server is left: one started before might be taken for such a one."""
        self._held: set[int] = set()

    async def run(self) -> None:
        """Run contests until cancelled; then end their programs."""
        await end_left_programs(self._arena.settings.data)
        self.cleaned.set()
        async with trio.open_nursery() as nursery:
            await supervise("contests", self._poll, nursery)

    async def _poll(self, nursery: trio.Nursery) -> None:
        """Start `_hold` once for each contest, also for contests that are opened later."""
        while True:
            for row in await self.seats.stored(self._store.contests):
                if row.id not in self._held:
                    self._held.add(row.id)
                    nursery.start_soon(supervise, f"contest {row.id}", self._hold, row)
            await trio.sleep(POLL_SECONDS)

    async def _hold(self, row: Contest) -> None:
        """Run a contest to its end and verify it, as far as that is not done, and write its reports."""
        contest, report = row.id, f"report {row.id}"
        if row.closed is None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(supervise, report, self._report, contest)
                # made beside the loop, and after whatever else is done with the store: it reads all games
                ledger = await self.seats.stored(Ledger, contest, self._store, self._arena.record_store, self.seats)
                await Runner(ledger, self._arena, self.seats, self._cluster).run()
                nursery.cancel_scope.cancel()
        elif await self.seats.stored(self._store.verification, contest) is not None:
            return
        await supervise(report, self._write, contest)
        await trio.sleep(VERIFY_SECONDS)
        await supervise(f"verification {contest}", self._verify, contest)
        await supervise(report, self._write, contest)

    async def _verify(self, contest: int) -> None:
        """Verify a finished contest in another process, unless a command has done it."""
        if await self.seats.stored(self._store.verification, contest) is not None:
            return
        left = False

        def told(_done: int, _count: int) -> None:
            if left:
                raise InterruptedError("the server stops")

        try:
            found = await trio.to_thread.run_sync(
                verify, self._arena.settings.data, contest, told, 1, abandon_on_cancel=True
            )
        finally:
            left = True
        await self.seats.stored(self._store.save_verification, contest, datetime.now(UTC), found)
        (log.error if found.differences else log.info)("contest_verified", contest=contest, found=found.sentence)

    async def _report(self, contest: int) -> None:
        """Write the report whenever it has changed, until cancelled; at once where the state of the contest changes."""
        known: tuple[object, ...] = ()
        while True:
            began = trio.current_time()
            shown = self._present_state(contest)
            found = await self._snapshot(contest)
            # lengths: to compare thousands of results would hold up matches
            entries = len(found.games), len(found.definition.interventions), found.moment.pauses, *shown
            if entries != known:
                known = entries
                try:
                    await self._write(contest, found)
                except OSError as error:  # pages have the report from memory
                    log.error("report_write_failed", contest=contest, error=str(error))
            pause = max(REPORT_SECONDS, REPORT_SHARE * (trio.current_time() - began))
            with trio.move_on_after(pause):
                while self._present_state(contest) == shown:
                    await trio.sleep(POLL_SECONDS)

    def _present_state(self, contest: int) -> tuple[object, ...]:
        """Return the things that decide the state of a contest and are not in the store."""
        present = ContestPlayers.of(self._arena).present.get(contest, Presence())
        return bool(present.running), *present[1:]

    async def _snapshot(self, contest: int) -> ContestSnapshot:
        present = ContestPlayers.of(self._arena).present.get(contest)
        return await self.seats.stored(take_snapshot, self._store, contest, datetime.now(UTC), present)

    async def _write(self, contest: int, found: ContestSnapshot | None = None) -> None:
        """Write the report of a contest, as of now or of a snapshot."""
        found = found or await self._snapshot(contest)
        await trio.to_thread.run_sync(write_report, self._arena.settings.data, contest, found)
