"""Clocks, and what a loss on time says the time went to: figures that a reader of the record can compute again."""

from collections.abc import Iterator

from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from engine.match.clock import Charge, Clock, Stall, TimeControl, TimeUse, about, span
from engine.match.verification import time_account, verify
from tests.engine.records import Table

sides = st.integers(0, 1)


ONE_SECOND = 1_000_000
NEVER = 1_000
"""Behind all stamps of the walks below."""


class CountedClock:
    """The clock of one side that looks at each microsecond."""

    def __init__(self, left: int, allowance: int) -> None:
        self.left, self.allowance = left, allowance
        self.since: int | None = None
        self.stalls: list[Stall] = []

    def kinds(self, now: int) -> Iterator[str]:
        """Yield for each microsecond until now whether it is charged, stalled or allowed."""
        since, allowance = NEVER if self.since is None else self.since, self.allowance
        for microsecond in range(since, now):
            if any(since <= stall.begin <= microsecond < stall.until for stall in self.stalls):
                yield "stalled"
            elif allowance > 0:
                allowance -= 1
                yield "allowed"
            else:
                yield "charged"

    def remaining(self, now: int) -> int:
        return self.left - list(self.kinds(now)).count("charged")

    def falls(self) -> int:
        """Return the first stamp at which nothing is left."""
        left, stamp = self.left, self.since or 0
        for kind in self.kinds(NEVER):
            if left <= 0:
                return stamp
            stamp += 1
            left -= kind == "charged"
        return NEVER


events = st.tuples(st.sampled_from(["turn", "turn", "stall", "increment"]), sides, st.integers(0, 12))


@given(
    st.tuples(st.integers(1, 90), st.integers(1, 90)),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.lists(events, max_size=12),
)
def test_clocks_agree_with_one_that_counts_each_microsecond(
    left: tuple[int, int], allowances: tuple[int, int], played: list[tuple[str, int, int]]
) -> None:
    clock = Clock(left, increment=5).allow(0, allowances[0]).allow(1, allowances[1])
    counted = [CountedClock(left[side], allowances[side]) for side in (0, 1)]
    now = 0
    for event, side, took in played:
        begin, now = now, now + took
        one = counted[side]
        if event == "stall" and took:
            stall = Stall(begin, now)
            assert clock.touched(stall) == any(one.since is not None for one in counted)
            clock = clock.stalled(stall)
            for one in counted:
                one.stalls.append(stall)
        elif event == "increment":
            clock, one.left = clock.add_increment(side), one.left + 5
        elif event == "turn" and one.since is None and one.left > 0:
            clock, one.since = clock.run(side, now), now
        elif event == "turn" and one.since is not None:
            clock, one.left, one.since = clock.stop(side, now), one.remaining(now), None
        assert clock.since == (counted[0].since, counted[1].since)
        assert clock.runs == (counted[0].since is not None, counted[1].since is not None)
        assert clock.allowances == allowances
        falls = [one.falls() for one in counted]
        assert clock.deadline() == (min(falls) if min(falls) < NEVER else None)
        for stamp in range(begin, now + 15):
            remaining = tuple(one.remaining(stamp) for one in counted)
            assert (clock.remaining(0, stamp), clock.remaining(1, stamp)) == remaining
            ran = (counted[0].since is not None, counted[1].since is not None)
            assert clock.fallen(stamp) == tuple(runs and left <= 0 for runs, left in zip(ran, remaining, strict=True))
            for side, one in enumerate(counted):
                charge = Charge.of(clock, side, stamp)
                kinds = list(one.kinds(stamp))
                assert [charge.charged, charge.stalled, charge.allowed] == [
                    kinds.count(kind) for kind in ("charged", "stalled", "allowed")
                ]


def test_clocks_that_stand_remember_no_stall() -> None:
    clock = Clock.full(TimeControl(100)).stalled(Stall(1, 2)).run(0, 3).stalled(Stall(3, 5)).stop(0, 9)
    assert clock.stalls == (Stall(3, 5),)
    assert clock.run(0, 10).stalls == ()
    assert clock.run(1, 10).run(0, 10).stalls == (), "the first one that runs forgets them"
    both = clock.run(1, 10).stalled(Stall(11, 12)).run(0, 13)
    assert both.stalls == (Stall(11, 12),), "the other clock lived through it"


def test_milliseconds_are_rounded_down_and_never_negative() -> None:
    clock = Clock.full(TimeControl(2_999)).run(1, 0)
    assert clock.milliseconds(0) == (2, 2)
    assert clock.milliseconds(1_000) == (2, 1)
    assert clock.milliseconds(99_999) == (2, 0)
    assert Clock((-2_999, 4_999)).milliseconds(0) == (0, 4), "clocks that stand"


