"""Clocks, and what a loss on time says the time went to: figures that a reader of the record can compute again."""

from hypothesis import given, strategies as st

from engine.match.clock import Clock, TimeControl, about, span
from engine.match.verification import time_account, verify
from tests.engine.records import Table

sides = st.integers(0, 1)
spans = st.lists(st.tuples(sides, st.integers(0, 50_000), st.integers(0, 50_000)), max_size=30)


def test_both_clocks_run_apart_during_initialisation() -> None:
    clock = Clock.full(TimeControl.of_milliseconds(1)).run(0, 0).run(1, 0).stop(0, 300)
    assert clock.left == (700, 1000)
    assert clock.deadline() == 1000
    assert clock.fallen(999) == (False, False)
    assert clock.fallen(1000) == (False, True)


def test_milliseconds_are_rounded_down_and_never_negative() -> None:
    clock = Clock.full(TimeControl(2_999)).run(1, 0)
    assert clock.milliseconds(0) == (2, 2)
    assert clock.milliseconds(1_000) == (2, 1)
    assert clock.milliseconds(99_999) == (2, 0)


def test_standing_clocks_have_no_deadline() -> None:
    assert Clock.full(TimeControl(1)).deadline() is None


def test_stamp_before_the_start_charges_nothing() -> None:
    assert Clock.full(TimeControl(5)).run(0, 100).stop(0, 90).left == (5, 5)


@given(spans)
def test_what_is_charged_is_the_sum_of_the_spans(played: list[tuple[int, int, int]]) -> None:
    clock = Clock.full(TimeControl(10_000_000, 7))
    now, charged = 0, [0, 0]
    for side, pause, turn in played:
        clock = clock.run(side, now + pause)
        now += pause + turn
        charged[side] += turn - 7
        clock = clock.stop(side, now).add_increment(side)
    assert clock.left == (10_000_000 - charged[0], 10_000_000 - charged[1])


def test_measured_times_have_the_unit_that_fits() -> None:
    measured = [0, 214, 9_500, 12_345, 999_400, 1_000_000, 12_449_000, 119_000_000, 120_000_000, 5_400_000_000]
    assert [about(time) for time in measured] == [
        "0 ms", "0.214 ms", "9.5 ms", "12 ms", "999 ms", "1 s", "12.4 s", "119 s", "2 min", "90 min"
    ]  # fmt: skip
    assert [about(time) for time in (7_200_000_000, 36_000_000_000, 1_000_000_000_000)] == ["2 h", "10 h", "277.8 h"]
    assert about(-375) == "0 ms", "of a clock that is used up nothing is left"


def test_times_that_were_set_are_written_exactly() -> None:
    times = [500_000, 90_000_000, 125_000_000, 36_000_000_000, 60_500_000]
    assert [span(time) for time in times] == ["500 ms", "90 s", "125 s", "10 h", "60.5 s"]


def sentence(text: str) -> str:
    return verify(text).sentence


def test_it_names_the_turn_that_took_most_and_what_both_sides_used() -> None:
    table = Table(increment=100).ready(40, 30).play("1", span=900).play("1", span=20).play("1", span=7_000.5)
    assert sentence(table.play("1").flag()) == (
        "alice (white) ran out of time: 0.375 ms beyond a budget of 20 s;"
        " 12.2 s of 20.2 s went to move 5; its opponent used 760 ms"
    )


def test_a_turn_before_the_last_one_may_have_taken_most() -> None:
    text = Table().ready().play("1", span=15_000).play("1", span=5).flag()
    assert "; 15 s of 20 s went to move 1; " in sentence(text)


def test_initialisation_may_have_taken_most() -> None:
    assert "; 19 s of 20 s went to initialisation; " in sentence(Table().ready(1, 18_999).flag())


def test_who_never_was_ready_is_told_what_the_other_side_used() -> None:
    assert sentence(Table().ready(8.25).flag()) == (
        "alice (white) ran out of time while initialising: 0.375 ms beyond a budget of 20 s; its opponent used 8.25 ms"
    )
    assert "opponent" not in sentence(Table().flag()), "both have lost"


def test_stalls_lag_and_lost_connections_are_told() -> None:
    stalled = Table().ready().play("1").stall(20, 300).stall(20, 200).flag()
    assert sentence(stalled).endswith("; 500 ms were not charged, for stalls of the server and lag")
    lost = Table(lag=100).ready().play("1").lag(30).play("1").drop(0, None).flag()
    assert "; 30 ms were not charged" in sentence(lost)
    assert sentence(lost).endswith("; its connection had been lost for 19.3 s")


def test_the_account_of_both_sides_has_the_last_turn() -> None:
    table = Table(increment=100).ready(40, 30).drop(1).play("1", span=900).drop(1, 4).play("2").drop(0, None)
    assert time_account(verify(table.flag())) == (
        "alice (white) used 1.7 s for 2 moves; most for move 1: 904 ms",
        "bob (black) used 20.1 s for 1 move; most for move 4: 19.4 s",
    )
