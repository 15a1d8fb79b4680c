"""The page of a contest for a projector: which games it shows first, and what a browser makes of it."""

from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, expect

from server.contest.definition import Knockout, RoundRobin, Swiss
from server.contest.report import files
from server.contest.report.structure import ScheduledGame
from server.web.views.contest_night import Line, Told, belongs, choose, deciding, night, stakes, told_by
from tests.server.contest.played import CONTROL
from tests.server.contest.report.samples import sample_report
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site, Table


def told(kind: str = "round-robin", **points: float) -> Told:
    """Return what a report tells whose table has these points, in this order."""
    table = tuple(
        Line(place=place, name=name, mark=str(found), points=found, out=False)
        for place, (name, found) in enumerate(points.items(), 1)
    )
    return Told(
        name="cup",
        over=False,
        done=3,
        known=9,
        seconds_left=None,
        paused="",
        title=kind,
        kind=kind,
        mark="Points",
        table=table,
        champions=(),
        entrants=tuple(points),
        variants=("mnk 3 3 3 1",),
        schedule=(),
        results=(),
    )


FOUR = told(ann=3, bob=2.5, cleo=1, dan=0)


def test_games_that_can_change_who_leads_come_first() -> None:
    assert deciding(FOUR, [(7, ("cleo", "dan")), (8, ("dan", "bob")), (9, ("bob", "cleo"))]) == [9, 8, 7]
    assert deciding(FOUR, []) == []


def test_the_stakes_of_a_game_are_the_lines_that_each_result_changes() -> None:
    found = stakes(FOUR, ("bob", "dan"))
    assert found is not None and found.leader and found.best == 1
    assert {result: [(one.name, one.before, one.after) for one in of] for result, of in found.changes.items()} == {
        "first": [("bob", 2, 1)],
        "draw": [],
        "second": [],
    }
    far = stakes(told(ann=9, bob=5, cleo=1, dan=0.5), ("cleo", "dan"))
    assert far is not None and not far.leader and far.best == 3


def test_a_knockout_shows_its_later_rounds_and_a_ladder_its_best_players_first() -> None:
    def scheduled(first: str, second: str, round: int) -> ScheduledGame:
        return ScheduledGame(
            stage=1, round=round, variant="mnk 3 3 3 1", opening=1, first=first, second=second, running=True
        )

    cup = msgspec.structs.replace(
        told("knockout", ann=1, bob=1, cleo=0, dan=0),
        schedule=(scheduled("ann", "bob", 1), scheduled("dan", "cleo", 2)),
    )
    games = [(1, ("ann", "bob")), (2, ("dan", "cleo"))]
    assert deciding(cup, games) == [2, 1]
    assert deciding(told("ladder", ann=9, bob=8, cleo=7, dan=6), games[::-1]) == [1, 2]
    assert choose(cup, games) == {2: None, 1: None}


def test_games_of_others_and_of_other_variants_do_not_belong_to_a_contest() -> None:
    assert belongs(FOUR, ("dan", "ann"), "mnk 3 3 3 1")
    assert not belongs(FOUR, ("dan", "eve"), "mnk 3 3 3 1")
    assert not belongs(FOUR, ("dan", "ann"), "mnk 15 15 5 1")


@pytest.mark.parametrize("format", [RoundRobin(), Swiss(3), Knockout(tie_breaks=1, control=CONTROL)])
def test_a_contest_that_is_over_has_a_champion_and_its_last_results(format: RoundRobin | Swiss | Knockout) -> None:
    report = sample_report(6, format)
    shown = night(told_by(report, report.done), ())
    table = report.stages[-1].table
    assert shown.champions == tuple(line.name for line in table if line.place == 1)
    assert [line.name for line in shown.table] == [line.name for line in table]
    assert [one.match for one in shown.results] == [game.match for game in report.games[:-9:-1]]
    assert (shown.over, shown.next, shown.boards) == (True, (), ())


@pytest.mark.slow
def test_a_projector_shows_boards_standings_and_the_champion(browser: Browser, site: Site) -> None:
    report = sample_report(12, Swiss(5), stop=60)
    table = Table(site, "morris", "budget=600000", ("a1", "a2"))
    with open_page(browser, still=True) as page:
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto(f"{site.url}/contest/2/live")
        expect(page.locator("#state")).to_have_text("live")
        tile = page.locator(f".tile[href='/match/{table.match}']")
        expect(tile.locator(".foot")).to_contain_text("0 moves")
        expect(page.locator("#standings tr")).to_have_count(len(report.stages[-1].table))
        expect(page.locator("#results li")).to_have_count(8)
        table.move("1")
        expect(tile.locator(".piece.side0")).to_have_count(1)
        expect(tile.locator(".foot")).to_contain_text("1 move")
        assert fits(page)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nobody has to scroll"
        check_accessibility(page)
        table.resign()
        expect(tile.locator(".foot")).to_have_text("0 – 1 · resignation")
        expect(tile).to_have_count(0)
        expect(page.locator("#none")).to_be_visible()
        page.goto(f"{site.url}/contest/1/live")
        leaders = [line.name for line in sample_report(8, RoundRobin()).stages[-1].table if line.place == 1]
        expect(page.locator("#champion")).to_contain_text(" and ".join(leaders))
        check_accessibility(page)
    table.close()


@pytest.mark.slow
def test_a_contest_without_a_report_is_waited_for(browser: Browser, site: Site, tmp_path: Path) -> None:
    with open_page(browser, phone=True, dark=True) as page:
        page.goto(f"{site.url}/contest/77/live")
        expect(page.locator("#name")).to_have_text("Contest 77 has no report yet")
        report = sample_report(12, Swiss(5), stop=60)
        files.write_report_files(report, site.data / "contests" / "77")
        expect(page.locator("#standings tr")).to_have_count(len(report.stages[-1].table))
        assert fits(page)
        check_accessibility(page)
