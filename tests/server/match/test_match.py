"""Whole matches over memory streams, on a simulated clock: virtual times are exact and nothing sleeps."""

from pathlib import Path

import pytest
import trio
from inline_snapshot import snapshot
from trio.testing import MockClock

from engine.match import verification
from engine.wire import messages as m
from server.config.settings import REQUESTS_PER_TURN
from tests.server.harness import ArenaHarness, play, playing


async def test_moves_are_relayed_with_clocks_that_ran_only_for_the_mover(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
    ann, bob = await harness.pair("params=3,3,9,9 budget=1000 increment=7")
    await trio.sleep(0.100)
    await ann.say(m.Ready())
    await trio.sleep(0.050)
    await bob.say(m.Ready())
    assert await ann.hear(m.Start) == m.Start(900, 850)
    assert await ann.hear(m.Turn) == m.Turn(900, 850)
    await trio.sleep(0.300)
    assert await ann.answer(m.Move(m.Text(" a1 - b2 "))) == m.Moved(1, "white", 607, 850, m.Text("a1-b2"))
    await bob.hear(m.Start)
    assert await bob.next() == m.Moved(1, "white", 607, 850, m.Text("a1-b2"))
    assert await bob.next() == m.Turn(850, 607)


@pytest.mark.parametrize("on_turn", [True, False])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("ValueError: it's \N{SNOWMAN}" + "!" * 300, "ValueError: it's \N{SNOWMAN}" + "!" * 181 + "…"),
        ("bob (black) resigned, and ann (white) has won", "bob (black) resigned, and ann (white) has won"),
    ],
)
async def test_a_player_that_says_crashed_loses_with_its_own_words(
    tmp_path: Path, autojump_clock: MockClock, on_turn: bool, words: str, said: str
) -> None:
    async with playing(tmp_path) as (harness, ann, bob):
        await ann.hear(m.Turn)
        await (ann if on_turn else bob).say(m.Crashed(m.Text(words)))
        result = await (bob if on_turn else ann).hear(m.Result)
        loser, winner = ("ann (white)", "black") if on_turn else ("bob (black)", "white")
        assert (result.result, result.reason) == (winner, "crashed")
        assert result.sentence == f"{loser} crashed, and says: {said!r}"
        summary = verification.verify(harness.record())
        assert (summary.result, summary.reason, summary.sentence) == (winner, "crashed", result.sentence)


@pytest.mark.parametrize(
    ("back", "sentence"),
    [
        (
            False,
            snapshot(
                "ann (white) ran out of time: 0 ms beyond a budget of 60 s; 60 s of 60 s went to move 1; its opponent used 0 ms; its connection had been lost for 40 s"
            ),
        ),
        (
            True,
            snapshot(
                "ann (white) ran out of time: 0 ms beyond a budget of 60 s; 60 s of 60 s went to move 1; its opponent used 0 ms"
            ),
        ),
    ],
)
async def test_a_loss_on_time_says_that_the_connection_was_lost_and_for_how_long(
    tmp_path: Path, autojump_clock: MockClock, back: bool, sentence: str
) -> None:
    async with playing(tmp_path, "params=3,3,9,9 budget=60000") as (harness, ann, bob):
        await trio.sleep(20)
        await ann.stream.aclose()
        if back:
            await trio.sleep(10)
            await harness.guest(m.Resume(1, ann.token), m.Turn)
        result = await bob.hear(m.Result)
        assert result.sentence == sentence


async def test_requests_of_a_turn_are_bounded(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, "params=4,4,15,15 budget=60000") as (_harness, ann, bob):
        await ann.hear(m.Turn)
        for _ in range(REQUESTS_PER_TURN):
            assert len((await ann.ask(m.AskMoves(), m.Moves)).lines) == 42
        assert (await ann.ask(m.AskMoves(), m.Error)).code == "too_many"
        await play(ann, bob, "a5-b5")
        await bob.hear(m.Turn)
        await bob.ask(m.AskMoves(), m.Moves)
