"""Results and clocks as tables write them."""

import pytest

from server.web.answers import badge, clock, result
from server.web.views.board import EndOfGame


@pytest.mark.parametrize(
    ("winner", "text", "written", "badges"),
    [
        (0, "white", "1 – 0", ("won", "lost")),
        (1, "black", "0 – 1", ("lost", "won")),
        (None, "draw", "½ – ½", ("draw", "draw")),
        (None, "annulled", "–", ("annulled", "annulled")),
    ],
)
def test_a_result_is_written_for_both_sides(
    winner: int | None, text: str, written: str, badges: tuple[str, str]
) -> None:
    ending = EndOfGame(winner, text, "reason", "", "")
    assert result(ending) == written
    assert (badge(ending, 0), badge(ending, 1)) == badges
    assert result(None) == "…"


def test_a_clock_has_tenths_below_twenty_seconds() -> None:
    times = [-5, 0, 99, 19_999, 20_000, 59_999, 60_000, 3_599_999, 3_600_000, 7_265_000]
    assert [clock(time) for time in times] == [
        "0:00.0", "0:00.0", "0:00.0", "0:19.9", "0:20", "0:59", "1:00", "59:59", "1:00:00", "2:01:05"
    ]  # fmt: skip
