"""``arena-server contest``: opens a contest, serves it unless another server does, and shows how it goes."""

from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import trio
from rich.console import Console
from rich.live import Live
from rich.progress import Progress

from server.arena.arena import Arena
from server.config.settings import Settings
from server.contest.definition import Definition
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.dask_cluster import Cluster, dask_cluster
from server.contest.programs.sandbox.choice import obstacle
from server.contest.report import formatting, progress
from server.contest.report.render import text
from server.contest.runtime.snapshot import ContestSnapshot, account, write_report
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.contest.store.verification import Verdict
from server.contest.store.verify_process import verify
from server.serve import serve
from server.storage.record_store import DataDirectoryInUse

LOOK_SECONDS = 1.0
"""How often to look how far it has come."""

LOOK_SHARE = 4.0
"""The pause is so many times as long as the last look has taken, which grows with the games."""

LINE_SECONDS = 30.0
"""How often to say so where nobody looks at a terminal."""

TAKE_SECONDS = 3.0
"""How often to look whether the server that is followed has ended; one that is started again may be the faster."""

OVER, STOPPED = 0, 3
"""Exit statuses: the contest is over; it was stopped, and the same command goes on with it."""


class Asked(NamedTuple):
    """What the command was asked to do."""

    file: str
    """The text of the contest file."""
    definition: Definition
    settings: Settings
    dask: str = ""
    """Address of the scheduler of a cluster that plays the games; empty for none."""


async def hold(asked: Asked, console: Console) -> int:
    """Hold a contest to its end, or until it is stopped, and return an exit status.

    Raises OSError and `server.contest.store.schema.BadStore`.
    """
    if not asked.dask:
        return await _hold(asked, console, None)
    cluster = dask_cluster(asked.dask, asked.definition)
    async with trio.open_nursery() as nursery:
        await nursery.start(cluster.run)
        status = await _hold(asked, console, cluster)
        nursery.cancel_scope.cancel()
    return status


async def _hold(asked: Asked, console: Console, cluster: Cluster | None) -> int:
    if cluster is None and (why := await trio.to_thread.run_sync(obstacle, asked.definition)):
        raise OSError(why)  # before it is opened: its file has to be changed, perhaps
    data = asked.settings.data
    data.mkdir(parents=True, exist_ok=True)
    with closing(await trio.to_thread.run_sync(Store, data / FILE)) as store:
        open_ = partial(store.open_contest, asked.file, asked.definition, datetime.now(UTC))
        contest = await trio.to_thread.run_sync(open_)
        follower = _Follower(store, contest, console)
        found = await follower.look()
        before = found.moment.closed
        if before is None:
            found = await _held(asked.settings, cluster, follower)
        if found.moment.closed is None:
            console.print(f"Stopped after {len(found.games)} games. The same command goes on with the contest.")
            return STOPPED
        made = await trio.to_thread.run_sync(partial(write_report, data, contest, found))
        if await trio.to_thread.run_sync(store.verification, contest) is None:
            verdict = await trio.to_thread.run_sync(partial(_verified, store, data, contest, console))
            found = await follower.look()
            made = await trio.to_thread.run_sync(partial(write_report, data, contest, found))
            if verdict.differences:
                follower.say(f"{verdict.sentence}; arena-server contest --verify names them")
        console.print(text.drawn(made))
        console.print(f"The whole report: {folder_of(data, contest) / 'index.html'}", soft_wrap=True)
        if before is not None:
            follower.say(
                f"This contest was over on {formatting.date(before)}; nothing was played. "
                "To play again, give it another name in its file, or a new --data."
            )
        return OVER


def _verified(store: Store, data: Path, contest: int, console: Console) -> Verdict:
    """Hold a contest that is over against its records, and keep what was found."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("verifying", total=None)
        verdict = verify(data, contest, lambda done, count: bar.update(task, completed=done, total=count))
    store.save_verification(contest, datetime.now(UTC), verdict)
    return verdict


async def _held(settings: Settings, cluster: Cluster | None, follower: "_Follower") -> ContestSnapshot:
    """Serve until the contest is over, or the server was stopped; where another server does, follow that one.

    When that one has ended, this one goes on.
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
                room = f"{cluster.workers} workers, and room for {cluster.games} games at a time"
                follower.say(f"the cluster at {cluster.address} has {room}")
            found = await follower.follow(arena, stopped)
            arena.closing.set()
        return found


class _Follower:
    """Shows how far a contest has come, as the store tells it."""

    def __init__(self, store: Store, contest: int, console: Console) -> None:
        self._store = store
        self._contest = contest
        self._console = console
        self._said = float("-inf")

    def say(self, sentence: str) -> None:
        self._console.print(sentence, highlight=False, markup=False, soft_wrap=True)

    async def look(self, arena: Arena | None = None) -> ContestSnapshot:
        """Return how the contest stands."""
        present = None if arena is None else ContestPlayers.of(arena).present.get(self._contest)
        return await trio.to_thread.run_sync(account, self._store, self._contest, datetime.now(UTC), present)

    async def follow(self, arena: Arena | None, stopped: trio.Event) -> ContestSnapshot:
        """Show what happens until the contest is over, or the server has stopped; return how it stands then."""
        live = Live(console=self._console, auto_refresh=False, transient=True)
        with live:
            while True:
                began = trio.current_time()
                found = await self.look(arena)
                now = progress.progress(found.definition, found.games, found.plan, found.moment)
                if found.moment.closed is not None or stopped.is_set():
                    return found
                if self._console.is_terminal:
                    live.update(progress.drawn(now), refresh=True)
                elif trio.current_time() - self._said >= LINE_SECONDS:
                    self._said = trio.current_time()
                    self.say(progress.line(now))
                with trio.move_on_after(max(LOOK_SECONDS, LOOK_SHARE * (trio.current_time() - began))):
                    await stopped.wait()
