"""One browser and one server for all tests of a process: each test opens its own pages and ends its own matches."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.web.chromium import open_browser
from tests.web.site import Site, open_site, write_reports


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with the reports of three contests."""
    with open_site(write_reports(tmp_path_factory.mktemp("site"))) as site:
        yield site
