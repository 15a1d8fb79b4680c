"""Watching and replaying in a real browser."""

import re
import shlex
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.match.verification import time_account, verify
from engine.wire import messages as m
from server.contest.formats.rounds import Swiss
from server.contest.report import files
from server.web.views.board import Motion, motion
from tests.engine.records import Table as Record
from tests.engine.test_record import played
from tests.server.contest.report.samples import sample_report
from tests.web.chromium import Visit, check_accessibility, fits, open_page
from tests.web.site import Seat, Site, Table, open_site

pytestmark = pytest.mark.slow

HOSTILE = "<img/src=x/onerror=document.title='gone'>"

MOVES = ("a4-b4", "d7-d6", "a4-b4", "d7-d6")
"""Of GIPF 3 3 9 9: pushes that collect nothing."""


def pieces(page: Page) -> list[tuple[int, int]]:
    """Return how many pieces of either side are drawn, while nothing moves."""
    return [(page.locator(f"#board .piece.side{side}").count(), side) for side in (0, 1)]


def counts(position: Position) -> list[tuple[int, int]]:
    text = "".join(position.text().splitlines()[2:])
    return [(text.count("W"), 0), (text.count("B"), 1)]


def drawn(page: Page, position: Position) -> None:
    """Wait until a position is drawn."""
    for count, side in counts(position):
        expect(page.locator(f"#board .piece.side{side}")).to_have_count(count)


def test_a_live_match_is_seen_move_by_move(visit: Visit, seat: Seat) -> None:
    table = seat("gipf", "params=3,3,9,9 budget=600000")
    position = GAMES["gipf"].start("3 3 9 9")
    page = visit(f"/match/{table.match}")
    expect(page.locator("h1")).to_have_text("ann – bob")
    expect(page.locator("#status")).to_have_text("live")
    drawn(page, position)
    assert page.title() == "ann – bob · gipf-arena"
    for ply, move in enumerate(MOVES, 1):
        table.move(move)
        position = position.play(move)
        expect(page.locator("#moves button[aria-current]")).to_contain_text(f"{ply}.{move}")
        drawn(page, position)
        expect(page.locator("#board .marks .last")).to_have_count(1)
        expect(page.locator("#spoken")).to_have_text(f"Move {ply}, {('white', 'black')[(ply + 1) % 2]}: {move}")
    expect(page.locator("#player0 .clock")).to_have_class("clock number runs")
    shown = page.locator("#player0 .clock").inner_text()
    expect(page.locator("#player0 .clock")).not_to_have_text(shown)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#moves button[aria-current]")).to_contain_text(f"3.{MOVES[2]}")
    table.move("a4-b4")  # who looks back is not torn forward
    expect(page.locator("#moves li")).to_have_count(5)
    expect(page.locator("#moves button[aria-current]")).to_contain_text(f"3.{MOVES[2]}")
    expect(page.locator("#ending")).to_contain_text("You see move 3 of 5.")
    expect(page.locator("#times .bar-of")).to_have_count(5)
    page.get_by_role("button", name="Live").click()
    expect(page.locator("#ending")).to_have_text("Move 6: bob (black) to play")
    expect(page.locator("#moves button[aria-current]")).to_contain_text("5.a4-b4")
    table.resign()
    expect(page.locator("#ending")).to_contain_text("ann resigned at move 6; bob wins")
    expect(page.locator("#ending")).to_contain_text("ann (white) resigned")
    expect(page.locator("#status")).to_have_text("over")
    check_accessibility(page)


