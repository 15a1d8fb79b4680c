"""Plays comparisons one after the other: each as a match in sandboxes, of low priority, whose games stay on the disk.

Whoever stops it loses the games that are being played: a match that is played again goes on where its results end.
"""

import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import structlog
import trio

from server.league.comparisons.comparisons import LOG, RECORDS, REPORT, RESULTS, Comparison, Comparisons, Result
from server.league.submissions import recipe
from server.league.submissions.steps import BUDGET_MS, Ended, play_match
from server.league.submissions.versions import BUILD, Version, Versions
from server.ops import descendants
from server.ops.typed_json import decode

log = structlog.get_logger()

GAME_SECONDS = 120.0
"""Longest that a game may take, with the start of its programs; a match that takes longer is ended."""

LOOK_SECONDS = 1.0
"""How often to look whether the comparison was cancelled."""

SENTENCE_CHARACTERS = 300

Play = Callable[[list[str], Path, Path, str, float], Awaitable[Ended]]
"""Runs a match: its command, where, the log, the id of the data directory, and seconds."""


class Report(msgspec.Struct, frozen=True):
    """What is read of the report of a match."""

    players: tuple[Result, ...]


class ComparisonPlayer:
    """Plays the comparisons of a data directory."""

    def __init__(self, comparisons: Comparisons, versions: Versions, data: Path, play: Play = play_match) -> None:
        """Take the comparisons, the versions that they are of, and what runs a match."""
        self._comparisons = comparisons
        self._versions = versions
        self._home = descendants.home_of(data)
        self._play = play
        self._deaths_are_noted = False

    async def play_next(self) -> bool:
        """Play the comparison whose turn it is to its end; tell whether there was one. Raises OSError and `BadStore`.

        One that is cancelled here goes on the next time.
        """
        if not self._deaths_are_noted:
            for died in await trio.to_thread.run_sync(self._comparisons.note_deaths):
                log.error("comparison_set_aside", bot=died.bot, comparison=died.number)
            self._deaths_are_noted = True
        comparison = await trio.to_thread.run_sync(self._comparisons.next)
        if comparison is None:
            return False
        numbers = (comparison.first, comparison.second)
        found = [self._versions.version(comparison.bot, number) for number in numbers]
        versions = [version for version in found if version is not None and version.command]
        folder = self._comparisons.folder(comparison)
        await trio.to_thread.run_sync(_make, folder)
        await trio.to_thread.run_sync(self._comparisons.begin, comparison)
        words = self._words(comparison, versions, folder)
        ended: Ended | None = None
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._until_cancelled, comparison, nursery.cancel_scope)
                ended = await self._play(words, folder, folder / LOG, self._home, GAME_SECONDS * comparison.games)
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._comparisons.stop, comparison)
        if ended is not None:
            await trio.to_thread.run_sync(self._note, comparison, ended, folder)
        return True

    async def _until_cancelled(self, comparison: Comparison, scope: trio.CancelScope) -> None:
        while (now := self._comparisons.comparison(comparison.bot, comparison.number)) is not None and now.is_left:
            await trio.sleep(LOOK_SECONDS)
        scope.cancel()

    def _words(self, comparison: Comparison, versions: list[Version], folder: Path) -> list[str]:
        players = [f"version-{one.number}={shlex.join(recipe.runnable(one.command))}" for one in versions]
        builds = [str((self._versions.folder(one) / BUILD).absolute()) for one in versions]
        return [
            *(sys.executable, "-P", "-m", "bots", "match", *players),
            *(word for build in builds for word in ("--folder", build)),
            *("--game", comparison.game, "--params", comparison.parameters.replace(" ", ",") or "-"),
            *("--games", str(comparison.games), "--budget", str(BUDGET_MS), "--concurrency", "1", "--sandbox"),
            *("--results", str(folder / RESULTS), "--records", str(folder / RECORDS), "--json", str(folder / REPORT)),
        ]

    def _note(self, comparison: Comparison, ended: Ended, folder: Path) -> None:
        names = {"bot": comparison.bot, "comparison": comparison.number}
        if ended.status == 0:
            report = decode((folder / REPORT).read_bytes(), type=Report)
            self._comparisons.end(comparison, report.players[0])
            log.info("comparison_ended", **names, score=report.players[0].score)
        else:
            reason = ended.fault or _last_line(folder / LOG) or f"exit status {ended.status}"
            self._comparisons.fail(comparison, reason)
            log.info("comparison_failed", **names, reason=reason)


def _make(folder: Path) -> None:
    folder.mkdir(0o700, parents=True, exist_ok=True)
    (folder / LOG).unlink(missing_ok=True)


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.is_file() else []
    said = [line.removeprefix("arena-bot: ") for line in lines if line.startswith("arena-bot: ")]
    return said[-1][:SENTENCE_CHARACTERS] if said else ""
