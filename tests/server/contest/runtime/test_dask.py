"""A contest on a cluster of dask, with real processes, some of which are killed."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import record
from tests.server.contest.runtime.test_contest_command import (
    PROGRAMS,
    Command,
    contest,
    entrants,
    kept,
    results,
    run,
    wait_for,
)

START_SECONDS = 600.0
"""After which a process of dask that does not come has failed the test."""


class Machines:
    """A scheduler of dask and two workers, as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "dask.log"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.address = self._logged(r"Scheduler at: +(tcp://\S+)", 1)[0]
        words = (self.address, "--nthreads", "2", "--no-nanny", "--memory-limit", "0", "--local-directory", str(folder))
        self.workers = [self._start("worker", *words) for _ in range(2)]
        self._logged("Registered to:", 2)

    def _start(self, kind: str, *words: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *words]
        with self._log.open("a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _logged(self, pattern: str, times: int) -> list[str]:
        """Wait until something was logged so often, and return it."""
        deadline = time.monotonic() + START_SECONDS
        while len(found := re.findall(pattern, self._log.read_text())) < times:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return found

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    yield found
    found.end()


@pytest.mark.slow
def test_a_contest_ends_like_a_local_one_though_a_worker_and_the_coordinator_are_killed(
    tmp_path: Path, machines: Machines
) -> None:
    file, here, there = contest(tmp_path, PROGRAMS + entrants(3, 0)), tmp_path / "here", tmp_path / "there"
    assert run(file, here)[0] == 0
    options = ("--port", "0", "--dask", machines.address)
    with Command(file, there, *options):
        wait_for(there, 1)
    with Command(file, there, *options) as command:
        wait_for(there, 3)
        machines.workers[0].kill()
        status, said = command.end()
    assert status == 0, said
    assert "has 2 workers, and room for 2 games at a time" in said
    assert "worker_lost" in said
    games = kept(there)
    assert len(games) == 6
    assert results(games) == results(kept(here))
    for game in games:
        assert record.verify((there / "records" / f"{game.match}.txt").read_text()).history.plies == game.plies
        assert all(usage is not None and usage.cpu_seconds > 0 for usage in game.programs), (
            "it comes back with the game"
        )
    assert len(list((there / "records").iterdir())) == 6


@pytest.mark.slow
def test_a_cluster_that_cannot_be_reached_is_one_sentence_and_nothing_begins(tmp_path: Path) -> None:
    file = contest(tmp_path, PROGRAMS + entrants(2, 0))
    status, said = run(file, tmp_path / "data", "--dask", "tcp://127.0.0.1:1")
    assert (status, said.count("\n")) == (1, 1)
    assert "arena-server: cannot hold the contest: no dask scheduler can be reached at 'tcp://127.0.0.1:1'" in said
    assert not (tmp_path / "data").exists()
