"""The pool of helper processes of all pages: records, reviews, games that were played, play and analysis.

Questions wait in one queue that is fair between clients. A process is started when a question needs it. Each answers
one question at a time (`server.web.worker`), and is used again.
"""

from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from types import TracebackType

import trio

from server.ops.faults import machine_fault
from server.ops.logs import log
from server.ops.typed_json import decode
from server.ops.worker_process import FAULTS, OK, WorkerProcess, command_of
from server.web.http.request import Refused

PAID_OFF = 0.1
"""Rate at which used time is forgiven, in seconds per second. A client that used 10 s has lower priority for 100 s."""

MAX_WAITING, MAX_WAITING_OF_ONE = 256, 16
"""Questions that wait for a process, of all clients and of one: a few clients do not fill the queue."""

STOP_SECONDS = 1.0
"""How long a process may take to stop work on a question that was abandoned. Then it is killed."""

MAX_MEMORY = 1 << 30
"""Bytes that an idle process may hold: each large board that it has compiled takes some 60 million, and stays."""

START_SECONDS = 60.0
"""How long a process may take to start: half a second's work, of which a busy machine gives it little."""


NICE = 10
"""Added to the nice value of the server: matches go first. With the highest nice value there is, the index of a server
whose matches want every core got a hundredth of one, and stayed empty for minutes."""

PROCESSES, PROCESSES_OF_ONE = 3, 2
"""Processes that answer questions of a lane at a time, and those of one client."""


LANES = QUICK, SLOW = "quick", "slow"
"""Questions of about the same length share a lane: quick ones do not wait for searches."""

TRY_SECONDS, READ_SECONDS = 4.0, 30.0
"""Limits for reading a record or a position, in seconds. Most take a tenth of a second, and longer on a busy machine. A
record that takes longer than the first limit begins again in the other lane, so that slow records from many addresses
delay a quick one by 4 s at most."""

COMPILE_SECONDS = 60.0
"""How much longer than it thinks a search may take: compiling takes some seconds, more on a busy machine."""

TRIES: dict[str, tuple[tuple[str, float], ...]] = {
    **dict.fromkeys(("look", "rows", "open", "kit", "arrange", "record", "games", "player"), ((QUICK, READ_SECONDS),)),
    "think": ((SLOW, 10.0 + COMPILE_SECONDS),),
    "lines": ((SLOW, 4.0 + COMPILE_SECONDS),),
    **dict.fromkeys(("frames", "positions", "times"), ((QUICK, TRY_SECONDS), (SLOW, READ_SECONDS))),
    "review": ((SLOW, 240.0),),
    "index": ((QUICK, 120.0),),
}
"""For each kind of question: the lane, and the longest time for an answer. Waiting for a process does not count."""


class FairQueue:
    """Gives turns to the client with the fewest turns, then to the client that used the least time of late.

    Equal clients have turns in the order in which they ask.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._running: Counter[tuple[Hashable, str]] = Counter()
        self._waiting: dict[trio.Event, tuple[Hashable, str]] = {}
        self._paid: dict[Hashable, float] = {}
        """For each client that has had turns of late, when they will have been forgotten."""

    @asynccontextmanager
    async def turn(self, client: Hashable, lane: str) -> AsyncIterator[None]:
        """Wait for a turn of a client, and have it; raises `Refused` where too many wait."""
        waiting = [one for one, _ in self._waiting.values()]
        if len(waiting) >= MAX_WAITING or waiting.count(client) >= MAX_WAITING_OF_ONE:
            raise Refused(503, "too many questions wait already; try again in a minute")
        mine = trio.Event()
        self._waiting[mine] = client, lane
        self._give()
        began = trio.current_time()
        try:
            await mine.wait()
            began = trio.current_time()
            yield
        finally:
            if self._waiting.pop(mine, None) is None:  # else it went away while it waited
                self._running[client, lane] -= 1
                self._running += Counter()  # forget who has none
                self._charge(client, began, trio.current_time())
            self._give()

    def _charge(self, client: Hashable, began: float, now: float) -> None:
        self._paid = {one: until for one, until in self._paid.items() if until > now}
        self._paid[client] = max(now, self._paid.get(client, now)) + (now - began) / PAID_OFF

    def _give(self) -> None:
        while fit := [turn for turn, (client, lane) in self._waiting.items() if self._fits(client, lane)]:
            turn = min(fit, key=self._rank)
            self._running[self._waiting.pop(turn)] += 1
            turn.set()

    def _rank(self, turn: trio.Event) -> tuple[int, float]:
        client, now = self._waiting[turn][0], trio.current_time()
        return sum(self._running[client, lane] for lane in LANES), max(now, self._paid.get(client, now))

    def _fits(self, client: Hashable, lane: str) -> bool:
        used = sum(count for (_, other), count in self._running.items() if other == lane)
        return used < PROCESSES and self._running[client, lane] < PROCESSES_OF_ONE


class Pool:
    """The processes. An async context manager: on leaving they are killed.

    >>> async with Pool() as pool:
    ...     answer = await pool.ask("look", b'{"game": "gipf"}', client)
    """

    def __init__(self) -> None:
        """Start none yet."""
        self._queue = FairQueue()
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()

    async def __aenter__(self) -> "Pool":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for worker in list(self._all):
            await self._end(worker)

    async def ask(self, kind: str, body: bytes, client: Hashable = None) -> bytes:
        """Return the answer to a question of one of the kinds in `TRIES`; raises `Refused`.

        A question whose caller is cancelled is stopped.
        """
        for lane, seconds in TRIES[kind]:
            async with self._queue.turn(client, lane):
                worker = self._idle.pop() if self._idle else await self._start()
                sane = False
                try:
                    with trio.move_on_after(seconds):
                        answer = await worker.ask(kind, body)
                        sane = True
                        return _checked(*answer)
                except trio.Cancelled:
                    sane = await worker.stop(STOP_SECONDS)
                    raise
                except FAULTS as error:
                    log.error("page_worker_failed", kind=kind, error=repr(error))
                    raise Refused(500, "a fault of the server's own, which was written to its log") from None
                finally:
                    if sane and worker.memory() <= MAX_MEMORY:
                        self._idle.append(worker)
                    else:
                        await self._end(worker)
        log.warning("page_question_timed_out", kind=kind, seconds=seconds)
        raise Refused(422, f"no answer came within {seconds:g} seconds; try something easier")

    async def _start(self) -> WorkerProcess:
        try:
            worker = await WorkerProcess.start(command_of("server.web.worker", str(NICE)))
        except OSError as error:
            log.error("page_worker_start_failed", error=machine_fault(error) or repr(error))
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
            log.error("page_worker_start_failed", error=repr(error))
            raise Refused(500, "a fault of the server's own, which was written to its log") from None

    async def _end(self, worker: WorkerProcess) -> None:
        self._all.discard(worker)
        await worker.end()


def _checked(status: int, answer: bytes) -> bytes:
    if status != OK:
        raise Refused(status, decode(answer, type=str))
    return answer
