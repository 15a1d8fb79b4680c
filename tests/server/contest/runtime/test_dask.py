"""A contest on a cluster of dask, with real processes, some of which are killed."""

from pathlib import Path

import pytest

from engine.match import verification
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
from tests.server.machines import Machines


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
        machines.kill_worker(machines.workers[0])
        status, said = command.end()
    assert status == 0, said
    assert "has 2 workers, and room for 2 games at a time" in said
    assert "worker_lost" in said
    games = kept(there)
    assert len(games) == 6
    assert results(games) == results(kept(here))
    for game in games:
        assert verification.verify((there / "records" / f"{game.match}.txt").read_text()).history.plies == game.plies
        assert all(usage is not None and usage.cpu_seconds > 0 for usage in game.programs), (
            "it comes back with the game"
        )
    assert len(list((there / "records").iterdir())) == 6
