"""Watching and replaying in a real browser."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.wire import messages as m
from server.contest.formats.rounds import Swiss
from server.contest.report import files
from tests.engine.test_record import played
from tests.server.contest.report.samples import sample_report
from tests.web.chromium import Visit, check_accessibility, open_page
from tests.web.site import Seat, Site, Table, open_site

pytestmark = pytest.mark.slow

HOSTILE = "<img/src=x/onerror=document.title='gone'>"

MOVES = ("a4-b4", "d7-d6", "a4-b4", "d7-d6")
"""Moves of GIPF 3 3 9 9; each of the last two returns three pieces."""


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
        taken = ": 3 returned" if ply > 2 else ""
        expect(page.locator("#spoken")).to_have_text(f"Move {ply}, {('white', 'black')[(ply + 1) % 2]}: {move}{taken}")
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
    expect(page.locator("#ending")).to_have_text("ann resigned at move 6; bob wins")
    expect(page.locator("#status")).to_have_text("over")


EXPOSE_FEED = """
window.EventSource = class extends EventSource {
    constructor(...address) { super(...address); window.feed = this; }
};
"""
"""Lets a test send the page an event."""

NOTE_VIEWS = """() => {
    const read = (selector) => document.querySelector(selector).innerHTML;
    const view = () => [read("#moves [aria-current]"), read("#board svg"), location.hash, scrollY];
    const note = () => window.views.add(JSON.stringify(view()));
    const everything = { attributes: true, characterData: true, childList: true, subtree: true };
    window.views = new Set();
    note();
    new MutationObserver(note).observe(document.body, everything);
}"""
"""Notes every position, move and address that the page shows from now on."""


def test_a_reader_who_stepped_back_stays_when_a_move_arrives_or_the_match_is_read_anew(
    browser: Browser, site: Site, seat: Seat
) -> None:
    table = seat("gipf", "params=3,3,9,9 budget=600000")
    with open_page(browser, still=True) as page:
        page.add_init_script(EXPOSE_FEED)
        page.goto(f"{site.url}/match/{table.match}")
        for ply, move in enumerate(MOVES, 1):
            table.move(move)
            expect(page.locator("#moves li")).to_have_count(ply)
        address, reads = f"**/api/matches/{table.match}", list[Route]()
        page.route(address, lambda route: reads.append(route))
        with page.expect_request(address):  # moves are missing: the page reads the match anew
            page.evaluate("feed.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ first: 99 }) }))")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#moves button[aria-current]")).to_contain_text(f"2.{MOVES[1]}")
        page.evaluate(NOTE_VIEWS)
        table.move("a4-b4")
        expect(page.locator("#ending")).to_contain_text("You see move 2 of 5.")
        answer = reads[0].fetch()
        match = answer.json()
        match["now"]["away"] = [True, True]  # shows that the answer was read
        reads[0].fulfill(response=answer, json=match)
        expect(page.locator("#player0 .away")).to_be_visible()
        table.move("d7-d6")
        expect(page.locator("#ending")).to_contain_text("You see move 2 of 6.")
        assert page.evaluate("window.views.size") == 1


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
    expect(page.locator("#value")).to_have_text("Noted by the player: −0.50 (depth 7)")
    expect(page.locator("#values circle.alone")).to_have_count(1)
    page.keyboard.press("Home")
    expect(page.locator("#noted")).to_have_text("Nothing was noted.")
    check_accessibility(page)


def test_pages_outlive_their_server_and_show_what_is_true_then(browser: Browser, tmp_path: Path) -> None:
    report = tmp_path / "contests" / "1"
    files.write_report_files(sample_report(12, Swiss(5), stop=60), report)
    after = sample_report(12, Swiss(5))
    with open_page(browser, still=True, lost=True, refused=404) as page:
        with open_site(tmp_path) as site:
            table = Table(site, "morris", "budget=600000", ("a1", "a2"))
            table.move("1")
            page.goto(f"{site.url}/match/{table.match}")
            expect(page.locator("#moves li")).to_have_count(1)
            night = page.context.new_page()
            night.goto(f"{site.url}/contest/1/live")
            expect(night.locator(f".game[data-match='{table.match}'] .foot")).to_contain_text("1 move")
            expect(night.locator("#featured .clock.runs")).to_have_count(1)
        expect(night.locator("#status")).to_contain_text("connection lost since")
        expect(night.locator(".clock.runs")).to_have_count(0)
        files.write_report_files(after, report)
        expect(page.locator(".clock.runs")).to_have_count(0)
        table.close()
        with open_site(tmp_path, web_port=site.web_port) as site:
            expect(page.locator("#status")).to_have_text("over")  # without anybody's doing
            expect(page.locator("#ending")).to_contain_text("server stopped")
            expect(night.locator("#status")).to_have_text("live")
            expect(night.locator("#progress")).to_contain_text(after.games_over())
            expect(night.locator(".place1 .who").first).to_have_text(after.champions[0])
            expect(night.locator(".game[data-match]")).to_have_count(0)


def test_a_record_is_replayed_from_a_file_and_a_hostile_name_in_it_is_text(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    record = tmp_path / "record.txt"
    text = played(end="resign", stop_after=20).replace("black bob\n", f"black {HOSTILE}\n", 1)
    record.write_text(text.replace("bob (black)", f"{HOSTILE} (black)"))
    with open_page(browser, still=True, refused=422, apart=True) as page:
        page.clock.install()
        page.goto(f"{site.url}/replay")
        bad = tmp_path / "bad.txt"
        bad.write_text(record.read_text().replace("move 3 ", "move 4 ", 1))
        page.set_input_files("#file", bad)
        expect(page.locator("#fault")).to_contain_text("this line is written 'move 3 ")
        bad.write_text(re.sub("(move 3 .*) .*", r"\1 b2-c2", record.read_text()))
        page.set_input_files("#file", bad)
        expect(page.locator("#fault")).to_contain_text("played 'b2-c2', b2 is a field")  # without the code
        bad.write_bytes(b"\x89PNG\r\n")
        page.set_input_files("#file", bad)
        expect(page.locator("#fault")).to_have_text("This is no record of a match.")
        page.set_input_files("#file", record)
        expect(page.locator("#moves li")).to_have_count(20)
        expect(page.locator("#fault")).to_be_hidden()
        expect(page.locator("#signature")).to_contain_text("has no signature")
        expect(page.locator("h1")).to_have_text(f"ann – {HOSTILE}")
        expect(page.locator("#player1")).to_contain_text(HOSTILE)
        assert page.locator("main img").count() == 0 and page.title() != "gone"
        page.keyboard.press("Home")
        drawn(page, GAMES["gipf"].start("3 3 9 9"))
        page.keyboard.press("ArrowRight")
        expect(page.locator("#moves button[aria-current]")).to_contain_text("1.")
        page.clock.pause_at(page.evaluate("Date.now()") + 3_600_000)  # later than the clock gets to on its own
        page.locator("#play").click()
        for ply in (2, 3):
            page.clock.run_for(600)
            expect(page.locator("#moves button[aria-current]")).to_contain_text(f"{ply}.")
        page.locator("#play").click()
        page.clock.resume()
        page.locator("#moves button").nth(9).click()
        expect(page).to_have_url(re.compile("/replay#10$"))
        expect(page.locator("#times rect.now")).to_have_count(1)
        page.get_by_role("link", name="Another file").click()
        expect(page.locator("#drop")).to_be_visible()
