"""A loss on time says what the time went to, in figures that who reads the record can compute again."""

import pytest

from engine.match.reader import BadRecord
from engine.match.verification import time_account, verify
from tests.engine.records import Table


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


def test_the_account_of_both_sides_has_the_last_turn_and_every_lost_connection() -> None:
    table = Table(increment=100).ready(40, 30).drop(1).play("1", span=900).drop(1, 4).play("2").drop(0, None)
    assert time_account(verify(table.flag())) == (
        "alice (white) used 1.7 s for 2 moves; most for move 1: 904 ms; its connection was lost once, for 19.4 s",
        "bob (black) used 20.1 s for 1 move; most for move 4: 19.4 s; its connection was lost 2 times, for 6.5 ms",
    )


def test_wrong_figures_of_a_loss_on_time_are_found() -> None:
    text = Table().ready().play("3").drop(1, None).flag()
    head, new = text.rstrip("\n").split("; ", 1)
    for wrong in (
        "its connection had been lost for 16.8 s",
        new.replace("move 4", "move 2"),
        new.partition(";")[0],
        f"{new}; 3.000 ms",
    ):
        with pytest.raises(BadRecord, match=r"the sentence of the result is .bob"):
            verify(f"{head}; {wrong}\n")
