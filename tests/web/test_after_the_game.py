"""Actions of a person on a finished match, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.engine.records import Table
from tests.web.chromium import Visit, check_accessibility, fits, open_page
from tests.web.people.records import record, write
from tests.web.site import Site

pytestmark = pytest.mark.slow

LOST = ("b2", "b1", "a1", "c3", "a3", "a2", "c1")
"""Tic-tac-toe: the second move loses, to both diagonals."""


EXACT = {
    "ply": 7,
    "best": "c2",
    "worth": {"result": 1, "plies": 3},
    "best_worth": {"result": 1, "plies": 1},
    "line": ["c2"],
    "loss": 0,
    "marks": [],
}
"""A made-up review of the last of these moves."""


def test_mistakes_are_marked_and_jumped_to(browser: Browser, site: Site) -> None:
    write(site.data, 900018, record(900018, ("ann", "bob"), LOST))
    with open_page(browser, still=True) as page:
        page.goto(f"{site.url}/match/900018")
        page.locator("#evaluate").click()
        expect(page.locator("#reviewed")).to_have_text("All moves were reviewed: 1 mistake.")
        expect(page.locator("#reviewing")).to_be_hidden()
        expect(page.locator("#mistakes li")).to_have_text(["2. b1blunder, the last mistake of bob, who lost"])
        expect(page.locator("#moves .mark:visible")).to_have_text(["??"])
        expect(page.locator("#moves .mark:visible")).to_have_attribute("aria-label", "blunder")
        expect(page.locator("#values .mistake")).to_have_count(1)
        expect(page.locator("#judged")).to_have_text("Engine: c1: the best move, first wins in 1 ply.")
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("#moves button[aria-current]")).to_contain_text("2.b1")
        expect(page.locator("#judged")).to_contain_text("Blunder: b1: first wins in 6 plies")
        expect(page.locator("#judged")).to_contain_text("; better a3: 0.00 (depth 4)")
        expect(page.locator("#mistakes button[aria-current]")).to_have_count(1)
        page.locator("#mistakes").evaluate("one => one.scrollIntoView({ block: 'end' })")
        expect(page.locator("#board svg")).to_be_in_viewport(ratio=1)
        check_accessibility(page)
        assert fits(page)
        page.reload()
        expect(page.locator("#reviewed")).to_have_text("All moves were reviewed: 1 mistake.")


def test_a_record_from_a_file_is_reviewed_in_parts_and_no_more_than_some_at_once(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "record.txt"
    file.write_text(Table("mnk", "3 3 3").ready().play(*LOST).text)
    asked: dict[str, str] = {}
    page = visit("/replay", still=True)
    page.set_input_files("#file", file)

    def answer(route: Route) -> None:
        before = int(route.request.url.split("before=")[1])
        asked[route.request.url.split("/api/")[1]] = page.locator("#reviewing").inner_text()
        moves = [EXACT] if before == 8 else []
        route.fulfill(json={"first": 300 if before == 8 else before - 24, "nodes": 1, "moves": moves})

    page.route("**/api/review*", answer)
    page.locator("#evaluate").click()
    expect(page.locator("#earlier")).to_be_visible()
    assert [*asked] == ["review?before=8", *(f"review?before={before}" for before in range(300, 84, -24))]
    assert len(asked) == 10
    assert "0 of 7" in asked["review?before=8"]
    expect(page.locator("#judged")).to_contain_text("c1: first wins in 3 plies; better c2: first wins in 1 ply.")
