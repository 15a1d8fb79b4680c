"""The rows of `python -m tests.bench strength` say of a bar that it is met or missed only where the interval does."""

import pytest

from tests.bench.strength import Bar, row

LINE = "games 200\nresult A +99 =0 -1  elo {elo} +- {margin}  los 100.0%  sprt open\n"


@pytest.mark.parametrize(
    ("elo", "margin", "bar", "verdict"),
    [
        ("797.6", "296.5", 400.0, "met"),
        ("797.6", "398.0", 400.0, "open"),
        ("302.0", "90.0", 400.0, "missed"),
        ("-107.5", "81.9", 0.0, "missed"),
        ("0.0", "inf", 0.0, "open"),
    ],
)
def test_a_row_has_the_value_its_interval_and_the_bar(elo: str, margin: str, bar: float, verdict: str) -> None:
    found = row(Bar("4 4 15 15", bar), LINE.format(elo=elo, margin=margin))
    assert f"{float(elo):+.1f} +- {margin} Elo (+99 =0 -1)" in found
    assert found.endswith(f"bar {bar:+.0f}: {verdict}")


def test_a_duel_without_a_result_is_an_error() -> None:
    with pytest.raises(ValueError, match="no result"):
        row(Bar("4 4 15 15", 0.0), "games 2\n")
