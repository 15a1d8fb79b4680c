"""What is run for each step of a version: its build in a sandbox, the conformance test, and a short match.

All of it is offline, bounded, and of low priority. What a step prints goes into its log as it comes, so that the author
can watch.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import trio

from engine.games.catalogue import GAMES, USUAL_GAME
from server.config.process_settings import with_low_priority
from server.contest.definition import Bounds
from server.contest.programs.sandbox import bubblewrap
from server.contest.programs.sandbox.bubblewrap import View
from server.contest.programs.sandbox.process import Seal, Sealed, in_lasting_thread, start
from server.league.submissions import sealed_bot
from server.league.submissions.conformance_log import RESULTS
from server.league.submissions.versions import disk_use, unlock_tree
from server.ops import descendants

BUILD_SECONDS, CHECK_SECONDS, MATCH_SECONDS = 300, 900, 900
"""Longest that each step may take."""

BUILD_BOUNDS = Bounds(memory=2048, processes=512, open_files=4096, file_size=256, scratch=1024)
"""Of a build: compilers need more than bots."""

BUILD_MEGABYTES, BUILD_FILES, BUILD_PATH = 256, 5000, 500
"""Most that a build may leave in its folder: all together, files and folders, bytes of a path."""

LOOK_SECONDS = 0.2
"""How often to look at how much a build has written."""

LOG_BYTES = 256 * 1024
"""Most that a step prints on stderr, and on stdout, that is kept; what comes behind is dropped."""

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


TRIALS = (Trial(USUAL_GAME, GAMES[USUAL_GAME].default_parameters),)
"""The usual game in its usual variant."""


class Ended(NamedTuple):
    """How a step has ended."""

    status: int
    """Exit status; negative for a signal."""
    fault: str = ""
    """Why it was ended; empty where it has ended by itself."""


async def build(command: Sequence[str], folder: Path, log: Path, home: str) -> Ended:
    """Run the build of a bot in its folder, to which alone it may write. Raises `NotSealed` and OSError."""
    view = View(folder, (), (), (folder,))
    words = ("sh", "-c", 'exec "$@" >&2', "sh", *command)
    seal = Seal(view, BUILD_BOUNDS, BUILD_SECONDS, NICENESS)
    ended = await _sealed(words, seal, log, home, BUILD_SECONDS, partial(_too_large, folder))
    await trio.to_thread.run_sync(unlock_tree, folder)
    return ended._replace(fault=await trio.to_thread.run_sync(_too_large, folder) or ended.fault)


async def check(command: Sequence[str], folder: Path, log: Path, home: str, trial: Trial, after: str = "") -> Ended:
    """Run the conformance test with a bot that was built in a folder; raises OSError.

    Only the bot is in a sandbox: it reaches nothing of the test but its connections. The test goes on ``after`` the
    situation with this title. Its stdout is kept beside the log, too.
    """
    words = [
        *(sys.executable, "-P", "-m", "bots", "check", "--game", trial.game, *(("--after", after) if after else ())),
        *("--", sys.executable, "-P", "-m", sealed_bot.__name__, home, str(folder), *command),
    ]
    with trio.move_on_after(CHECK_SECONDS):
        async with trio.open_nursery() as nursery:
            run = _run(words, log, home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process = await nursery.start(run)
            nursery.start_soon(_keep, process.stdout, (log, log.with_suffix(RESULTS)))
            nursery.start_soon(_keep, process.stderr, (log,))
        return Ended(process.returncode)
    return Ended(-signal.SIGKILL, f"it took more than {CHECK_SECONDS:g} s")


async def qualify(name: str, command: Sequence[str], folder: Path, log: Path, home: str, trial: Trial) -> Ended:
    """Play a short match against the weakest bot, in sandboxes; a game lost by a fault of the bot is one too many.

    The exit status is that of ``arena-bot match --strict``. Raises OSError.
    """
    words = [
        *(sys.executable, "-P", "-m", "bots", "match", f"{name}={shlex.join(command)}", "random"),
        *("--game", trial.game, "--params", trial.parameters.replace(" ", ",") or "-", "--games", str(GAMES_PLAYED)),
        *("--budget", str(BUDGET_MS), "--concurrency", "1", "--sandbox", "--strict", "--folder", str(folder)),
    ]
    with log.open("ab") as file, trio.move_on_after(MATCH_SECONDS):
        done = await _run(words, log, home, stdout=file, stderr=file)()
        return Ended(done.returncode)
    return Ended(-signal.SIGKILL, f"the games took more than {MATCH_SECONDS:g} s")


def _run(words: Sequence[str], log: Path, home: str, **streams: Any) -> Callable[..., Any]:
    """Return what runs a program of this distribution outside of sandboxes, at a low priority."""
    return partial(
        trio.run_process,
        with_low_priority(NICENESS, *words),
        cwd=log.parent,  # not the author's folder: numba reads settings there, and they name code to load
        env={**os.environ, descendants.VARIABLE: descendants.marker(home)},
        stdin=subprocess.DEVNULL,
        check=False,
        start_new_session=True,
        **streams,
    )


async def _sealed(
    words: Sequence[str],
    seal: Seal,
    log: Path,
    home: str,
    seconds: float,
    fault: Callable[[], str],
) -> Ended:
    """Run a command in a sandbox, and end it as soon as ``fault`` returns a sentence. Its stderr goes into the log."""
    environment = bubblewrap.environment(os.environ, {descendants.VARIABLE: descendants.marker(home)}, seal.view)
    reads, writes = os.pipe()
    errors = trio.lowlevel.FdStream(reads)
    box: Sealed | None = None
    try:
        try:
            box = await in_lasting_thread(partial(start, words, environment, seal, None, None, writes, home))
        finally:
            os.close(writes)
        box.begin()
        return await _watched(box, errors, log, seconds, fault)
    finally:
        with trio.CancelScope(shield=True):
            await errors.aclose()
            if box is not None:
                box.kill()
                await trio.to_thread.run_sync(box.process.wait)
                for pipe in (box.process.stdin, box.process.stdout):
                    if pipe is not None:
                        pipe.close()
                box.close()


async def _watched(
    box: Sealed,
    errors: trio.lowlevel.FdStream,
    log: Path,
    seconds: float,
    fault: Callable[[], str],
) -> Ended:
    assert box.process.stdin is not None and box.process.stdout is not None
    box.process.stdin.close()
    why = f"it took more than {seconds:g} s"

    async def look(scope: trio.CancelScope) -> None:
        nonlocal why
        while not (found := await trio.to_thread.run_sync(fault)):
            await trio.sleep(LOOK_SECONDS)
        why = found
        scope.cancel()

    with trio.move_on_after(seconds) as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_keep, errors, (log,))
            async with trio.open_nursery() as looks:
                looks.start_soon(look, scope)
                await box.gone()
                looks.cancel_scope.cancel()
            status = box.status(await trio.to_thread.run_sync(box.process.wait))
            excess = box.excess(status)
            nursery.cancel_scope.deadline = trio.current_time() + 1  # what it has printed last is read
            return Ended(status, "" if excess is None else excess.sentence)
    return Ended(-signal.SIGKILL, why)


async def _keep(stream: trio.abc.ReceiveStream, paths: Sequence[Path]) -> None:
    """Append what comes to files, until its end."""
    left = LOG_BYTES
    async with stream:
        with ExitStack() as opened:
            files = [opened.enter_context(path.open("ab", buffering=0)) for path in paths]
            while data := await stream.receive_some(READ_BYTES):
                for file in files:
                    file.write(data[:left])
                left = max(0, left - len(data))


def _too_large(folder: Path) -> str:
    """Return a sentence where a build has left too much in its folder."""
    used = disk_use(folder)
    if used.size > BUILD_MEGABYTES << 20:
        return f"a build may leave {BUILD_MEGABYTES} MB in its folder"
    if used.longest > BUILD_PATH:
        return f"a build may leave paths of {BUILD_PATH} bytes in its folder"
    return f"a build may leave {BUILD_FILES} files in its folder" if used.entries > BUILD_FILES else ""
