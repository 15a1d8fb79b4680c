"""Processes that answer questions of pages: started when somebody asks, and no more than so many.

Clients ask in fair turns.
"""

from collections.abc import Hashable
from types import TracebackType

import structlog
import trio

from server.ops.faults import machine_fault
from server.ops.worker_process import FAULTS, WorkerProcess, command_of
from server.web.http.errors import Refused
from server.web.http.work_queue import Full, WorkQueue

log = structlog.get_logger()

MAX_WAITING, MAX_WAITING_OF_ONE = 256, 16
"""Questions that wait for a process, of all clients and of one: so many that a few clients do not fill the queue."""

STOP_SECONDS = 1.0
"""How long a process whose question was abandoned may take to be done with it before it is killed."""

MAX_MEMORY = 1 << 30
"""Bytes that an idle process may hold: each large board that it has compiled takes some 60 million, and stays."""

START_SECONDS = 60.0
"""How long a process may take to start: half a second's work, of which a busy machine gives it little."""


class Workers:
    """Up to ``count`` processes. An async context manager: on leaving they are killed.

    >>> async with Workers(2, nice=10) as workers:
    ...     status, body = await workers.ask("look", b'{"game": "gipf"}', seconds=5)
    """

    def __init__(self, count: int, *, nice: int, module: str = "server.web.play.worker") -> None:
        """Start none yet. ``nice`` is by how much lower their priority is than the server's, 0 to 19.

        ``module`` is the worker process, which takes that number as its argument.
        """
        self._turns = WorkQueue(count, MAX_WAITING, MAX_WAITING_OF_ONE)
        self._command = command_of(module, str(nice))
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()

    async def __aenter__(self) -> "Workers":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for worker in list(self._all):
            await self._end(worker)

    async def ask(self, kind: str, body: bytes, seconds: float, client: Hashable = None) -> tuple[int, bytes]:
        """Return the status and the body of an answer; raises `Refused` where too many wait or the process fails.

        ``seconds`` is how long an answer may take, waiting for a process not counted. A question whose caller is
        cancelled is stopped.
        """
        try:
            return await self._ask_in_turn(kind, body, seconds, client)
        except Full:
            raise Refused(503, "too many questions wait already; try again in a minute") from None

    async def _ask_in_turn(self, kind: str, body: bytes, seconds: float, client: Hashable) -> tuple[int, bytes]:
        async with self._turns.of(client):
            worker = self._idle.pop() if self._idle else await self._start()
            sane = False
            try:
                with trio.fail_after(seconds):
                    answer = await worker.ask(kind, body)
                sane = True
                return answer
            except trio.Cancelled:
                sane = await worker.stop(STOP_SECONDS)
                raise
            except FAULTS as error:
                log.warning("play_worker_failed", kind=kind, error=repr(error))
                raise Refused(500, f"no answer came within {seconds:g} seconds; try something easier") from None
            finally:
                if sane and worker.memory() <= MAX_MEMORY:
                    self._idle.append(worker)
                else:
                    await self._end(worker)

    async def _start(self) -> WorkerProcess:
        try:
            worker = await WorkerProcess.start(self._command)
        except OSError as error:
            log.error("play_worker_start_failed", error=machine_fault(error) or repr(error))
            raise Refused(503, "the server has no room for another process now; try again in a minute") from None
        self._all.add(worker)
        try:
            with trio.fail_after(START_SECONDS):
                await worker.ready()
            return worker
        except BaseException as error:
            await self._end(worker)
            if not isinstance(error, FAULTS):
                raise
            log.error("play_worker_start_failed", error=repr(error))
            raise Refused(
                500, "the bot cannot be started; whoever runs the server finds the reason in its log"
            ) from None

    async def _end(self, worker: WorkerProcess) -> None:
        self._all.discard(worker)
        await worker.end()
