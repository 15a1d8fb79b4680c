"""Contests on pages: what is read of their reports, and how a browser shows it."""

import errno
import os
from html import unescape
from pathlib import Path, PurePath
from shutil import copytree

import pytest
from playwright.sync_api import expect
from structlog.testing import capture_logs

from server.contest import contest_file
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Swiss
from server.contest.report import files, formatting
from server.contest.report.templating import render
from server.league.ladder import definition as ladder
from server.web import answers  # noqa: F401 (templates use its filters)
from server.web.views import contests
from tests.server.contest.report.samples import sample_report
from tests.web.chromium import Visit, check_accessibility


@pytest.fixture
def data(reports: Path, tmp_path: Path) -> Path:
    """A directory with the reports of three contests."""
    return copytree(reports, tmp_path, dirs_exist_ok=True)


async def test_contests_are_listed_with_how_far_they_have_come(data: Path) -> None:
    reports = contests.ReportIndex(data / "empty")
    assert await reports.entries() == []
    reports = contests.ReportIndex(data)
    (data / "contests" / "4").mkdir()  # opened, and without a report yet
    (data / "contests" / "5").mkdir()
    (data / "contests" / "5" / "report.json").write_text("{}")
    (data / "contests" / ("9" * 200)).mkdir()
    with capture_logs() as logs:
        last, running, over = await reports.entries()
        assert await reports.entries() == [last, running, over]
    assert [entry["event"] for entry in logs] == ["report_read_failed"], "once: it has not changed"
    assert (running.contest, running.state, over.contest, over.state) == (2, "running", 1, "over")
    assert running.done < running.known and running.running == 2 and over.done == over.known
    assert over.leader == sample_report(8, RoundRobin()).stages[-1].table[0].name


def test_files_that_empty_pages_show_can_be_read() -> None:
    def shown(template: str, **values: object) -> str:
        frame = {"title": "", "current": "", "styles": [], **values}
        return unescape(render(template, **frame).partition('id="file"')[2].partition(">")[2].partition("</pre>")[0])

    assert len(contest_file.read(shown("pages/contests.html", contests=[], announcements=()), str).entrants) == 3
    assert len(ladder.read(shown("ladder/none.html"), PurePath(), str).listed) == 2


@pytest.mark.slow
async def test_a_report_that_has_changed_is_read_again(data: Path) -> None:
    reports = contests.ReportIndex(data)
    assert [entry.state for entry in await reports.entries()] == ["over", "running", "over"]
    files.write_report_files(sample_report(12, Swiss(5)), data / "contests" / "2")
    assert [entry.state for entry in await reports.entries()] == ["over"] * 3


async def test_a_report_that_could_not_be_read_once_is_read_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A contest was gone from the list until its report changed, where too many files had been open."""
    reports = contests.ReportIndex(data)
    read_bytes = Path.read_bytes

    def read(path: Path) -> bytes:
        if path.parent.name == "2":
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return read_bytes(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", read)
        assert [entry.contest for entry in await reports.entries()] == [3, 1]
        assert await reports.of_match(10**6) is None
    assert [entry.contest for entry in await reports.entries()] == [3, 2, 1]


async def test_the_contest_of_a_match_is_found(data: Path) -> None:
    reports = contests.ReportIndex(data)
    contest = await reports.contest(2)
    assert contest is not None
    found = await reports.of_match(next(game.match for game in contest.report.games if game.match is not None))
    assert found == contest.entry and found in await reports.entries()


def test_only_the_files_of_a_report_can_be_had(data: Path) -> None:
    (data / "contests" / "1" / "secret.txt").write_text("secret")
    assert contests.file(data, 1, "games.csv")
    for name in ("secret.txt", "../1/games.csv", "index.html", ""):
        assert contests.file(data, 1, name) is None
    assert contests.file(data, 9, "games.csv") is None


@pytest.mark.slow
def test_a_browser_shows_contests(visit: Visit) -> None:
    report = sample_report(8, RoundRobin())
    page = visit("/contests")
    expect(page.locator(".one")).to_have_count(3)
    page.locator(".one[href='/contest/1']").click()
    table = report.stages[0].table
    standings = page.get_by_role("table", name="Standings of stage 1")
    expect(standings.locator("tbody tr")).to_have_count(len(table))
    winner = page.locator(".podium .place1").first
    expect(winner).to_contain_text(report.champions[0])
    expect(winner).to_contain_text(f"{formatting.points(table[0].points)} points")
    for line, shown in zip(table, standings.locator("tbody tr").all(), strict=True):
        expect(shown.get_by_role("link", name=line.name)).to_have_attribute("href", f"/player/{line.name}")
    page.locator("a.cell").first.click()
    games = [game for game in report.games if {game.first, game.second} == {table[0].name, table[1].name}]
    expect(page.locator("main tbody tr")).to_have_count(len(games))
    expect(page.locator("main")).to_contain_text(f"Games of {table[0].name} and {table[1].name}.")
    link = page.locator("main tbody a").first
    match = link.inner_text()
    expect(link).to_have_attribute("href", f"/match/{match}")
    check_accessibility(page)
    expect(page.get_by_role("link", name="Show all games")).to_have_attribute("href", "/contest/1?tab=games")
