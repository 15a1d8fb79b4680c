"""The seal of a program: its sandbox and limits in a game, its visible files, and why a machine cannot seal programs.

A program sees its own files, and no files of other entrants or the server. Its own files are the `folder` that the
contest file gives it. Without that key they are the files that its command names: a file or folder below the folder of
the contest file, with all of a file's folder unless that is the folder of the contest file itself, or another entrant
names something else in it. Elsewhere they are the files that are named. A program of the search path brings the files
that belong to it.

Authors control the content of these folders. No link in them is followed here: in the sandbox it leads to a file that
the program sees there.
"""

import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import trio

from engine.system import NEEDS_LINUX
from server.contest.definition import Bounds, Definition, Entrant, Sandbox
from server.contest.fixtures import Fixture
from server.contest.programs.sandbox import limits
from server.contest.programs.sandbox.bubblewrap import PROGRAM, Descriptors, View, is_shown, own_code, sandboxed
from server.contest.programs.sandbox.cores import NICENESS
from server.contest.programs.sandbox.syscall_filter import filter_to_read


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
    for lack in lacks():
        limits.log_lack(lack)
    seconds = definition.bounds.cpu_seconds or _longest(definition, fixture, start_seconds, pinned=pinned)
    return Seal(view(definition, definition.entrant(name), data), definition.bounds, seconds)


def lacks() -> tuple[str, ...]:
    """Return a sentence about each limit of sealed programs that the kernel does not enforce on this machine."""
    why = limits.lack()
    return (f"The server measures memory and processor time of programs ten times a second: {why}.",) if why else ()


def _longest(definition: Definition, fixture: Fixture, start_seconds: float, *, pinned: bool) -> float:
    """Return the processor time of a program that thinks during the whole of the longest game, in seconds."""
    budget, increment = definition.control(fixture)
    seconds = start_seconds + (2 * budget + definition.move_limit * increment) / 1_000_000
    return seconds * (1 if pinned else os.cpu_count() or 1)


def contest_obstacle(definition: Definition) -> str:
    """Return a sentence why a contest cannot begin on this machine; empty if it can. Takes a moment."""
    programs = definition.qualification is not None or any(not entrant.connects for entrant in definition.entrants)
    return sandbox_obstacle() if programs and definition.sandbox is not Sandbox.NONE else ""


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


class NotVisible(Exception):
    """A program cannot be shown what it should see. ``str(error)`` says what, and why."""


def view(definition: Definition, entrant: Entrant | None, data: Path) -> View:
    """Return what the program of an entrant sees; that of a built-in bot (None) sees nothing but the server's own code.

    ``data`` is the server's data directory, which nobody sees. Raises `NotVisible`.
    """
    base = Path(definition.folder or data).resolve()
    shared = tuple(
        path for place in definition.visible if (path := (base / Path(place).expanduser()).resolve()).exists()
    )
    if entrant is None:
        return View(base, shared)
    folder = _lexical(base, entrant.folder)
    if entrant.folder and not folder.is_dir():
        raise NotVisible(f"the folder of {entrant.name} is not there: {folder}")
    others = [_lexical(base, other.folder) for other in definition.entrants if entrant.folder and other.folder]
    named = (folder,) if entrant.folder else tuple(_named(base, definition, entrant))
    for path in named:
        if path.resolve() != path:
            raise NotVisible(f"{path} of {entrant.name} is a link, or lies behind one; name the file or folder itself")
    own = (*named, *_installed(entrant.command))
    secret = data.resolve()
    # the server has put a version of a bot there, and gives its folder to no other entrant
    put = bool(entrant.folder) and (bool(entrant.version_of) or base == secret)
    if any(path.is_relative_to(secret) for path in (*own[put:], *shared)) or secret in own:
        raise NotVisible(f"{entrant.name} has its program in the server's data directory {secret}; move one of them")
    hidden = [
        path
        for path in (secret, *others)
        if path.is_dir() and any(path.is_relative_to(mine) and path != mine for mine in (*own, *shared))
    ]
    return View(folder, (*own, *shared), tuple(path for path in hidden if not folder.is_relative_to(path)))


def _named(base: Path, definition: Definition, entrant: Entrant) -> Iterable[Path]:
    """Return the files and folders that the command of an entrant names."""
    foreign = {
        path
        for other in definition.entrants
        if other is not entrant and not other.folder
        for path in _words(base, other.command)
    }
    for path in _words(base, entrant.command):
        if path.is_dir():
            if path.is_relative_to(base) and path != base:
                yield path
        elif (
            path.parent == base
            or not path.is_relative_to(base)
            or any(other.is_relative_to(path.parent) and other != path for other in foreign)
        ):
            yield path
        else:
            yield path.parent


def _words(base: Path, command: Iterable[str]) -> Iterable[Path]:
    """Return the files and folders that the words of a command name, but for those that every sandbox shows."""
    for word in command:
        if word and "\0" not in word and len(word) < 4096:
            path = _lexical(base, word)
            with suppress(OSError):  # a name that is too long for the file system is none
                if path.exists() and not is_shown(path, *own_code()):
                    yield path


def _lexical(base: Path, word: str) -> Path:
    """Return the path that a word names, seen from a folder, without following links."""
    return Path(os.path.normpath(base / word))


def _installed(command: tuple[str, ...]) -> Iterable[Path]:
    """Return what belongs to a program that stands in the search path, in a folder that not every sandbox shows."""
    found = None if "/" in command[0] else shutil.which(command[0])
    if found is None:
        return
    real = Path(found).resolve()
    if Path(found).absolute() != real:  # links lead to it
        yield Path(found).absolute()
    yield real
    prefix = real.parent.parent
    # ~/.nvm/versions/node/v20 belongs to node, but neither ~ nor ~/.local to a program of theirs
    if (
        real.parent.name == "bin"
        and prefix not in (Path("/"), Path.home(), Path.home() / ".local")
        and any((prefix / name).is_dir() for name in ("lib", "lib64", "jmods", "pkg"))
    ):
        yield prefix
