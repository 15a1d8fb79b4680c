"""A cluster of dask as processes of their own, which a test may kill."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.process import free_port, wait_until

WORKERS = 2

Process = subprocess.Popen[bytes]


class Machines:
    """A scheduler of dask and its workers, each with room for one game of two programs.

    Skips the test where dask is not installed.
    """

    def __init__(self, folder: Path) -> None:
        """Start them, and wait until all workers have joined; what they log stands in the folder."""
        pytest.importorskip("distributed")
        self._log = folder / "dask.log"
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self._processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", str(port))]
        self._wait_for_logged("Scheduler at:", 1)
        words = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--local-directory", str(folder))
        self._processes += [self._start("worker", self.address, *words) for _ in range(WORKERS)]
        self._wait_for_logged("Registered to:", WORKERS)

    @property
    def last(self) -> int:
        """The process number of the worker that was started last."""
        return self._processes[-1].pid

    def kill_last(self) -> None:
        """Kill that worker, which has left then."""
        self._kill(self._processes[-1])

    def end(self) -> None:
        """Kill everything."""
        for process in self._processes:
            self._kill(process)

    def _start(self, kind: str, *words: str) -> Process:
        command = [sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *words]
        with self._log.open("a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _wait_for_logged(self, pattern: str, times: int) -> None:
        wait_until(lambda: len(re.findall(pattern, self._log.read_text())) >= times)

    @staticmethod
    def _kill(process: Process) -> None:
        process.kill()
        process.wait()
