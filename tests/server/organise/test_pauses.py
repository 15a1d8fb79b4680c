"""What is no entrant's fault, in a whole contest: the machine lacks something, a game takes the server with it."""

import errno
import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from server.contest.conduct import disqualified
from server.contest.fixtures import SET_ASIDE, counted
from server.contest.plan import plan
from server.entrance import Entrance, Listener
from server.organise import pauses, programs
from server.organise.account import account
from server.organise.ledger import MOST_FAILURES
from server.organise.store import FILE, Store
from server.organise.turns import Turns
from tests.server.organise.bots import definition_of, holding, over

DICE = Path(__file__).with_name("dice.py")

PROGRAMS = f"""
name = "Programs"
sandbox = "none"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
[[entrants]]
name = "p0"
command = ['{sys.executable}', '{DICE}']
[[entrants]]
name = "p1"
command = ['{sys.executable}', '{DICE}']
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENOMEM])
async def test_a_contest_pauses_where_the_machine_lacks_something_and_nobody_has_lost_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(pauses, "MOST_PAUSE_SECONDS", 0.05)
    spawn, failed = programs._spawn, Counter[str]()

    def fails(*words: Any, **options: Any) -> Any:
        failed["starts"] += 1
        if failed["starts"] <= 20:
            raise OSError(number, os.strerror(number))
        return spawn(*words, **options)

    monkeypatch.setattr(programs, "_spawn", fails)
    async with holding(tmp_path, PROGRAMS) as (house, store, contest):
        with trio.fail_after(60):
            while (present := house.hall.desk.present.get(contest)) is None or present.paused is None:
                await trio.sleep(0.005)
        assert errno.errorcode[number] in present.paused.reason
        games = await over(store, contest)
        moment = account(store, contest, datetime.now(UTC)).moment
    assert [game.termination for game in games if not game.played] == [] and len(games) == 2
    assert not disqualified(definition_of(PROGRAMS), games)
    assert moment.pauses and all(pause.ended is not None for pause in moment.pauses)
    assert errno.errorcode[number] in moment.pauses[0].reason


@pytest.mark.slow
async def test_both_are_blamed_where_neither_program_can_be_started(tmp_path: Path) -> None:
    file = PROGRAMS.replace(f"'{sys.executable}', '{DICE}'", "'./nowhere'")
    async with holding(tmp_path, file) as (_, store, contest):
        games = await over(store, contest)
    assert {(game.winner, game.played) for game in counted(games)} == {(None, False)}
    assert "p0 did not come" in games[0].detail and "p1 did not come" in games[0].detail


@pytest.mark.slow
async def test_a_game_in_which_the_server_died_again_and_again_is_set_aside_and_the_others_are_played(
    tmp_path: Path,
) -> None:
    definition = definition_of(PROGRAMS)
    fixture = plan(definition, []).due[0]
    with closing(Store(tmp_path / FILE)) as left:
        contest = left.open_contest(PROGRAMS, definition, datetime.now(UTC))
        for _ in range(MOST_FAILURES - 1):
            left.failed(contest, fixture)
        left.begin(contest, fixture, 1)  # it had begun, and the server died
    async with holding(tmp_path) as (_, store, contest):
        games = await over(store, contest)
    (aside,) = [game for game in games if game.termination == SET_ASIDE]
    assert aside.fixture == fixture and aside.shared and "set aside" in aside.detail
    assert [game.fixture == fixture.swapped and game.played for game in games if game is not aside] == [True]


def test_contests_take_turns_at_the_cores() -> None:
    turns, woken = Turns(4), Counter[int]()

    def wake(contest: int) -> Callable[[], None]:
        return lambda: woken.update([contest])

    for contest in (1, 2):
        turns.enter(contest, wake(contest))
    turns.take(1, 2)
    turns.take(1, 2)
    assert turns.others(1) == 0 and turns.others(2) == 4
    turns.waits(2, True)
    turns.give_back(1, 2)
    assert woken == {1: 1, 2: 1}
    assert turns.others(1) == 4, "it has begun games, and another one waits"
    assert turns.others(2) == 2
    turns.take(2, 2)
    turns.waits(2, False)
    assert (turns.others(1), turns.others(2)) == (2, 2)
    turns.leave(2)
    assert turns.others(1) == 0


async def test_who_cannot_be_let_in_stands_before_a_closed_entrance(
    autojump_clock: trio.testing.MockClock,
) -> None:
    entrance, calls = Entrance(), Counter[str]()

    class Lacks:
        async def accept(self) -> str:
            await trio.lowlevel.checkpoint()
            calls["accept"] += 1
            if calls["accept"] <= 3:
                raise OSError(errno.EMFILE, "too many")
            return "stream"

    lacks: Any = Lacks()
    seen = [entrance.closed]
    await Listener(lacks, entrance).accept()
    seen.append(entrance.closed)
    await trio.sleep(2)
    assert [*seen, entrance.closed] == [False, True, False]
    assert calls["accept"] == 4
