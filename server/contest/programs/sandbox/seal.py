"""The seal of a program: its sandbox and limits in a game, its visible files, and why a machine cannot seal programs.

A program sees its own files, and no files of other entrants or the server. Its own files are the `folder` that the
contest file gives it. Without that key they are the files that its command names: a file or folder below the folder of
the contest file, with all of a file's folder unless that is the folder of the contest file itself, or another entrant
names something else in it. Elsewhere they are the files that are named. A program of the search path brings the files
that belong to it.

A sandboxed program has its own namespaces for users, processes, IPC, the network, host names and mounts, and no
capabilities. Its file system is read-only: the system's programs and libraries, this Python with the bots of this
distribution, and its `VisibleFiles`. It may write to `SCRATCH`, which is bounded memory, and to the writable folders
of its `VisibleFiles`.

Authors control the content of these folders. No link in them is followed here: in the sandbox it leads to a file that
the program sees there.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import util
from pathlib import Path
from typing import NamedTuple

from engine.system import NEEDS_LINUX
from server.contest.definition import Bounds, Definition, Entrant, Sandbox
from server.contest.fixtures import Fixture
from server.contest.programs.sandbox.cores import NICENESS
from server.contest.programs.sandbox.limits import MEGABYTE
from server.contest.programs.sandbox.syscall_filter import filter_to_read

NAMES = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld-musl-x86_64.path", "localtime", "timezone"),
    *("hosts", "host.conf", "nsswitch.conf", "protocols", "services", "ssl/openssl.cnf", "ssl/certs", "fonts"),
    *("java", "java-*", "jvm*", "node*", "mono", "R", "ghc", "perl", "python*"),
)
"""Files of /etc that programs and libraries need, and everybody may read."""

ETC = Path("/etc")


@cache
def settings_copy() -> Path:
    """Copy what programs need of /etc to a folder that lasts as long as this process; raises OSError.

    To mount each file in each sandbox would cost a program 4 ms, and a contest of quick games a twentieth of its speed.
    Threads that ask at the same time may make two copies. Both stay: each may be in use.
    """
    copy = Path(tempfile.mkdtemp(prefix="arena-etc-"))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    # -H follows a link that is named, and no other; a file that no program could read is left out
    subprocess.run(
        ["cp", "-RH", "--parents", *sorted({path.relative_to(ETC) for name in NAMES for path in ETC.glob(name)}), copy],
        cwd=ETC,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return copy


PROGRAM = "bwrap"
"""The program of bubblewrap."""

SCRATCH = "/tmp"
"""The scratch folder, home and working folder for files that are gone after the game."""

KERNELS = f"{SCRATCH}/.cache/gipf-arena/given"
"""Where compiled kernels of this server's user are seen, for `engine.compiling.code_cache` to begin with."""

SHARED_MEGABYTES = 16
"""Size of /dev/shm, which semaphores of processes need: it is memory too."""

_ISOLATION = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "arena", "--cap-drop", "ALL"),
    "--die-with-parent",  # and who starts it gives it a session of its own, whose priority is lower
)

_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders of programs and libraries at the top, which are links into /usr on most systems."""

_WHOLE = ("/usr", "/opt", "/nix/store", "/gnu/store")
"""Where systems keep what is installed for everybody."""

_KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Variables that a program has from the server's environment, beside the path."""


SECRETS = "ARENA_SECRETS"
"""Environment variable with folders that no sandbox of a process shows: the data directory of the server behind it."""

SECRET_FOLDERS = {Path(folder) for folder in os.environ.get(SECRETS, "").split(os.pathsep) if folder}
"""Folders that no sandbox of this process shows."""


class VisibleFiles(NamedTuple):
    """The files that a program sees in addition to those of the system. All paths are absolute."""

    folder: Path
    """The folder that it works in."""
    readable: tuple[Path, ...] = ()
    """Files and folders that it may read, at their own places; there have to be such."""
    hidden: tuple[Path, ...] = ()
    """Folders that are empty wherever it sees them, except for what is readable in them by its own path."""
    writable: tuple[Path, ...] = ()
    """Folders that it may write to, which a build does; there have to be such. Nothing bounds what it writes there."""


