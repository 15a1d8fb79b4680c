import re
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.console import Console, RenderableType

from engine.match.clock import TimeControl, span
from engine.wire.words import duration, number_of
from server.contest.definition import Definition, Entrant, Format
from server.contest.fixtures import GameResult
from server.contest.formats.knockout import Knockout
from server.contest.formats.ladder import Ladder
from server.contest.formats.round_robin import Gauntlet, RoundRobin
from server.contest.formats.swiss import Swiss
from server.contest.plan import plan
from server.contest.report import formatting, text
from tests.server.contest.played import by_seed, contest
from tests.server.contest.report.samples import FORMATS, report_of, sample_report


def shown(renderable: RenderableType, width: int) -> str:
    """Return what a terminal without colours would show."""
    console = Console(width=width, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def long_names(entrants: int) -> tuple[Definition, list[GameResult]]:
    """Return a contest of names as long as they may be."""
    definition = contest(entrants, RoundRobin(5), variants=2)
    names = tuple(Entrant(f"{number:02}{'x' * 30}") for number in range(entrants))
    definition = replace(definition, entrants=names)
    result = by_seed(1, late=0.1, slow=names[0].name)
    return definition, [result(fixture) for fixture in plan(definition, []).due]


@pytest.mark.parametrize("formats", FORMATS)
@pytest.mark.parametrize("width", [80, 120])
def test_names_and_sentences_are_shown_as_they_are_and_control_nothing(formats: tuple[Format, ...], width: int) -> None:
    made = sample_report(7, *formats, advance=4)
    found = shown(text.render_report(made), width)
    assert not re.search(r"[^\n\x20-\x7e\xa0-\u2fff]|[\u200b-\u200f\u202a-\u202e]", found)
    words = " ".join(found.split())
    assert "[bold]<script>alert(1)</script>" in words.replace("[bold] ", "[bold]") and r"\x1b[31m" in words
    assert all(len(line) <= width for line in found.splitlines())
    for name in made.entrants:
        assert name in found
    assert "a4 " in found and "disqualified: illegal moves (1" in words


def test_tables_of_twelve_long_names_are_readable_at_80_columns() -> None:
    definition, games = long_names(text.CROSSED_AT_ONCE)
    made = report_of(definition, games)
    (stage,) = made.stages
    standings = shown(text.standings(stage), 80).splitlines()
    for line, row in zip(stage.table, standings[1:], strict=False):
        assert row.split()[0] == str(line.place) and line.name[:2] in row
        assert f" {line.draws} " in row and len(row) <= 80 and "…" not in row.split(maxsplit=2)[2]
    table = shown(text.crosstable(stage), 80).splitlines()
    for number, (cells, row) in enumerate(zip(stage.crosstable, table[1:], strict=True)):
        words = row.split()[2:]
        points = [cell.points for cell in cells if cell]
        assert [float(word.replace("½", ".5")) for word in words if word != "×"] == points
        assert words.index("×") == number


@given(st.text())
def test_what_is_printable_stays_and_nothing_else_comes_through(text: str) -> None:
    shown = formatting.printable(text)
    assert shown.isprintable()
    assert formatting.printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_numbers_are_written_as_people_read_them() -> None:
    assert [formatting.points(value) for value in (0, 0.5, 1, 1.5, 12.0)] == ["0", "½", "1", "1½", "12"]
    assert [formatting.quarters(value) for value in (0, 0.25, 10.5, 100.0)] == ["0", "0.25", "10.5", "100"]
    assert [formatting.elo(value) for value in (0, -0.2, 0.4, 12.6, -100)] == ["0", "0", "0", "+13", "−100"]
    assert [formatting.signed(value, 2) for value in (2.944, -0.001, -1.5)] == ["+2.94", "0.00", "−1.50"]
    assert [formatting.percent(value) for value in (0, 0.0004, 0.5, 0.9995, 1)] == [
        "0.0 %", "< 0.1 %", "50.0 %", "> 99.9 %", "100.0 %"
    ]  # fmt: skip
    assert [number_of(count, "loss", "losses") for count in (0, 1, 2)] == ["0 losses", "1 loss", "2 losses"]


def test_times_have_their_unit() -> None:
    used = [0, 999_999, 1_000_000, 12_400_000, 59_999_999, 60_000_000, 185_000_000, 7_385_000_000]
    assert [formatting.time_used(time) for time in used] == [
        "0 ms", "999 ms", "1.0 s", "12.4 s", "59.9 s", "1:00 min", "3:05 min", "2:03:05 h"
    ]  # fmt: skip
    assert formatting.control(TimeControl.of_milliseconds(60_000)) == "60 s a side"
    assert formatting.control(TimeControl.of_milliseconds(36_000_000)) == "10 h a side"
    assert formatting.control(TimeControl.of_milliseconds(1500, 10)) == "1.5 s + 10 ms a move"
    set_times = [100, 10_500_000, 90_000_000, 119_000_000, 120_000_000, 61_230_000, 5_400_000_000, 7_199_000_000]
    assert [span(time) for time in set_times] == [
        "0.1 ms", "10.5 s", "90 s", "119 s", "2 min", "61230 ms", "90 min", "7199 s"
    ]  # fmt: skip
    assert [span(time) for time in (7_200_000_000, 86_400_000_000, 9_000_000_000)] == [
        "2 h", "24 h", "2.5 h"
    ]  # fmt: skip
    long = [86_399, 86_400, 90_000, 259_199, 1_728_000, 1_731_600]
    assert [duration(seconds) for seconds in long] == [
        "23:59:59 h", "1 day", "1 day 1 hour", "3 days", "20 days", "20 days 1 hour"
    ]  # fmt: skip
    berlin = timezone(timedelta(hours=2))
    assert formatting.date(datetime(2026, 11, 20, 1, 5, tzinfo=berlin)) == "2026-11-19 23:05 UTC"


@pytest.mark.parametrize(
    ("format", "name"),
    [
        (RoundRobin(), "Round robin"),
        (RoundRobin(2), "Round robin, 2 cycles"),
        (Swiss(1), "Swiss, 1 round"),
        (Gauntlet(("a",), 3), "Gauntlet, 3 cycles"),
        (Knockout(tie_breaks=2, control=TimeControl(1)), "Knockout"),
        (Ladder(20, 0), "Ladder, 20 games"),
        (Ladder(20, 7200), "Ladder, 20 games or 2:00:00 h"),
        (Ladder(0, 172_800), "Ladder, 2 days"),
    ],
)
def test_formats_are_named_with_their_size(format: Format, name: str) -> None:
    assert format.title == name
