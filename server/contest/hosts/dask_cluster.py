"""Plays games on the workers of a cluster of dask.distributed.

A worker plays half as many games at a time as it has threads. It plays a game to the end
(`server.contest.hosts.game_worker`), and the record that comes back is verified. When a worker is lost, other workers
play its games under the same numbers. When the scheduler is lost, all games wait until it is back. A worker that fails
again and again gets no more games, and a game that fails again and again is given back to the contest.
"""

import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import msgspec
import trio

from engine.commands.program import install_line
from server.arena.arena import Arena
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, GameResult
from server.contest.hosts import game_worker
from server.contest.hosts.game_worker import BadAnswer, Job, Played, check_answer, cluster_obstacle, make_job
from server.contest.hosts.host import MAX_FAILURES, PROGRAMS, GameTask, HostedGame, NotPlayed, PlayerMissing
from server.contest.scoring import game_result
from server.contest.store.folders import keep_written
from server.ops.faults import server_fault
from server.ops.logs import log
from server.ops.program_version import program_with_rules

if TYPE_CHECKING:
    from distributed import Client

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

CONNECT_SECONDS = 5.0
"""How long connecting to the scheduler may take."""

CLOSE_SECONDS = 2.0
"""How long closing the connection to the scheduler may take."""

POLL_SECONDS = 1.0
"""How often to ask the scheduler for its workers, and to connect again after it was lost."""

ANSWER_SECONDS = 15.0
"""How long the scheduler may take to name its workers."""

GREETING_SECONDS = 30.0
"""How long to wait at the beginning for the answers of the first workers."""

MAX_WORKER_FAILURES = 3
"""A worker gets no more games after so many failures in a row."""

MAX_CALLS = 10_000
"""Calls of workers at a time. Each holds a thread, which waits for the answer."""


class BadCluster(OSError):
    """The cluster cannot play. ``str(error)`` is one sentence."""


class WorkerLost(Exception):
    """A worker, or the connection to its cluster, was lost during a call."""


def connect(address: str) -> "Client":
    """Connect to a scheduler; raises OSError. To be called in a thread."""
    from distributed import Client

    for name in ("distributed", "distributed.client"):  # this module logs the faults
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        raise OSError(str(error) or type(error).__name__) from error


@asynccontextmanager
async def connected_cluster(address: str, definition: Definition) -> AsyncIterator["Cluster | None"]:
    """Connect to the cluster of the dask scheduler at an address, for a contest; None without an address.

    Raises `BadCluster`, also in an exception group.
    """
    if not address:
        yield None
        return
    if obstacle := cluster_obstacle(definition):
        raise BadCluster(obstacle)
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        what = f"a cluster needs packages that are not installed ({error.name})"
        raise BadCluster(f"{what}: {install_line('dask')}") from error
    cluster = Cluster(address, definition.folder)
    async with trio.open_nursery() as nursery:
        await nursery.start(cluster.run)
        yield cluster
        nursery.cancel_scope.cancel()


