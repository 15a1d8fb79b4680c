"""A cluster of dask as processes of their own, which a test may kill."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.process import free_port, wait_until

WORKERS = 2

STARTER = """
import json, os, runpy, signal, sys
import distributed.cli.dask_scheduler, distributed.cli.dask_worker, server.contest.hosts.game_worker

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system reaps those that are killed
for line in sys.stdin:
    if (number := os.fork()) == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(2, 1)
        sys.argv = json.loads(line)
        sys.exit(runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True))
    print(number, flush=True)
"""
"""Program that loads dask once, and forks a process of it for each line."""


class Machines:
    """A scheduler of dask and its workers, each with room for one game of two programs.

    Skips the test where dask is not installed.
    """

    def __init__(self, folder: Path) -> None:
        """Start them, and wait until all workers have joined; what they log stands in the folder."""
        pytest.importorskip("distributed")
        self._log = folder / "dask.log"
        with self._log.open("a") as log:
            self._starter = subprocess.Popen(
                [sys.executable, "-P", "-c", STARTER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
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
        return self._processes[-1]

    def kill_last(self) -> None:
        """Kill that worker."""
        os.kill(self.last, signal.SIGKILL)

    def end(self) -> None:
        """Kill everything."""
        os.killpg(self._starter.pid, signal.SIGKILL)
        self._starter.communicate()

    def _start(self, kind: str, *words: str) -> int:
        """Return the number of a new process."""
        assert self._starter.stdin is not None and self._starter.stdout is not None
        command = [f"distributed.cli.dask_{kind}", "--no-dashboard", *words]
        print(json.dumps(command), file=self._starter.stdin, flush=True)
        return int(self._starter.stdout.readline())

    def _wait_for_logged(self, pattern: str, times: int) -> None:
        wait_until(lambda: len(re.findall(pattern, self._log.read_text())) >= times)
