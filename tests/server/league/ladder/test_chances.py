"""A ladder on a simulated clock, to which all that can happen to a ladder happens, by chance."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
import trio
import trio.testing

from engine.games.catalogue import GAMES
from engine.games.outcome import ANNULLED, Termination
from engine.match.record import Header
from server.contest.definition import Definition
from server.contest.fixtures import NOT_STARTED, Fixture, GameResult
from server.contest.hosts.host import GameTask, NotPlayed, PlayerMissing
from server.contest.runtime.finished_games import game_of_record
from server.league.accounts.accounts import Accounts
from server.league.ladder.definition import read
from server.storage.database import BadStore
from server.storage.disk import SUFFIX
from tests.engine.records import Table
from tests.server.league.ladder.counted import check_counted
from tests.server.league.ladder.test_runner import FakeHost, Ladder, no_threads, simulated

__all__ = ["no_threads", "simulated"]

FILE = """
time = {{ budget = 60_000 }}
failures = 2
seed = {seed}
[[games]]
game = "mnk"
params = "3 3 3"
weight = {weight}
[[games]]
game = "mnk"
params = "3 4 3"
[[levels]]
level = 1
elo = {elo}
[[levels]]
level = 3
elo = 1200.5
[[programs]]
name = "prog"
owner = "{owner}"
command = ["secret"]
folder = "hidden"
"""

MOVES = ("a3", "b3", "a2", "b2", "a1")
"""The side that begins has three in a line."""

SECOND_WINS = ("a3", "b3", "a2", "b2", "c1", "b1")

BEGINNING = 1_761_955_200.0
"""Unix time at which a walk begins."""


DATE = "2026-11-20T20:15:00.000Z"


def record_of(definition: Definition, fixture: Fixture, match: int, moves: Sequence[str] = MOVES) -> str:
    """Return the record of a game of m,n,k 3 3 3, in which the side that begins wins by the usual moves."""
    position = GAMES["mnk"].read(definition.position(fixture))
    header = Header(
        match, position, fixture.players, definition.control(fixture), definition.move_limit, "test/0", DATE
    )
    return Table(header=header).ready().play(*moves).text


class Walk(Ladder):
    """A ladder with records on the disk, whose server is killed, and what the chance that it was given makes of it."""

    def __init__(self, data: Path, accounts: Accounts, seed: int, seconds: float) -> None:
        self.chance, self.seconds = Random(seed), seconds
        super().__init__(data, accounts, FakeHost(2, self.play))
        self.definition = self.new_definition(3, 500.0)
        self.versions |= {"ann-2": 1, "dan-1": 1}
        self.happened: Counter[str] = Counter()
        self.number = 0
        self.offset = 0.0
        self.fails = False
        """Whether the disk fails when the next game is counted."""
        count = self.store.count

        def count_or_fail(*what: Any) -> list[str]:
            if self.fails:
                self.fails = False
                raise BadStore("the disk is full")
            return count(*what)

        self.store.count = count_or_fail  # type: ignore[assignment, method-assign]
        (data / "records").mkdir()

    def new_definition(self, weight: int, elo: float, owner: str = "teacher") -> Any:
        return read(FILE.format(seed=17, weight=weight, elo=elo, owner=owner), self.data, str)

    def now(self) -> float:
        return BEGINNING + trio.current_time() + self.offset

    # records

    def path(self, match: int) -> Path:
        return self.data / "records" / f"{match}{SUFFIX}"

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def sync_record(self, match: int) -> str:
        return sha256(self.path(match).read_bytes()).hexdigest()

    def read(self, match: int) -> str | None:
        path = self.path(match)
        return path.read_text(encoding="utf-8") if path.exists() else None

    def recover(self, match: int, fixture: Fixture) -> GameResult | None:
        text = self.read(match)
        return None if text is None else game_of_record(fixture, text)

    def records(self) -> Any:
        return self

    # a server

    async def play(self, task: GameTask) -> GameResult:
        """Play a game to one of the ends that games have."""
        chance, fixture = self.chance, task.fixture
        await trio.sleep(chance.uniform(1, 30))
        how = chance.random()
        programs = [name for name in fixture.players if not name.startswith("alphabeta")]
        if how < 0.04:
            self.happened["annulled"] += 1
            return GameResult(fixture, task.number, None, Termination.ORGANISER)
        if how < 0.12:
            self.happened["not started"] += 1
            raise PlayerMissing("it is broken", (chance.choice(programs),), termination=NOT_STARTED)
        if how < 0.16:
            self.happened["no fault of a bot"] += 1
            raise chance.choice([NotPlayed("no core"), PlayerMissing("it went away", ())])
        if how < 0.18:
            self.happened["disk fails"] += 1
            self.fails = True
        moves = MOVES if chance.random() < 0.6 else SECOND_WINS
        text = record_of(task.definition, fixture, task.number, moves)
        self.path(task.number).write_text(text, encoding="utf-8")
        await trio.sleep(chance.choice([0, 0, 2]))  # it may be killed when the record is there
        found = game_of_record(fixture, text)
        assert found is not None and found.termination not in ANNULLED
        return found

    async def run_until_killed(self, seconds: float) -> None:
        """Start a server and kill it after a while; its hosts are free then."""
        self.control.begin("ladder.toml")
        self.host.rooms = self.chance.choice([1, 2, 3])
        with trio.move_on_after(seconds):
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.runner().run)
                    while True:
                        await trio.sleep(self.chance.expovariate(1 / 40))
                        self.change()
            except* BadStore:  # what it takes up cannot be counted either; the service begins with another runner
                self.happened["disk fails at the start"] += 1

    def change(self) -> None:
        """Let something happen while a server plays."""
        happens = self.chance.choice(["version", "leave", "connect", "wake", "room", "clock"])
        self.happened[happens] += 1
        bots = sorted(self.versions)
        if happens == "version":
            name = self.chance.choice([*bots, "eve-1", "ann-3"])
            self.versions[name] = self.chance.choice([self.versions.get(name, 0) + 1, 1])
        elif happens == "leave" and len(bots) > 3:
            del self.versions[self.chance.choice(bots)]
        elif happens == "connect":
            self.connected = [name for name in ("fay-1", "gil-1") if self.chance.random() < 0.6]
        elif happens == "wake":
            for one in self.store.standings():
                self.store.wake(one.name, "teacher")
        elif happens == "room":
            self.host.rooms += 1
        elif happens == "clock":
            self.offset += self.chance.choice([-100, 50, 50])

    async def walk(self) -> None:
        """Play for some minutes, with a last start by the last ladder file."""
        while trio.current_time() < self.seconds:
            await self.run_until_killed(self.chance.choice([0, 1, 20, 300, 600]) * self.chance.random())
            self.happened["killed"] += 1
            if self.chance.random() < 0.2:
                weight, owner = self.chance.choice([1, 3]), self.chance.choice(["teacher", "tutor"])
                self.definition = self.new_definition(weight, self.chance.choice([500.0, 500.0, 640.25]), owner)
                self.happened["file"] += 1
        await self.run_until_killed(0.5)


@contextmanager
def tasks_in_order(seed: int) -> Iterator[None]:
    """Let trio draw by a seed in which order it runs tasks, as it does for property tests."""
    run = trio._core._run
    with patch.object(run, "_ALLOW_DETERMINISTIC_SCHEDULING", True), patch.object(run, "_r", Random(seed)):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40) if os.environ.get("ARENA_CAMPAIGN") else (0, 10))
def test_whatever_happens_to_a_ladder_its_ratings_are_those_of_its_records(tmp_path: Path, seed: int) -> None:
    with closing(Accounts(tmp_path)) as accounts, tasks_in_order(seed):
        walk = Walk(tmp_path, accounts, seed, 1500.0)
        trio.run(walk.walk, clock=trio.testing.MockClock(autojump_threshold=0))
        levels = {name: one.player for name, one in walk.listed().items() if one.player.anchor is not None}
        running = {game.match for game in walk.store.begun()}
    games = check_counted(tmp_path, [], levels)
    assert len(games) > 100 and walk.happened["killed"] > 5
    assert not running & {game.game.match for game in games}
    missing = {"version", "leave", "connect", "wake", "room", "clock", "killed", "annulled", "not started"}
    assert missing <= (+walk.happened).keys()