def test_notes_are_shown_beside_their_moves_when_the_match_is_over(visit: Visit, site: Site, seat: Seat) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000")
    ann, bob = table.players
    page = visit(f"/match/{table.match}")
    expect(page.locator("#status")).to_have_text("live")
    ann.say(m.Note(m.Text("score=-50 depth=7 nodes=120345 pv=c3,b3 text=<b>in the book</b>")))
    table.move("c3")
    expect(page.locator("#moves li")).to_have_count(1)
    assert page.request.get(f"{site.url}/api/matches/{table.match}/notes").json() == []
    bob.say(m.Note(m.Text("what comes next")))
    table.move("b3")
    expect(page.locator("#moves li")).to_have_count(2)
    expect(page.locator("#noted")).to_have_text("Notes of the players are shown when the match is over.")
    bob.say(m.Note(m.Text("ply=4 text=pondering")))
    bob.say(m.Ping())
    bob.hear(m.Pong)
    table.resign()
    expect(page.locator("#notes-of")).to_have_text("Notes of move 2")
    expect(page.locator("#noted li")).to_have_text(["what comes next", "Move 4, not made:  pondering"])
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#noted li")).to_have_text("−0.50 · depth 7 · 120,345 nodes <b>in the book</b>c3, b3")
    page.keyboard.press("Home")
    expect(page.locator("#noted")).to_have_text("Nothing was noted.")
    check_accessibility(page)


def test_a_loss_on_time_shows_where_the_time_of_both_sides_went(browser: Browser, site: Site) -> None:
    text = Record(increment=100).ready(40, 30).play("1", span=900).drop(1).play("1", span=20).flag()
    path = site.data / "records" / "900017.txt"
    path.write_text(text.replace("match 17\n", "match 900017\n"), encoding="utf-8")
    with open_page(browser) as page:
        page.goto(f"{site.url}/match/900017")
        expect(page.locator("#ending")).to_contain_text("went to move 3; its opponent used")
        expect(page.locator("#spent li")).to_have_text(list(time_account(verify(text))))
        check_accessibility(page)
    path.unlink()


def test_the_log_of_a_player_is_shown_for_its_token(visit: Visit, site: Site, seat: Seat) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000")
    ann, bob = table.players
    page = visit(f"/match/{table.match}")
    expect(page.locator("#status")).to_have_text("live")
    expect(page.locator("#log")).to_be_hidden()
    ann.hear(m.Turn)
    ann.say(m.Stderr(m.Text("|   <b>KeyError</b>: 5")))
    ann.say(m.Crashed())
    bob.hear(m.Result)
    page.locator("#log summary").click()
    page.get_by_label("Token").fill(ann.token)
    page.keyboard.press("Enter")
    expect(page.locator("#log-lines")).to_have_text("first 1 |   <b>KeyError</b>: 5", use_inner_text=True)
    check_accessibility(page)


def test_a_crash_is_headed_by_the_fault_of_the_loser_wherever_its_end_stands(
    visit: Visit, site: Site, seat: Seat
) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000", ("eve", "carla"))
    page, lobby = visit(f"/match/{table.match}"), visit()
    expect(page.locator("#ending")).to_have_text("Move 1: eve (first) to play")
    table.move("c3")
    expect(page.locator("#ending")).to_have_text("Move 2: carla (second) to play")
    table.players[0].say(m.Crashed())
    table.players[1].hear(m.Result)
    said = "eve crashed at move 2"
    expect(page.locator("#ending strong")).to_have_text(f"{said}; carla wins")
    expect(lobby.locator(f"[data-match='{table.match}'] .foot").first).to_contain_text(said)
    expect(lobby.locator("#results tr", has_text="eve").first).to_contain_text(said)
    ending = page.request.get(f"{site.url}/api/matches/{table.match}").json()["now"]["ending"]
    assert (ending["winner"], ending["reason"], ending["headline"]) == (1, "crashed", f"{said}; carla wins")


