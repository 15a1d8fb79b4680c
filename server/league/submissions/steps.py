"""What is run for each step of a version: its build in a sandbox, the conformance test, and a short match.

All of it is offline, bounded, and of low priority. What a step prints goes into its log as it comes, so that the author
can watch.
"""

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
from server.config.process_settings import with_low_priority
from server.contest.definition import Bounds
from server.contest.programs.sandbox import bubblewrap
from server.contest.programs.sandbox.bubblewrap import View
from server.contest.programs.sandbox.process import Seal, running
from server.league.submissions import sealed_bot
from server.league.submissions.versions import CHECK_REPORT, disk_use, unlock_tree
from server.ops import descendants
from server.ops.typed_json import decode

BUILD_SECONDS, CHECK_SECONDS, MATCH_SECONDS = 300, 900, 900
"""Longest that each step may take."""

BUILD_BOUNDS = Bounds(memory=2048, processes=512, open_files=4096, file_size=256, scratch=1024)
"""Of a build: compilers need more than bots."""

BUILD_MEGABYTES, BUILD_FILES, BUILD_PATH = 256, 5000, 500
"""Most that a build may leave in its folder: all together, files and folders, bytes of a path."""

LOOK_SECONDS = 0.2
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


class Trial(NamedTuple):
    """What a bot has to be able to play."""

    game: str
    parameters: str


TRIAL = Trial(USUAL_GAME, GAMES[USUAL_GAME].default_parameters)
"""The usual game in its usual variant."""


class Ended(NamedTuple):
    """How a step has ended."""

    status: int
    """Exit status; negative for a signal."""
    fault: str = ""
    """Why it was ended; empty where it has ended by itself."""


async def build(command: Sequence[str], folder: Path, log: Path, home: str) -> Ended:
    """Run the build of a bot in its folder, to which alone it may write. Raises `NotSealed` and OSError.

    Its output goes into the log. It is ended when it takes too long, or leaves too much in the folder.
    """
    words = ("sh", "-c", 'exec "$@" >&2', "sh", *command)
    seal = Seal(View(folder, (), (), (folder,)), BUILD_BOUNDS, BUILD_SECONDS, NICENESS)
    environment = bubblewrap.environment(os.environ, {descendants.VARIABLE: descendants.marker(home)}, seal.view)
    ended, fault, deadline = None, "", trio.current_time() + BUILD_SECONDS
    reads, writes = os.pipe()
    async with trio.lowlevel.FdStream(reads) as errors:
        with open(writes, "wb") as printed:
            made = running(words, environment, seal, None, writes, home)
            async with made as box, trio.open_nursery() as nursery:
                printed.close()
                assert box.process.stdin is not None
                box.process.stdin.close()
                nursery.start_soon(_keep, errors, log)
                while ended is None and not fault:
                    with trio.move_on_after(LOOK_SECONDS):
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


async def check(command: Sequence[str], folder: Path, log: Path, home: str, trial: Trial) -> Ended:
    """Run the conformance test with a bot that was built in a folder; raises OSError.

    Only the bot is in a sandbox: it reaches nothing of the test but its connections. The results stand beside the log,
    in `CHECK_REPORT`.
    """
    words = [
        *(sys.executable, "-P", "-m", "bots", "check", "--game", trial.game),
        *("--json", str(log.with_name(CHECK_REPORT)), "--"),
        *(sys.executable, "-P", "-m", sealed_bot.__name__, home, str(folder), *command),
    ]
    return await _run(words, log, home, CHECK_SECONDS)


async def qualify(name: str, command: Sequence[str], folder: Path, log: Path, home: str, trial: Trial) -> Ended:
    """Play a short match against the weakest bot, in sandboxes; a game lost by a fault of the bot is one too many.

    The exit status is that of ``arena-bot match --strict``. Raises OSError.
    """
    words = [
        *(sys.executable, "-P", "-m", "bots", "match", f"{name}={shlex.join(command)}", "random"),
        *("--game", trial.game, "--params", trial.parameters.replace(" ", ",") or "-", "--games", str(GAMES_PLAYED)),
        *("--budget", str(BUDGET_MS), "--concurrency", "1", "--sandbox", "--strict", "--folder", str(folder)),
    ]
    return await _run(words, log, home, MATCH_SECONDS)


async def _run(words: Sequence[str], log: Path, home: str, seconds: float) -> Ended:
    """Run a program of this distribution outside of sandboxes, at a low priority; its output goes into the log."""
    run = partial(
        trio.run_process,
        with_low_priority(NICENESS, *words),
        cwd=log.parent,  # not the author's folder: numba reads settings there, and they name code to load
        env={**os.environ, descendants.VARIABLE: descendants.marker(home)},
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
    found = decode(report.read_bytes(), type=dict[str, Any])["situations"] if report.is_file() else []
    for one in found:
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
