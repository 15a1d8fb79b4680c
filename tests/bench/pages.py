"""How soon pages show something in Chromium, and how many bytes they fetch: lobby, match, contest, and a long match."""

import gzip
import http.client
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext

from tests.engine.records import Table as Recorded
from tests.web.chromium import open_browser
from tests.web.site import Site, Table, random_moves, write_reports

LOADS = 9
"""Times that each page is loaded, with nothing kept from the time before but the browser's process."""

LONG = 1000
"""Moves of the long match."""

PAINT_BAR, SIZE_BAR, LONG_BAR = "150 ms", "40 KB until the board", 100_000
"""Targets on an idle machine: first paint, bytes until the board, a long match."""

BOARDS = {"lobby": "#featured svg.board", "match": "#board svg.board", "contest": "table", "play": "#board svg.board"}
"""Selectors of each page's main element: its first board, or a contest's first table."""

PAINTED = """selector => new Promise((resolve) => {
    const look = () => {
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        if (!paint || !document.querySelector(selector)) return requestAnimationFrame(look);
        const [page] = performance.getEntriesByType("navigation");
        const parts = [page, ...performance.getEntriesByType("resource").filter((one) => one.responseEnd)];
        const bytes = parts.reduce((sum, one) => sum + one.encodedBodySize, 0);
        resolve([paint.startTime, performance.now(), bytes, parts.length]);
    };
    look();
})"""
"""Resolves with the first paint, with when the board was there, in milliseconds, and what had come by then."""


def run() -> None:
    """Print a table of the pages, and the size of a long match."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # nothing compiles while pages are measured
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        data = write_reports(Path(folder))
        with Site(data) as site:
            table = Table(site, "gipf", "params=3,3,9,9 budget=600000")
            for move in random_moves("gipf", "3 3 9 9", 12):
                table.move(move)
            print(
                f"pages: medians of {LOADS} loads each, with an empty cache, in an open browser; bytes as sent (gzip)"
            )
            print(f"{'page':>8} {'paint ms':>10} {'board ms':>10} {'bytes':>8} {'answers':>8}  bar")
            context = browser.new_context()
            context.new_page().goto(f"{site.url}/games")  # its process is there, as in a browser that is open
            paths = {"lobby": "/", "match": f"/match/{table.match}", "contest": "/contest/1", "play": "/play"}
            for name, path in paths.items():
                figures = zip(*(_load(context, site.url + path, BOARDS[name]) for _ in range(LOADS)), strict=True)
                paint, board, size, answers = map(statistics.median, figures)
                print(
                    f"{name:>8} {paint:10.0f} {board:10.0f} {size:8.0f} {answers:8.0f}  {PAINT_BAR}, {SIZE_BAR}",
                    flush=True,
                )
            table.close()
            print(f"pages: a match of {LONG} moves of GIPF takes {_long_match(site)} bytes (gzip)   bar {LONG_BAR}")


def _load(context: BrowserContext, url: str, selector: str) -> Any:
    page = context.new_page()
    cache = context.new_cdp_session(page)
    cache.send("Network.enable")
    cache.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(url, wait_until="commit")
    figures = page.evaluate(PAINTED, selector)
    page.close()
    return figures


def _long_match(site: Site) -> int:
    """Return the bytes of the answer that tells all of a long match."""
    number = 900_001
    moves = random_moves("gipf", "4 4 900 900", LONG)
    text = Recorded("gipf", "4 4 900 900", limit=LONG + 1).ready().play(*moves, span=5).resign(0)
    path = site.data / "records" / f"{number}.txt"
    path.write_text(text.replace("match 17\n", f"match {number}\n"), encoding="utf-8")
    connection = http.client.HTTPConnection("127.0.0.1", site.web_port, timeout=60)
    connection.request("GET", f"/api/matches/{number}", headers={"accept-encoding": "gzip"})
    answer = connection.getresponse()
    told = answer.read()
    assert answer.status == 200 and gzip.decompress(told)
    return len(told)
