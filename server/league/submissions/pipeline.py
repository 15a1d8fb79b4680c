"""Takes each version through its steps: unpack, build, conformance test, qualification.

Several versions are tried at once, of authors in turn. One is built, or plays, while another one takes the conformance
test, which waits most of its time. More cores of the machine allow more builds and games at once.

A fault of the machine is no fault of a bot: the step is tried again. A restarted server begins each interrupted step
again.

All steps are offline, bounded, and of low priority. The output of a step goes into its log as it comes, so that the
author can watch.
"""

import math
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import trio

from engine.games.catalogue import GAMES, USUAL_GAME
from engine.games.interface import Termination
from server.config.process_settings import with_low_priority
from server.contest.definition import Bounds
from server.contest.programs.sandbox.process import running
from server.contest.programs.sandbox.seal import SECRETS, Seal, VisibleFiles, sandbox_obstacle, sealed_environment
from server.league.submissions import sealed_bot, upload
from server.league.submissions.versions import (
    BUILD,
    CHECK_REPORT,
    LOG,
    UPLOAD,
    State,
    Version,
    Versions,
    disk_use,
    remove_tree,
    unlock_tree,
)
from server.ops import descendants
from server.ops.faults import machine_fault
from server.ops.logs import log
from server.ops.supervisor import pause_seconds
from server.ops.typed_json import decode
from server.storage.database import BadStore

BUILD_SECONDS, CHECK_SECONDS, MATCH_SECONDS = 300, 900, 900
"""Longest that each step may take."""

BUILD_BOUNDS = Bounds(memory=2048, processes=512, open_files=4096, file_size=256, scratch=1024)
"""Bounds of a build: compilers need more than bots."""

BUILD_MEGABYTES, BUILD_FILES, BUILD_PATH = 256, 5000, 500
"""Most that a build may leave in its folder: all together, files and folders, bytes of a path."""

MEASURE_SECONDS = 0.2
"""How often to look at how much a build has written."""

LOG_BYTES = 256 * 1024
"""Most bytes of the output of a step that are stored; the rest is dropped."""

READ_SECONDS = 1.0
"""Time to read the last output of a build."""

MAX_FAULT = 300
"""Characters of a log that stand in a sentence."""

READ_BYTES = 1 << 16

NICENESS = 10
"""How much higher the nice value is of all that tries a version: games go first."""

GAMES_PLAYED = 4
"""Games of the qualification."""

BUDGET_MS = 10_000
"""Time of a side for each of them."""


USUAL_VARIANT = (USUAL_GAME, GAMES[USUAL_GAME].default_parameters)
"""Game and parameters that each bot has to play."""


class Ended(NamedTuple):
    """How a step has ended."""

    status: int
    """Exit status; negative for a signal."""
    fault: str = ""
    """Why it was ended; empty where it has ended by itself."""


async def run_build(command: Sequence[str], folder: Path, log: Path, data: Path) -> Ended:
    """Run the build of a bot in its folder, to which alone it may write. Raises `NotSealed` and OSError.

    It sees nothing else of the data directory. Its output goes into the log. It is ended when it takes too long, or
    leaves too much in the folder.
    """
    words = ("sh", "-c", 'exec "$@" >&2', "sh", *command)
    seal = Seal(VisibleFiles(folder, (), (data,), (folder,)), BUILD_BOUNDS, BUILD_SECONDS, NICENESS)
    environment = sealed_environment(os.environ, {descendants.VARIABLE: descendants.marker(descendants.home_of(data))})
    ended, fault, deadline = None, "", trio.current_time() + BUILD_SECONDS
    reads, writes = os.pipe()
    async with trio.lowlevel.FdStream(reads) as errors:
        with open(writes, "wb") as printed:
            async with running(words, environment, seal, None, writes) as box, trio.open_nursery() as nursery:
                printed.close()
                assert box.process.stdin is not None
                box.process.stdin.close()
                nursery.start_soon(_keep, errors, log)
                while ended is None and not fault:
                    with trio.move_on_after(MEASURE_SECONDS):
                        ended = await box.end()
                    fault = await trio.to_thread.run_sync(_too_large, folder)
                    if ended is None and trio.current_time() >= deadline:
                        fault = fault or f"it took more than {BUILD_SECONDS:g} s"
                # what it has printed last is read
                nursery.cancel_scope.deadline = trio.current_time() + (READ_SECONDS if ended else 0)
    await trio.to_thread.run_sync(unlock_tree, folder)
    fault = await trio.to_thread.run_sync(_too_large, folder) or fault
    status, excess = ended or (-signal.SIGKILL, None)
    return Ended(status, fault or (excess.sentence if excess else ""))