def test_the_wheel_and_swipes_over_the_board_step_through_moves(visit: Visit, seat: Seat) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000")
    for move in ("c3", "b3", "a1"):
        table.move(move)
    page = visit(f"/match/{table.match}", phone=True, still=True)
    current = page.locator("#moves button[aria-current] .ply")
    expect(current).to_have_text("3.")
    page.locator("#board").hover()
    page.mouse.wheel(0, -100)
    expect(current).to_have_text("2.")
    page.mouse.wheel(0, 100)
    expect(current).to_have_text("3.")
    box = page.locator("#board").bounding_box()
    assert box is not None
    touch = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def swipe(across: int, down: int) -> None:
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + across, "y": y + down}]),
            ("touchEnd", []),
        ):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    swipe(90, 5)
    expect(current).to_have_text("2.")
    swipe(-90, 5)
    expect(current).to_have_text("3.")
    board, controls = (page.locator(one).bounding_box() for one in ("#board", ".controls"))
    assert board is not None and controls is not None
    assert board["y"] + board["height"] < controls["y"] and controls["y"] + controls["height"] <= 844


def test_a_command_is_copied_that_follows_the_match_or_reviews_it(visit: Visit, site: Site, seat: Seat) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000")
    page = visit(f"/match/{table.match}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.locator("#status")).to_have_text("live")
    page.locator("#command").click()
    expect(page.locator("#toast")).to_have_text("Copied")
    command = shlex.split(page.evaluate("navigator.clipboard.readText()"))
    assert command == ["arena-bot", "watch", f"{table.match}", "--host", "127.0.0.1", "--port", f"{site.port}"]
    table.resign()
    expect(page.locator("#status")).to_have_text("over")
    page.locator("#command").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('review'))")
    assert shlex.split(page.evaluate("navigator.clipboard.readText()"))[2] == f"{site.url}/match/{table.match}"


def test_long_names_fit_the_narrowest_screen(visit: Visit, site: Site, seat: Seat) -> None:
    table = seat("gipf", "params=3,3,9,9 budget=600000", ("W" * 32, "Friedrich-Wilhelm-von-Hohenzolle"))
    page = visit(f"/match/{table.match}", phone=True)
    page.set_viewport_size({"width": 320, "height": 640})
    expect(page.locator("#status")).to_have_text("live")
    assert fits(page)
    table.resign()
    expect(page.locator("#status")).to_have_text("over")
    assert fits(page)
    for path in ("/", "/games"):
        page.goto(site.url + path)
        expect(page.get_by_text("W" * 32).first).to_be_visible()
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 640})
            assert fits(page), (path, width)


def test_a_connection_that_was_lost_comes_back_by_itself(visit: Visit, seat: Seat) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000")
    page = visit(f"/match/{table.match}", lost=True)
    expect(page.locator("#status")).to_have_text("live")
    expect(page.locator(".clock.runs")).to_have_count(1)
    page.route("**/live/**", lambda route: route.abort())
    with page.expect_response("**/api/matches/*"):  # the page asks what has become of the match
        page.evaluate("stop()")
    time = "[0-2][0-9]:[0-5][0-9]:[0-5][0-9] [A-Z][^ ]*"
    expect(page.locator("#status")).to_have_text(re.compile(f"^connection lost since {time}; trying again$"))
    expect(page.locator(".clock.runs")).to_have_count(0)  # nobody knows how they go on
    table.move("c3")
    table.move("b3")
    page.unroute("**/live/**")
    expect(page.locator("#moves li")).to_have_count(2)
    expect(page.locator("#board .piece")).to_have_count(2)
    expect(page.locator("#status")).to_have_text("live")
    expect(page.locator(".clock.runs")).to_have_count(1)


