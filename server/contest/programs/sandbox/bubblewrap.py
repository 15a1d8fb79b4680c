"""The command line of bubblewrap for a sandbox. Pure, except for looking at the system's folders.

What is inside has namespaces of its own for users, processes, IPC, the network, host names and mounts, and no
capabilities. Its file system is read-only: the system's programs and libraries, this Python with the bots of this
distribution, and what its `View` shows. It may write to `SCRATCH`, which is memory, and
bounded, and nowhere else unless its `View` says so.

What programs need of /etc is shown in one mount of a copy, since each mount of a sandbox costs it a third of a
millisecond. The copy is made anew when something has changed there. If none can be made, each file is a mount.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib import util
from pathlib import Path
from typing import NamedTuple

from server.contest.definition import Bounds
from server.contest.programs.sandbox.limits import MEGABYTE

NAMES = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld-musl-x86_64.path", "localtime", "timezone"),
    *("hosts", "host.conf", "nsswitch.conf", "protocols", "services", "ssl/openssl.cnf", "ssl/certs", "fonts"),
    *("java", "java-*", "jvm*", "node*", "mono", "R", "ghc", "perl", "python*"),
)
"""Of /etc, what programs and libraries need, and everybody may read."""

ETC = Path("/etc")

KEEP_SECONDS = 366 * 86_400.0
"""Age at which a copy is removed when another one is made: no server runs for so long."""


def system_settings(place: Path) -> tuple[str, ...]:
    """Return the words for bubblewrap that show them; the copy is made in this folder, made where it is missing."""
    found = sorted({path for name in NAMES for path in ETC.glob(name)})
    copy = place / f"etc-{_digest(found)}"
    try:
        if not copy.is_dir():
            _make(found, copy)
            for old in place.glob("etc-*"):
                if time.time() - old.stat().st_ctime > KEEP_SECONDS:
                    shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return tuple(word for path in found for word in ("--ro-bind", str(path), str(path)))
    return ("--ro-bind", str(copy), str(ETC))


def _digest(found: Iterable[Path]) -> str:
    """Return what tells these files and folders, as they are now, from others."""
    told = sha256()
    for path in found:
        for one in (path, *sorted(path.rglob("*"))):
            with suppress(OSError):
                times = f"{one.lstat().st_mtime_ns} {one.stat().st_mtime_ns} {one.stat().st_size}"
                told.update(f"{one} {times}\n".encode())
    return told.hexdigest()[:16]


def _make(found: Iterable[Path], copy: Path) -> None:
    """Make the copy, whole or not at all; raises OSError."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix="new-", dir=copy.parent))
    try:
        for path in found:
            to = new / path.relative_to(ETC)
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, to, symlinks=True, copy_function=_copy_file)
            else:
                _copy_file(str(path), str(to))
        new.rename(copy)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        if not copy.is_dir():  # another process has not made it meanwhile
            raise


def _copy_file(path: str, to: str) -> None:
    with suppress(PermissionError, FileNotFoundError):  # no program could read it, or a link leads nowhere
        shutil.copy(path, to)


PROGRAM = "bwrap"
"""Of bubblewrap."""

SCRATCH = "/tmp"
"""The scratch folder, home and working folder for files that are gone after the game."""

KERNELS = f"{SCRATCH}/.cache/gipf-arena/given"
"""Where compiled kernels of this server's user are seen, for `engine.compiling.code_cache` to begin with."""

SHARED_MEGABYTES = 16
"""Of /dev/shm, which semaphores of processes need: it is memory too."""

_ISOLATION = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "arena", "--cap-drop", "ALL"),
    "--die-with-parent",  # and who starts it gives it a session of its own, whose priority is lower
)

_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders of programs and libraries at the top, which are links into /usr on most systems."""

_WHOLE = ("/usr", "/opt", "/nix/store", "/gnu/store")
"""Where systems keep what is installed for everybody."""

MAX_PROGRAMS = 1000
"""Entrants of whom something is kept: no contest has more."""

_KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Of the server's environment, beside the path."""


