"""One browser and one server for all tests of a process: each test opens its own pages and ends its own matches."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.web.chromium import Visit, open_browser, open_page, watched
from tests.web.site import Seat, Site, Table, open_site, write_reports


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the reports of three contests, to be copied."""
    return write_reports(tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def site(reports: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with the reports of three contests."""
    with open_site(copytree(reports, tmp_path_factory.mktemp("site"), dirs_exist_ok=True)) as site:
        yield site


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Visit]:
    with ExitStack() as stack:

        def visit_path(path: str = "", **options: Any) -> Page:
            page = stack.enter_context(open_page(browser, **options))
            page.goto(site.url + path)
            return page

        yield visit_path


@pytest.fixture(scope="module")
def page_of_a_file(browser: Browser) -> Iterator[Page]:
    with open_page(browser, still=True, refused=400) as page:
        yield page


@pytest.fixture
def page(page_of_a_file: Page) -> Iterator[Page]:
    """An empty page, on the way of which the server may refuse a question; the tests of a file share it."""
    with watched(page_of_a_file, refused=400):
        yield page_of_a_file
        page_of_a_file.unroute_all()
        page_of_a_file.evaluate("localStorage.clear()")
        page_of_a_file.goto("about:blank")


@pytest.fixture
def seat(site: Site) -> Iterator[Seat]:
    with ExitStack() as stack:

        def seat_players(*match: Any, **options: Any) -> Table:
            table = Table(site, *match, **options)
            stack.callback(table.leave)
            return table

        yield seat_players
