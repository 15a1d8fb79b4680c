"""Reports as text and as files."""

import csv
import io
import json
import re
import stat
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from engine.match.clock import TimeControl
from engine.wire.words import duration, number_of
from server.contest.definition import Format
from server.contest.fixtures import GameResult, ProgramUsage
from server.contest.formats.meetings import RoundRobin
from server.contest.plan import plan
from server.contest.report import files, formatting, progress
from tests.server.contest.played import contest
from tests.server.contest.report.samples import FORMATS, report_of, sample_report


@pytest.mark.parametrize("formats", FORMATS)
def test_tables_in_a_terminal_are_aligned_and_control_nothing(formats: tuple[Format, ...]) -> None:
    made = sample_report(7, *formats, advance=4)
    stages = [
        replace(stage, table=tuple(replace(line, name=f"{line.name}{'x' * 28}\x1b\u202e") for line in stage.table))
        for stage in made.stages
    ]
    lines = progress.table_lines(replace(made, stages=tuple(stages), notes=("[bold]<script>",)))
    found = "\n".join(lines)
    assert not re.search(r"[^\n\x20-\x7e\xa0-\u2fff]|[\u200b-\u200f\u202a-\u202e]", found)
    assert "[bold]<script>" in lines and "disqualified: illegal moves (1" in found
    for stage in stages:
        for line in stage.table:
            assert any(
                row.split()[:1] == [str(line.place)] and f" {line.draws} " in row
                for row in lines
                if line.name[:4] in row
            )


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
    berlin = timezone(timedelta(hours=2))
    assert formatting.date(datetime(2026, 11, 20, 1, 5, tzinfo=berlin)) == "2026-11-19 23:05 UTC"


NAMES = ["games.csv", "index.html", "ratings.csv", "report.json", "standings.csv"]


def test_a_folder_gets_all_files_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "contests" / "1"
    files.write_report_files(sample_report(6, RoundRobin(), stop=30), folder)
    files.write_report_files(sample_report(6, RoundRobin()), folder)
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in folder.iterdir())
    assert json.loads((folder / "report.json").read_text())["state"] == "over"


def test_what_cannot_be_written_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_report_files(sample_report(4, RoundRobin(), stop=6), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(path: Path, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        files.write_report_files(sample_report(4, RoundRobin()), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_each_game_tells_what_its_programs_have_used_and_how_they_ended() -> None:
    definition = contest(2, RoundRobin())
    first, second = plan(definition, []).due
    used = ProgramUsage(1.25, 3.5, 34 << 20, 0), ProgramUsage(0.0, 3.5, None, -9)
    games = [
        GameResult(first, 1, 0, "line", programs=used),
        GameResult(second, 2, 0, "line", programs=(ProgramUsage(61.0, 62.0, 1 << 20, None), None)),
    ]
    texts = files.file_texts(report_of(definition, games))
    rows = list(csv.DictReader(io.StringIO(texts["games.csv"], newline="")))
    fields = [f"{side}_{what}" for side in ("first", "second") for what in ("cpu", "wall", "memory", "status")]
    assert [[row[field] for field in fields] for row in rows] == [
        ["1250000", "3500000", "35651584", "0", "0", "3500000", "", "-9"],
        ["61000000", "62000000", "1048576", "", "", "", "", ""],
    ]
    assert [[game[field] for field in fields] for game in json.loads(texts["report.json"])["games"]] == [
        [1250000, 3500000, 35651584, 0, 0, 3500000, None, -9],
        [61000000, 62000000, 1048576, None, None, None, None, None],
    ]


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_no_text_begins_like_a_formula_or_breaks_its_row(texts: list[str]) -> None:
    (head, row) = csv.reader(io.StringIO(files.table(["column"] * len(texts), [texts]), newline=""))
    assert len(row) == len(head) == len(texts)
    for cell_text, cell in zip(texts, row, strict=True):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert cell.isprintable()
        if cell_text.isprintable() and not cell_text.startswith(("=", "+", "-", "@")):
            assert cell == cell_text


def test_a_negative_time_is_written_as_none() -> None:
    assert formatting.time_used(-300_000) == "0 ms" and duration(-0.6) == "0 s"
