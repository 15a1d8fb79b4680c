"""The server's time: stalls are given back, lag is allowed, and flags fall at their deadlines; the record says so."""

import math
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from engine.games.interface import Termination
from engine.match import verification
from engine.match.clock import Stall
from engine.match.record import BadRecord
from engine.wire import messages as m
from server.config.settings import Settings
from server.match.match import Match
from server.net.timing import (
    MIN_STALL_MICROSECONDS,
    PULSE_SECONDS,
    SAMPLES,
    FlagTimer,
    LatencyProbe,
    StallLog,
    StallMonitor,
    microseconds,
)
from tests.server.harness import ArenaHarness, Client, open_arena, playing
from tests.server.process import ServerProcess, pair


class Watched:
    """A loop whose time is told by hand, in microseconds."""

    def __init__(self) -> None:
        self.now = 0
        self.stalls = StallLog()
        self.watch = StallMonitor(lambda: self.now, self.stalls)

    def works(self, span: int) -> None:
        self.now += span
        self.watch.before_io_wait(0)

    def waits(self, span: int, timeout: float) -> None:
        self.now += span
        self.watch.after_io_wait(timeout)

    def all(self) -> list[tuple[int, int]]:
        return [tuple(stall) for stall in self.stalls.between(-1, self.now + 1)]  # type: ignore[misc]


def test_work_that_takes_too_long_is_a_stall() -> None:
    loop = Watched()
    loop.works(MIN_STALL_MICROSECONDS)
    loop.waits(10_000, 0.01)
    assert loop.all() == []
    loop.works(MIN_STALL_MICROSECONDS + 1)
    assert loop.all() == [(MIN_STALL_MICROSECONDS + 10_000, 2 * MIN_STALL_MICROSECONDS + 10_001)]
    loop.waits(0, 0.01)
    assert loop.watch.arrival() == MIN_STALL_MICROSECONDS + 10_000
    assert (loop.stalls.count, loop.stalls.total) == (1, MIN_STALL_MICROSECONDS + 1)


def test_a_wait_that_ends_too_late_is_a_stall_and_what_came_in_it_came_at_its_beginning() -> None:
    loop = Watched()
    loop.works(100)
    loop.waits(10_000 + MIN_STALL_MICROSECONDS, 0.01)
    assert loop.all() == [] and loop.watch.arrival() == 10_100 + MIN_STALL_MICROSECONDS
    loop.works(100)
    began = loop.now
    loop.waits(10_001 + MIN_STALL_MICROSECONDS, 0.01)
    assert loop.all() == [(began, loop.now)]
    assert loop.watch.arrival() == began


def test_a_long_wait_that_was_to_be_long_is_none() -> None:
    loop = Watched()
    loop.works(100)
    loop.waits(900_000, 1.0)
    assert loop.all() == [] and loop.watch.arrival() == 900_100


