"""Takes each version through its steps: unpack, build, conformance test, qualification.

Some versions are tried at once, of authors in turn: one is built, or plays, while another takes the conformance test,
which waits most of its time. As many are built, and as many play, as there are cores for beside everything else.

What the machine lacks is no fault of a bot: the step is tried again. A version that was under way when the server died
begins the step that it was in again.
"""

import math
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import structlog
import trio

from engine.games.outcome import Termination
from server.contest.programs.sandbox.choice import sandbox_obstacle
from server.league.submissions import steps, upload
from server.league.submissions.steps import Ended, Trial
from server.league.submissions.upload import BadUpload, unpack
from server.league.submissions.versions import BUILD, CHECK_REPORT, LOGS, UPLOAD, State, Version, Versions, remove_tree
from server.ops import descendants
from server.ops.faults import machine_fault, pause_seconds
from server.storage.database import BadStore

REMEMBERED = 20
"""From so many versions that were tried last it is told how long the next ones take."""


class Outlook(NamedTuple):
    """What a version that waits has before it."""

    ahead: int
    """Versions whose turn comes before, those that are being tried not counted."""
    seconds: float | None
    """About so long until its turn, if these take as long as the last ones; None where none was tried yet."""


class Turns:
    """Whose turn it is. Its methods take the versions that are under way, as `Versions.under_way` lists them."""

    def __init__(self, at_once: int = 1) -> None:
        """Take how many versions are tried at the same time."""
        self.at_once = at_once
        self._tried: dict[int, int] = {}
        """The owners of the versions that are being tried, by version."""
        self._served: dict[int, int] = {}
        """The number of the last turn of each owner."""
        self._took: deque[float] = deque(maxlen=REMEMBERED)

    @property
    def tried(self) -> frozenset[int]:
        """The versions that are being tried."""
        return frozenset(self._tried)

    def begin(self, version: Version) -> None:
        """Note that a version is being tried."""
        self._tried[version.id] = version.owner
        self._served[version.owner] = max(self._served.values(), default=0) + 1

    def end(self, version: Version, seconds: float | None) -> None:
        """Note that a version is tried no more, and how long it took; None where it did not come to its end."""
        del self._tried[version.id]
        if seconds is not None:
            self._took.append(seconds)

    def next(self, under_way: Sequence[Version]) -> Version | None:
        """Return the version to begin with now; None where there is none, or enough are being tried."""
        if len(self._tried) >= self.at_once:
            return None
        busy = set(self._tried.values())
        return next((one for one in self.order(under_way) if one.owner not in busy), None)

    def order(self, under_way: Sequence[Version]) -> list[Version]:
        """Return the versions that are not being tried, in the order in which their turns come."""
        left = [one for one in under_way if one.id not in self._tried]
        served, found = dict(self._served), []
        turn = max(served.values(), default=0)
        while left:
            first = min(left, key=lambda one: (one.state == "waiting", served.get(one.owner, 0), one.id))
            left.remove(first)
            found.append(first)
            served[first.owner] = turn = turn + 1
        return found

    def outlook(self, under_way: Sequence[Version], version: Version) -> Outlook | None:
        """Return what a version has before it; None where it is being tried, or has been."""
        places = [one.id for one in self.order(under_way)]
        if version.id not in places:
            return None
        ahead = places.index(version.id)
        # those that are being tried are half done, on average
        seconds = mean(self._took) * (ahead + len(self._tried) / 2) / self.at_once if self._took else None
        return Outlook(ahead, seconds)


log = structlog.get_logger()

AT_ONCE = 3
"""So many versions are tried at once, on however small a machine: one is built, one plays, one is mostly waited for."""

CORES_OF_A_STEP = 4
"""For so many cores of a machine one more version is built, and one more plays, at the same time."""

LOOK_SECONDS = 2.0
"""How often to look whether a version has come."""

NO_PROGRAM = 127
"""Exit status of a shell that has not found the program."""

NOT_PLAYED, AT_FAULT = 1, 5
"""Exit statuses of ``arena-bot match``: a game could not be played, and one was lost by a fault of the bot."""


TRIES = 3
"""Most matches of a qualification, where a bot loses on time on a busy machine."""