class _Worker:
    """A worker, until it is lost."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.rooms = 0
        """How many games it can play at a time, as soon as it has answered the greeting."""
        self.calls: set[trio.CancelScope] = set()
        """Its greeting and its games. Cancelling a scope gives up the answer."""
        self.failures = 0

    @property
    def fit(self) -> bool:
        """Whether it gets games."""
        return self.rooms > 0 and self.failures < MAX_WORKER_FAILURES


class Cluster:
    """A cluster while `run` is connected to it."""

    def __init__(self, address: str, folder: str, connect: Callable[[str], "Client"] = connect) -> None:
        """Take the scheduler's address, the contest file's folder, and the function that connects."""
        self.address = address
        self._folder = folder
        self._connect = connect
        self._client: Client | None = None
        self._workers: dict[str, _Worker] = {}
        self._lacks: dict[str, None] = {}
        """Sentences about the workers that cannot play."""
        self._changed = trio.Event()
        self._calls = trio.CapacityLimiter(MAX_CALLS)

    @property
    def workers(self) -> int:
        """The number of workers that can play."""
        return sum(worker.fit for worker in self._workers.values())

    @property
    def games(self) -> int:
        """The number of games that can be played at the same time."""
        return sum(worker.rooms for worker in self._workers.values() if worker.fit)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Stay connected to the cluster until cancelled; reports when its workers have answered.

        Raises `BadCluster` without a scheduler at the beginning, or where it has workers and none of them can play.
        """
        try:
            try:
                self._client = await self._in_thread(self._connect, self.address)
                with trio.move_on_after(GREETING_SECONDS):
                    async with trio.open_nursery() as nursery:
                        await self._poll(nursery)
            except OSError as error:
                raise BadCluster(f"no dask scheduler can be reached at {self.address!r}: {error}") from error
            if self._lacks and not self.workers:
                raise BadCluster(f"no worker of {self.address} can play: {'; '.join(self._lacks)}")
            task_status.started()
            async with trio.open_nursery() as nursery:
                await self._poll_workers(nursery)
        finally:
            await self._leave()

    async def _poll_workers(self, nursery: trio.Nursery) -> None:
        """Look for workers at intervals."""
        waits = False
        while True:
            if not self.workers and not waits:
                log.warning("worker_wait_started", cluster=self.address)
            waits = not self.workers
            await trio.sleep(POLL_SECONDS)
            try:
                await self._poll(nursery)
            except OSError as error:
                if self._client is not None:
                    log.warning("cluster_lost", cluster=self.address, error=str(error))
                await self._leave()

    async def _leave(self) -> None:
        """Close the connection, and give up all workers."""
        client, self._client = self._client, None
        for worker in list(self._workers.values()):
            self._forget(worker)
        if client is not None:
            with trio.CancelScope(shield=True), suppress(Exception):
                await self._in_thread(partial(client.close, timeout=CLOSE_SECONDS))

    async def _poll(self, nursery: trio.Nursery) -> None:
        """Greet new workers, and forget lost ones; connect again if the scheduler was lost.

        Raises OSError if the scheduler does not answer.
        """
        if self._client is None:
            self._client = await self._in_thread(self._connect, self.address)
            log.warning("cluster_recovered", cluster=self.address)
        try:
            with trio.fail_after(ANSWER_SECONDS):
                found: dict[str, int] = await self._in_thread(self._client.nthreads)
        except Exception as error:
            raise OSError(str(error) or type(error).__name__) from error
        for address in self._workers.keys() - found.keys():
            log.warning("worker_lost", worker=address)
            self._forget(self._workers[address])
        for address in found.keys() - self._workers.keys():
            worker = self._workers[address] = _Worker(address)
            nursery.start_soon(self._greet, worker, found[address])

    def _forget(self, worker: _Worker) -> None:
        """Remove a worker; its calls are lost."""
        if self._workers.get(worker.address) is worker:
            del self._workers[worker.address]
        for call in worker.calls:
            call.cancel()
        self._wake()

    def _wake(self) -> None:
        """Wake the games that wait for a worker."""
        self._changed.set()
        self._changed = trio.Event()

    async def _greet(self, worker: _Worker, threads: int) -> None:
        """Let a worker play if it has all that games need."""
        try:
            lacks = await self._call(worker, partial(game_worker.greet, self._folder, program_with_rules()))
        except WorkerLost:
            self._forget(worker)  # the next look greets it again
            return
        except BadAnswer as error:
            lacks = f"it cannot run this program: {error}"
        if lacks:
            log.warning("worker_unfit", worker=worker.address, lacks=lacks)
            self._lacks[f"{worker.address}: {lacks}"] = None
        else:
            worker.rooms = max(1, threads // PROGRAMS)
            log.info("worker_joined", worker=worker.address, games=worker.rooms)
            self._wake()

    async def play(self, job: Job) -> Played:
        """Let a worker play a game as soon as one has room for it. Raises `NotPlayed`."""
        task = partial(game_worker.play_task, msgspec.json.encode(job))
        failures = 0
        while failures < MAX_FAILURES:
            worker, client = await self._with_room(), self._client
            try:
                played = await self._in_thread(check_answer, job, await self._call(worker, task))
            except WorkerLost:
                if self._client is not client:
                    continue  # the whole cluster was lost
                why = "its worker was lost"
            except BadAnswer as error:
                why = str(error)
                worker.failures += 1
                log.warning("worker_game_failed", worker=worker.address, match=job.match, why=why)
                if worker.failures == MAX_WORKER_FAILURES:
                    log.error("worker_excluded", worker=worker.address, failures=worker.failures, why=why)
            else:
                worker.failures = 0
                return played
            finally:
                self._wake()
            failures += 1
        raise NotPlayed(f"it was tried {failures} times on the cluster; the last time {why}")

    async def _with_room(self) -> _Worker:
        """Return the most reliable worker with room for a game, among equals the one with the most room."""
        while True:
            free = [worker for worker in self._workers.values() if worker.fit and len(worker.calls) < worker.rooms]
            if free:
                return min(free, key=lambda worker: (worker.failures, len(worker.calls) - worker.rooms))
            await self._changed.wait()

    async def _call(self, worker: _Worker, function: Callable[[], Any]) -> Any:
        """Return the answer of a worker; raises `BadAnswer` for its exceptions, and `WorkerLost`."""
        assert self._client is not None
        with trio.CancelScope() as scope:
            worker.calls.add(scope)
            try:
                future = self._client.submit(function, workers=[worker.address], allow_other_workers=False, pure=False)
                try:
                    return await self._in_thread(future.result)
                finally:
                    future.release()
            except CancelledError:
                await trio.sleep(POLL_SECONDS)  # after the next look it is known whether the scheduler is there
            except Exception as error:
                raise BadAnswer(" ".join(f"{type(error).__name__}: {error}".split())) from error
            finally:
                worker.calls.discard(scope)
        raise WorkerLost

    async def _in_thread(self, work: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """Run a slow function in a thread; if this is cancelled, the thread goes on."""
        return await trio.to_thread.run_sync(work, *arguments, abandon_on_cancel=True, limiter=self._calls)


class ClusterGame(HostedGame):
    """A game that a worker of the cluster plays."""

    def __init__(self, arena: Arena, cluster: Cluster, task: GameTask) -> None:
        """Take the arena to whose records that of the game is added."""
        self._arena = arena
        self._cluster = cluster
        self._task = task

    async def result(self) -> GameResult:
        """Return the result when the record of the game is saved here; raises `PlayerMissing` and `NotPlayed`."""
        contest, number, data = self._task.contest, self._task.number, self._arena.settings.data
        try:
            answer, state = await self._cluster.play(make_job(self._task, self._arena.server))
            await trio.to_thread.run_sync(keep_written, data, contest, number, answer.wrote)
            if state is None:
                missing = PlayerMissing(answer.why, answer.names, termination=answer.termination or ABSENT)
                missing.programs = answer.programs
                raise missing
            await trio.to_thread.run_sync(self._arena.record_store.import_record, number, answer.record)
            self.recorded = True
        except OSError as error:
            raise NotPlayed(server_fault(error) or str(error)) from error
        return game_result(self._task.fixture, state)._replace(programs=answer.programs)


class ClusterHost:
    """The host that plays games on a cluster, which chooses the workers."""

    def __init__(self, arena: Arena, cluster: Cluster) -> None:
        """Take a running cluster, and the arena that keeps the records."""
        self._arena = arena
        self._cluster = cluster

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[ClusterGame]:
        """Send a game to a worker when its result is asked for; as `Host.play`. The worker ends the programs."""
        yield ClusterGame(self._arena, self._cluster, task)
