"""End trio when a test exceeds its time. Otherwise trio would go on beneath the next test."""

import signal
import sys
import traceback
from collections.abc import Generator
from types import FrameType
from typing import Any

import pytest
import trio

from tests.waiting import WAIT_SECONDS


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_timeout_set_timer() -> Generator[None, Any, Any]:
    """Let pytest-timeout raise in a task while trio waits. An exception in trio's own code would leave trio running."""
    result = yield
    fail = signal.getsignal(signal.SIGALRM)
    if not callable(fail):  # pytest-timeout was told to use a thread
        return result
    ended: set[trio.lowlevel.TrioToken] = set()

    def expire(number: int, frame: FrameType | None) -> None:
        if trio.lowlevel.in_trio_run() and not trio.lowlevel.in_trio_task():
            token = trio.lowlevel.current_trio_token()
            if token not in ended:
                ended.add(token)
                # again later: a task may not end, and Hypothesis repeats a test that has failed
                signal.setitimer(signal.ITIMER_REAL, WAIT_SECONDS)
                _print_tasks(trio.lowlevel.current_root_task())
                token.run_sync_soon(fail, number, frame)
                return
        fail(number, frame)

    signal.signal(signal.SIGALRM, expire)
    return result


def _print_tasks(task: trio.lowlevel.Task | None) -> None:
    """Print where a task and its child tasks wait."""
    if task is None:
        return
    print(task.name, *traceback.StackSummary.extract(task.iter_await_frames()).format(), sep="\n", file=sys.stderr)
    for nursery in task.child_nurseries:
        for child in nursery.child_tasks:
            _print_tasks(child)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, Any, Any]:
    """Raise the failure of pytest-timeout in place of the internal error that trio makes of it."""
    try:
        return (yield)
    except trio.TrioInternalError as error:
        cause = error.__cause__
        while isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        if isinstance(cause, pytest.fail.Exception):
            raise cause from None
        raise
