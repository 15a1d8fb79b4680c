"""What pages look like in a real browser: chosen colours, marks, narrow and low windows."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site, Table

pytestmark = pytest.mark.slow


def paper(page: Page) -> str:
    """Return the colour of the page's ground."""
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


def test_colours_are_chosen_kept_and_shared_by_tabs(browser: Browser, site: Site) -> None:
    light, dark = "rgb(244, 239, 230)", "rgb(23, 22, 20)"
    with open_page(browser) as page:
        page.goto(f"{site.url}/contests")
        other = page.context.new_page()
        other.goto(f"{site.url}/play")
        button = page.get_by_role("button", name="Dark colours")
        expect(button).to_have_attribute("aria-pressed", "false")
        assert paper(page) == light
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        assert paper(page) == dark
        expect(other.locator("html")).to_have_attribute("data-theme", "dark")
        check_accessibility(page)
        page.goto(site.url)
        page.wait_for_load_state("load")
        assert paper(page) == dark
        page.get_by_role("button", name="Dark colours").click()
        expect(other.locator("html")).not_to_have_attribute("data-theme", "dark")
        assert paper(page) == light and page.evaluate("localStorage.theme") is None


def test_colours_are_there_before_anything_is_drawn(browser: Browser, site: Site) -> None:
    with open_page(browser) as page:
        page.goto(f"{site.url}/contests")
        page.evaluate("localStorage.theme = 'dark'")
        page.add_init_script("""
            new MutationObserver(() => {
                if (document.body) window.atBody ??= document.documentElement.dataset.theme;
            }).observe(document, { childList: true, subtree: true });
        """)
        page.reload()
        assert page.evaluate("window.atBody") == "dark"
        page.evaluate("localStorage.removeItem('theme')")


def test_what_has_decided_a_match_and_who_has_won_are_marked(browser: Browser, site: Site) -> None:
    table = Table(site, "mnk", "params=3,3,3 budget=600000")
    with open_page(browser, still=True) as page:
        lobby = page.context.new_page()
        lobby.goto(site.url)
        page.goto(f"{site.url}/match/{table.match}")
        expect(page.locator("#status")).to_have_text("live")
        expect(lobby.locator(".tile:not(.over)")).to_have_count(1)
        for move in ("a1", "a2", "b2", "a3", "c3"):
            table.move(move)
        expect(page.locator("#board .marks .decisive")).to_have_count(3)
        expect(page.locator("#player0")).to_have_class("player card won")
        expect(page.locator(".badge")).to_have_text(["lost", "won"])
        tile = lobby.locator(f".tile.over[href='/match/{table.match}']")
        expect(tile.locator(".decisive")).to_have_count(3)
        expect(tile.locator(".number")).to_have_text(["won", "lost", "a line"])
        check_accessibility(page)
        check_accessibility(lobby)
    table.close()


def test_a_match_fits_a_phone_on_its_side(browser: Browser, site: Site) -> None:
    table = Table(site, "gipf", "budget=600000")
    with open_page(browser) as page:
        page.set_viewport_size({"width": 844, "height": 390})
        page.goto(f"{site.url}/match/{table.match}")
        box = page.locator("#board svg").bounding_box()
        assert box is not None and box["y"] + box["height"] <= 390 and fits(page)
    table.resign()
    table.close()
