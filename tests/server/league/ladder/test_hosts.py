"""Games of the ladder on a cluster whose workers come and go."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from server.contest.fixtures import Fixture
from server.contest.hosts.host import GameTask, NotPlayed
from server.contest.hosts.worker_job import Job
from server.league.ladder.definition import read
from server.league.ladder.hosts import LADDER, LOST_SECONDS, WorkersLeft, WorkersOfCluster

DEFINITION = read('time = { budget = 1000 }\ngames = [{ game = "mnk", params = "3 3 3" }]', Path("/"), str)

TASK = GameTask(LADDER, DEFINITION.contest((), "/data"), Fixture(0, 1, 0, 0, 0, ("ann-1", "bob-1")), 1)


class StubCluster:
    """Workers that play for ever, or fail."""

    def __init__(self, games: int, failure: Exception | None = None) -> None:
        self.games = games
        self._failure = failure

    async def play(self, job: Job) -> None:
        if self._failure is not None:
            raise self._failure
        await trio.sleep_forever()


def workers(cluster: Any) -> WorkersOfCluster:
    arena: Any = SimpleNamespace(server="test/0")
    return WorkersOfCluster(arena, cluster)


async def result(host: WorkersOfCluster) -> None:
    async with host.play(TASK) as game:
        assert game is not None
        await game.result()


def test_each_worker_that_joins_has_room_for_its_games() -> None:
    cluster = StubCluster(2)
    host = workers(cluster)
    host.take()
    assert host.free() == 1
    cluster.games = 5
    assert host.free() == 4
    cluster.games = 0
    assert host.free() == 0
    host.give_back()
    assert host.free() == 0


async def test_a_game_is_given_back_when_the_last_worker_has_left(autojump_clock: trio.testing.MockClock) -> None:
    cluster = StubCluster(1)
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def leave() -> None:
            await trio.sleep(100)
            cluster.games = 0
            await trio.sleep(LOST_SECONDS - 2)
            cluster.games = 1  # one is back in time
            await trio.sleep(100)
            cluster.games = 0

        with pytest.raises(WorkersLeft, match="the last worker has left"):
            await result(workers(cluster))
    assert trio.current_time() == pytest.approx(200 + 2 * LOST_SECONDS, abs=3)


async def test_what_the_cluster_says_of_a_game_is_passed_on(autojump_clock: trio.testing.MockClock) -> None:
    with pytest.raises(NotPlayed, match="tried 5 times"):
        await result(workers(StubCluster(1, NotPlayed("it was tried 5 times"))))