async def run_check(command: Sequence[str], folder: Path, log: Path, data: Path, variant: tuple[str, str]) -> Ended:
    """Run the conformance test with a bot that was built in a folder; raises OSError.

    Only the bot is in a sandbox: it reaches nothing of the test but its connections. The results stand beside the log,
    in `CHECK_REPORT`.
    """
    return await _run(
        log,
        data,
        CHECK_SECONDS,
        *(sys.executable, "-P", "-m", "bots", "check", "--game", variant[0]),
        *("--json", str(log.with_name(CHECK_REPORT)), "--"),
        *(sys.executable, "-P", "-m", sealed_bot.__name__, str(folder), *command),
    )


async def run_match(
    name: str, command: Sequence[str], folder: Path, log: Path, data: Path, variant: tuple[str, str]
) -> Ended:
    """Play a short match against the weakest bot, in sandboxes; a game lost by a fault of the bot is one too many.

    The exit status is that of ``arena-bot match --strict``. Raises OSError.
    """
    return await _run(
        log,
        data,
        MATCH_SECONDS,
        *(sys.executable, "-P", "-m", "bots", "match", f"{name}={shlex.join(command)}", "random"),
        *("--game", variant[0], "--params", variant[1].replace(" ", ",") or "-", "--games", str(GAMES_PLAYED)),
        *("--budget", str(BUDGET_MS), "--concurrency", "1", "--sandbox", "--strict", "--folder", str(folder)),
    )


