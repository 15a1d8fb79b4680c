"""Removes old files: built programs behind the newest versions of a bot, logs, and programs of comparisons.

Uploads and results stay for ever, and so do all files of a version that plays, is under way, or has games to play.
"""

from datetime import UTC, datetime, timedelta
from functools import partial

import trio

from server.league.comparisons import Comparisons
from server.league.submissions.versions import CHECK_REPORT, LOGS, Versions

PAUSE_SECONDS = 3600.0
"""Seconds between two looks."""


def remove_old(versions: Versions, comparisons: Comparisons, now: datetime) -> None:
    """Remove the files that are old at a date; raises `BadStore` and OSError."""
    before = now - timedelta(days=versions.rules.log_days)
    for bot in versions.bots():
        found = [version for version in versions.of(bot) if version.state != "deleted"]
        for version in found[versions.rules.built_versions :]:
            versions.remove_build(version)
        for version in found:
            if version.state in ("retired", "refused") and version.received < before:
                for name in (*(f"{step}.txt" for step in LOGS), CHECK_REPORT):
                    (versions.folder(version) / name).unlink(missing_ok=True)
    comparisons.remove_programs()


async def keep_tidy(versions: Versions, comparisons: Comparisons) -> None:
    """Remove old files, now and every hour, until cancelled. Raises `BadStore` and OSError."""
    while True:
        await trio.to_thread.run_sync(partial(remove_old, versions, comparisons, datetime.now(UTC)))
        await trio.sleep(PAUSE_SECONDS)
