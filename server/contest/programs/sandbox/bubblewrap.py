"""The command of bubblewrap that runs a program in a sandbox, and the environment of the program.

A sandboxed program has its own namespaces for users, processes, IPC, the network, host names and mounts, and no
capabilities. Its file system is read-only: the system's programs and libraries, this Python with the bots of this
distribution, and the files of its `View`. It may write to `SCRATCH`, which is bounded memory, and to the writable
folders of its `View`.

The files of /etc that programs need are shown in one mount of a copy, since each mount costs a sandbox a third of a
millisecond.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
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


@cache
def settings_copy() -> tempfile.TemporaryDirectory[str]:
    """Copy what programs need of /etc to a folder that lasts as long as this process; raises OSError."""
    copy = tempfile.TemporaryDirectory(prefix="arena-etc-")
    for path in sorted({path for name in NAMES for path in ETC.glob(name)}):
        to = Path(copy.name) / path.relative_to(ETC)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, to, symlinks=True, copy_function=_copy_file)
        else:
            _copy_file(str(path), str(to))
    return copy


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
    readable = outermost((*own_code(), *(path for path in view.readable if not is_shown(path))))
    words += [word for path in readable for word in ("--ro-bind", str(path), str(path))]
    # of this server's user; see `engine.compiling.code_cache`
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kernels = cache_home.absolute() / "gipf-arena" / "kernels"
    if kernels.is_dir():
        words += ["--ro-bind", str(kernels), KERNELS]
    words += [word for path in view.hidden for word in ("--tmpfs", str(path), "--remount-ro", str(path))]
    words += [word for path in view.writable for word in ("--bind", str(path), str(path))]
    if not is_shown(view.folder, *readable, *view.writable):
        words += ["--dir", str(view.folder)]
    words += ["--remount-ro", "/", "--chdir", str(view.folder)]
    words += ["--json-status-fd", str(given.status), "--block-fd", str(given.block), "--seccomp", str(given.filter)]
    return [*words, "--", *command]


def environment(server: Mapping[str, str], told: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program in a sandbox, with the language and the search path of the ``server``."""
    kept = {name: server[name] for name in _KEPT_VARIABLES if name in server}
    home = {"HOME": SCRATCH, "TMPDIR": SCRATCH, "ARENA_KERNELS": KERNELS}
    # arena-bot is found also where the server's own environment is not on the path
    places = (server.get("PATH", os.defpath), os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin")
    return {"LANG": "C.UTF-8", **kept, "PATH": os.pathsep.join(places), **home, **told}


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
    paths = [Path(place).absolute() for place in (sys.prefix, sys.base_prefix, *places)]
    return tuple(outermost(path for path in paths if not is_shown(path)))


def is_shown(path: Path, *more: Path) -> bool:
    """Tell whether a path is visible in every sandbox, or in a sandbox that shows ``more``."""
    return any(path.is_relative_to(place) for place in (*_WHOLE, *(f"/{name}" for name in _TOP), *map(str, more)))


@cache
def _system() -> tuple[str, ...]:
    """Return the options that show the system's programs, libraries, devices and processes."""
    words: list[str] = []
    for path in map(Path, (*_WHOLE, *(f"/{name}" for name in _TOP))):
        if path.is_symlink() and str(path) not in _WHOLE:
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--ro-bind", settings_copy().name, str(ETC)]
    shared = ("--size", str(SHARED_MEGABYTES * MEGABYTE), "--tmpfs", "/dev/shm")
    words += ["--dev", "/dev", *shared, "--remount-ro", "/dev"]
    # root may change settings of the kernel there, capabilities or not
    return (*words, "--proc", "/proc", "--remount-ro", "/proc")