class Descriptors(NamedTuple):
    """Descriptors that bubblewrap writes to and reads from."""

    status: int
    """It writes lines of JSON there, with the number of the sandbox's first process and with the exit status."""
    block: int
    """It reads a byte there before the program begins."""
    filter: int
    """It reads the filter of `server.contest.programs.sandbox.syscall_filter` there."""


def sandboxed(command: Sequence[str], view: VisibleFiles, bounds: Bounds, given: Descriptors) -> list[str]:
    """Return the command that runs a command in a sandbox."""
    words = [PROGRAM, *_ISOLATION, *_system(), "--size", str(bounds.scratch * MEGABYTE)]
    words += ["--perms", "0700", "--tmpfs", SCRATCH]
    # what every sandbox shows is not mounted again: there, a link to /etc leads to nothing that could be mounted on
    readable = outermost(path for path in (*own_code(), *view.readable) if not is_shown(path))
    words += [word for path in readable for word in ("--ro-bind", str(path), str(path))]
    # of this server's user; see `engine.compiling.code_cache`
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if (kernels := cache_home.absolute() / "gipf-arena" / "kernels").is_dir():
        words += ["--ro-bind", str(kernels), KERNELS]
    shown = [(path, path.resolve()) for path in (*map(Path, _WHOLE), *readable)]
    hidden = {
        path / real.relative_to(source)  # the same files, by their path in the sandbox
        for real in (folder.resolve() for folder in {*view.hidden, *SECRET_FOLDERS} if folder.is_dir())
        for path, source in shown
        if str(real).startswith(str(source)) and real.is_relative_to(source)  # the first one is much faster
    }
    within = {path for path in (*own_code(), *view.readable) if any(path.is_relative_to(folder) for folder in hidden)}
    words += [
        word
        for path in sorted({*hidden, *within})
        for word in (("--ro-bind", str(path), str(path)) if path in within else ("--tmpfs", str(path)))
    ]
    words += [word for path in view.writable for word in ("--bind", str(path), str(path))]
    words += ["--dir", str(view.folder)]  # there may be no file in it that the program sees
    words += [word for path in (*sorted(hidden), Path("/")) for word in ("--remount-ro", str(path))]
    words += ["--chdir", str(view.folder), "--json-status-fd", str(given.status)]
    return [*words, "--block-fd", str(given.block), "--seccomp", str(given.filter), "--", *command]


def sealed_environment(server: Mapping[str, str], told: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program in a sandbox, with the language and the search path of the ``server``."""
    # arena-bot is found also where the server's own environment is not on the path
    places = (server.get("PATH", os.defpath), str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")
    own = {"PATH": os.pathsep.join(places), "HOME": SCRATCH, "TMPDIR": SCRATCH, "ARENA_KERNELS": KERNELS}
    return {"LANG": "C.UTF-8", **{name: server[name] for name in _KEPT_VARIABLES if name in server}, **own, **told}


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Return paths without those inside of others, each once, in order."""
    found: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(other) for other in found):
            found.append(path)
    return found


@cache
def own_code() -> tuple[Path, ...]:
    """Return the folders of this Python, and of the packages of this distribution that a bot uses."""
    packages = filter(None, map(util.find_spec, ("engine", "bots")))
    places = (place for package in packages for place in package.submodule_search_locations or ())
    return tuple(outermost(Path(place).absolute() for place in (sys.prefix, sys.base_prefix, *places)))


def is_shown(path: Path, *more: Path) -> bool:
    """Tell whether a path is visible in every sandbox, or in a sandbox that shows ``more``."""
    return any(path.is_relative_to(place) for place in (*_WHOLE, *(f"/{name}" for name in _TOP), *map(str, more)))


@cache
def _system() -> tuple[str, ...]:
    """Return the options that show the system's programs, libraries, devices and processes."""
    words: list[str] = []
    for path in (Path("/", name) for name in (*_WHOLE, *_TOP)):
        if path.is_symlink() and str(path) not in _WHOLE:
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--ro-bind", str(settings_copy()), str(ETC)]
    shared = ("--size", str(SHARED_MEGABYTES * MEGABYTE), "--tmpfs", "/dev/shm")
    words += ["--dev", "/dev", *shared, "--remount-ro", "/dev"]
    # root may change settings of the kernel there, capabilities or not
    return (*words, "--proc", "/proc", "--remount-ro", "/proc")


