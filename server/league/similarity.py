"""Compares the active versions of all bots, when an organiser asks for it: a list for people to look at.

``arena-bot similar`` does the work, in a process of low priority. Its last report stays on the disk.
"""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import structlog
import trio

from server.league.submissions.steps import NICENESS
from server.league.submissions.versions import BUILD, Versions
from server.ops.typed_json import decode

log = structlog.get_logger()

FOLDER = "similarity"
"""Of the data directory, for the last report."""

REPORT, PLACES = "report.json", "report.html"
"""The list, and the page with the places side by side."""

PAIRS = 50
"""Pairs that are listed at most."""

SECONDS = 600.0
"""Longest that a comparison may take."""

FEWEST = 2
"""Versions that can be compared."""


class NotCompared(Exception):
    """Versions cannot be compared, or were not in time."""


class SimilarPair(msgspec.Struct, frozen=True):
    """Two bots, and the part of the smaller program that is found in the other one, too: 0 to 1."""

    one: str
    other: str
    part: float


class SimilarPairs(msgspec.Struct, frozen=True):
    """What is read of a report."""

    pairs: tuple[SimilarPair, ...]


class LastReport(NamedTuple):
    """The last report."""

    date: datetime
    pairs: tuple[SimilarPair, ...]


class Similarity:
    """The comparison of a data directory."""

    def __init__(self, data: Path, versions: Versions) -> None:
        """Take the versions that are compared."""
        self._folder = data / FOLDER
        self._versions = versions
        self._asked = trio.Event()
        self.is_running = False
        self.fault = ""
        """Why the last comparison has failed; empty where it has not."""

    def ask(self) -> None:
        """Begin a comparison, unless one is running."""
        self._asked.set()

    async def run(self) -> None:
        """Compare whenever somebody asks for it, until cancelled."""
        while True:
            await self._asked.wait()
            self.is_running = True
            try:
                await self._compare()
                self.fault = ""
            except (NotCompared, OSError) as error:
                self.fault = str(error)
            log.info("similarity_ended", error=self.fault)
            self.is_running = False
            self._asked = trio.Event()

    def last(self) -> LastReport | None:
        """Return the last report, if there is one; raises OSError."""
        path = self._folder / REPORT
        if not path.exists():
            return None
        date = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return LastReport(date, decode(path.read_bytes(), type=SimilarPairs).pairs)

    def places(self) -> bytes | None:
        """Return the page with the places side by side, if there is one; raises OSError."""
        path = self._folder / PLACES
        return path.read_bytes() if path.exists() else None

    async def _compare(self) -> None:
        """Compare; raises `NotCompared`, and OSError."""
        active = await trio.to_thread.run_sync(self._versions.active)
        if len(active) < FEWEST:
            raise NotCompared("there are no two bots with versions that play")
        self._folder.mkdir(0o700, exist_ok=True)
        programs = [f"{one.bot}={(self._versions.folder(one) / BUILD).absolute()}" for one in active]
        written = ("--json", str(self._folder / REPORT), "--html", str(self._folder / PLACES))
        words = (sys.executable, "-P", "-m", "bots", "similar", "--pairs", str(PAIRS), *written, *programs)
        with trio.move_on_after(SECONDS):
            done = await trio.run_process(
                ["nice", "-n", str(NICENESS), *words],
                stdin=subprocess.DEVNULL,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
            )
            if done.returncode != 0:
                said = done.stderr.decode(errors="replace").strip().removeprefix("arena-bot: ")
                raise NotCompared(f"the versions could not be compared: {said}")
            return
        raise NotCompared(f"it took more than {SECONDS:g} s")