async def _run(log: Path, data: Path, seconds: float, *words: str) -> Ended:
    """Run a program of this distribution outside of sandboxes, at a low priority; its output goes into the log.

    Sandboxes that it makes show nothing of the data directory.
    """
    run = partial(
        trio.run_process,
        with_low_priority(NICENESS, *words),
        cwd=log.parent,  # not the author's folder: numba reads settings there, and they name code to load
        env={
            **os.environ,
            descendants.VARIABLE: descendants.marker(descendants.home_of(data)),
            SECRETS: str(data),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        start_new_session=True,
    )
    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            process = await nursery.start(run)
            nursery.start_soon(_keep, process.stdout, log)
        return Ended(process.returncode)
    return Ended(-signal.SIGKILL, f"it took more than {seconds:g} s")


async def _keep(stream: trio.abc.ReceiveStream, log: Path) -> None:
    """Append the data of a stream to a log, until its end."""
    left = LOG_BYTES
    async with stream:
        with log.open("ab", buffering=0) as file:
            while data := await stream.receive_some(READ_BYTES):
                file.write(data[:left])
                left = max(0, left - len(data))


def last_line(log: Path) -> str:
    """Return the last line of a log that has printable text."""
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    return "".join([line for line in lines if line.strip() and line.isprintable()][-1:]).strip()[:MAX_FAULT]


def first_fault(report: Path) -> str:
    """Return the first fault that a conformance test has found: the situation and the bot's action. Raises OSError."""
    for one in decode(report.read_bytes(), type=dict[str, Any])["situations"] if report.is_file() else []:
        if one["outcome"] == "failed":
            did = f"the bot: {one['did']}" if one.get("did") else one["reason"]
            return f"{one['title']}: {did}"[:MAX_FAULT]
    return ""


def _too_large(folder: Path) -> str:
    """Return a sentence where a build has left too much in its folder."""
    used = disk_use(folder)
    if used.size > BUILD_MEGABYTES << 20:
        return f"a build may leave {BUILD_MEGABYTES} MB in its folder"
    if used.longest > BUILD_PATH:
        return f"a build may leave paths of {BUILD_PATH} bytes in its folder"
    return f"a build may leave {BUILD_FILES} files in its folder" if used.entries > BUILD_FILES else ""


AT_ONCE = 3
"""Versions that a machine with few cores tries at once: one is built, one plays, one waits in its conformance test."""

CORES_OF_A_STEP = 4
"""Cores of a machine for each further version that is built, and that plays, at the same time."""

LOOK_SECONDS = 2.0
"""Seconds between two looks for new versions."""

NO_PROGRAM = 127
"""Exit status of a shell that has not found the program."""

NOT_PLAYED, AT_FAULT = 1, 5
"""Exit statuses of ``arena-bot match``: a game could not be played, and one was lost by a fault of the bot."""

TRIES = 3
"""Most matches of a qualification, where a bot loses on time on a busy machine."""


class Turns:
    """The order in which versions are tried. Its methods take `Versions.under_way`."""

    def __init__(self, at_once: int = 1) -> None:
        """Take how many versions are tried at the same time."""
        self._at_once = at_once
        self._tried: dict[int, int] = {}
        """The owners of the versions that are being tried, by version."""
        self._served: dict[int, int] = {}
        """The number of the last turn of each owner."""

    def begin(self, version: Version) -> None:
        """Note that a version is being tried."""
        self._tried[version.id] = version.owner
        self._served[version.owner] = max(self._served.values(), default=0) + 1

    def end(self, version: Version) -> None:
        """Note that a version is tried no more."""
        del self._tried[version.id]

    def next(self, under_way: Sequence[Version]) -> Version | None:
        """Return the version to begin with now; None where there is none, or enough are being tried."""
        if len(self._tried) >= self._at_once:
            return None
        busy = set(self._tried.values())
        free = [one for one in under_way if one.owner not in busy]
        return min(free, key=lambda one: (one.state == "waiting", self._served.get(one.owner, 0), one.id), default=None)


class Pipeline:
    """The steps of all versions of a data directory."""

    def __init__(
        self, versions: Versions, data: Path, variant: tuple[str, str] = USUAL_VARIANT, *, cores: int = 1
    ) -> None:
        """Take the game that every bot has to play, and the number of the machine's cores."""
        self.turns = Turns(max(AT_ONCE, cores // CORES_OF_A_STEP))
        self._builds = trio.CapacityLimiter(max(1, cores // CORES_OF_A_STEP))
        self._games = trio.CapacityLimiter(max(1, cores // CORES_OF_A_STEP))
        self._failures = 0
        self._paused_until = -math.inf
        self._changed = trio.Event()
        self._versions = versions
        self._data = data.resolve()
        self._variant = variant

    async def run(self, cleaned: trio.Event | None = None) -> None:
        """Take versions through their steps until cancelled. Raises `BadStore`.

        ``cleaned`` is set when the programs of an earlier server have ended: the clean-up would end a build, too.
        """
        if cleaned is not None:
            await cleaned.wait()
        async with trio.open_nursery() as nursery:
            while True:
                self._changed = trio.Event()
                if trio.current_time() >= self._paused_until:
                    under_way = self._versions.under_way()
                    while (version := self.turns.next(under_way)) is not None:
                        self.turns.begin(version)
                        nursery.start_soon(self._try, version)
                with trio.move_on_after(LOOK_SECONDS):
                    await self._changed.wait()

    async def _try(self, version: Version) -> None:
        """Take a version through its steps, and make room for the next one.

        After a fault of the machine no version begins for a while, for longer each time.
        """
        try:
            if why := await trio.to_thread.run_sync(sandbox_obstacle):
                raise OSError(why)
            await self._take(version)
            self._failures = 0
        except* (OSError, BadStore, RuntimeError) as group:
            first: BaseException = group
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            self._failures += 1
            self._paused_until = trio.current_time() + pause_seconds(self._failures)
            log.error(
                "submission_paused",
                error=str(first),
                failures=self._failures,
                # a fault of the server's own code
                exc_info=isinstance(first, RuntimeError) and not machine_fault(first),
            )
        finally:
            self.turns.end(version)
            self._changed.set()

    async def _take(self, version: Version) -> None:
        try:
            await self._pass(version)
        except upload.BadUpload as error:
            await trio.to_thread.run_sync(self._versions.refuse, version, str(error))
            log.info("submission_refused", bot=version.bot, version=version.number, reason=str(error))
        else:
            await trio.to_thread.run_sync(self._versions.accept, version)
            log.info("submission_accepted", bot=version.bot, version=version.number)

    async def _pass(self, version: Version) -> None:
        """Take a version through its steps, from the interrupted one on. Raises `BadUpload`."""
        place = self._versions.folder(version)
        folder, output, report = place / BUILD, place / LOG, place / CHECK_REPORT
        is_built = version.state in ("checking", "qualifying") and folder.is_dir()
        start = version.command if is_built else await self._build(version, place)
        runs = upload.runnable(start)
        if not is_built or version.state == "checking":
            await self._begin(version, "checking", start)
            report.unlink(missing_ok=True)
            ended = await run_check(runs, folder, output, self._data, self._variant)
            _judge(ended, "the conformance test found something", first_fault(report))
        await self._begin(version, "qualifying")
        for _ in range(TRIES):
            async with self._games:
                ended = await run_match(version.bot, runs, folder, output, self._data, self._variant)
            found = last_line(output) if ended.status in (NOT_PLAYED, AT_FAULT) else ""
            is_late = ended.status == AT_FAULT and f": {Termination.TIME}: " in found
            if not is_late or os.getloadavg()[0] <= (os.cpu_count() or 1):
                break  # else the machine may have lacked the time
        _judge(ended, "it has not passed the qualification", found)

    async def _build(self, version: Version, place: Path) -> tuple[str, ...]:
        """Unpack and build a version, and return the command that starts it."""
        folder = place / BUILD
        (place / LOG).unlink(missing_ok=True)
        await self._begin(version, "building")
        try:
            written = await trio.to_thread.run_sync(_unpack, place, version.file)
            if command := upload.build_command(folder):
                async with self._builds:
                    ended = await run_build(command, folder, place / LOG, self._data)
                missing = f"this server has no {command[0]}" if ended.status == NO_PROGRAM else ""
                _judge(ended, f"the build ({' '.join(command)}) failed", missing)
            start = written or upload.start_command(folder)
        except OSError as error:
            if machine_fault(error):
                raise
            raise upload.BadUpload(f"its files cannot be used: {error.strerror}") from None
        await trio.to_thread.run_sync(os.sync)  # after a power cut nobody plays half of a build
        return start

    async def _begin(self, version: Version, state: State, command: Sequence[str] = ()) -> None:
        """Begin a step, and its part of the log."""
        with (self._versions.folder(version) / LOG).open("a") as file:
            file.write(f"== {state}\n")
        await trio.to_thread.run_sync(self._versions.go_on, version, state, command)


def _unpack(place: Path, name: str) -> tuple[str, ...]:
    """Unpack an upload, and return the start command that its author has written; empty if there is none.

    The build may replace the file of the command by a link to any file of the server, so it is read before.
    """
    folder = place / BUILD
    remove_tree(folder)
    folder.mkdir()
    upload.unpack((place / UPLOAD).read_bytes(), name, folder)
    return upload.written_command(folder)


def _judge(ended: Ended, sentence: str, found: str = "") -> None:
    """Raise `BadUpload` unless a step has ended well; ``found`` is a fault from its log, if there is one."""
    if ended.fault or ended.status != 0:
        status = f"exit status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        raise upload.BadUpload(f"{sentence}: {ended.fault or found or status}")
