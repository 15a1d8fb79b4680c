"""Games that are set up: whoever leaves, and whatever fails meanwhile, nobody loses by it, and nobody is forgotten.

Nothing is done in threads here, so that each step is the loop's own.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from engine.games.interface import ANNULLED
from engine.wire import messages as m
from engine.wire.ends import SessionState
from server.contest.fixtures import ABSENT, GameResult, counted_games
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.store.store import Store
from server.storage.database import BadStore
from server.storage.record_store import RecordStore
from tests.server.contest.runtime.bots import play_by_seed, running_contest
from tests.server.harness import ArenaHarness, Client, until

THREE = """
name = "Three"
patience = 30
time-losses = 0
time = { budget = 60_000 }
entrants = [{ name = "ann" }, { name = "bob" }, { name = "carol" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""
TWO = THREE.replace(', { name = "carol" }', "")


async def comes_and_goes(harness: ArenaHarness, name: str) -> None:
    """Seek and leave, again and again, as a bot does that crashes in a loop of its shell."""
    milliseconds = 0
    while True:
        client = await harness.connect(name)
        await client.say(m.Seek("any"))
        await trio.sleep(milliseconds / 1000)
        await client.stream.aclose()
        milliseconds = (milliseconds + 1) % 9
        await trio.sleep(0.05)


async def finished(store: Store, contest: int) -> list[GameResult]:
    """Wait, on a simulated clock, until a contest is over, and return its games."""
    with trio.fail_after(10_000):
        while store.contest(contest).closed is None:
            await trio.sleep(1)
    return store.games(contest)


@pytest.mark.usefixtures("no_threads")
async def test_who_comes_and_goes_costs_an_opponent_no_game(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with running_contest(tmp_path, THREE) as (harness, store, contest), trio.open_nursery() as bots:
        bots.start_soon(comes_and_goes, harness, "carol")
        bots.start_soon(play_by_seed, harness, "ann")
        bots.start_soon(play_by_seed, harness, "bob")
        games = await finished(store, contest)
        bots.cancel_scope.cancel()
    assert len(counted_games(games)) == 6
    for game in counted_games(games):
        if "carol" in game.fixture.players:
            assert game.winner == 1 - game.fixture.players.index("carol"), game
        else:
            assert game.played, game
    assert not [game for game in games if game.termination == ABSENT and ("ann" in game.detail or "bob" in game.detail)]


class At(trio.abc.Instrument):
    """Lets something happen before the step of that number of the task that sets up the first game."""

    def __init__(self, step: int, event: Callable[[], None]) -> None:
        self.steps = 0
        self.happened = False
        self._step = step
        self._event = event
        self._task: object = None

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if not task.name.endswith("Runner._play"):
            return
        self._task = self._task or task
        if task is self._task:
            self.steps += 1
            if self.steps == self._step:
                self.happened = True
                self._event()


def leaves(client: Client) -> None:
    """Close a connection, without waiting."""
    client.stream.socket.close()


STEPS = range(1, 6)
"""More than setting up a game of two who connect takes."""


@pytest.mark.slow
@pytest.mark.usefixtures("no_threads")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("event", ["leaves", "cancels", "no space", "no store", "stops"])
async def test_whatever_happens_while_a_game_is_set_up_who_waits_goes_on_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock, step: int, event: str
) -> None:
    broken: list[bool] = []
    store_begin, archive_begin = Store.begin, RecordStore.begin

    def begin(self: Store, *words: Any) -> bool:
        if broken and event == "no store":
            raise BadStore("the store cannot be written: disk I/O error")
        return store_begin(self, *words)

    def begin_record(self: RecordStore, *words: Any) -> Any:
        if broken and event == "no space":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return archive_begin(self, *words)

    monkeypatch.setattr(Store, "begin", begin)
    monkeypatch.setattr(RecordStore, "begin", begin_record)
    async with running_contest(tmp_path, TWO) as (harness, store, contest), trio.open_nursery() as nursery:
        await until(lambda: ContestPlayers.of(harness.arena).present)
        ann = await harness.connect("ann")
        bob = await harness.connect("bob")
        await ann.ask(m.Seek("any"), m.Seeking)
        happen: dict[str, Callable[[], None]] = {
            "leaves": lambda: leaves(bob),
            "cancels": lambda: nursery.start_soon(bob.say, m.Cancel()),
            "no space": lambda: broken.append(True),
            "no store": lambda: broken.append(True),
            "stops": lambda: harness.arena.stop(),
        }
        at = At(step, happen[event])
        trio.lowlevel.add_instrument(at)
        await bob.say(m.Seek("any"))
        await trio.sleep(0.5)
        trio.lowlevel.remove_instrument(at)
        assert at.happened
        for session in harness.arena.connected_sessions():
            seeks = session.state is SessionState.SEEKING
            assert seeks == (ContestPlayers.of(harness.arena).free([session.name]) == [session.name]), session.name
            assert seeks or session.match is not None or session.state is SessionState.LOBBY
        assert not [game for game in store.games(contest) if game.termination not in ANNULLED], "nobody has lost"
        if event in ("no space", "no store"):
            broken.clear()
            await until(lambda: harness.arena.matches)  # the game is played as soon as it can be
        elif event == "leaves" and not harness.arena.matches:
            again = await harness.connect("bob")
            await again.ask(m.Seek("any"), m.Match)
            await ann.hear(m.Match)
        nursery.cancel_scope.cancel()
