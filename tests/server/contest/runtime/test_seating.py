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
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.store.store import Store
from server.storage.database import BadStore
from server.storage.record_store import RecordStore
from tests.server.contest.runtime.bots import running_contest
from tests.server.harness import Client, until

TWO = """
name = "Two"
patience = 30
time-losses = 0
time = { budget = 60_000 }
entrants = [{ name = "ann" }, { name = "bob" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""


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


STEPS = [pytest.param(step, marks=[pytest.mark.thorough] * (step in (2, 3, 4))) for step in range(1, 6)]
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
