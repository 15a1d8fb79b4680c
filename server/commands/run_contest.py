"""Runs ``arena-server contest``: opens a contest, serves it, and shows its progress."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import trio
from rich.console import Console
from rich.live import Live
from rich.progress import Progress
from rich.text import Text

from engine.wire.words import number_of
from server.arena.arena import Arena
from server.commands.options import BY
from server.config.settings import Settings
from server.contest.definition import Definition
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.dask_cluster import Cluster, connected_cluster
from server.contest.programs.sandbox.choice import contest_obstacle
from server.contest.report import formatting, progress
from server.contest.report.structure import Verdict
from server.contest.runtime.service import ContestSnapshot, take_snapshot, write_report
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.contest.store.verification import verify
from server.league.accounts.accounts import Accounts
from server.league.contests import check_versions
from server.serve import serve
from server.storage.disk import DataDirectoryInUse

LOOK_SECONDS = 1.0
"""Shortest time between two looks at the progress."""

LOOK_SHARE = 4.0
"""Ratio of the pause to the duration of the last look, which grows with the number of games."""

LINE_SECONDS = 30.0
"""Time between two lines of progress if the output is no terminal."""

TAKE_SECONDS = 3.0
"""Time between two attempts to take over from the server that is followed."""

OVER, STOPPED = 0, 3
"""Exit statuses: the contest is over; it was stopped, and the same command goes on with it."""


async def hold(file: str, definition: Definition, settings: Settings, dask: str, console: Console) -> int:
    """Hold a contest to its end, or until it is stopped, and return an exit status.

    ``file`` is the text of the contest file, and ``dask`` the address of the scheduler of a cluster that plays the
    games, empty for none.
    Raises OSError and `server.storage.database.BadStore`.
    """
    async with connected_cluster(dask, definition) as cluster:
        if cluster is None and (why := await trio.to_thread.run_sync(contest_obstacle, definition)):
            raise OSError(why)  # before it is opened: its file has to be changed, perhaps
        data = settings.data
        data.mkdir(parents=True, exist_ok=True)
        with closing(await trio.to_thread.run_sync(Store, data / FILE)) as store:
            contest = await trio.to_thread.run_sync(_open, store, file, definition, data)
            follower = _Follower(store, contest, console)
            found = await follower.look()
            before = found.moment.closed
            if before is None:
                found = await _serve_contest(settings, cluster, follower)
            if found.moment.closed is None:
                played = number_of(len(found.games), "game")
                console.print(f"Stopped after {played}. The same command goes on with the contest.")
                return STOPPED
            if await trio.to_thread.run_sync(store.verification, contest) is None:
                verdict = await trio.to_thread.run_sync(verify_with_progress, data, contest, console)
                await trio.to_thread.run_sync(store.save_verification, contest, datetime.now(UTC), verdict)
                found = await follower.look()
                if verdict.differences:
                    follower.say(f"{verdict.sentence}; arena-server contest --verify names them")
            made = await trio.to_thread.run_sync(write_report, data, contest, found)
            console.print(progress.render_report(made))
            console.print(f"The whole report: {folder_of(data, contest) / 'index.html'}", soft_wrap=True)
            if before is not None:
                follower.say(
                    f"This contest was over on {formatting.date(before)}; nothing was played. "
                    "To play again, give it another name in its file, or a new --data."
                )
            return OVER


def _open(store: Store, file: str, definition: Definition, data: Path) -> int:
    """Return the number of the contest, which is opened, and noted in the audit log, if there is none of its name."""
    known = {row.name for row in store.contests()}
    with closing(Accounts(data)) as accounts:
        if definition.name not in known:
            check_versions(accounts, definition, datetime.now(UTC))
        contest = store.open_contest(file, definition, datetime.now(UTC))
        if definition.name not in known:
            accounts.note(BY, f"opened the contest {definition.name}")
    return contest


def verify_with_progress(data: Path, contest: int, console: Console) -> Verdict:
    """Verify a contest against its records, with a bar in a terminal; raises as `verify` does."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("verifying", total=None)
        return verify(data, contest, lambda done, count: bar.update(task, completed=done, total=count))


async def _serve_contest(settings: Settings, cluster: Cluster | None, follower: "_Follower") -> ContestSnapshot:
    """Serve until the contest is over or the server is stopped; follow another server that does so already.

    When that server ends, this one continues the contest.
    """
    waited = False
    while True:
        async with trio.open_nursery() as nursery:
            stopped = trio.Event()

            async def run(*, stopped: trio.Event = stopped, task_status: trio.TaskStatus[Arena]) -> None:
                await serve(settings, cluster, task_status=task_status)
                stopped.set()

            try:
                arena = await nursery.start(run)
            except DataDirectoryInUse:
                if cluster is not None:
                    raise
                if not waited:
                    sentence = f"the server that uses {settings.data} holds the contest; this shows how it goes"
                    follower.say(f"{sentence}, and goes on with it should that server end")
                waited = True
                with trio.move_on_after(TAKE_SECONDS):
                    return await follower.follow(None, stopped)
                continue
            if waited:
                follower.say("the server that held the contest has ended; this one goes on with it")
            follower.say(f"listening on {settings.host}, port {arena.ports[0]}; Ctrl-C stops in order")
            if cluster is not None:
                workers, games = number_of(cluster.workers, "worker"), number_of(cluster.games, "game")
                follower.say(f"the cluster at {cluster.address} has {workers}, and room for {games} at a time")
            found = await follower.follow(arena, stopped)
            arena.closing.set()
        return found


class _Follower:
    """Shows the progress of a contest from its database."""

    def __init__(self, store: Store, contest: int, console: Console) -> None:
        self._store = store
        self._contest = contest
        self._console = console
        self._said = float("-inf")

    def say(self, sentence: str) -> None:
        self._console.print(sentence, highlight=False, markup=False, soft_wrap=True)

    async def look(self, arena: Arena | None = None) -> ContestSnapshot:
        """Return a snapshot of the contest."""
        present = None if arena is None else ContestPlayers.of(arena).present.get(self._contest)
        return await trio.to_thread.run_sync(take_snapshot, self._store, self._contest, datetime.now(UTC), present)

    async def follow(self, arena: Arena | None, stopped: trio.Event) -> ContestSnapshot:
        """Show progress until the contest is over or the server is stopped; return the last snapshot."""
        live = Live(console=self._console, auto_refresh=False, transient=True)
        with live:
            while True:
                began = trio.current_time()
                found = await self.look(arena)
                if found.moment.closed is not None or stopped.is_set():
                    return found
                if self._console.is_terminal:
                    live.update(Text(progress.progress_line(*found)), refresh=True)
                elif trio.current_time() - self._said >= LINE_SECONDS:
                    self._said = trio.current_time()
                    self.say(progress.progress_line(*found))
                with trio.move_on_after(max(LOOK_SECONDS, LOOK_SHARE * (trio.current_time() - began))):
                    await stopped.wait()
