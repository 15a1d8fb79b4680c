"""The allowance for lag: measured, bounded, written down, and recomputed from the record."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from engine.match import verification
from engine.match.reader import BadRecord
from engine.wire import messages as m
from server.config.settings import Settings
from server.net.timing import SAMPLES, LatencyProbe
from tests.server.harness import ArenaHarness, Client, open_arena


@given(st.lists(st.integers(0, 2_000_000), max_size=60))
def test_the_lag_lies_among_the_fastest_of_the_last_answers(taken: list[int]) -> None:
    lag, now = LatencyProbe(), 0
    for span in taken:
        text = lag.ask()
        lag.sent(now)
        now += span
        lag.answered(text, now)
        lag.answered(text, now + 7)  # once is enough
    last = sorted(taken[-SAMPLES:])
    assert lag.measured == (last[len(last) // 5] if last else 0)


def test_only_the_answer_to_the_last_question_counts() -> None:
    lag = LatencyProbe()
    first = lag.ask()
    lag.answered(first, 5)  # not even sent
    lag.sent(10)
    second = lag.ask()
    lag.sent(20)
    lag.answered(first, 30)
    lag.answered("nonsense", 30)
    assert lag.measured == 0
    lag.answered(second, 50)
    assert lag.measured == 30


def _allowing(most: int) -> Callable[[Settings], Settings]:
    return lambda settings: msgspec.structs.replace(settings, lag_allowance=most)


class Player:
    """A client whose answers to the server's questions take so long; negative for one who gives none."""

    def __init__(self, client: Client, lag: float, nursery: trio.Nursery) -> None:
        self.client, self.lag, self.nursery = client, lag, nursery

    async def answer(self) -> None:
        probe = await self.client.hear(m.Probe)
        if self.lag >= 0:
            self.nursery.start_soon(self._later, m.Echo(probe.text))

    async def _later(self, echo: m.Echo) -> None:
        await trio.sleep(self.lag)
        await self.client.say(echo)


async def _played(folder: Path, most: int, lags: tuple[float, float], thinks: tuple[float, float]) -> str:
    """Play four moves between players of whom one may be far away; return the record."""
    async with open_arena(folder, change=_allowing(most)) as harness, trio.open_nursery() as nursery:
        clients = await harness.pair("params=3,3,9,9 budget=10000")
        players = [Player(client, lag, nursery) for client, lag in zip(clients, lags, strict=True)]
        for player in players:
            await player.client.say(m.Ready())
            await player.answer()
        for ply in range(4):
            player = players[ply % 2]
            await player.client.hear(m.Turn)
            moves = await _legal(player.client)
            await trio.sleep(thinks[ply % 2])
            await player.client.say(m.Move(m.Text(moves[0])))
            await player.answer()
        await clients[0].say(m.Resign())
        await clients[1].hear(m.Result)
        return harness.record()


async def _legal(client: Client) -> tuple[str, ...]:
    return (await client.ask(m.AskMoves(), m.Moves)).lines


async def test_what_was_measured_is_not_charged_from_the_next_turn_on(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    text = await _played(tmp_path, 100_000, (0.03, 0.15), (0.2, 0.2))
    summary = verification.verify(text)
    assert summary.header.lag_allowance == 100_000
    allowed = [move.charge.allowed for move in summary.played]
    assert allowed == [0, 100_000, 30_000, 100_000]
    assert summary.state.clock.allowances[1] == 100_000
    assert text.count("lag black 100.000") == 1 and "lag-allowance 100.000\nmove-limit" in text
    with pytest.raises(BadRecord, match="this line is written 'move 2 black"):
        verification.verify(text.replace("lag black 100.000", "lag black 99.000"))
    with pytest.raises(BadRecord, match=r"0.000 to 100.000 here, not 100.001"):
        verification.verify(text.replace("lag black 100.000", "lag black 100.001"))


async def test_who_does_not_answer_is_given_nothing(tmp_path: Path, autojump_clock: MockClock) -> None:
    summary = verification.verify(await _played(tmp_path, 100_000, (-1, -1), (0.2, 0.2)))
    assert [move.charge.allowed for move in summary.played] == [0, 0, 0, 0]


async def test_a_turn_shorter_than_the_allowance_costs_nothing_and_saves_nothing(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    text = await _played(tmp_path, 1_000_000, (0.0, 0.3), (0.5, 0.1))
    summary = verification.verify(text)
    last = summary.played[-1]
    assert last.charge.charged == 0
    assert last.left[1] == summary.played[1].left[1]


async def test_without_an_allowance_nothing_is_asked(
    harness: ArenaHarness, autojump_clock: MockClock, tmp_path: Path
) -> None:
    ann, bob = await harness.pair()
    await ann.say(m.Ready())
    await ann.nothing()
    await ann.say(m.Echo(m.Text("1")), m.Ping())
    await ann.hear(m.Pong)
    assert "lag" not in (tmp_path / "running" / "1.txt").read_text(encoding="utf-8")
    assert bob is not None and Settings().lag_allowance == 0


async def test_a_flag_falls_later_by_the_allowance(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=_allowing(500_000)) as harness, trio.open_nursery() as nursery:
        ann, bob = await harness.pair("params=3,3,9,9 budget=1000")
        await ann.say(m.Ready())
        await bob.say(m.Ready())
        await Player(bob, 0.2, nursery).answer()
        await ann.hear(m.Turn)
        await trio.sleep(0.3)
        await ann.say(m.Move(m.Text("a1-b2")))
        await bob.hear(m.Turn)
        began = trio.current_time()
        assert (await ann.hear(m.Result)).reason == "time"
        assert trio.current_time() - began == pytest.approx(1.2, abs=0.002)
        assert verification.verify(harness.record()).reason == "time"
