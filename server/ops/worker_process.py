"""Worker processes: a process answers the questions that come on standard input, one after the other.

The first answer, an empty one, says that the process is ready. A question of the kind ``stop`` ends the work on the
others, which are answered soon then; it has no answer itself. The process ends with its standard input, also in the
middle of its work: the server is gone, however it ended, or has no use for it any more.

`answer_questions` is the side of the process; `WorkerProcess` is the side of the server.
"""

import errno
import math
import mmap
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

import trio

from server.config.process_settings import ignore_interrupts

OK, FAULT = 200, 500
"""Statuses of answers; those between are for what is wrong with a question. A fault's body is a text that says what."""

STOP = b"stop"
"""The kind of a question that stops what is under way."""

MAX_FAULT = 2000
"""Characters of a traceback that are told, the last ones."""


class WorkerQuestion(NamedTuple):
    """A question as it was read, and what stops the work on it: an event, or an object with a ``set`` like one."""

    kind: str
    body: bytes
    stop: Any


def answer_questions(
    answer: Callable[[WorkerQuestion], tuple[int, bytes]], new_stop: Callable[[], Any] = Event
) -> None:
    """Answer questions, each of which can be stopped by an object of its own, until there are no more.

    Does not return. Where ``answer`` raises an exception, the answer is a `FAULT`.
    """
    ignore_interrupts()  # Ctrl-C is for the server
    questions: SimpleQueue[WorkerQuestion] = SimpleQueue()

    def read_questions() -> None:
        latest = new_stop()
        try:
            while line := sys.stdin.buffer.readline():
                kind, length = line.split()
                body = sys.stdin.buffer.read(int(length))
                if kind == STOP:
                    latest.set()
                else:
                    latest = new_stop()
                    questions.put(WorkerQuestion(kind.decode(), body, latest))
        finally:
            os._exit(0)  # also in the middle of a question

    Thread(target=read_questions, daemon=True).start()
    _write(OK, b"")
    while True:
        question = questions.get()
        try:
            status, body = answer(question)
        except Exception:
            status, body = FAULT, traceback.format_exc()[-MAX_FAULT:].encode(errors="replace")
        _write(status, body)


def _write(status: int, body: bytes) -> None:
    sys.stdout.buffer.write(b"%d %d\n%b" % (status, len(body), body))
    sys.stdout.buffer.flush()


END_SECONDS = 10.0
"""How long a process that was killed may take to be gone: less than a moment, unless its disk does not answer."""

LOOK_SECONDS = 0.05
"""How often to ask whether an answer is still wanted."""

PIECE = 1 << 16
"""Bytes to read at once."""


class WorkerFault(Exception):
    """A worker process could not answer a question; ``str(error)`` is the end of its traceback."""


FAULTS = (trio.TooSlowError, trio.BrokenResourceError, EOFError, WorkerFault)
"""How it shows that a process is stuck, has died, or has a fault."""


def command_of(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of this distribution."""
    return (sys.executable, "-P", "-m", module, *arguments)


class WorkerProcess:
    """A process that runs `answer_questions`, and what was read from it so far."""

    def __init__(self, process: trio.Process) -> None:
        """Take a process whose standard input and output are pipes."""
        self.process = process
        self.asked = False
        """Whether it has a question, and its answer is still to come."""
        assert process.stdin is not None and process.stdout is not None
        self._questions, self._answers = process.stdin, process.stdout
        self._read = bytearray()

    @classmethod
    async def start(cls, command: Sequence[str], *, own_session: bool = False) -> "WorkerProcess":
        """Start a process; raises OSError. `ready` waits for it, and `end` is to be called in any case.

        Processes of the server's session share the processor cores that it is confined to.
        """
        pipe = subprocess.PIPE
        try:
            return cls(
                await trio.lowlevel.open_process(command, stdin=pipe, stdout=pipe, start_new_session=own_session)
            )
        except RuntimeError as error:  # the interpreter's word for a thread that the machine does not start
            raise OSError(errno.EAGAIN, str(error)) from error

    async def ready(self) -> None:
        """Wait until it listens; raises one of the `FAULTS`."""
        await self._answer(None)

    async def ask(self, kind: str, body: bytes, wanted: Callable[[], bool] | None = None) -> tuple[int, bytes]:
        """Return the status and the body of an answer; raises one of the `FAULTS`.

        It is told to stop as soon as the answer is not ``wanted`` any more, and that answer is returned.
        """
        await self._questions.send_all(b"%b %d\n%b" % (kind.encode(), len(body), body))
        self.asked = True
        status, answer = await self._answer(wanted)
        self.asked = False
        if status == FAULT:
            raise WorkerFault(answer.decode(errors="replace"))
        return status, answer

    def memory(self) -> int:
        """Return the bytes of main memory that the process holds; 0 where the system does not tell."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * mmap.PAGESIZE

    async def stop(self, seconds: float) -> bool:
        """End what was asked last, of which the answer is still to come; tell whether it came within that time.

        A question that was sent only in part gets no answer.
        """
        if not self.asked:
            return False
        with trio.move_on_after(seconds, shield=True), suppress(*FAULTS):
            await self._tell_to_stop()
            await self._answer(None)
            self.asked = False
        return not self.asked

    async def end(self) -> None:
        """Kill the process, whatever it does, and close the pipes to it."""
        self.process.kill()
        with trio.move_on_after(END_SECONDS, shield=True):
            await self.process.wait()
            await self._questions.aclose()
            await self._answers.aclose()

    async def _tell_to_stop(self) -> None:
        await self._questions.send_all(b"%b 0\n" % STOP)

    async def _answer(self, wanted: Callable[[], bool] | None) -> tuple[int, bytes]:
        while (answer := self._whole()) is None:
            with trio.move_on_after(math.inf if wanted is None else LOOK_SECONDS):
                if not (piece := await self._answers.receive_some(PIECE)):
                    raise EOFError("the process has ended")
                self._read += piece
            if wanted is not None and not wanted():
                wanted = None
                await self._tell_to_stop()
        return answer

    def _whole(self) -> tuple[int, bytes] | None:
        """Take an answer from what was read, where a whole one is there; raises EOFError where it is none."""
        if not (start := self._read.find(b"\n") + 1):
            return None
        try:
            status, length = map(int, self._read[:start].split())
        except ValueError:
            raise EOFError("the process does not answer as agreed") from None
        if len(self._read) < start + length:
            return None
        body = bytes(self._read[start : start + length])
        del self._read[: start + length]
        return status, body
