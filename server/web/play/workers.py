"""The processes of `server.web.play.worker`: started when somebody asks, and no more than so many."""

import subprocess
import sys
from types import TracebackType

import structlog
import trio

from server.web.http.errors import Refused

log = structlog.get_logger()

MAX_WAITING = 32
"""Questions that wait for a process to be free; who asks then is told to try later."""

STOP_SECONDS = 1.0
"""How long a process whose question was abandoned may take to be done with it before it is killed."""

START_SECONDS = 60.0
"""How long a process may take to start: half a second's work, of which a busy machine gives it little."""

FAULTS = (trio.TooSlowError, trio.BrokenResourceError, EOFError)
"""How it shows that a process is stuck, or has died."""

PIECE = 1 << 16
"""Bytes to read at once."""


class Workers:
    """Up to ``count`` processes. An async context manager: on leaving they are killed.

    >>> async with Workers(2, nice=10) as workers:
    ...     status, body = await workers.ask("look", b'{"game": "gipf"}', seconds=5)
    """

    def __init__(self, count: int, *, nice: int) -> None:
        """Start none yet. ``nice`` is by how much lower their priority is than the server's, 0 to 19."""
        self._limiter = trio.CapacityLimiter(count)
        self._nice = nice
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()

    async def __aenter__(self) -> "Workers":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for worker in list(self._all):
            await self._end(worker)

    async def ask(self, kind: str, body: bytes, seconds: float) -> tuple[int, bytes]:
        """Return the status and the body of an answer; raises `Refused` where too many wait or the process fails.

        ``seconds`` is how long an answer may take, waiting for a process not counted. A question whose caller is
        cancelled is stopped.
        """
        if self._limiter.statistics().tasks_waiting >= MAX_WAITING:
            raise Refused(503, f"{MAX_WAITING} others wait already; try again in a while")
        async with self._limiter:
            worker = self._idle.pop() if self._idle else await self._start()
            sane = False
            try:
                with trio.fail_after(seconds):
                    answer = await worker.ask(kind, body)
                sane = True
                return answer
            except trio.Cancelled:
                sane = await worker.stop()
                raise
            except FAULTS as error:
                log.warning("play_worker_failed", kind=kind, error=repr(error))
                raise Refused(500, f"no answer came within {seconds:g} seconds; try something easier") from None
            finally:
                if sane:
                    self._idle.append(worker)
                else:
                    await self._end(worker)

    async def _start(self) -> "_Worker":
        command = [sys.executable, "-P", "-m", "server.web.play.worker", str(self._nice)]
        worker = _Worker(await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
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

    async def _end(self, worker: "_Worker") -> None:
        self._all.discard(worker)
        worker.process.kill()
        with trio.CancelScope(shield=True, deadline=trio.current_time() + STOP_SECONDS):
            await worker.process.wait()
            await worker.close()


class _Worker:
    """A process, and what was read from it so far."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.asked = False
        """Whether it has a question, and its answer is still to come."""
        assert process.stdin is not None and process.stdout is not None
        self._questions, self._answers = process.stdin, process.stdout
        self._read = bytearray()

    async def ready(self) -> None:
        await self._answer()

    async def ask(self, kind: str, body: bytes) -> tuple[int, bytes]:
        await self._questions.send_all(b"%b %d\n%b" % (kind.encode(), len(body), body))
        self.asked = True
        answer = await self._answer()
        self.asked = False
        return answer

    async def stop(self) -> bool:
        """End what was asked last, of which the answer is still to come; tell whether it came.

        Of a question that has not gone out whole no answer comes.
        """
        if not self.asked:
            return False
        with trio.CancelScope(shield=True, deadline=trio.current_time() + STOP_SECONDS):
            try:
                await self._questions.send_all(b"stop 0\n")
                await self._answer()
                self.asked = False
                return True
            except FAULTS:
                pass
        return False

    async def close(self) -> None:
        await self._questions.aclose()
        await self._answers.aclose()

    async def _answer(self) -> tuple[int, bytes]:
        while (end := self._read.find(b"\n")) < 0:
            await self._more()
        status, length = map(int, self._read[:end].split())
        while len(self._read) < end + 1 + length:
            await self._more()
        body = bytes(self._read[end + 1 : end + 1 + length])
        del self._read[: end + 1 + length]
        return status, body

    async def _more(self) -> None:
        piece = await self._answers.receive_some(PIECE)
        if not piece:
            raise EOFError("the process has ended")
        self._read += piece
