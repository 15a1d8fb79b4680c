"""Worker processes: what they answer, how they are stopped and ended, and how their failures show."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from server.ops.worker_process import FAULTS, OK, WorkerFault, WorkerProcess
from tests.server.harness import until
from tests.waiting import WAIT_SECONDS

WORKER = """
import os, sys
from server.ops.worker_process import OK, answer_questions
def answer(question):
    if question.kind == "wait":
        question.stop.wait()
        return OK, b"stopped"
    if question.kind == "hang":
        while True: pass
    if question.kind == "die":
        os._exit(1)
    if question.kind == "fail":
        raise ValueError("no such thing")
    return 300, question.body * 2
answer_questions(answer)
"""
COMMAND = (sys.executable, "-P", "-c", WORKER)


@asynccontextmanager
async def started(*command: str) -> AsyncIterator[WorkerProcess]:
    worker = await WorkerProcess.start(command or COMMAND)
    with trio.fail_after(WAIT_SECONDS):
        try:
            yield worker
        finally:
            await worker.end()
    assert worker.process.returncode is not None


async def left(worker: WorkerProcess, kind: str) -> None:
    """Ask something, and wait for the answer no longer."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(worker.ask, kind, b"")
        await until(lambda: worker.asked)
        nursery.cancel_scope.cancel()


@pytest.mark.slow
async def test_questions_are_answered_faults_are_told_and_a_process_stops_or_is_killed() -> None:
    async with started() as worker:
        await worker.ready()
        for body in (b"", b"a\nb", os.urandom(1 << 20)):
            assert await worker.ask("double", body) == (300, body * 2)
        with pytest.raises(WorkerFault, match="no such thing"):
            await worker.ask("fail", b"")
        assert not worker.asked and (await worker.ask("double", b"a"))[1] == b"aa"
        assert not await worker.stop(WAIT_SECONDS), "nothing was asked"
        for _ in range(2):
            await left(worker, "wait")
            assert await worker.stop(WAIT_SECONDS)
        assert await worker.ask("wait", b"", lambda: False) == (OK, b"stopped"), "it was not wanted"
        assert (await worker.ask("double", b"a"))[1] == b"aa"
        await left(worker, "hang")
        assert not await worker.stop(0.01)


@pytest.mark.slow
async def test_a_process_that_dies_is_noticed() -> None:
    async with started() as worker:
        await worker.ready()
        with pytest.raises(FAULTS):
            await worker.ask("die", b"")
        with pytest.raises(FAULTS):
            await worker.ask("double", b"")


@pytest.mark.parametrize("said", ["nonsense", "200", "200 x", "200 1 1", ""])
async def test_a_program_that_answers_otherwise_is_a_fault(said: str) -> None:
    async with started(sys.executable, "-c", f"print({said!r})") as worker:
        with pytest.raises(EOFError):
            await worker.ready()


@pytest.mark.slow
async def test_it_ends_with_its_input_also_in_the_middle_of_a_question() -> None:
    async with started() as worker:
        await worker.ready()
        await left(worker, "hang")
        assert worker.process.stdin is not None
        await worker.process.stdin.aclose()
        assert await worker.process.wait() == 0