def test_a_control_is_given_in_milliseconds() -> None:
    control = TimeControl.of_milliseconds(20_000, 250)
    assert control == (20 * ONE_SECOND, 250_000)
    assert control.milliseconds == (20_000, 250)


def test_time_use_names_the_first_of_the_longest_turns() -> None:
    use = TimeUse().with_turn(1, 50, 3).with_turn(3, 50, 4).with_turn(5, 20, 0)
    assert use == TimeUse(50, 1, 7)
    assert use.with_turn(7, 51, 1) == TimeUse(51, 7, 8)
    clock = Clock((900, 1000), allowances=(30, 0)).run(0, 10).stalled(Stall(20, 60))
    assert use.until(0, clock, 0, 200, 1000) == TimeUse(100 + 120, 0, 7 + 40 + 30), "with what was used before"
    assert use.until(9, clock, 0, 200, 1000) == TimeUse(120, 9, 7 + 40 + 30)


def test_measured_times_have_the_unit_that_fits() -> None:
    measured = [0, 214, 9_500, 12_345, 999_400, 1_000_000, 12_449_000, 119_000_000, 120_000_000, 5_400_000_000]
    assert [about(time) for time in measured] == [
        "0 ms", "0.214 ms", "9.5 ms", "12 ms", "999 ms", "1 s", "12.4 s", "119 s", "2 min", "90 min"
    ]  # fmt: skip
    assert [about(time) for time in (7_200_000_000, 36_000_000_000, 1_000_000_000_000)] == ["2 h", "10 h", "277.8 h"]
    assert about(-375) == "0 ms", "of a clock that is used up nothing is left"


def test_times_that_were_set_are_written_exactly() -> None:
    times = [500_000, ONE_SECOND, 90_000_000, 119_900_000, 120_000_000, 125_000_000, 7_200_000_000, 36_000_000_000]
    written = ["500 ms", "1 s", "90 s", "119.9 s", "2 min", "125 s", "2 h", "10 h"]
    assert [span(time) for time in times] == written
    assert [span(time) for time in (60_500_000, 1_050_000, 12_345)] == ["60.5 s", "1050 ms", "12.345 ms"]


def sentence(text: str) -> str:
    return verify(text).sentence


def test_it_names_the_turn_that_took_most_and_what_both_sides_used() -> None:
    table = Table(increment=100).ready(40, 30).play("1", span=900).play("1", span=20).play("1", span=7_000.5)
    assert sentence(table.play("1").flag()) == snapshot(
        "alice (white) ran out of time: 0.375 ms beyond a budget of 20 s; 12.2 s of 20.2 s went to move 5; its opponent used 760 ms"
    )


def test_a_turn_before_the_last_one_may_have_taken_most() -> None:
    text = Table().ready().play("1", span=15_000).play("1", span=5).flag()
    assert sentence(text) == snapshot(
        "alice (white) ran out of time: 0.375 ms beyond a budget of 20 s; 15 s of 20 s went to move 1; its opponent used 36 ms"
    )


def test_initialisation_may_have_taken_most() -> None:
    assert sentence(Table().ready(1, 18_999).flag()) == snapshot(
        "alice (white) ran out of time: 0.375 ms beyond a budget of 20 s; 19 s of 20 s went to initialisation; its opponent used 1 ms"
    )


def test_who_never_was_ready_is_told_what_the_other_side_used() -> None:
    assert sentence(Table().ready(8.25).flag()) == snapshot(
        "alice (white) ran out of time while initialising: 0.375 ms beyond a budget of 20 s; its opponent used 8.25 ms"
    )
    assert "opponent" not in sentence(Table().flag()), "both have lost"


def test_stalls_lag_and_lost_connections_are_told() -> None:
    stalled = Table().ready().play("1").stall(20, 300).stall(20, 200).flag()
    assert sentence(stalled) == snapshot(
        "bob (black) ran out of time: 0.375 ms beyond a budget of 20 s; 20 s of 20 s went to move 2; its opponent used 743 ms; 500 ms were not charged, for stalls of the server and lag"
    )
    lost = Table(lag=100).ready().play("1").lag(30).play("1").drop(0, None).flag()
    assert sentence(lost) == snapshot(
        "alice (white) ran out of time: 0.375 ms beyond a budget of 20 s; 19.3 s of 20 s went to move 3; its opponent used 831 ms; 30 ms were not charged, for stalls of the server and lag; its connection had been lost for 19.3 s"
    )


def test_the_account_of_both_sides_has_the_last_turn() -> None:
    table = Table(increment=100).ready(40, 30).drop(1).play("1", span=900).drop(1, 4).play("2").drop(0, None)
    assert time_account(verify(table.flag())) == snapshot(
        (
            "alice (white) used 1.7 s for 2 moves; most for move 1: 904 ms",
            "bob (black) used 20.1 s for 1 move; most for move 4: 19.4 s",
        )
    )
