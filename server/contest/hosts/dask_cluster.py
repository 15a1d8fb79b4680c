"""A cluster as the host sees it: its workers, their capacity, and the games that they play.

A game needs two cores, and goes to a worker that has two free ones. The worker plays it to the end
(`server.contest.hosts.worker_job`); a record that comes back is verified. When a worker is lost its games go to others,
under the same numbers; when the scheduler is lost all wait until it is back. A worker that fails again and again gets
no more games, and a game that fails again and again is given back to who asked for it.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import msgspec.structs
import structlog
import trio

from server.arena.arena import Arena
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, GameResult, Programs
from server.contest.hosts.host import MAX_FAILURES, GameTask, NotPlayed, PlayerMissing
from server.contest.hosts.worker_job import (
    BadAnswer,
    Job,
    Played,
    WorkerInfo,
    check_answer,
    cluster_obstacle,
    foreign_program,
    game_slots,
    make_job,
)
from server.contest.scoring.results import game_result
from server.contest.store.folders import keep_written
from server.ops.faults import server_fault

if TYPE_CHECKING:
    from server.contest.hosts.dask_link import DaskLink

log = structlog.get_logger()

Result = TypeVar("Result")

LOOK_SECONDS = 1.0
"""How often to look which workers there are."""

ANSWER_SECONDS = 15.0
"""How long the scheduler may take to say so."""

GREETING_SECONDS = 30.0
"""How long to wait at the beginning for the first workers to say what they have."""

RETURN_SECONDS = 2.0
"""Pause between two attempts to reach a scheduler that was lost."""

MAX_WORKER_FAILURES = 3
"""A worker that has failed so often, without having played a game in between, gets no more."""


class BadCluster(OSError):
    """The cluster cannot play. ``str(error)`` is one sentence."""


def dask_cluster(address: str, definition: Definition) -> "Cluster":
    """Return the cluster of the dask scheduler at an address, for a contest; raises `BadCluster`."""
    refusal = cluster_obstacle(definition)
    if refusal:
        raise BadCluster(refusal)
    try:
        from server.contest.hosts.dask_link import DaskLink
    except ModuleNotFoundError as error:
        sentence = f"a cluster needs packages that are not installed ({error.name}): pip install 'gipf-arena[dask]'"
        raise BadCluster(sentence) from error
    return Cluster(address, definition.folder, DaskLink)


@asynccontextmanager
async def connected_cluster(address: str, definition: Definition) -> AsyncIterator["Cluster | None"]:
    """Connect to the cluster of the dask scheduler at an address, for a contest; None without an address.

    Raises `BadCluster`, also in an exception group.
    """
    if not address:
        yield None
        return
    cluster = dask_cluster(address, definition)
    async with trio.open_nursery() as nursery:
        await nursery.start(cluster.run)
        yield cluster
        nursery.cancel_scope.cancel()


class _Worker:
    """A worker, from its first appearance until it is lost."""

    def __init__(self, address: str, threads: int) -> None:
        self.address = address
        self.threads = threads
        self.greeting: WorkerInfo | None = None
        self.rooms: list[tuple[int, ...]] = []
        """For each game that it can play at a time, the cores; none for any."""
        self.free: list[tuple[int, ...]] = []
        """Those of them that are free."""
        self.calls: set[trio.MemorySendChannel[Any]] = set()
        """Take the answer of each call that it carries out, or None where it was lost; the first one stands."""
        self.failures = 0

    @property
    def machine(self) -> str | None:
        """The machine that it runs on; known after its first answer."""
        return None if self.greeting is None else self.greeting.machine

    @property
    def fit(self) -> bool:
        """Tell whether it can play games."""
        return bool(self.rooms) and self.failures < MAX_WORKER_FAILURES


class Cluster:
    """A cluster while `run` is connected to it."""

    def __init__(self, address: str, folder: str, connect: Callable[[str], "DaskLink"]) -> None:
        """Take the scheduler's address, the contest file's folder, and the function that connects, for a thread."""
        self.address = address
        self._folder = folder
        self._connect = connect
        self._link: DaskLink | None = None
        self._workers: dict[str, _Worker] = {}
        self._changed = trio.Event()
        self._looked = trio.Event()

    @property
    def workers(self) -> int:
        """The number of workers that can play."""
        return sum(worker.fit for worker in self._workers.values())

    @property
    def games(self) -> int:
        """The number of games that can be played at the same time."""
        return sum(len(worker.rooms) for worker in self._workers.values() if worker.fit)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Stay connected to the cluster until cancelled; reports when its workers have answered.

        Raises `BadCluster` where there is none at the beginning, or where it has workers, and none of them can play.
        """
        try:
            async with trio.open_nursery() as nursery:
                try:
                    self._link = await _in_thread(partial(self._connect, self.address))
                    await self._look(nursery)
                except OSError as error:
                    raise BadCluster(f"no dask scheduler can be reached at {self.address!r}: {error}") from error
                with trio.move_on_after(GREETING_SECONDS):
                    while any(worker.greeting is None for worker in self._workers.values()):
                        await self._changed.wait()
                lacks = [worker.greeting.lacks for worker in self._workers.values() if worker.greeting is not None]
                if lacks and not self.workers:
                    raise BadCluster(f"no worker of {self.address} can play: {'; '.join(dict.fromkeys(lacks))}")
                task_status.started()
                await self._keep_in_touch(nursery)
        finally:
            await self._leave()

    async def _keep_in_touch(self, nursery: trio.Nursery) -> None:
        """Look for workers at intervals, and connect again when the scheduler was lost."""
        without = False
        while True:
            if not self.workers and not without:
                log.warning("worker_wait_started", cluster=self.address)
            without = not self.workers
            await trio.sleep(LOOK_SECONDS)
            try:
                await self._look(nursery)
            except OSError as error:
                log.warning("cluster_lost", cluster=self.address, error=str(error))
                await self._come_back()
                log.warning("cluster_recovered", cluster=self.address)

    async def _come_back(self) -> None:
        """Connect again as soon as possible."""
        await self._leave()
        for worker in list(self._workers.values()):
            self._forget(worker)
        while self._link is None:
            await trio.sleep(RETURN_SECONDS)
            with suppress(OSError):
                self._link = await _in_thread(partial(self._connect, self.address))

    async def _leave(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(link.close)

    async def _look(self, nursery: trio.Nursery) -> None:
        """Add new workers, and remove lost ones; raises OSError if the scheduler does not answer."""
        assert self._link is not None
        try:
            with trio.fail_after(ANSWER_SECONDS):
                found = await _in_thread(self._link.workers)
        except trio.TooSlowError:
            raise OSError(f"no answer within {ANSWER_SECONDS:g} seconds") from None
        for address, worker in list(self._workers.items()):
            if address not in found:
                log.warning("worker_lost", worker=address, games=len(worker.calls))
                self._forget(worker)
        for address, threads in found.items():
            if address not in self._workers:
                self._workers[address] = worker = _Worker(address, threads)
                nursery.start_soon(self._greet, worker, self._link)
        self._looked.set()
        self._looked = trio.Event()

    def _forget(self, worker: _Worker) -> None:
        """Remove a worker with its calls."""
        del self._workers[worker.address]
        for call in worker.calls:
            _end_call(call, None)
        self._tell()

    def _tell(self) -> None:
        """Tell waiting games and contests that the capacity has changed."""
        self._changed.set()
        self._changed = trio.Event()

    async def _greet(self, worker: _Worker, link: "DaskLink") -> None:
        """Ask a worker for its cores, and assign them to its games."""
        answer = await self._call(worker, partial(link.greet, worker.address, self._folder))
        if isinstance(answer, Exception):
            answer = WorkerInfo("", (), f"{worker.address} cannot run this program: {_sentence(answer)}")
        elif answer is not None and (foreign := foreign_program(answer.program)):
            answer = answer._replace(lacks=f"{worker.address}: {foreign}")
        if self._workers.get(worker.address) is not worker:
            return
        if answer is None:  # it is asked again as soon as it is seen again
            self._forget(worker)
            return
        if answer.lacks:
            log.warning("worker_unfit", worker=worker.address, lacks=answer.lacks)
        else:
            beside = [other for other in self._workers.values() if other.machine == answer.machine]
            taken = {core for other in beside for room in other.rooms for core in room}
            worker.rooms = game_slots([core for core in answer.cores if core not in taken], worker.threads)
            worker.free = list(worker.rooms)
            log.info("worker_joined", worker=worker.address, games=len(worker.rooms))
        worker.greeting = answer
        self._tell()

    async def play(self, job: Job) -> Played:
        """Let a worker play a game as soon as one has room for it. Raises `NotPlayed`."""
        tries = 0
        while tries < MAX_FAILURES:
            worker, link = await self._with_room()
            cores = worker.free.pop()
            try:
                task = msgspec.json.encode(msgspec.structs.replace(job, cores=cores))
                answer = await self._call(worker, partial(link.play, worker.address, task))
                if answer is None:
                    await self._looked.wait()
                    if self._link is not link:
                        continue  # nothing is wrong with the game, nor with the worker: the whole cluster was lost
                played = await _in_thread(partial(check_answer, job, answer))
            except BadAnswer as error:
                why = str(error)
                self._failed(worker, job, why)
            else:
                worker.failures = 0
                return played
            finally:
                worker.free.append(cores)
                self._tell()
            tries += 1
        raise NotPlayed(f"it was tried {tries} times on the cluster; the last time {why}")

    def _failed(self, worker: _Worker, job: Job, why: str) -> None:
        worker.failures += 1
        log.warning("worker_game_failed", worker=worker.address, match=job.match, why=why)
        if worker.failures == MAX_WORKER_FAILURES:
            log.error("worker_excluded", worker=worker.address, failures=worker.failures, why=why)

    async def _with_room(self) -> "tuple[_Worker, DaskLink]":
        """Return the most reliable worker with room for a game, among equals the one with the most room."""
        while True:
            free = [worker for worker in self._workers.values() if worker.fit and worker.free]
            if free and self._link is not None:
                return min(free, key=lambda worker: (worker.failures, -len(worker.free))), self._link
            await self._changed.wait()

    async def _call(self, worker: _Worker, begin: Callable[[Callable[[Any], None]], Callable[[], None]]) -> Any:
        """Return the answer of a worker, or the exception that it raises; None if the worker is lost."""
        call, answers = trio.open_memory_channel[Any](1)
        token = trio.lowlevel.current_trio_token()

        def done(answer: Any) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(_end_call, call, answer)

        worker.calls.add(call)
        try:
            release = await trio.to_thread.run_sync(begin, done)
            try:
                return await answers.receive()
            finally:
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(release)
        finally:
            worker.calls.discard(call)


def _end_call(call: trio.MemorySendChannel[Any], answer: Any) -> None:
    with suppress(trio.WouldBlock):
        call.send_nowait(answer)


async def _in_thread(work: Callable[[], Result]) -> Result:
    """Run a slow function in a thread; if this is cancelled, the thread goes on, and nobody waits for it."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)


def _sentence(error: Exception) -> str:
    """Return the error of another program as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


class ClusterGame:
    """A game that a worker of the cluster plays."""

    lacked = ""
    programs: Programs = (None, None)

    def __init__(self, arena: Arena, cluster: Cluster, task: GameTask) -> None:
        """Take the arena to whose records that of the game is added."""
        self.recorded = False
        self._arena = arena
        self._cluster = cluster
        self._task = task

    async def result(self) -> GameResult:
        """Return the result when the record of the game is saved here; raises `PlayerMissing` and `NotPlayed`."""
        fixture, number = self._task.fixture, self._task.number
        try:
            played = await self._cluster.play(make_job(self._task, self._arena.server))
            keep = partial(keep_written, self._arena.settings.data, self._task.contest, number, played.answer.wrote)
            await trio.to_thread.run_sync(keep)
            if played.state is not None:
                await trio.to_thread.run_sync(self._arena.record_store.import_record, number, played.answer.record)
                self.recorded = True
        except OSError as error:
            raise NotPlayed(server_fault(error) or str(error)) from error
        if played.state is None:
            answer = played.answer
            missing = PlayerMissing(answer.why, answer.names, termination=answer.termination or ABSENT)
            missing.programs = answer.programs
            raise missing
        return game_result(fixture, played.state, played.gone)._replace(programs=played.answer.programs)

    def leave_cores(self) -> bool:
        """Return False: a cluster assigns its workers itself."""
        return False

    def cut_off(self) -> None:
        """Return None: a game that is not finished leaves nothing here."""


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
