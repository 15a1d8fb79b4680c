"""What is old is removed: builds and logs, and never what plays, was sent, or came out."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.config.settings import LeagueRules
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR, NotAllowed
from server.league.comparisons import Comparisons
from server.league.retention import Removed, remove_old
from server.league.submissions.versions import BUILD, UPLOAD, Versions

RULES = LeagueRules(quota=1, built_versions=2, log_days=30)


class Date:
    """A date that a test moves."""

    def __init__(self) -> None:
        self.date = datetime(2026, 11, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.date


def test_old_builds_and_logs_go_and_nothing_else(tmp_path: Path, accounts: Accounts) -> None:
    now = Date()
    versions = Versions(tmp_path, accounts, now, RULES)
    comparisons = Comparisons(tmp_path, accounts, versions, now)
    accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "", "")
    ann = accounts.person("ann")
    assert ann is not None
    accounts.make_token(ann, "bot")
    for number in range(1, 7):
        version = versions.add(ann, "bot", "bot.py", b"x")
        (versions.folder(version) / BUILD).mkdir()
        (versions.folder(version) / "check.txt").write_text("ok")
        versions.go_on(version, "qualifying", ("./bot",))
        if number == 4:
            versions.refuse(version, "it has no legs")
        else:
            versions.activate(version, "the server")
    versions.activate(versions.of("bot")[-1], "ann")  # version 1 plays

    def built() -> list[int]:
        return [one.number for one in versions.of("bot") if (versions.folder(one) / BUILD).exists()]

    def logged() -> list[int]:
        return [one.number for one in versions.of("bot") if (versions.folder(one) / "check.txt").exists()]

    assert remove_old(versions, comparisons, RULES, now()) == Removed(3, 0, 0)
    assert built() == [6, 5, 1], "the two newest, and that which plays"
    assert logged() == [6, 5, 4, 3, 2, 1]
    now.date += timedelta(days=31)
    assert remove_old(versions, comparisons, RULES, now()) == Removed(0, 5, 0)
    assert logged() == [1]
    assert all((versions.folder(one) / UPLOAD).exists() for one in versions.of("bot"))
    assert remove_old(versions, comparisons, RULES, now()) == Removed(0, 0, 0)
    versions.activate(versions.of("bot")[3], "ann")
    assert versions.under_way()[0] == versions.version("bot", 3), "it is built again before it plays"
    assert [one.number for one in versions.active()] == [1]
    with pytest.raises(NotAllowed, match="versions of yours have 1 MB on the server; delete old ones"):
        versions.add(ann, "bot", "bot.py", bytes(1 << 20))
