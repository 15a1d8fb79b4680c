"""The pages of the atlas: what is solved, and what each move of a solved variant leads to."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from engine.games.catalogue import start_of
from engine.games.interface import moves, play
from engine.solve.atlas.entries import Entry, shipped
from engine.solve.tablebase import making
from engine.solve.tablebase.tablebase import tablebase_of
from server.web.atlas.grids import Cell, grids
from server.web.play.exact import State, values
from server.web.play.questions import Question
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site, open_site


def entry(parameters: str, result: str, plies: str = "") -> Entry:
    return Entry(parameters, result, plies, "layers", 0, 0, 0.0, "1 16")


def test_variants_become_tables_with_gaps_where_nothing_is_known() -> None:
    known = [entry("3 3 5 4", "first", "3"), entry("3 3 4 5", "second", "2"), entry("2 2 4 4", "draw")]
    small, large = grids([*known, entry("3 3 9 9", "unknown")])
    assert (small.size, small.run, small.cells) == (2, 2, ((Cell(None, None),),))
    assert (large.rows, large.columns) == ((4, 5), (4, 5))
    assert large.cells == ((None, Cell(1, 2)), (Cell(0, 3), None))


def test_all_that_is_solved_has_a_cell() -> None:
    cells = [cell for grid in grids(shipped()) for row in grid.cells for cell in row if cell is not None]
    assert len(cells) == len(shipped())


@pytest.mark.slow
@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_a_browser_shows_the_atlas(browser: Browser, site: Site, phone: bool) -> None:
    with open_page(browser, phone=phone, dark=phone) as page:
        page.goto(site.url)
        page.get_by_role("link", name="Atlas").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Atlas of solved variants")
        table = page.get_by_role("table", name="Results for S = 3, K = 3")
        row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="8", exact=True))
        expect(row.get_by_role("link", name="white wins in 57")).to_have_attribute("href", "/atlas/3/3/8/6")
        expect(page.get_by_role("heading", name="Tablebases of this server")).to_be_hidden()
        assert fits(page)
        check_accessibility(page)


DRAWN = ("a3-b3 w: b3 c3",)
"""Of GIPF 2 2 4 4: a move that keeps the draw; the other side can lose then."""


@pytest.fixture
def tablebases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the tablebases that belong to the distribution."""
    monkeypatch.delenv(making.GIVEN)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that has them, too, and makes no others: its processes interpret."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("NUMBA_DISABLE_JIT", "1")
            environment.delenv(making.GIVEN)
            environment.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
            site = stack.enter_context(open_site(tmp_path_factory.mktemp("solved")))
        yield site


@pytest.mark.usefixtures("tablebases")
def test_every_move_has_its_value_and_the_best_one_comes_first() -> None:
    position = play(start_of("gipf", "2 2 4 4"), DRAWN[0])
    found = values(Question(game="gipf", parameters="2 2 4 4", moves=DRAWN), tablebase_of)
    assert (found.state, found.result, found.plies) == (State.KNOWN, 0, 0)
    assert sorted(value.move for value in found.moves) == sorted(moves(position))
    assert {value.result for value in found.moves} == {0, -1}
    assert found.moves[0].result == 0
    worst = found.moves[-1]
    assert (worst.move, worst.result, worst.plies) == ("d1-d2", -1, 2)
    after = values(Question(game="gipf", parameters="2 2 4 4", moves=(*DRAWN, worst.move)), tablebase_of)
    assert (after.result, after.plies) == (1, 1)
    assert (after.moves[0].result, after.moves[0].plies) == (1, 1)
    over = (*DRAWN, worst.move, after.moves[0].move)
    ended = values(Question(game="gipf", parameters="2 2 4 4", moves=over), tablebase_of)
    assert (ended.result, ended.plies, ended.moves) == (-1, 0, ())


@pytest.mark.usefixtures("tablebases")
def test_of_a_variant_without_a_tablebase_nothing_is_known() -> None:
    assert values(Question(game="gipf", parameters="4 4 15 15"), tablebase_of).state == State.UNKNOWN
    assert values(Question(game="mnk", parameters="3 3 3"), tablebase_of).state == State.UNKNOWN


@pytest.mark.slow
@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_a_solved_variant_is_explored_to_its_end(browser: Browser, solved: Site, phone: bool) -> None:
    with open_page(browser, phone=phone, dark=phone, still=True) as page:
        page.goto(f"{solved.url}/atlas/2/2/4/4")
        standing = page.locator("#standing")
        expect(standing).to_have_text("White to move: a draw with perfect play.")
        assert fits(page)
        check_accessibility(page)
        page.get_by_role("button", name=f"{DRAWN[0]} draw", exact=True).click()
        expect(page.locator("#moves")).to_have_text(f"1. {DRAWN[0]}")
        page.get_by_role("button", name="d1-d2 loss in 2", exact=True).click()
        expect(standing).to_have_text("White to move: white wins in 1 move.")
        page.reload()
        expect(standing).to_have_text("White to move: white wins in 1 move.")
        page.locator("#run").click()
        expect(page.locator("#moves")).to_contain_text("3. ")
        expect(page.locator("#best")).to_be_disabled()
        expect(page.locator(".value")).to_have_count(0)
        page.keyboard.press("ArrowLeft")
        expect(standing).to_have_text("White to move: white wins in 1 move.")
        page.keyboard.press("Home")
        expect(page).to_have_url(f"{solved.url}/atlas/2/2/4/4")
        expect(standing).to_have_text("White to move: a draw with perfect play.")
        page.get_by_role("button", name="Longest win: 3 moves").click()
        expect(standing).to_have_text("White to move: white wins in 3 moves.")
        page.locator("#best").click()
        expect(standing).to_have_text("Black to move: white wins in 2 moves.")
        page.reload()
        expect(standing).to_have_text("Black to move: white wins in 2 moves.")
        page.locator("#first").click()
        expect(standing).to_have_text("White to move: a draw with perfect play.")
        page.get_by_role("link", name="Download tablebases").click()
        files = page.locator("#files")
        expect(files.get_by_role("heading")).to_have_text(["S = 2, K = 2", "S = 2, K = 3"])
        assert fits(page)
        check_accessibility(page)
        with page.expect_download() as download:
            files.get_by_role("link", name="gipf_2_2.layers").click()
        checksum = files.get_by_label("SHA-256").first.text_content()
        assert hashlib.sha256(download.value.path().read_bytes()).hexdigest() == checksum


@pytest.mark.slow
def test_what_cannot_be_explored_is_said(browser: Browser, solved: Site) -> None:
    with open_page(browser, refused=404) as page:
        page.goto(f"{solved.url}/atlas/1/3/5/5")
        expect(page.locator("main")).to_contain_text("S is 1")
    with open_page(browser, refused=400) as page:
        page.goto(f"{solved.url}/atlas/4/4/6/6#zz")
        expect(page.locator("#fault")).to_contain_text("zz")
        expect(page.get_by_role("button", name="Best move")).to_be_hidden()
        page.goto(f"{solved.url}/atlas/4/4/6/6")
        expect(page.locator("#standing")).to_contain_text("Nothing is known of this position")
        expect(page.get_by_role("button", name="Best move")).to_be_visible()
