"""The pages of the atlas: what is solved."""

import pytest
from playwright.sync_api import Browser, expect

from engine.solve.atlas.entries import Entry, shipped
from server.web.atlas.grids import Cell, grids
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site


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
        expect(row.get_by_role("cell").nth(2)).to_have_text("white wins in 57")
        assert fits(page)
        check_accessibility(page)
