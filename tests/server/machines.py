"""A cluster of dask as processes of their own, which a test may kill."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.process import free_port, wait_until

Process = subprocess.Popen[bytes]


class Machines:
    """A scheduler of dask and its workers, each with room for one game of two programs.

    Skips the test where dask is not installed.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        """Start them; what they log stands in the folder."""
        pytest.importorskip("distributed")
        self._folder = folder
        self._log = folder / "dask.log"
        self._port = free_port()
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._joined = self._started = 0
        self.workers: list[Process] = []
        self.start_scheduler()
        self.add_workers(workers)

    def start_scheduler(self) -> None:
        """Start the scheduler, again at the same address."""
        self._started += 1
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self._port))
        self._wait_for_logged("Scheduler at:", self._started)

    def add_workers(self, number: int = 1) -> None:
        """Let workers join, and wait until they have."""
        words = ("--nthreads", "2", "--no-nanny", "--memory-limit", "0", "--local-directory", str(self._folder))
        self.workers += [self._start("worker", self.address, *words) for _ in range(number)]
        self._joined += number
        self._wait_for_logged("Registered to:", self._joined)

    def kill_worker(self, worker: Process) -> None:
        """Kill a worker, which has left then."""
        self.workers.remove(worker)
        _kill(worker)

    def kill_scheduler(self) -> None:
        """Kill the scheduler, and the workers with it, which may not come back to another one."""
        for process in (self.scheduler, *self.workers):
            _kill(process)
        self.workers.clear()

    def end(self) -> None:
        """Kill everything."""
        self.kill_scheduler()

    def _start(self, kind: str, *words: str) -> Process:
        command = [sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *words]
        with self._log.open("a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _wait_for_logged(self, pattern: str, times: int) -> None:
        wait_until(lambda: len(re.findall(pattern, self._log.read_text())) >= times)


def _kill(process: Process) -> None:
    process.kill()
    process.wait()
