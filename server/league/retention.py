"""Removes what is old: built programs behind the newest versions of a bot, logs, and programs of comparisons.

Uploads and results are never removed so, nor anything of a version that plays, is under way, or has games to play.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import structlog
import trio

from server.config.settings import LeagueRules
from server.league.comparisons import Comparisons
from server.league.submissions.conformance_log import ENDINGS
from server.league.submissions.versions import LOGS, Version, Versions
from server.storage.database import BadStore

log = structlog.get_logger()

PAUSE_SECONDS = 3600.0
"""How often to look."""


class Removed(NamedTuple):
    """How much was removed."""

    builds: int
    logs: int
    comparisons: int


def old_builds(versions: Sequence[Version], built: int) -> Iterator[Version]:
    """Yield the versions of a bot, the newest first, that need not stay built: all behind so many, but those in use."""
    there = [version for version in versions if version.state != "deleted"]
    for version in there[built:]:
        if version.state in ("retired", "refused"):
            yield version


def remove_old(versions: Versions, comparisons: Comparisons, rules: LeagueRules, now: datetime) -> Removed:
    """Remove what is old at a date; raises `BadStore` and OSError."""
    before = now - timedelta(days=rules.log_days)
    builds = logs = 0
    for bot in versions.bots():
        found = versions.of(bot)
        builds += sum(versions.remove_build(version) for version in old_builds(found, rules.built_versions))
        for version in found:
            if version.state in ("retired", "refused") and version.received < before:
                logs += _remove_logs(versions.folder(version))
    return Removed(builds, logs, comparisons.remove_programs())


async def keep_tidy(versions: Versions, comparisons: Comparisons, rules: LeagueRules) -> None:
    """Remove what is old, now and every hour, until cancelled."""
    while True:
        try:
            now = datetime.now(UTC)
            removed = await trio.to_thread.run_sync(partial(remove_old, versions, comparisons, rules, now))
        except (BadStore, OSError) as error:
            log.error("league_files_not_removed", error=str(error))
        else:
            if any(removed):
                log.info("league_files_removed", **removed._asdict())
        await trio.sleep(PAUSE_SECONDS)


def _remove_logs(folder: Path) -> int:
    there = [path for name in LOGS if (path := folder / f"{name}.txt").exists()]
    for path in there:
        for ending in ENDINGS:
            path.with_suffix(ending).unlink(missing_ok=True)
    return len(there)
