"""The front page: the contest of today, and boards that stay where they are when matches begin and end."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from playwright.sync_api import expect

from server.config.tokens import hashed
from server.contest.definition import Entrant
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.report import files
from server.contest.report.contents import make_report
from server.contest.report.structure import ContestState, Report
from server.match.match import Match
from server.web.views.contests import ListedContest, contest_of_today
from server.web.views.lobby import LINGER_SECONDS, StartLines, Tiles, how_to_start
from tests.server.contest.played import contest
from tests.server.contest.report.samples import sample
from tests.server.harness import open_arena
from tests.web.chromium import Visit, check_accessibility, check_legibility, fits, next_picture
from tests.web.site import Seat, Site
from tests.web.test_layout_shift import OBSERVE, check_shifts

NOW = datetime(2026, 11, 26, 20, tzinfo=UTC)


def entry(number: int, state: str, ended: float | None = None, compares_versions: bool = False) -> ListedContest:
    """Return a contest of a list; ``ended`` is the number of hours since its end."""
    return ListedContest(
        contest=number,
        name=f"contest {number}",
        state=ContestState(state),
        status=state,
        opened=NOW,
        closed=None if ended is None else NOW - timedelta(hours=ended),
        entrants=2,
        done=0,
        games="",
        running=0,
        known=2,
        compares_versions=compares_versions,
        leader="",
    )


def test_the_contest_of_today_is_the_newest_open_one_and_else_one_that_has_just_ended() -> None:
    def today(*entries: ListedContest) -> int | None:
        found = contest_of_today(entries, NOW)
        return None if found is None else found.contest

    running, planned, over = entry(1, "running"), entry(2, "planned"), entry(3, "over", 2)
    assert today(over, planned, running) == 1
    assert today(over, planned) == 2
    assert today(over, entry(1, "over", 1)) == 3
    assert today(entry(3, "over", 13)) is None and today() is None
    assert today(entry(4, "running", compares_versions=True)) is None, "an author's comparison is no contest of a class"
    assert today(entry(5, "waiting"), entry(4, "paused"), running) == 5


def match(number: int) -> Match:
    """Return what is looked at of a match."""
    return cast("Match", SimpleNamespace(number=number, public=SimpleNamespace(outcome=None)))


def test_boards_keep_their_places_and_the_best_game_takes_the_first_one() -> None:
    tiles, games = Tiles(), [match(number) for number in range(6)]

    def shown(running: list[Match], now: float) -> list[int]:
        tiles.choose(running, 3, now)
        return [one.number for one in tiles._shown]

    assert shown(games[:2], 0) == [0, 1]
    assert shown([games[3], games[1], games[0], games[2]], 1) == [0, 1, 3], "a better game moves no board"
    games[1].public.__dict__["outcome"] = "over"
    assert shown([games[2], games[3], games[0]], 2) == [0, 1, 3], "its result is shown"
    later = 2 + LINGER_SECONDS
    assert shown([games[2], games[3], games[0]], later) == [0, 2, 3]
    games[0].public.__dict__["outcome"] = "over"
    assert shown([games[3], games[2], games[4]], later + 1) == [0, 2, 3]
    assert shown([games[3], games[2], games[4]], later + 1 + LINGER_SECONDS) == [3, 2, 4]
    assert shown([], later + 2 + LINGER_SECONDS) == []


def report_of_today(stop: int = 9, missing: tuple[str, ...] = (), running: bool = True) -> Report:
    """Return the report of a contest of five that goes on."""
    definition, games, plan, moment = sample(5, RoundRobin(), stop=stop, qualified=False)
    fixtures = moment.running if running else ()
    return make_report(definition, games, plan, moment._replace(running=fixtures, missing=missing))


async def test_a_token_is_named_where_one_is_needed(tmp_path: Path) -> None:
    open_to_all, over = report_of_today(), msgspec.structs.replace(report_of_today(), state=ContestState.OVER)
    async with open_arena(tmp_path / "open") as harness:
        arena = harness.arena
        arena.ports = [2754]
        free = StartLines(
            takes_part=False,
            needs_token=False,
            posix="ARENA_HOST=pc7 ARENA_PORT=2754 ARENA_NAME=NAME ARENA_GAME=gipf python3 mybot.py",
            powershell='$env:ARENA_HOST="pc7"; $env:ARENA_PORT="2754"; $env:ARENA_NAME="NAME"; $env:ARENA_GAME="gipf"; '
            "python mybot.py",
        )
        assert how_to_start(arena, "pc7", None) == how_to_start(arena, "pc7", over) == free
        assert how_to_start(arena, "pc7", open_to_all) == free._replace(
            takes_part=True,
            posix=free.posix.replace("gipf", "any"),
            powershell=free.powershell.replace("gipf", "any"),
        )
        definition = contest(2, RoundRobin())
        entrants = (Entrant("a1"), Entrant("a2", token=hashed("secret")))
        ContestPlayers.of(arena).open(1, msgspec.structs.replace(definition, entrants=entrants), lambda: None)
        needed = how_to_start(arena, "pc7", open_to_all)
        assert needed.needs_token and "ARENA_TOKEN=TOKEN" in needed.posix
        assert '$env:ARENA_TOKEN="TOKEN"; ' in needed.powershell
    async with open_arena(tmp_path / "tokens", change=lambda one: msgspec.structs.replace(one, tokens={})) as harness:
        harness.arena.ports = [2754]
        assert how_to_start(harness.arena, "pc7", None).needs_token


CUT = """() => [...document.querySelectorAll(".missing li, .start code, .code svg")].filter(one => {
    const [box, frame] = [one, one.closest("#featured, .beside")].map(it => it.getBoundingClientRect());
    return box.height < 20 || box.top < frame.top || box.bottom > frame.bottom;
}).map(one => one.outerHTML.slice(0, 80))"""
"""Names, line and code on a projector that are shown in part only."""


@pytest.mark.slow
def test_the_front_page_shows_the_contest_of_today(
    visit: Visit, seat: Seat, site: Site, request: pytest.FixtureRequest
) -> None:
    folder = site.data / "contests" / "90"
    request.addfinalizer(partial(rmtree, folder, ignore_errors=True))  # other tests count contests
    missing = tuple(f"student-{number}" for number in range(20))
    files.write_report_files(report_of_today(missing=missing, running=False), folder)
    page = visit()
    expect(page.locator("#head .tag")).to_have_text("waiting")
    expect(page.locator("#featured .missing li")).to_have_text(missing)
    expect(page.locator("#standings tr")).to_have_count(5)
    expect(page.locator(".beside .one progress")).to_have_count(3)
    expect(page.locator(".beside .one", has_text="aiting for a1")).to_have_count(1)
    line = f"ARENA_HOST=127.0.0.1 ARENA_PORT={site.port} ARENA_NAME=NAME ARENA_GAME=any python3 mybot.py"
    expect(page.locator("#line")).to_have_text(line)
    night = visit("/contest/90/live")
    expect(night.locator(".start code")).to_have_text(line)
    for size in ((1280, 720), (1920, 1080)):
        night.set_viewport_size({"width": size[0], "height": size[1]})
        next_picture(night)
        assert night.evaluate(CUT) == [], f"a class that is awaited fits {size}"
    check_accessibility(night)
    expect(page.locator("#powershell")).to_be_hidden()
    page.get_by_text("Windows PowerShell").click()
    expect(page.locator("#powershell")).to_contain_text('$env:ARENA_HOST="127.0.0.1"; ')
    expect(page.locator("#join svg")).to_be_visible()
    check_legibility(page)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator("[data-copy=line]")).to_have_text("Copied")
    page.evaluate(OBSERVE)
    began = page.evaluate("performance.now()")
    table = seat("morris", "budget=600000", ("a1", "a2"))
    files.write_report_files(report_of_today(), folder)
    game = page.locator(f"#featured .game[data-match='{table.match}']")
    expect(game.locator(".foot")).to_contain_text("0 moves")
    expect(game.locator(".stock")).to_have_text(["9 in reserve"] * 2)
    table.move("1")
    expect(game.locator(".foot")).to_contain_text("1 move")
    table.resign()
    expect(game).to_have_count(0)
    check_shifts(page, began)
    definition, games, plan, moment = sample(5, RoundRobin(), qualified=False)
    over = make_report(definition, games, plan, moment._replace(closed=datetime.now(UTC)))
    files.write_report_files(msgspec.structs.replace(over, closed=datetime.now(UTC)), folder)
    expect(page.locator("#head .tag")).to_have_text("over")
    expect(page.locator(".podium .place1 .who").first).to_have_text(over.champions[0])
    expect(page.locator(".podium .place1 .number").first).to_contain_text(" points")
    assert fits(page)