class Pipeline:
    """The steps of all versions of a data directory."""

    def __init__(
        self,
        versions: Versions,
        turns: Turns,
        data: Path,
        trials: Sequence[Trial],
        *,
        cores: int = 1,
    ) -> None:
        """Take whose turn it is, and what every bot has to be able to play. ``cores`` are those of the machine."""
        self._turns = turns
        turns.at_once = max(AT_ONCE, cores // CORES_OF_A_STEP)
        self._builds = trio.CapacityLimiter(max(1, cores // CORES_OF_A_STEP))
        self._games = trio.CapacityLimiter(max(1, cores // CORES_OF_A_STEP))
        self._failures = 0
        self._paused_until = -math.inf
        self._changed = trio.Event()
        self._versions = versions
        self._home = descendants.home_of(data)
        self._trials = trials

    async def run(self) -> None:
        """Take versions through their steps until cancelled."""
        await trio.to_thread.run_sync(self._clear)
        async with trio.open_nursery() as nursery:
            while True:
                self._changed = trio.Event()
                if trio.current_time() >= self._paused_until:
                    with self._faults_noted():
                        await self._begin_some(nursery)
                with trio.move_on_after(LOOK_SECONDS):
                    await self._changed.wait()

    async def _begin_some(self, nursery: trio.Nursery) -> None:
        """Begin with the versions whose turn it is."""
        tried = self._turns.tried
        under_way = await trio.to_thread.run_sync(self._versions.under_way)
        left = [one for one in under_way if one.id not in tried]  # one may have come to its end meanwhile
        while (version := self._turns.next(left)) is not None:
            self._turns.begin(version)
            nursery.start_soon(self._try, version)

    async def _try(self, version: Version) -> None:
        """Take a version through its steps, and make room for the next one."""
        began, took = trio.current_time(), None
        try:
            with self._faults_noted():
                await self._take(version)
                took = trio.current_time() - began
                self._failures = 0
        finally:
            self._turns.end(version, took)
            self._changed.set()

    @contextmanager
    def _faults_noted(self) -> Iterator[None]:
        """Begin no version for a while after a fault of the machine, for longer each time."""
        try:
            yield
        except* (OSError, BadStore) as group:
            self._failures += 1
            log.error("submission_paused", error=_sentence(group), failures=self._failures)
            self._paused_until = trio.current_time() + pause_seconds(self._failures)

    def _clear(self) -> None:
        try:
            self._versions.remove_deleted()
        except (OSError, BadStore) as error:
            log.error("submission_files_left", error=str(error))

    async def _take(self, version: Version) -> None:
        why = await trio.to_thread.run_sync(sandbox_obstacle)
        if why:
            raise OSError(why)
        try:
            await self._pass(version)
        except BadUpload as error:
            await trio.to_thread.run_sync(self._versions.refuse, version, str(error))
            log.info("submission_refused", bot=version.bot, version=version.number, reason=str(error))
        except OSError:
            found = await trio.to_thread.run_sync(self._versions.version, version.bot, version.number)
            if found is None or found.state != "deleted":  # by an organiser, meanwhile
                raise
        else:
            await trio.to_thread.run_sync(self._versions.accept, version)
            log.info("submission_accepted", bot=version.bot, version=version.number)

    async def _pass(self, version: Version) -> None:
        """Take a version through its steps, from the one on in which an earlier server was killed."""
        place = self._versions.folder(version)
        folder, check, match = place / BUILD, place / "check.txt", place / "match.txt"
        report = place / CHECK_REPORT
        is_built = version.state in ("checking", "qualifying") and folder.is_dir()
        start = version.command if is_built else await self._build(version, place)
        runs = upload.runnable(start)
        if not is_built or version.state == "checking":
            await self._begin(version, "checking", check, report, command=start)
            for trial in self._trials:
                ended = await steps.check(runs, folder, check, self._home, trial)
                _judge(ended, "the conformance test found something", steps.first_fault(report))
        await self._begin(version, "qualifying", match)
        for trial in self._trials:
            for _ in range(TRIES):
                async with self._games:
                    ended = await steps.qualify(version.bot, runs, folder, match, self._home, trial)
                late = ended.status == AT_FAULT and f": {Termination.TIME}: " in steps.last_line(match)
                if not late or os.getloadavg()[0] <= (os.cpu_count() or 1):
                    break  # else the machine may have lacked the time
            if ended.status == NOT_PLAYED:
                _judge(ended, "its first games could not be played", steps.last_line(match))
            which = steps.last_line(match) if ended.status == AT_FAULT else ""
            _judge(ended, "it has lost a game of the qualification by a fault of its own", which)

    async def _build(self, version: Version, place: Path) -> tuple[str, ...]:
        """Unpack and build a version, and return the command that starts it."""
        folder = place / BUILD
        await self._begin(version, "building", *(place / f"{step}.txt" for step in LOGS), place / CHECK_REPORT)
        try:
            written = await trio.to_thread.run_sync(_unpack, place, version.file)
            command = upload.build_command(folder)
            if command:
                async with self._builds:
                    ended = await steps.build(command, folder, place / "build.txt", self._home)
                missing = f"this server has no {command[0]}" if ended.status == NO_PROGRAM else ""
                _judge(ended, f"the build ({' '.join(command)}) failed", missing)
            start = written or upload.start_command(folder)
        except OSError as error:
            if machine_fault(error):
                raise
            raise BadUpload(f"its files cannot be used: {error.strerror}") from None
        await trio.to_thread.run_sync(os.sync)  # after a power cut nobody plays half of what is said to be built
        return start

    async def _begin(self, version: Version, state: State, *files: Path, command: Sequence[str] = ()) -> None:
        """Begin a step, without the logs and results that a server that was killed has left."""
        for file in files:
            file.unlink(missing_ok=True)
        await trio.to_thread.run_sync(self._versions.go_on, version, state, command)


def _unpack(place: Path, name: str) -> tuple[str, ...]:
    """Unpack an upload anew, and return the command that its author has written down; nothing if there is none.

    That is read before the build, which may make a link to any file of the server out of it.
    """
    folder = place / BUILD
    if not (place / UPLOAD).is_file():
        raise BadUpload("what was sent is gone from the server; send it again")
    remove_tree(folder)
    folder.mkdir()
    unpack((place / UPLOAD).read_bytes(), name, folder)
    return upload.written_command(folder)


def _sentence(group: BaseExceptionGroup[OSError | BadStore]) -> str:
    """Return what has gone wrong first."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)


def _judge(ended: Ended, sentence: str, found: str = "") -> None:
    """Raise `BadUpload` unless a step has ended well; ``found`` is a fault from its log, if there is one."""
    if ended.fault or ended.status != 0:
        status = f"exit status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        raise BadUpload(f"{sentence}: {ended.fault or found or status}")