class Seal(NamedTuple):
    """The sandbox of a program, with its limits."""

    view: VisibleFiles
    bounds: Bounds
    cpu_seconds: float
    """Processor time for the game."""
    niceness: int = NICENESS
    """How much higher its nice value is than the server's."""


TRIAL_SECONDS = 30.0
"""Longest time to make a sandbox."""

WITHOUT = (
    'write sandbox = "none" in the contest file: programs then run without a sandbox, '
    "with all rights of the server's user"
)
"""Advice for a machine without sandboxes."""


def seal_of(definition: Definition, fixture: Fixture, name: str, data: Path, *, pinned: bool) -> Seal | None:
    """Return the sandbox of a player's program in a game; None if the contest file wants none.

    Without another bound, a program may think during the whole of the longest game. Raises `NotVisible`.
    """
    if definition.sandbox is Sandbox.NONE:
        return None
    budget, increment = definition.control(fixture)
    game_seconds = (2 * budget + definition.move_limit * increment) / 1_000_000
    longest = (definition.start_seconds + game_seconds) * (1 if pinned else os.cpu_count() or 1)
    bounds = definition.bounds
    return Seal(view(definition, definition.entrant(name), data), bounds, bounds.cpu_seconds or longest)


def contest_obstacle(definition: Definition) -> str:
    """Return a sentence why a contest cannot begin on this machine; empty if it can. Takes a moment."""
    programs = definition.qualification is not None or any(not entrant.connects for entrant in definition.entrants)
    return sandbox_obstacle() if programs and definition.sandbox is not Sandbox.NONE else ""


@cache
def sandbox_obstacle() -> str:
    """Return a sentence why programs cannot be sealed on this machine, and what to do; empty if they can."""
    if not hasattr(os, "pidfd_open"):  # Linux alone has them
        return f"programs cannot be sealed: {NEEDS_LINUX}"
    try:
        refused = filter_to_read()
    except OSError as error:
        return f"programs cannot be sealed: {error}; install libseccomp (apt-get install libseccomp2), or {WITHOUT}"
    try:
        with open(os.devnull, "wb") as status, open(os.devnull, "rb") as block:  # it need not wait
            given = Descriptors(status.fileno(), block.fileno(), refused)
            done = subprocess.run(
                sandboxed(["true"], VisibleFiles(Path("/")), Bounds(), given),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                pass_fds=given,
                timeout=TRIAL_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return (
            f"programs cannot be sealed: {PROGRAM} does not run ({error}); "
            f"install bubblewrap (apt-get install bubblewrap libseccomp2), or {WITHOUT}"
        )
    finally:
        os.close(refused)
    said = " ".join(done.stderr.decode(errors="replace").split()) or f"{PROGRAM} ended with status {done.returncode}"
    how = "let this user make user namespaces, and take bubblewrap 0.7 or later"
    return f"programs cannot be sealed: {said}; {how}, or {WITHOUT}" if done.returncode else ""


class NotVisible(Exception):
    """A program cannot be shown what it should see. ``str(error)`` says what, and why."""


def view(definition: Definition, entrant: Entrant | None, data: Path) -> VisibleFiles:
    """Return what the program of an entrant sees. A built-in bot (None) sees the server's code and ``visible``.

    ``data`` is the server's data directory, which nobody sees. Raises `NotVisible`.
    """
    base = Path(definition.folder or data).resolve()
    shared = tuple(
        path for place in definition.visible if (path := (base / Path(place).expanduser()).resolve()).exists()
    )
    if entrant is None:
        return VisibleFiles(base, shared)
    folder = _lexical(base, entrant.folder)
    if entrant.folder and not folder.is_dir():
        raise NotVisible(f"the folder of {entrant.name} is not there: {folder}")
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
    hidden = {secret, *(_lexical(base, other.folder) for other in definition.entrants if other.folder)} - {*own}
    return VisibleFiles(folder, (*own, *(path for path in shared if path not in hidden)), tuple(hidden))


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
    yield from (Path(found).absolute(), real)  # links may lead to it
    prefix = real.parent.parent
    # ~/.nvm/versions/node/v20 belongs to node, but neither ~ nor ~/.local to a program of theirs
    if (
        real.parent.name == "bin"
        and prefix not in (Path("/"), Path.home(), Path.home() / ".local")
        and any((prefix / name).is_dir() for name in ("lib", "lib64", "jmods", "pkg"))
    ):
        yield prefix
