"""A ladder over a cluster of dask: machines join and leave in the middle of games, and no counted game is lost.

With ARENA_CAMPAIGN=1 machines, scheduler and server are killed at random moments, too.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from server.league.accounts.accounts import Accounts
from server.league.ladder.store import CountedGame, LadderStore
from tests.server.league.ladder.counted import (
    check_counted,
    check_nothing_left,
    counted_games,
    let_all_play,
)
from tests.server.league.ladder.test_ladder_walk import DICE
from tests.server.machines import Machines, Process
from tests.server.process import ServerProcess
from tests.waiting import BUILD_SECONDS

STEPS = int(os.environ.get("ARENA_LADDER_STEPS", "40"))
"""What happens to machines and server in the long form."""

FILE = """
sandbox = "none"
dask = "{address}"
time = {{ budget = 3_600_000 }}
games = [{{ game = "mnk", params = "3 3 3", openings = {{ plies = 2, number = 50 }} }}]
"""


class Ladder(ServerProcess):
    """A server with a ladder of two programs: one game at a time, which a worker plays as long as there is one."""

    def __init__(self, folder: Path, address: str) -> None:
        file = folder / "ladder.toml"
        text = FILE.format(address=address)
        self._folders = [folder / owner for owner in ("ann", "cat")]
        for path in self._folders:
            path.mkdir()
            text += f'[[programs]]\nname = "{path.name}-1"\nowner = "{path.name}"\nfolder = "{path.name}"\n'
            text += f"command = {json.dumps([sys.executable, str(DICE)])}\n"
        file.write_text(text, encoding="utf-8")
        super().__init__(folder / "data", "--ladder", str(file))

    def hold(self) -> tuple[int, int]:
        """Let nobody move any more; return the match that waits for that, and which process plays it."""
        for path in self._folders:
            (path / "hold").touch()
        return self.held()

    def held(self) -> tuple[int, int]:
        """Wait until a game is held; return the same of it."""
        said: list[str] = []

        def found() -> bool:
            said[:] = [path.read_text() for path in self._held if path.exists()]
            return any(said)

        self.until(found)
        with closing(Accounts(self.data)) as accounts:
            (game,) = LadderStore(accounts).begun()
        return game.match, int(max(said))

    def forget_held(self) -> None:
        """Forget that a game was held, whose programs have been killed."""
        for path in self._held:
            path.unlink(missing_ok=True)

    def release(self) -> None:
        """Let everybody move again."""
        for path in self._folders:
            (path / "hold").unlink()
        self.forget_held()

    @property
    def _held(self) -> list[Path]:
        return [path / "held" for path in self._folders]

    def counted(self) -> list[int]:
        """Return the matches of all games that are counted, the first one first."""
        return [game.ended.game.match for game in counted_games(self.data)]

    def played_by_workers(self) -> list[int]:
        """Return those of them that no arena of this machine has seated, which would have kept their keys."""
        return [match for match in self.counted() if not (self.data / "keys" / f"{match}.txt").exists()]

    def until(self, true: Callable[[], object]) -> None:
        """Wait until something is true."""
        deadline = time.monotonic() + BUILD_SECONDS
        while not true():
            assert time.monotonic() < deadline, self.log
            time.sleep(0.05)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    yield found
    found.end()


def machine_of(process: int, machines: Machines) -> Process:
    """Return the worker that has started the process of a game."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    parent = next(int(line.split()[1]) for line in status if line.startswith("PPid:"))
    (found,) = (worker for worker in machines.workers if worker.pid == parent)
    return found


@pytest.mark.slow
def test_games_go_to_machines_that_join_and_those_of_machines_that_leave_are_played_again(
    tmp_path: Path, machines: Machines
) -> None:
    with Ladder(tmp_path, machines.address) as ladder:
        ladder.until(lambda: ladder.logged("event=worker_joined") == 2)
        ladder.until(ladder.played_by_workers)
        match, process = ladder.hold()
        machines.kill_worker(machine_of(process, machines))
        ladder.forget_held()
        assert ladder.held()[0] == match, "the other machine plays it again, under the same number"
        ladder.release()
        ladder.until(lambda: match in ladder.counted())
        assert "event=ladder_game_dropped" not in ladder.log

        match, process = ladder.hold()
        machines.kill_worker(machine_of(process, machines))
        ladder.forget_held()
        assert f"match={match} " in ladder.logs("event=ladder_game_dropped"), "no machine is left"
        assert ladder.logged("event=worker_wait_started"), "and the log says so"
        ladder.release()
        here = len(ladder.counted())
        ladder.until(lambda: len(ladder.counted()) > here + 1)
        assert not set(ladder.counted()[here:]) & set(ladder.played_by_workers()), "this machine plays on"

        machines.add_workers()
        before = len(ladder.played_by_workers())
        ladder.until(lambda: len(ladder.played_by_workers()) > before)
        assert match not in ladder.counted()
        assert ladder.stop() == 0
    games = check_counted(ladder.data, [], {})
    check_nothing_left(ladder.data, games)
    assert "level=error" not in ladder.log


@pytest.mark.campaign
def test_no_counted_game_is_lost_whatever_is_killed(tmp_path: Path, machines: Machines) -> None:
    chance = random.Random(5)
    games: list[CountedGame] = []
    with Ladder(tmp_path, machines.address) as ladder:
        for _ in range(STEPS):
            time.sleep(3 * chance.random())
            match chance.choice(("joins", "leaves", "leaves", "scheduler", "server")):
                case "leaves" if machines.workers:
                    machines.kill_worker(chance.choice(machines.workers))
                case "joins" | "leaves":
                    machines.add_workers()
                case "scheduler":
                    machines.kill_scheduler()
                    machines.start_scheduler()
                case "server":
                    ladder.kill()
                    games = check_counted(ladder.data, games, {})
                    let_all_play(ladder.data)
                    ladder.start()
                    ladder.wait()
        machines.add_workers()
        before = len(ladder.played_by_workers())
        ladder.until(lambda: len(ladder.played_by_workers()) > before)
        assert ladder.stop() == 0
    games = check_counted(ladder.data, games, {})
    check_nothing_left(ladder.data, games)
