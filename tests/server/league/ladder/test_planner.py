"""The ladder is played on a simulated clock by a host that knows how each game ends."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from engine.games.interface import Termination
from engine.statistics.online import DAY, LadderPlayer, rate
from server.contest.definition import Entrant
from server.contest.fixtures import ENDED_AT_START, NOT_STARTED, SET_ASIDE, Fixture, GameResult, Intervention, Kind
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import PROGRAMS, CoreQueue, GameTask, HostedGame, NotPlayed, PlayerMissing
from server.contest.runtime.organiser_commands import intervene
from server.contest.runtime.runner import Runner
from server.contest.store.store import FILE as CONTESTS, LADDER, Store
from server.league.accounts import Accounts
from server.league.ladder.definition import LadderDefinition, Listed, read, roster
from server.league.ladder.service import free_games, ladder_runner
from server.league.ladder.store import LadderStore, has_failed, score_of
from tests.server.harness import at_once

FILE = """
time = { budget = 1000 }
failures = 2
[[games]]
game = "mnk"
params = "3 3 3"
weight = 3
openings = { plies = 2, number = 20 }
[[games]]
game = "mnk"
params = "4 4 3"
[[levels]]
level = 1
"""

GAME_SECONDS = 10.0

Play = Callable[[GameTask], Awaitable[GameResult]]


def won(task: GameTask, winner: int | None = 0, termination: str = "line") -> GameResult:
    return GameResult(task.fixture, task.number, winner, termination)


async def better_first(task: GameTask) -> GameResult:
    """Let the player win whose name comes first; alphabeta-1 comes before all bots."""
    await trio.sleep(GAME_SECONDS)
    first, second = task.fixture.players
    return won(task, 0 if first < second else 1)


class FakeGame(HostedGame):
    """A game that takes a while."""

    def __init__(self, task: GameTask, play: Play, recorded: bool) -> None:
        self.recorded = recorded
        self._task = task
        self._play = play

    async def result(self) -> GameResult:
        try:
            return await self._play(self._task)
        except Exception:
            self.recorded = False
            raise


class FakeHost:
    """Room for some games, which end as they are told to."""

    recorded = True
    """Whether the records of games are in the store when they end."""

    def __init__(self, rooms: int, play: Play = better_first) -> None:
        self.rooms = rooms
        self.play_game = play
        self.tasks: list[GameTask] = []

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[HostedGame | None]:
        self.tasks.append(task)
        yield FakeGame(task, self.play_game, self.recorded)


class FakeRecords:
    """Numbers of matches, and records that are on the disk at once."""

    def __init__(self, last: int) -> None:
        self.numbers = SimpleNamespace(next=count(last + 1).__next__)

    def sync_record(self, match: int) -> str:
        return f"{match:064x}"


@pytest.fixture(autouse=True)
def simulated(monkeypatch: pytest.MonkeyPatch, no_threads: None) -> None:
    """Let a runner wait for nothing but the simulated clock: not for threads, sandboxes and compilers."""

    async def prepare(*_: object) -> None:
        await trio.lowlevel.checkpoint()

    for step in ("wait_until_sealable", "precompile_bots"):
        monkeypatch.setattr(f"server.contest.runtime.runner.{step}", prepare)


class Ladder:
    """A ladder over a data directory, whose server can be killed."""

    def __init__(self, data: Path, accounts: Accounts, contests: Store, host: FakeHost) -> None:
        self.data = data
        self.contests = contests
        self.definition: LadderDefinition = read(FILE, data, str)
        self.store = LadderStore(accounts, data, self.now)
        self.host = host
        self.versions = {"ann-1": 1, "bob-1": 1, "cat-1": 1}
        self.connected: list[str] = []

    def now(self) -> float:
        return 1e9 + trio.current_time()

    def listed(self) -> dict[str, Listed]:
        active = [
            Listed(LadderPlayer(bot, bot[:3]), number, Entrant(bot, ("./bot",), folder=str(self.data / bot)))
            for bot, number in self.versions.items()
        ]
        connected = [Listed(LadderPlayer(bot, bot[:3]), 0, Entrant(bot)) for bot in self.connected]
        return roster(self.definition, active, connected)

    def records(self) -> Any:
        return FakeRecords(self.contests.last_match())

    def runner(self) -> Runner:
        """Return the runner of a server that has just started."""
        turns = CoreQueue(PROGRAMS * self.host.rooms)
        seats: Any = SimpleNamespace(turns=turns, stored=at_once, leave=turns.leave)

        async def read_past_match(match: int) -> None:
            await trio.lowlevel.checkpoint()

        arena: Any = SimpleNamespace(
            read_past_match=read_past_match,
            contest_players=ContestPlayers(), offer_seekers=lambda names: None, stopping=False, matches={},
            accept_status=SimpleNamespace(closed=False), record_store=self.records(),
            settings=SimpleNamespace(data=self.data),
        )  # fmt: skip
        return ladder_runner(
            self.definition, self.contests, self.store, self.listed, arena, seats, host=self.host, now=self.now
        )[0]

    async def run(self, seconds: float) -> None:
        """Let a server play for a while, and kill it: nothing of what it does then is carried out."""
        with trio.move_on_after(seconds):
            await self.runner().run()

    def check(self) -> None:
        """Hold the ratings against all games."""
        players = {name: one.player for name, one in self.listed().items()}
        ratings = rate(self.store.each_game(), players, self.store.starts())
        assert {one.name: one.rating for one in self.store.standings()} == ratings


@pytest.fixture
def host() -> FakeHost:
    return FakeHost(2)


@pytest.fixture
def ladder(tmp_path: Path, host: FakeHost) -> Iterator[Ladder]:
    with closing(Accounts(tmp_path)) as accounts, closing(Store(tmp_path / CONTESTS)) as contests:
        yield Ladder(tmp_path, accounts, contests, host)


@pytest.mark.slow
async def test_games_are_played_whenever_there_is_room_and_rate_their_players(
    ladder: Ladder, host: FakeHost, autojump_clock: trio.testing.MockClock
) -> None:
    await ladder.run(100 * GAME_SECONDS + 1)
    games = list(ladder.store.each_game())
    assert len(games) == 200  # in two rooms
    fixtures = [result.fixture for result in ladder.contests.results(LADDER)]
    assert len(set(fixtures)) == 200, "equal fixtures would be one game"
    ladder.check()
    assert [one.name for one in ladder.store.standings()] == ["alphabeta-1", "ann-1", "bob-1", "cat-1"]
    share = sum(game.variant == "mnk 3 3 3" for game in games) / len(games)
    assert share == pytest.approx(3 / 4, abs=0.05)
    for name in ladder.versions:
        begun = sum(game.first == name for game in games) - sum(game.second == name for game in games)
        assert abs(begun) <= 4
    # a bot plays one game at a time, the level more
    assert len(ladder.contests.begun(LADDER)) == 2
    entrants = {entrant.name: entrant.folder for task in host.tasks for entrant in task.definition.entrants}
    assert entrants == {name: str(ladder.data / name) for name in ladder.versions}


async def test_no_more_games_are_played_a_day_than_the_file_says(
    ladder: Ladder, autojump_clock: trio.testing.MockClock
) -> None:
    ladder.definition = replace(ladder.definition, games_a_day=7)
    await ladder.run(100)
    assert len(list(ladder.store.each_game())) == 7
    autojump_clock.jump(DAY)
    await ladder.run(100)
    assert len(list(ladder.store.each_game())) == 14


async def test_a_new_version_comes_into_play_after_the_game_of_the_old_one(
    ladder: Ladder, host: FakeHost, autojump_clock: trio.testing.MockClock
) -> None:
    host.rooms = 1
    with trio.move_on_after(20 * GAME_SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ladder.runner().run)
            await trio.sleep(5.5 * GAME_SECONDS)
            ladder.versions["ann-1"] = 2
    versions = [game.versions[game.result.fixture.players.index("ann-1")] for game in
                ladder.store.last_games(99, "ann-1")[::-1]]  # fmt: skip
    assert versions == sorted(versions) and set(versions) == {1, 2}
    ladder.check()
    first, second = ladder.store.versions("ann-1")
    assert (first.version, second.version) == (1, 2) and second.after >= 5


@pytest.mark.slow
async def test_who_fails_again_and_again_rests_until_there_is_another_version(
    ladder: Ladder, host: FakeHost, autojump_clock: trio.testing.MockClock
) -> None:
    async def play(task: GameTask) -> GameResult:
        await trio.sleep(GAME_SECONDS)
        if "ann-1" not in task.fixture.players:
            return won(task)
        raise PlayerMissing("ann-1 did not come to the game: it is broken", ("ann-1",), termination=NOT_STARTED)

    host.play_game = play
    await ladder.run(30 * GAME_SECONDS)
    found = ladder.store.standing("ann-1")
    assert found is not None and found.failures == 2
    assert found.rests.endswith("the last time so: ann-1 did not come to the game: it is broken")
    lost = ladder.store.last_games(99, "ann-1")
    assert [(game.result.termination, game.result.match) for game in lost] == [(NOT_STARTED, None)] * 2
    assert found.rating.games == 0 and found.rating.last is None, (
        "games that were not played rate nobody, as in contests"
    )
    host.play_game = better_first
    ladder.versions["ann-1"] = 2
    await ladder.run(30 * GAME_SECONDS)
    assert len(ladder.store.last_games(99, "ann-1")) > 2
    ladder.check()


@pytest.mark.slow
@pytest.mark.parametrize("fault", [NotPlayed("no core"), PlayerMissing("no memory", (), fault=True), OSError("full")])
async def test_a_fault_of_the_machine_is_nobodys_and_games_pause(
    ladder: Ladder, host: FakeHost, autojump_clock: trio.testing.MockClock, fault: Exception
) -> None:
    async def play(task: GameTask) -> GameResult:
        raise fault

    host.rooms, host.play_game = 1, play
    await ladder.run(600)
    assert list(ladder.store.each_game()) == [] and ladder.contests.begun(LADDER) == {}
    assert 10 < len(host.tasks) < 20  # the pauses double up to a minute


async def test_nothing_begins_while_an_organiser_pauses_the_ladder(
    ladder: Ladder, host: FakeHost, autojump_clock: trio.testing.MockClock
) -> None:
    await ladder.run(GAME_SECONDS)
    for kind in (Kind.PAUSE, Kind.RESUME):
        games = len(host.tasks)
        intervene(ladder.contests, LADDER, Intervention(0, datetime.now(UTC), kind))
        await ladder.run(5 * GAME_SECONDS)
        assert (len(host.tasks) > games) == (kind is Kind.RESUME)


def test_contests_go_first() -> None:
    turns = CoreQueue(8)
    turns.enter(LADDER, lambda: None)
    turns.enter(3, lambda: None)
    assert free_games(turns, 0, 0) == 4
    assert free_games(turns, 4, 0) == 2
    assert free_games(turns, 4, 2) == 0
    turns.take(3, 2)
    assert free_games(turns, 0, 1) == 2
    turns.waits(3, True)
    assert free_games(turns, 0, 0) == 0
    turns.waits(3, False)
    turns.wants(3, True)  # it has all cores, and more games
    assert free_games(turns, 0, 0) == 0
    turns.wants(3, False)
    turns.alone = True
    assert free_games(turns, 0, 0) == 0


def test_a_machine_with_one_core_plays_one_game_at_a_time() -> None:
    turns = CoreQueue(1)
    turns.enter(LADDER, lambda: None)
    assert (free_games(turns, 0, 0), free_games(turns, 0, 1)) == (1, 0)


@pytest.mark.parametrize(
    ("winner", "termination", "ready", "score", "failed"),
    [
        (0, "line", (True, True), 1.0, (False, False)),
        (None, "board_full", (True, True), 0.5, (False, False)),
        (1, Termination.CRASHED, (True, True), 0.0, (True, False)),
        (0, Termination.OUT_OF_MEMORY, (True, True), 1.0, (False, True)),
        (0, Termination.TIME, (True, True), 1.0, (False, False)),
        (0, Termination.TIME, (True, False), 1.0, (False, True)),
        (0, Termination.BAD_MOVE, (True, True), 1.0, (False, False)),
        (1, NOT_STARTED, (True, True), None, (True, False)),
        (0, ENDED_AT_START, (True, True), None, (False, True)),
        (None, f"{NOT_STARTED}+ended_at_start", (True, True), None, (True, True)),
        (None, SET_ASIDE, (True, True), None, (False, False)),
    ],
)
def test_what_counts_of_a_game(
    winner: int | None, termination: str, ready: tuple[bool, bool], score: float | None, failed: tuple[bool, bool]
) -> None:
    result = GameResult(Fixture(0, 1, 0, 0, 0, ("ann-1", "bob-1")), 1, winner, termination, ready=ready)
    assert (score_of(result), (has_failed(result, 0), has_failed(result, 1))) == (score, failed)
