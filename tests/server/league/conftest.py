"""Accounts and versions over a data directory of their own, without a server."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from server.league.accounts import Accounts
from server.league.submissions.versions import Versions


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    with closing(Accounts(tmp_path)) as accounts:
        yield accounts


@pytest.fixture
def versions(tmp_path: Path, accounts: Accounts) -> Versions:
    return Versions(tmp_path, accounts)
