"""The games of a match on a scripted host: in which order, how many at a time, and what goes wrong."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from engine.games.outcome import Termination
from server.commands.match.games import CannotPlay, GameOver, MatchGames
from server.contest.fixtures import ENDED_AT_START, GameResult, Programs
from server.contest.hosts.game_worker import CONTEST
from server.contest.hosts.host import GameTask, NotPlayed, PlayerMissing
from server.contest.store.folders import errors_of
from tests.server.commands.match.made import setup


class ScriptedHost:
    """A host whose games end when and as a test says."""

    def __init__(self, ends: Callable[[GameTask], GameResult]) -> None:
        self._ends = ends
        self.begun: list[int] = []
        self.at_once: list[int] = []
        self.third = trio.Event()
        """Set when three games have begun."""
        self._running = 0
        self.waits: dict[int, trio.Event] = {}
        """For some games, what their end waits for."""

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator["ScriptedGame"]:
        self.begun.append(task.number)
        self._running += 1
        self.at_once.append(self._running)
        if len(self.begun) == 3:
            self.third.set()
        try:
            yield ScriptedGame(self, task)
        finally:
            self._running -= 1

    def end(self, task: GameTask) -> GameResult:
        return self._ends(task)


class ScriptedGame:
    programs: Programs = (None, None)
    lacked = ""
    recorded = True

    def __init__(self, host: ScriptedHost, task: GameTask) -> None:
        self._host = host
        self._task = task

    async def result(self) -> GameResult:
        if self._task.number in self._host.waits:
            await self._host.waits[self._task.number].wait()
        await trio.lowlevel.checkpoint()
        return self._host.end(self._task)

    def leave_cores(self) -> bool:
        return False

    def cut_off(self) -> None:
        return None


def won(task: GameTask) -> GameResult:
    return GameResult(task.fixture, task.number, 0, "three_in_a_row", "", 5)


class Kept:
    """What a match has kept."""

    def __init__(self, most: int = 1000) -> None:
        self.games: list[GameOver] = []
        self.six = trio.Event()
        """Set when there are six games."""
        self._most = most

    def __call__(self, over: GameOver) -> bool:
        self.games.append(over)
        if len(self.games) == 6:
            self.six.set()
        return len(self.games) < self._most

    @property
    def numbers(self) -> list[int]:
        return [over.game.number for over in self.games]


def caught(group: pytest.ExceptionInfo[BaseExceptionGroup[CannotPlay]]) -> CannotPlay:
    (error,) = group.value.exceptions
    assert isinstance(error, CannotPlay)
    return error


async def test_games_begin_in_order_and_so_many_at_a_time(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, kept = ScriptedHost(won), Kept()
    host.waits = {1: kept.six, 2: host.third, 3: host.third}
    games = MatchGames(setup(games=8), host, tmp_path, lambda: 3)
    await games.play([1, 2, 3, 5, 6, 7, 8], kept)
    assert host.begun == [1, 2, 3, 5, 6, 7, 8]
    assert max(host.at_once) == 3
    assert sorted(kept.numbers) == [1, 2, 3, 5, 6, 7, 8] and kept.numbers[-1] == 1
    assert games.running == 0 and games.started == {"ann", "bob"}
    one = kept.games[0].game
    assert (one.players, one.points, one.plies) == (("bob", "ann"), (1.0, 0.0), 5)


async def test_workers_that_come_later_get_games(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    host, kept, rooms = ScriptedHost(won), Kept(), iter([0, 0, 0])
    host.waits = dict.fromkeys(range(1, 7), trio.Event())

    def room() -> int:
        if len(host.begun) == 6:
            host.waits[1].set()
        return next(rooms, 6)

    await MatchGames(setup(games=8), host, tmp_path, room).play(range(1, 9), kept)
    assert len(kept.games) == 8 and max(host.at_once) == 6


async def test_the_match_stops_when_it_is_told_to(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    host, kept = ScriptedHost(won), Kept(3)
    await MatchGames(setup(games=8), host, tmp_path, lambda: 2).play(range(1, 9), kept)
    assert len(kept.games) == 3 and len(host.begun) <= 4


async def test_a_fault_of_the_machine_costs_nobody_the_game(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    faults = iter([NotPlayed("a worker was lost"), PlayerMissing("no process can be started", (), fault=True)])

    def ends(task: GameTask) -> GameResult:
        for fault in faults:
            raise fault
        return won(task)

    host, kept = ScriptedHost(ends), Kept()
    await MatchGames(setup(games=2), host, tmp_path, lambda: 1).play([1, 2], kept)
    assert kept.numbers == [1, 2]
    assert host.begun == [1, 3, 4, 2], "its records have numbers that no other game has"
    assert [over.match for over in kept.games] == [4, 2]


async def test_a_game_that_is_annulled_again_and_again_ends_the_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    def ends(task: GameTask) -> GameResult:
        return GameResult(task.fixture, task.number, None, Termination.SERVER_FAULT, "no space left on the disk")

    with pytest.raises(BaseExceptionGroup) as group:
        await MatchGames(setup(games=2), ScriptedHost(ends), tmp_path, lambda: 1).play([1], Kept())
    assert str(caught(group)) == "game 1 cannot be played: no space left on the disk"


async def test_a_player_that_never_starts_ends_the_match_and_is_heard(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    def ends(task: GameTask) -> GameResult:
        log = errors_of(tmp_path, CONTEST, task.number, "bob")
        log.parent.mkdir(parents=True)
        log.write_text("Traceback\nImportError: no module named tables\n")
        raise PlayerMissing("bob did not come to the game", ("bob",), termination=ENDED_AT_START)

    with pytest.raises(BaseExceptionGroup) as group:
        await MatchGames(setup(games=2), ScriptedHost(ends), tmp_path, lambda: 1).play([1, 2], Kept())
    error = caught(group)
    assert str(error) == "bob did not come to the game"
    assert error.wrote == "Traceback\nImportError: no module named tables"


async def test_a_player_that_has_played_before_loses_a_game_that_it_does_not_come_to(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    def ends(task: GameTask) -> GameResult:
        if task.number == 2:
            raise PlayerMissing("bob did not come to the game", ("bob",), termination=ENDED_AT_START)
        return won(task)

    kept = Kept()
    await MatchGames(setup(games=4), ScriptedHost(ends), tmp_path, lambda: 1).play(range(1, 5), kept)
    lost = kept.games[1].game
    assert (lost.players, lost.points, lost.causes) == (("bob", "ann"), (0.0, 1.0), ("crashed", ""))
    assert lost.sentence == "bob did not come to the game"
    assert kept.numbers == [1, 2, 3, 4]
