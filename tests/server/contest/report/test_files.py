import csv
import io
import json
import stat
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.contest.definition import Entrant
from server.contest.fixtures import GameResult, ProgramUsage
from server.contest.formats.round_robin import RoundRobin
from server.contest.plan import plan
from server.contest.report import files
from server.contest.report.contents import make_report
from server.contest.report.progress import Moment
from server.contest.report.structure import Report
from tests.server.contest.played import contest
from tests.server.contest.report.samples import OPENED, report_of, sample_report

NAMES = ["games.csv", "index.html", "ratings.csv", "report.json", "standings.csv"]


def test_a_folder_gets_all_files_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "contests" / "1"
    files.write_report_files(sample_report(6, RoundRobin(), stop=30), folder)
    files.write_report_files(sample_report(6, RoundRobin()), folder)
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in folder.iterdir())
    assert json.loads((folder / "report.json").read_text())["state"] == "over"


def test_what_cannot_be_written_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sample_report(4, RoundRobin(), stop=6)
    files.write_report_files(made, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(path: Path, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        files.write_report_files(sample_report(4, RoundRobin()), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_report_comes_back_from_its_file() -> None:
    made = sample_report(6, RoundRobin())
    assert msgspec.json.decode(files.file_texts(made)["report.json"], type=Report) == made


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
    for text, shown in zip(texts, row, strict=True):
        assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert shown.isprintable()
        if text.isprintable() and not text.startswith(("=", "+", "-", "@")):
            assert shown == text


def test_a_formula_in_a_sentence_is_text() -> None:
    definition = replace(contest(2, RoundRobin()), entrants=(Entrant("-a"), Entrant("b")))
    game = GameResult(plan(definition, []).due[0], 1, 0, "line", '=HYPERLINK("http://x","y")')
    made = make_report(definition, [game], plan(definition, [game]), Moment(OPENED, OPENED))
    texts = files.file_texts(made)
    assert "\"'=HYPERLINK(" in texts["games.csv"] and "'-a" in texts["standings.csv"]
