"""Bots on their authors' machines play on a ladder, over the protocol, on a simulated clock."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trio
import trio.testing
from inline_snapshot import snapshot

from engine.match import verification
from engine.statistics.online import rate
from engine.wire import messages as m
from engine.wire.messages import Code
from server.commands import administration
from server.contest.fixtures import Intervention, Kind
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.runtime.organiser_commands import intervene
from server.contest.runtime.service import ContestService
from server.contest.store.store import FILE as STORE, LADDER, Store
from server.league.accounts import AUTHOR, Accounts
from server.league.ladder.definition import read
from server.league.ladder.service import AWAY_SECONDS, LadderService
from server.league.ladder.store import CountedGame
from server.league.submissions.versions import Versions
from tests.server.harness import ArenaHarness, Client, open_arena

pytestmark = pytest.mark.usefixtures("no_threads")

FILE = """
sandbox = "none"
time = { budget = 600_000 }
failures = 2
[[games]]
game = "mnk"
params = "3 3 3"
openings = { plies = 2, number = 20 }
"""


class Ladder(NamedTuple):
    """An arena with a ladder, and the bots of ann, bob and cat."""

    contests: Store
    harness: ArenaHarness
    service: LadderService
    accounts: Accounts
    tokens: dict[str, str]

    async def connect(self, name: str) -> Client:
        """Let a bot wait for a game of the ladder."""
        client = await self.harness.connect(name, self.tokens[name])
        await client.say(m.Seek("ladder"))
        assert await client.hear(m.Seeking) == m.Seeking("ladder")
        return client

    async def play(self, name: str) -> None:
        """Play the first legal move in every game, a game a second, for ever."""
        client = await self.connect(name)
        while True:
            match await client.next():
                case m.Match():
                    await client.say(m.Ready())
                case m.Turn():
                    await client.say(m.AskMoves())
                case m.Moves(moves):
                    await client.say(m.Move(m.Text(moves[0])))
                case m.Result():
                    await trio.sleep(1)
                    await client.say(m.Seek("ladder"))

    async def counted(self, wanted: Callable[[list[CountedGame]], bool]) -> list[CountedGame]:
        """Wait until the games that are counted, the first one first, are as they are wanted."""
        with trio.fail_after(10_000):
            while not wanted(found := self.service.store.last_games(999)[::-1]):
                await trio.sleep(0.1)
        return found


@asynccontextmanager
async def ladder_of(folder: Path, more: str = "") -> AsyncIterator[Ladder]:
    folder.mkdir(exist_ok=True)
    with closing(Accounts(folder)) as accounts, closing(Store(folder / STORE)) as store:
        tokens = {}
        for name in ("ann", "bob", "cat"):
            if accounts.person(name) is None:
                accounts.redeem(accounts.invite(name, AUTHOR, "test"), "")
            person = accounts.person(name)
            assert person is not None
            tokens[f"{name}-1"] = accounts.make_token(person, f"{name}-1")
        async with open_arena(folder) as harness, trio.open_nursery() as nursery:
            arena = harness.arena
            arena.account_token = accounts.token_hash
            contests = ContestService(arena, store)
            ladder = LadderService(read(more + FILE, folder, str), arena, store, accounts, Versions(folder, accounts))
            nursery.start_soon(contests.run)
            nursery.start_soon(ladder.run, contests)
            yield Ladder(store, harness, ladder, accounts, tokens)
            nursery.cancel_scope.cancel()


def check(ladder: Ladder) -> None:
    """Hold the ratings against all games."""
    store = ladder.service.store
    ratings = rate(store.each_game(), {}, store.starts())
    assert {one.name: one.rating for one in store.standings() if one.rating.games} == ratings


@pytest.mark.slow
async def test_bots_that_connect_are_paired_and_rated_and_records_are_theirs(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with ladder_of(tmp_path) as ladder, trio.open_nursery() as bots:
        for name in ladder.tokens:
            bots.start_soon(ladder.play, name)
        games = await ladder.counted(lambda games: len(games) >= 6)
        assert {name for game in games for name in game.result.fixture.players} == ladder.tokens.keys()
        for game in games:
            assert game.result.match is not None
            text = ladder.harness.arena.record_store.read(game.result.match)
            assert text is not None
            summary = verification.verify(text)
            assert (
                summary.header.players == game.result.fixture.players and summary.header.control.budget == 600_000_000
            )
        assert all(one.connects for one in ladder.service.listed().values())
        check(ladder)
        bots.cancel_scope.cancel()


@pytest.mark.slow
async def test_who_goes_away_during_a_game_loses_it_soon_and_rests_when_that_happens_again(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with ladder_of(tmp_path) as ladder, trio.open_nursery() as bots:
        bots.start_soon(ladder.play, "ann-1")
        for times in (1, 2):
            bob = await ladder.connect("bob-1")
            await bob.hear(m.Match)
            began = trio.current_time()
            await bob.stream.aclose()
            games = await ladder.counted(lambda games, times=times: len(games) == times)  # type: ignore[misc]
            assert AWAY_SECONDS <= trio.current_time() - began <= AWAY_SECONDS + 2  # of the 600 that its clock has
            assert games[-1].result.termination == "crashed"
            assert games[-1].result.detail.partition(": ")[2] == snapshot("it had no connection for 20 seconds")
        assert "bob-1" not in ladder.service.listed()
        standing = ladder.service.store.standing("bob-1")
        assert standing is not None and (standing.failures, standing.rating.games) == (2, 2)
        check(ladder)
        again = await ladder.harness.connect("bob-1", ladder.tokens["bob-1"])
        await again.say(m.Seek("ladder"))
        assert (await again.hear(m.Error)).code == Code.BAD_ARGUMENTS
        bots.cancel_scope.cancel()


@pytest.mark.slow
async def test_no_more_games_are_played_a_day_than_the_file_says(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with ladder_of(tmp_path, "games-a-day = 7\n") as ladder, trio.open_nursery() as bots:
        for name in ladder.tokens:
            bots.start_soon(ladder.play, name)
        await ladder.counted(lambda games: len(games) == 7)
        await trio.sleep(100)
        assert len(ladder.service.store.last_games(999)) == 7
        bots.cancel_scope.cancel()


@pytest.mark.slow
async def test_nothing_begins_while_an_organiser_pauses_the_ladder(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ladder_of(tmp_path) as ladder, trio.open_nursery() as bots:
        for name in ladder.tokens:
            bots.start_soon(ladder.play, name)
        await ladder.counted(lambda games: len(games) == 1)
        intervene(ladder.contests, LADDER, Intervention(0, datetime.now(UTC), Kind.PAUSE))
        administration.status(data=tmp_path)
        assert "paused" in capsys.readouterr().out.splitlines()
        await trio.sleep(10)
        games = len(ladder.service.store.last_games(999))
        await trio.sleep(100)
        assert len(ladder.service.store.last_games(999)) == games
        administration.resume(data=tmp_path)
        await ladder.counted(lambda found: len(found) > games)
        bots.cancel_scope.cancel()


@pytest.mark.slow
async def test_who_comes_and_goes_holds_up_nobody(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that is gone whenever its game is to begin is left out for a while, and the others play."""

    def lease(players: Any, names: list[str]) -> Any:
        if "cat-1" in names:
            player = players._free["cat-1"].player
            players.remove(player)
            player.close("quit", "gone")
        return true_lease(players, names)

    true_lease = ContestPlayers.lease
    monkeypatch.setattr(ContestPlayers, "lease", lease)
    monkeypatch.setattr("server.league.ladder.service.UNPAIRED_SECONDS", 10.0)
    async with ladder_of(tmp_path) as ladder, trio.open_nursery() as bots:
        for name in ("ann-1", "bob-1"):
            bots.start_soon(ladder.play, name)
        for _ in range(2):
            await ladder.connect("cat-1")
            await trio.sleep(12)
        games = ladder.service.store.last_games(999)
        assert len(games) >= 5 and not any("cat-1" in game.result.fixture.players for game in games)
        bots.cancel_scope.cancel()
