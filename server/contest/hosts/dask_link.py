"""The connection to a cluster of dask.distributed, used from threads.

All that knows dask is here. Its event loop runs in a thread of its own, and what is called here waits for it; nothing
of this may be called in trio's loop.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from distributed import Client, Future, get_worker
from distributed.comm.addressing import get_address_host_port

from server.contest.hosts import worker_job

CONNECT_SECONDS = 5.0
"""How long connecting to the scheduler may take."""

CLOSE_SECONDS = 2.0
"""How long to wait until the scheduler has heard that nothing more is wanted."""

RESULT_SECONDS = 30.0
"""How long it may take to fetch an answer, records of some hundred kilobytes, from the worker that has it."""

Done = Callable[[Any], None]
"""Is told the answer; the exception where there was one; None where the cluster has lost both."""


class DaskLink:
    """A connection to a scheduler. The methods may be called in any thread."""

    def __init__(self, address: str) -> None:
        """Connect; raises OSError."""
        for name in ("distributed", "distributed.client"):  # what matters is logged by who uses this
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            get_address_host_port(address)  # a client that cannot read it complains once more when it is thrown away
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except Exception as error:
            raise _lost(error) from error

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker by its address; raises OSError without an answer."""
        try:
            found: dict[str, int] = self._client.nthreads()
        except Exception as error:
            raise _lost(error) from error
        return found

    def greet(self, worker: str, folder: str, done: Done) -> Callable[[], None]:
        """Ask a worker for its cores and files; the answer is a `server.contest.hosts.worker_job.WorkerInfo`.

        Return what is to be called when nobody wants to know any more. ``done`` is called in another thread.
        """
        return self._call(worker, worker_job.greet, folder, done)

    def play(self, worker: str, task: bytes, done: Done) -> Callable[[], None]:
        """Let a worker play a game; as `greet`, the answer being that of `server.contest.hosts.worker_job.play`."""
        return self._call(worker, _play, task, done)

    def _call(self, worker: str, function: Callable[[Any], Any], argument: Any, done: Done) -> Callable[[], None]:
        try:
            future = self._client.submit(function, argument, workers=[worker], allow_other_workers=False, pure=False)
        except Exception:  # the connection is closed already
            done(None)
            return lambda: None
        future.add_done_callback(partial(_hand_on, done))
        return partial(_let_go, future)

    def close(self) -> None:
        """Close the connection; never raises."""
        with suppress(Exception):
            self._client.close(timeout=CLOSE_SECONDS)


def _lost(error: Exception) -> OSError:
    """Return the error of this module for the various errors of dask."""
    return OSError(str(error) or type(error).__name__)


def _play(task: bytes) -> bytes:
    """Play a game on a worker until the scheduler cancels it."""
    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is not None and state.state == "executing"

    return worker_job.play(task, wanted)


def _let_go(future: "Future[Any]") -> None:
    """Release a call at the scheduler, so that its worker ends it; never raises."""
    with suppress(Exception):
        future.release()


def _hand_on(done: Done, future: "Future[Any]") -> None:
    answer: Any = None
    with suppress(Exception):  # the worker is gone, or the scheduler
        if future.status == "finished":
            answer = future.result(timeout=RESULT_SECONDS)
        elif future.status == "error":
            answer = future.exception(timeout=RESULT_SECONDS)
    done(answer)
