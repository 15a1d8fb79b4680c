"""Plays games on the workers of a cluster of dask.distributed.

A thread of a worker plays a game to the end (`server.contest.hosts.game_worker`), and the record that comes back is
verified. The scheduler of dask chooses the workers, and lets others play the games of a lost worker. When the scheduler
is lost, all games wait until it is back. A game that fails again and again is given back to the contest.
"""

import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import trio

from engine.commands.program import install_line
from server.arena.arena import Arena
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, GameResult
from server.contest.hosts import game_worker
from server.contest.hosts.arena_host import Arguments, Result
from server.contest.hosts.game_worker import BadAnswer, Job, VerifiedAnswer, check_answer, cluster_obstacle, make_job
from server.contest.hosts.host import MAX_FAILURES, GameTask, HostedGame, NotPlayed, PlayerMissing
from server.contest.scoring import game_result
from server.contest.store.folders import keep_written
from server.ops.faults import server_fault
from server.ops.logs import log
from server.ops.program_version import program_with_rules

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 5.0
"""How long connecting to the scheduler may take."""

CLOSE_SECONDS = 2.0
"""How long closing the connection to the scheduler may take."""

POLL_SECONDS = 1.0
"""How often to ask the scheduler for its workers, and to connect again after it was lost."""

ANSWER_SECONDS = 15.0
"""How long the scheduler may take to name its workers."""

MAX_CALLS = 10_000
"""Calls of workers at a time. Each holds a thread, which waits for the answer."""


class BadCluster(OSError):
    """The cluster cannot play. ``str(error)`` is one sentence."""


class ClusterLost(Exception):
    """The connection to the cluster was lost during a game."""


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


class Cluster:
    """A cluster while `run` is connected to it. Its scheduler chooses the worker of each game."""

    def __init__(self, address: str, folder: str, connect: Callable[[str], "Client"] = connect) -> None:
        """Take the scheduler's address, the contest file's folder, and the function that connects."""
        self.address = address
        self._folder = folder
        self._connect = connect
        self._client: Client | None = None
        self._threads: dict[str, int] = {}
        """The number of threads of each worker."""
        self._calls = trio.CapacityLimiter(MAX_CALLS)

    @property
    def workers(self) -> int:
        """The number of workers."""
        return len(self._threads)

    @property
    def games(self) -> int:
        """The number of games that can be played at the same time."""
        return sum(self._threads.values())

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Stay connected to the cluster until cancelled; reports when its workers have answered.

        Raises `BadCluster` without a scheduler at the beginning, or where one of its workers cannot play.
        """
        try:
            try:
                await self._poll()
            except OSError as error:
                raise BadCluster(f"no dask scheduler can be reached at {self.address!r}: {error}") from error
            await self._greet()
            task_status.started()
            while True:
                await trio.sleep(POLL_SECONDS)
                try:
                    await self._poll()
                except OSError as error:
                    if self._client is not None:
                        log.warning("cluster_lost", cluster=self.address, error=str(error))
                    await self._leave()
        finally:
            await self._leave()

    async def _leave(self) -> None:
        """Close the connection, and give up all games."""
        client, self._client = self._client, None
        self._threads = {}
        if client is not None:
            with trio.CancelScope(shield=True), suppress(Exception):
                await self._in_thread(partial(client.close, timeout=CLOSE_SECONDS))

    async def _poll(self) -> None:
        """Ask the scheduler for its workers; connect if there is no connection. Raises OSError without an answer."""
        if self._client is None:
            self._client = await self._in_thread(self._connect, self.address)
            log.info("cluster_connected", cluster=self.address)
        try:
            with trio.fail_after(ANSWER_SECONDS):
                self._threads = dict(await self._in_thread(self._client.nthreads))
        except Exception as error:
            raise OSError(str(error) or type(error).__name__) from error

    async def _greet(self) -> None:
        """Raise `BadCluster` where a worker lacks something that games need."""
        assert self._client is not None
        greet = partial(self._client.run, game_worker.greet, self._folder, program_with_rules(), on_error="return")
        for worker, lacks in (await self._in_thread(greet)).items():
            if isinstance(lacks, Exception):
                lacks = f"it cannot run this program: {_in_words(lacks)}"
            if lacks:
                raise BadCluster(f"the worker {worker} cannot play: {lacks}")

    async def play(self, job: Job) -> VerifiedAnswer:
        """Let a worker play a game. Raises `NotPlayed`."""
        task = partial(game_worker.play_task, msgspec.json.encode(job))
        failures, why = 0, ""
        while failures < MAX_FAILURES:
            try:
                return await self._in_thread(check_answer, job, await self._answer(task))
            except ClusterLost:
                continue
            except BadAnswer as error:
                failures, why = failures + 1, str(error)
                log.warning("worker_game_failed", match=job.match, why=why)
        raise NotPlayed(f"it was tried {failures} times on the cluster; the last time {why}")

    async def _answer(self, task: Callable[[], bytes]) -> bytes:
        """Return the answer of a worker; raises `BadAnswer` for its exceptions, and `ClusterLost`."""
        while self._client is None:
            await trio.sleep(POLL_SECONDS)
        future = self._client.submit(task, pure=False)
        try:
            answer: bytes = await self._in_thread(future.result)
        except CancelledError:
            await trio.sleep(POLL_SECONDS)
            raise ClusterLost from None
        except Exception as error:
            raise BadAnswer(_in_words(error)) from error
        finally:
            future.release()
        return answer

    async def _in_thread(self, work: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """Run a slow function in a thread; if this is cancelled, the thread goes on."""
        return await trio.to_thread.run_sync(work, *arguments, abandon_on_cancel=True, limiter=self._calls)


def _in_words(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


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
            answer, state = await self._cluster.play(make_job(self._task, self._arena.server, data))
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
