"""The seal of a program: its sandbox and limits in a game, and why a machine cannot seal programs."""

import os
import subprocess
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import trio

from engine.system import NEEDS_LINUX
from server.contest.definition import Bounds, Definition, Sandbox
from server.contest.fixtures import Fixture
from server.contest.programs.sandbox import limits
from server.contest.programs.sandbox.bubblewrap import PROGRAM, Descriptors, View, sandboxed
from server.contest.programs.sandbox.cores import NICENESS
from server.contest.programs.sandbox.syscall_filter import filter_to_read
from server.contest.programs.sandbox.visible_files import view
from server.ops.logs import log


class Seal(NamedTuple):
    """What is put around a program."""

    view: View
    bounds: Bounds
    cpu_seconds: float
    """Processor time for the game."""
    niceness: int = NICENESS
    """How much higher its nice value is than the server's."""


TRIAL_SECONDS = 30.0
"""What making one sandbox may take."""

WITHOUT = (
    'write sandbox = "none" in the contest file: programs then run without a sandbox, '
    "with all rights of the server's user"
)
"""What to do where there is no sandbox."""


def seal_of(
    definition: Definition, fixture: Fixture, name: str, data: Path, start_seconds: float, *, pinned: bool
) -> Seal | None:
    """Return the sandbox of a player's program in a game; None if the contest file wants none.

    Raises `NotVisible`.
    """
    if definition.sandbox is Sandbox.NONE:
        return None
    _log_lacks()
    seconds = definition.bounds.cpu_seconds or _longest(definition, fixture, start_seconds, pinned=pinned)
    return Seal(view(definition, definition.entrant(name), data), definition.bounds, seconds)


def lacks() -> tuple[str, ...]:
    """Return a sentence about each limit of sealed programs that the kernel does not enforce on this machine."""
    why = limits.lack()
    return (f"The server measures memory and processor time of programs ten times a second: {why}.",) if why else ()


@cache
def _log_lacks() -> None:
    """Log the lacks once."""
    for lack in lacks():
        log.warning("sandbox_limit_missing", lack=lack)


def _longest(definition: Definition, fixture: Fixture, start_seconds: float, *, pinned: bool) -> float:
    """Return the processor time of a program that thinks during the whole of the longest game, in seconds."""
    control = definition.control(fixture)
    game = (2 * control.budget + definition.move_limit * control.increment) / 1_000_000
    return (start_seconds + game) * (1 if pinned else os.cpu_count() or 1)


def contest_obstacle(definition: Definition) -> str:
    """Return a sentence why a contest cannot begin on this machine; empty if it can. Takes a moment."""
    if definition.sandbox is Sandbox.NONE:
        return ""
    programs = definition.qualification is not None or any(not entrant.connects for entrant in definition.entrants)
    return sandbox_obstacle() if programs else ""


async def wait_until_sealable(
    definition: Definition,
    pause: Callable[[str, str], Awaitable[None]],
    is_over: Callable[[], Awaitable[bool]],
) -> None:
    """Wait until the programs of a contest can be sealed, if they should be, or it is over.

    Until then ``pause`` is called, and afterwards ``is_over`` each time.
    """
    while why := await trio.to_thread.run_sync(contest_obstacle, definition):
        await pause("no game can begin", why)
        if await is_over():
            return
        sandbox_obstacle.cache_clear()


@cache
def sandbox_obstacle() -> str:
    """Return a sentence why programs cannot be sealed on this machine, and what to do; empty if they can."""
    if not hasattr(os, "pidfd_open"):  # Linux alone has them
        return f"programs cannot be sealed: {NEEDS_LINUX}"
    try:
        refused = filter_to_read()
    except OSError as error:
        how = "install libseccomp (apt-get install libseccomp2)"
        return f"programs cannot be sealed: {error}; {how}, or {WITHOUT}"
    try:
        with open(os.devnull, "wb") as status, open(os.devnull, "rb") as block:  # it need not wait
            given = Descriptors(status.fileno(), block.fileno(), refused)
            done = subprocess.run(
                sandboxed(["true"], View(Path("/")), Bounds(), given),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                pass_fds=given,
                timeout=TRIAL_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        how = "install bubblewrap (apt-get install bubblewrap libseccomp2)"
        return f"programs cannot be sealed: {PROGRAM} does not run ({error}); {how}, or {WITHOUT}"
    finally:
        os.close(refused)
    if done.returncode == 0:
        return ""
    said = " ".join(done.stderr.decode(errors="replace").split()) or f"{PROGRAM} ended with status {done.returncode}"
    how = "let this user make user namespaces, and take bubblewrap 0.7 or later"
    return f"programs cannot be sealed: {said}; {how}, or {WITHOUT}"