async def test_the_pulse_wakes_the_loop_up_only_while_it_is_busy(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    asked: list[float] = []

    def busy() -> bool:
        asked.append(trio.current_time())
        return trio.current_time() < 10

    nursery.start_soon(StallMonitor(microseconds, StallLog()).pulse, busy)
    await trio.sleep(10)
    assert len(asked) == pytest.approx(500, abs=5)
    await trio.sleep(10)
    assert len(asked) == pytest.approx(600, abs=5)


async def _stand_still(harness: ArenaHarness, clock: MockClock, seconds: float) -> None:
    """Let the server stand still, as its stall monitor would tell it."""
    begin = microseconds()
    clock.jump(seconds)
    harness.arena.stalls.add(Stall(begin, microseconds()))


async def test_who_thought_through_a_stall_is_charged_without_it(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, "params=3,3,9,9 budget=1000") as (harness, ann, bob):
        await ann.hear(m.Turn)
        await trio.sleep(0.2)
        await _stand_still(harness, autojump_clock, 5)
        await trio.sleep(0.3)
        assert (await ann.ask(m.Move(m.Text("a1-b2")), m.Moved))[2:4] == (500, 1000)
        await bob.hear(m.Turn)
        await trio.sleep(0.1)
        await bob.say(m.Resign())
        await ann.hear(m.Result)
        text = harness.record()
        assert "stall 200.000 5200.000\nmove 1 white 0.000 5500.000 500.000 a1-b2\n" in text
        (move,) = verification.verify(text).played
        assert (move.charge.stalled, move.charge.charged) == (5_000_000, 500_000)


async def test_a_line_that_came_in_a_stall_is_charged_up_to_its_beginning(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with playing(tmp_path, "params=3,3,9,9 budget=1000") as (harness, ann, bob):
        await ann.hear(m.Turn)
        await trio.sleep(0.2)
        arrived = microseconds()
        await _stand_still(harness, autojump_clock, 5)
        harness.match(1).play(0, "a1-b2", arrived)
        await trio.sleep(0.1)
        await bob.say(m.Resign())
        await ann.hear(m.Result)
        assert "stall" not in harness.record()
        assert verification.verify(harness.record()).played[0].left == (800_000, 1_000_000)


async def test_a_flag_falls_later_by_the_stalls_before_it_and_no_sooner(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with playing(tmp_path, "params=3,3,9,9 budget=1000") as (harness, _ann, bob):
        began = trio.current_time()
        for _ in range(3):
            await trio.sleep(0.1)
            await _stand_still(harness, autojump_clock, 2)
        assert (await bob.hear(m.Result)).reason == "time"
        assert trio.current_time() - began == pytest.approx(7, abs=1e-3)
        summary = verification.verify(harness.record())
        assert summary.reason == "time" and -1000 < summary.left[0] <= 0
        assert harness.record().count("stall ") == 3


ENDS: dict[str, Callable[[Match], None]] = {
    "resign": lambda match: match.resign(0, microseconds()),
    "crashed": lambda match: match.report_crash(0, "no idea", microseconds()),
    "left": lambda match: match.end_crashed(0, "it has ended"),
    "annulled": lambda match: match.annul(Termination.SERVER_FAULT, "a fault"),
    "adjudicated": lambda match: match.adjudicate(0, "so it is"),
}
"""How a match can end in the pass of the loop in which a stall is noticed."""


@pytest.mark.parametrize("end", ENDS)
async def test_what_ends_a_match_is_not_charged_the_stall_before_it(
    tmp_path: Path, autojump_clock: MockClock, end: str
) -> None:
    async with playing(tmp_path, "params=3,3,9,9 budget=1000") as (harness, _ann, bob):
        await trio.sleep(0.2)
        match = harness.match()
        if end == "left":
            match.disconnect(0)
        await _stand_still(harness, autojump_clock, 0.5)
        ENDS[end](match)
        await bob.hear(m.Result)
        summary = verification.verify(harness.record())
    assert summary.left[0] == 800_000 and summary.reason != "time"


async def test_flags_do_not_fall_by_time_at_which_nobody_could_be_heard(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """The keeper looks at deadlines as they stood before it let the loop look at the sockets."""

    async def busy() -> None:
        await trio.sleep(1)
        for _ in range(4):
            await trio.lowlevel.checkpoint()
            autojump_clock.jump(0.3)

    match = Timed(1_000_000)
    timer = FlagTimer(microseconds)
    nursery.start_soon(timer.run, lambda: [match])
    nursery.start_soon(busy)
    timer.wake_at(match.due)
    await trio.sleep(5)
    assert match.stamps[0] <= 1_300_001


STOPPED_SECONDS = 0.5
"""Much more than the stall monitor may be wrong by."""


@pytest.mark.slow
@pytest.mark.thorough
def test_a_server_that_was_stopped_charges_nobody_for_it(tmp_path: Path) -> None:
    """Neither a player who answers meanwhile, nor one who answers after it."""
    with ServerProcess(tmp_path) as server, ExitStack() as stack:
        began = time.monotonic()  # before the clock of the mover
        ann, bob = stack.enter_context(pair(server.port, "params=3,3,9,9 budget=600000"))
        for mover, move, meanwhile in ((ann, "a1-b2", True), (bob, "a3-b4", False)):
            mover.hear(m.Turn)
            server.process.send_signal(signal.SIGSTOP)
            while Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
                time.sleep(0.001)
            stopped = time.monotonic()
            if meanwhile:
                mover.say(m.Move(m.Text(move)))
            time.sleep(STOPPED_SECONDS)
            back = time.monotonic()
            server.process.send_signal(signal.SIGCONT)
            if not meanwhile:
                mover.say(m.Move(m.Text(move)))
            left = mover.hear(m.Moved)[2 if mover is ann else 3]
            most = time.monotonic() - began - (back - stopped) + 2 * PULSE_SECONDS
            assert 0 <= 600 - left / 1000 < most, "nothing at all, where it was stopped with the TURN"
            began = back
        bob.say(m.Resign())
        ann.hear(m.Result)
        assert server.stop() == 0
        summary = verification.verify((tmp_path / "records" / "1.txt").read_text(encoding="utf-8"))
        assert summary.played[1].left[1] // 1000 == left


@pytest.mark.parametrize(("looked", "reason"), [(0.999, "resign"), (1.001, "time")])
async def test_a_line_that_may_have_come_in_time_has_come_in_time(
    tmp_path: Path, autojump_clock: MockClock, looked: float, reason: str
) -> None:
    async with playing(tmp_path, "params=3,3,9,9 budget=1000") as (harness, ann, bob):
        await ann.hear(m.Turn)
        began = microseconds()
        autojump_clock.jump(1.005)
        harness.arena.stalls.previous_look = began + round(looked * 1_000_000)
        harness.match(1).play(0, "a1-b2", began + 1_003_000)
        if reason == "resign":
            await bob.hear(m.Turn)
            await bob.say(m.Resign())
        assert (await ann.hear(m.Result)).reason == reason
        summary = verification.verify(harness.record())
        assert summary.reason == reason
        assert summary.left[0] == 1_000 if reason == "resign" else summary.left[0] <= 0


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
    for lag in ("99.000", "100.001"):
        with pytest.raises(BadRecord):
            verification.verify(text.replace("lag black 100.000", f"lag black {lag}"))


async def test_who_does_not_answer_is_given_nothing(tmp_path: Path, autojump_clock: MockClock) -> None:
    summary = verification.verify(await _played(tmp_path, 100_000, (-1, -1), (0.2, 0.2)))
    assert [move.charge.allowed for move in summary.played] == [0, 0, 0, 0]


async def test_without_an_allowance_nothing_is_asked(
    harness: ArenaHarness, autojump_clock: MockClock, tmp_path: Path
) -> None:
    ann, _ = await harness.pair()
    await ann.say(m.Ready())
    await ann.nothing()
    await ann.say(m.Echo(m.Text("1")), m.Ping())
    await ann.hear(m.Pong)
    assert "lag" not in (tmp_path / "running" / "1.txt").read_text(encoding="utf-8")


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


class Timed:
    """Something with a deadline."""

    def __init__(self, deadline: float) -> None:
        self.due = deadline
        self.fell: list[float] = []
        self.stamps: list[int] = []

    def flag(self, now: int) -> None:
        self.fell.append(trio.current_time())
        self.stamps.append(now)
        self.due = math.inf


async def test_flags_fall_at_their_deadlines_in_any_order_also_when_these_move(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    timer = FlagTimer(microseconds)
    matches: list[Timed] = []
    nursery.start_soon(timer.run, lambda: matches)
    for seconds in (5, 2, 9, 2, 20):
        matches.append(Timed(seconds * 1_000_000))
        timer.wake_at(matches[-1].due)
        await trio.sleep(0.1)
    for seconds in (8, 1):
        matches[-1].due = seconds * 1_000_000
        timer.wake_at(matches[-1].due)
    await trio.sleep(20)
    assert [match.fell for match in matches] == [[pytest.approx(s, abs=1e-3)] for s in (5, 2, 9, 2, 1)]