class View(NamedTuple):
    """The files that a program sees in addition to those of the system. All paths are absolute."""

    folder: Path
    """The folder that it works in."""
    readable: tuple[Path, ...] = ()
    """Files and folders that it may read, at their own places; there have to be such."""
    hidden: tuple[Path, ...] = ()
    """Folders within those that it sees as empty ones."""
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


def sandboxed(command: Sequence[str], view: View, bounds: Bounds, given: Descriptors) -> list[str]:
    """Return the command that runs a command in a sandbox."""
    scratch = str(bounds.scratch * MEGABYTE)
    words = [PROGRAM, *_ISOLATION, *_system(), "--size", scratch, "--perms", "0700", "--tmpfs", SCRATCH]
    # what every sandbox shows is not mounted again: there, a link to /etc leads to nothing that could be mounted on
    more = [path for path in view.readable if not is_shown(path)]
    readable = outermost((*own_code(), *more))
    for path in readable:
        words += ["--ro-bind", str(path), str(path)]
    kernels = _kernels()
    if kernels.is_dir():
        words += ["--ro-bind", str(kernels), KERNELS]
    for path in view.hidden:
        words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for path in view.writable:
        words += ["--bind", str(path), str(path)]
    if not is_shown(view.folder, *readable, *view.writable):
        words += ["--dir", str(view.folder)]
    words += ["--remount-ro", "/", "--chdir", str(view.folder)]
    words += ["--json-status-fd", str(given.status), "--block-fd", str(given.block), "--seccomp", str(given.filter)]
    return [*words, "--", *command]


def environment(server: Mapping[str, str], told: Mapping[str, str], view: View) -> dict[str, str]:
    """Return the environment of a program in a sandbox: of the ``server``'s only language and path."""
    kept = {name: server[name] for name in _KEPT_VARIABLES if name in server}
    home = {"HOME": SCRATCH, "TMPDIR": SCRATCH, "ARENA_KERNELS": KERNELS}
    return {"LANG": "C.UTF-8", **kept, "PATH": path_of(server.get("PATH", os.defpath), view), **home, **told}


@lru_cache(MAX_PROGRAMS)  # the event loop asks for it before each game, and it takes most of a millisecond
def path_of(path: str, view: View) -> str:
    """Return the search path in a sandbox: the entries of the server's ``path`` that are visible there."""
    seen = (*(Path(place) for place in _WHOLE), *own_code(), *view.readable)
    known = [place for place in path.split(os.pathsep) if place]
    files = {path.parent for path in view.readable if path.is_file()}
    places = [
        place for place in known if Path(place) in files or any(Path(place).is_relative_to(path) for path in seen)
    ]
    # arena-bot is found also where the server's own environment is not on the path
    usual = (os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin")
    return os.pathsep.join(dict.fromkeys((*places, *usual)))


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
    places = [Path(sys.prefix), Path(sys.base_prefix)]
    for package in ("engine", "bots"):
        spec = util.find_spec(package)
        places += [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
    return tuple(outermost(path.absolute() for path in places if not is_shown(path.absolute())))


def is_shown(path: Path, *more: Path) -> bool:
    """Tell whether a path is visible in every sandbox, or in a sandbox that shows ``more``."""
    return any(path.is_relative_to(place) for place in (*_WHOLE, *(f"/{name}" for name in _TOP), *map(str, more)))


def _kernels() -> Path:
    """Return the folder of the user's compiled kernels; see `engine.compiling.code_cache`."""
    home = os.environ.get("XDG_CACHE_HOME") or (Path.home() / ".cache")
    return Path(home).absolute() / "gipf-arena" / "kernels"


@cache
def _system() -> tuple[str, ...]:
    """Return the options that show the system's programs, libraries, devices and processes."""
    words: list[str] = []
    for place in _WHOLE:
        if Path(place).is_dir():
            words += ["--ro-bind", place, place]
    for name in _TOP:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += system_settings(_kernels().parent)
    shared = ("--size", str(SHARED_MEGABYTES * MEGABYTE), "--tmpfs", "/dev/shm")
    words += ["--dev", "/dev", *shared, "--remount-ro", "/dev"]
    # root may change settings of the kernel there, capabilities or not
    return (*words, "--proc", "/proc", "--remount-ro", "/proc")