def test_pages_outlive_their_server_and_show_what_is_true_then(browser: Browser, tmp_path: Path) -> None:
    report = tmp_path / "contests" / "1"
    files.write_report_files(sample_report(12, Swiss(5), stop=60), report)
    after = sample_report(12, Swiss(5))
    with open_page(browser, lost=True, refused=404) as page:
        with open_site(tmp_path) as site:
            table = Table(site, "morris", "budget=600000", ("a1", "a2"))
            table.move("1")
            page.goto(f"{site.url}/match/{table.match}")
            expect(page.locator("#moves li")).to_have_count(1)
            other = page.context.new_page()
            other.goto(f"{site.url}/contests")
            expect(other.locator(".one .tag")).to_have_text("running")
            night = page.context.new_page()
            night.goto(f"{site.url}/contest/1/live")
            expect(night.locator(f".game[data-match='{table.match}'] .foot")).to_contain_text("1 move")
            expect(night.locator("#featured .clock.runs")).to_have_count(1)
        expect(night.locator("#status")).to_contain_text("connection lost since")
        expect(night.locator(".clock.runs")).to_have_count(0)
        files.write_report_files(after, report)
        expect(page.locator("#status")).to_have_text(re.compile("^over$|connection lost since"))  # whichever came first
        expect(page.locator(".clock.runs")).to_have_count(0)
        expect(other.locator("#status")).to_contain_text("connection lost since")
        table.close()
        with open_site(tmp_path, web_port=site.web_port) as site:
            expect(other.locator("#status")).to_be_hidden()
            expect(page.locator("#status")).to_have_text("over")  # without anybody's doing
            expect(page.locator("#ending")).to_contain_text("server stopped")
            expect(night.locator("#status")).to_have_text("live")
            expect(night.locator("#progress")).to_contain_text(after.games_over())
            expect(night.locator(".place1 .who").first).to_have_text(after.champions[0])
            expect(night.locator(".game[data-match]")).to_have_count(0)


def test_the_lobby_shows_boards_results_and_people(visit: Visit, seat: Seat) -> None:
    page = visit()
    expect(page.locator("#status")).to_have_text("live")
    tables = [
        seat("gipf", "params=3,3,9,9 budget=600000"),
        seat("morris", "budget=600000", ("cleo", "dan")),
        seat("arrows", "params=5,5 budget=600000", ("eve", "fay")),
        seat("mnk", "params=4,4,3 budget=600000", ("gil", "hal")),
    ]
    expect(page.locator(".game[data-match]")).to_have_count(1)
    expect(page.locator(".tile:not(.over)")).to_have_count(3)
    tables[3].move("b2")
    expect(page.locator(f"[data-match='{tables[3].match}'] use")).to_have_count(1)
    expect(page.locator("#people li")).to_have_count(8)
    expect(page.locator("#people li", has_text="ann")).to_have_text(f"ann in match {tables[0].match}")
    check_accessibility(page)
    page.locator("[data-match]", has_text="cleo").locator(".place").click()
    expect(page.locator("h1")).to_have_text("cleo – dan")
    page.go_back()
    for table in tables:
        table.resign()
    expect(page.locator(".tile:not(.over)")).to_have_count(0)
    expect(page.locator("#results tr", has_text="cleo")).to_contain_text("0 – 1")
    check_accessibility(page)


def test_running_matches_are_found_by_a_player(visit: Visit, seat: Seat) -> None:
    for number in range(7):  # five have boards
        seat("mnk", "params=3,3,3 budget=600000", (f"first{number}", f"second{number}"))
    page = visit()
    page.locator("#sought").fill("SECOND3")
    expect(page.locator("#found tr")).to_contain_text("first3")


