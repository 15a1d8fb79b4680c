"""What is old is removed: builds and logs, and never what plays, was sent, or came out."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from server.config.settings import LeagueRules
from server.league.accounts.accounts import Accounts
from server.league.comparisons import Comparisons
from server.league.retention import Removed, remove_old
from server.league.submissions.versions import BUILD, UPLOAD, Versions
from tests.server.league.people import person, refused

RULES = LeagueRules(quota=1, built_versions=2, log_days=30)


def test_old_builds_and_logs_go_and_nothing_else(tmp_path: Path, accounts: Accounts) -> None:
    dates = [datetime(2026, 11, 1, tzinfo=UTC)]
    versions = Versions(tmp_path, accounts, lambda: dates[-1], RULES)
    comparisons = Comparisons(tmp_path, accounts, versions, lambda: dates[-1])
    ann = person(accounts, "ann", "bot")
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

    def having(file: str) -> list[int]:
        return [one.number for one in versions.of("bot") if (versions.folder(one) / file).exists()]

    assert remove_old(versions, comparisons, RULES, dates[-1]) == Removed(3, 0, 0)
    assert having(BUILD) == [6, 5, 1], "the two newest, and that which plays"
    assert having("check.txt") == [6, 5, 4, 3, 2, 1]
    dates.append(dates[0] + timedelta(days=31))
    assert remove_old(versions, comparisons, RULES, dates[-1]) == Removed(0, 5, 0)
    assert having("check.txt") == [1]
    assert all((versions.folder(one) / UPLOAD).exists() for one in versions.of("bot"))
    assert remove_old(versions, comparisons, RULES, dates[-1]) == Removed(0, 0, 0)
    versions.activate(versions.of("bot")[3], "ann")
    assert versions.under_way()[0] == versions.version("bot", 3), "it is built again before it plays"
    assert [one.number for one in versions.active()] == [1]
    sentence = "versions of yours have 1 MB on the server; delete old ones"
    refused((lambda: versions.add(ann, "bot", "bot.py", bytes(1 << 20)), sentence))
