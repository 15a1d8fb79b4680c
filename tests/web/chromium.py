"""A real Chromium, driven by Playwright, that takes note of everything that a page must not do."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TypeAlias
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Error, Page, ViewportSize, expect, sync_playwright

from tests.waiting import WAIT_SECONDS

PATHS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Commands of Chromium by system: the command without windows takes a fifth less."""

LEFT_OUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # and what Playwright leaves out by itself, which has no say once the option is given
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "TcpPortRandomizationWin",
    "ThirdPartyStoragePartitioning",
)
"""Features of Chromium that no page needs. Each window makes two pages of its own for its line of addresses."""

OPTIONS = (
    "--no-sandbox",
    "--in-process-gpu",
    "--renderer-process-limit=1",
    f"--disable-features={','.join(LEFT_OUT)}",
)
"""How Chromium is started: with few processes, since to start one takes longer than most pages do."""

LOST = "[object Event]"
"""Message of htmx about a lost stream of events."""

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 320, "height": 640}


PATIENCE_MS = int(1000 * WAIT_SECONDS)
"""Longest wait for a page."""

expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start the system's Chromium, or skip the test where there is none."""
    path = next(filter(None, map(shutil.which, PATHS)), None)
    if path is None:
        pytest.skip(f"no Chromium is installed: none of {', '.join(PATHS)} is on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        yield browser
        browser.close()


@cache
def context_of(browser: Browser, phone: bool) -> BrowserContext:
    """Return a context for pages of a desk or a phone, which share it.

    An empty page keeps its window open: a window has a toolbar that takes as long to make as most pages.
    """
    context = _new_context(browser, phone)
    context.new_page()
    return context


def _new_context(browser: Browser, phone: bool) -> BrowserContext:
    return browser.new_context(viewport=PHONE if phone else DESK, has_touch=phone)


@contextmanager
def open_page(
    browser: Browser,
    *,
    phone: bool = False,
    dark: bool = False,
    still: bool = False,
    refused: int = 0,
    lost: bool = False,
    apart: bool = False,
) -> Iterator[Page]:
    """Open a page; in the end it must have logged no error, and asked no other host.

    ``refused`` is a status with which the server refuses something on the way, ``lost`` says that it cannot be reached
    for a while: the browser logs that by itself. ``apart``: nothing that the page does to its context, as to set its
    clock, reaches others.
    """
    context = (_new_context if apart else context_of)(browser, phone)
    others = set(context.pages)
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce" if still else "no-preference")
    page.set_default_timeout(PATIENCE_MS)
    with watched(page, refused=refused, lost=lost):
        try:
            yield page
        finally:
            for opened in set(context.pages) - others:
                with suppress(Error):  # a page without an address has no storage
                    opened.evaluate("localStorage.clear()")
                opened.close()
            context.clear_permissions()
            context.clear_cookies()
            if apart:
                context.close()


@contextmanager
def watched(page: Page, *, refused: int = 0, lost: bool = False) -> Iterator[None]:
    """Check in the end that a page has meanwhile logged no error, and asked no other host."""
    faults: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or "" if ":" in request.url else ""))
    yield
    if refused:
        faults = [fault for fault in faults if str(refused) not in fault and "htmx:" not in fault]
    if lost:
        faults = [fault for fault in faults if "net::ERR_" not in fault and "htmx:" not in fault and fault != LOST]
    assert not faults, faults
    assert hosts <= {"127.0.0.1"}, hosts


Visit: TypeAlias = Callable[..., Page]
"""Opens a page at a path of the site of all tests, as `open_page` does."""


KEEP_TWO_ALIKE = """() => {
    const isScrolled = (one) => one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY);
    const shapeOf = (one) => `${one.localName}.${one.getAttribute("class") ?? ""}(${[...one.children].map(shapeOf)})`;
    const further = [];
    const trim = (parent) => {
        const counts = new Map();
        for (const one of parent.children) {
            const shape = shapeOf(one);
            counts.set(shape, 1 + (counts.get(shape) ?? 0));
            if (counts.get(shape) > 2) further.push(one);
            else if (!isScrolled(one)) trim(one);
        }
    };
    trim(document.body);
    further.forEach((one) => one.remove()); // last: the browser lays out the page again when a size is asked for
}"""
"""Removes all but two of the rows, offers and drawings that have the same elements and classes.

axe-core takes time for each, and finds the same in them. Lists that scroll stay, as they have to be reached by the
keyboard.
"""


AXE = Axe().axe_script

RUN_AXE = """async () => {
    const mild = axe._audit.rules.filter((rule) => ["minor", "moderate"].includes(rule.impact));
    const rules = Object.fromEntries(mild.map((rule) => [rule.id, { enabled: false }]));
    const { violations } = await axe.run({ resultTypes: ["violations"], rules });
    return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html)]);
}"""


def check_accessibility(page: Page) -> None:
    """Let axe-core look at a page: it must find nothing serious."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    assert not (serious := page.evaluate(RUN_AXE)), serious


def next_picture(page: Page) -> None:
    """Wait until what scripts do for a new size, and what they do for that, is drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def fits(page: Page) -> bool:
    """Tell whether a page needs no scrolling to the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


SMALLEST_TEXT = """() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let [least, told] = [Infinity, ""];
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        const size = parseFloat(getComputedStyle(element).fontSize);
        if (!size || !texts.currentNode.textContent.trim() || !element.checkVisibility()) continue;
        const drawn = size * (element.ownerSVGElement ? element.getScreenCTM().a : 1);
        if (drawn < least) [least, told] = [drawn, element.outerHTML];
    }
    return [least, told];
}"""


BROKEN_WORDS = """most => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const lines = () => new Set([...range.getClientRects()].map(one => Math.round(one.bottom))).size;
    const broken = [];
    while (texts.nextNode()) {
        const [text, element] = [texts.currentNode, texts.currentNode.parentElement];
        range.selectNodeContents(text);
        const isShown = element.checkVisibility() && element.offsetWidth > 6; // narrower ones are for screen readers
        if (!isShown || element.ownerSVGElement || lines() < 2) continue;
        for (const word of text.textContent.matchAll(/[\\p{L}\\p{N}_-]+/gu)) {
            if (word[0].length > most) continue;
            for (const part of word[0].matchAll(/[^-]+/g)) { // behind a hyphen a line may end
                range.setStart(text, word.index + part.index);
                range.setEnd(text, word.index + part.index + part[0].length);
                if (lines() > 1) broken.push(word[0]);
            }
        }
    }
    return broken;
}"""

LONGEST_WORD = 12
"""Letters of a word that has to stand in one line; names are longer, and may be broken."""


def check_legibility(page: Page) -> None:
    """Look for the smallest text that a page shows, and for broken words.

    It must have 11 pixels, in drawings as elsewhere, and words that are no long names must stand in one line.
    """
    size, where = page.evaluate(SMALLEST_TEXT)
    assert size > 10.9, f"a text of {size} pixels: {where}"
    assert not (words := broken_words(page)), words


def broken_words(page: Page) -> list[str]:
    """Return the words that a page shows in more than one line though they are no long names."""
    return list(page.evaluate(BROKEN_WORDS, LONGEST_WORD))


def show(page: Page, address: str, link: str = "") -> None:
    """Load the page of a board, with a link behind #: a change of that alone would not load it."""
    page.goto("about:blank")
    page.goto(f"{address}#{link}")
    expect(page.locator("#board .board")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def point(page: Page, name: str) -> None:
    """Click at what is offered on a field or dot."""
    page.locator(f".offer[aria-label^='{name},']").click()