def test_a_record_is_replayed_from_a_file(browser: Browser, site: Site, tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    record.write_text(played(end="resign", stop_after=20))
    with open_page(browser, still=True, refused=422, apart=True) as page:
        page.clock.install()
        page.goto(f"{site.url}/replay")
        check_accessibility(page)
        bad = tmp_path / "bad.txt"
        bad.write_text(record.read_text().replace("move 3 ", "move 4 ", 1))
        page.set_input_files("#file", bad)
        expect(page.locator("#fault")).to_contain_text("this line is written 'move 3 ")
        page.set_input_files("#file", record)
        expect(page.locator("#moves li")).to_have_count(20)
        expect(page.locator("#fault")).to_be_hidden()
        page.keyboard.press("Home")
        drawn(page, GAMES["gipf"].start("3 3 9 9"))
        page.keyboard.press("ArrowRight")
        expect(page.locator("#moves button[aria-current]")).to_contain_text("1.")
        page.clock.pause_at(page.evaluate("Date.now()") + 1000)
        page.locator("#play").click()
        for ply in (2, 3):
            page.clock.run_for(600)
            expect(page.locator("#moves button[aria-current]")).to_contain_text(f"{ply}.")
        page.locator("#play").click()
        page.clock.resume()
        page.locator("#moves button").nth(9).click()
        assert page.url.endswith("/replay#10")
        expect(page.locator("#times rect.now")).to_have_count(1)
        page.get_by_role("link", name="Another file").click()
        expect(page.locator("#drop")).to_be_visible()


def moves_of(record: str) -> list[tuple[Motion, Position]]:
    """Return the moves of a record of GIPF 3 3 9 9, each with the position after it."""
    position, made = GAMES["gipf"].start("3 3 9 9"), []
    for move in verify(record).history.moves:
        shown, position = motion(position, move), position.play(move)
        made.append((shown, position))
    return made


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record in which rows are taken."""
    path = tmp_path / "record.txt"
    path.write_text(played())
    return path


def test_every_position_of_a_record_is_drawn(visit: Visit, record: Path) -> None:
    moves = moves_of(record.read_text())
    page = visit("/replay", still=True)
    page.set_input_files("#file", record)
    expect(page.locator("#moves li")).to_have_count(len(moves))
    page.keyboard.press("Home")
    for move, position in moves:
        page.keyboard.press("ArrowRight")
        assert pieces(page) == counts(position), move


SEEN = """() => {
    window.seen = [];
    new MutationObserver(() => {
        const ply = document.querySelector("#moves [aria-current] .ply")?.textContent;
        const count = (selector) => document.querySelectorAll(`#board ${selector}`).length;
        window.seen.push(`${ply} ${count(".piece")} ${count(".piece.lit")}`);
    }).observe(document.querySelector("#match"), { subtree: true, childList: true, attributes: true });
}"""
"""Notes how many pieces stand on the board, and how many of them are lit, at each change."""


def test_rows_light_up_and_have_left_before_the_next_move(visit: Visit, record: Path) -> None:
    moves = moves_of(record.read_text())
    ply = next(ply for ply, (move, _) in enumerate(moves, 1) if move.taken and move.slides)
    lit = len(moves[ply - 1][0].taken)
    before, after = (sum(count for count, _ in counts(moves[at][1])) for at in (ply - 2, ply - 1))
    page = visit("/replay")
    page.set_input_files("#file", record)
    page.locator("#moves button").nth(ply - 2).click()
    expect(page.locator("#board .piece")).to_have_count(before)
    page.evaluate(SEEN)
    page.locator("#play").click()
    page.wait_for_function("end => window.seen.some((one) => one.startsWith(end))", arg=f"{ply + 1}.")
    seen = page.evaluate("window.seen")
    stages = [f"{ply}. {before + 1} 0", f"{ply}. {before + 1} {lit}", f"{ply}. {after} 0"]
    assert [stage for stage in stages if stage in seen] == stages, seen


def test_hostile_names_are_shown_as_text(visit: Visit, tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    text = played(end="resign", stop_after=4).replace("black bob\n", f"black {HOSTILE}\n", 1)
    record.write_text(text.replace("bob (black) resigned", f"{HOSTILE} (black) resigned"))
    page = visit("/replay")
    page.set_input_files("#file", record)
    expect(page.locator("h1")).to_have_text(f"ann – {HOSTILE}")
    expect(page.locator("#player1")).to_contain_text(HOSTILE)
    expect(page.locator("#ending")).to_contain_text(f"{HOSTILE} (black) resigned")
    assert page.locator("main img").count() == 0 and page.title() != "gone"
