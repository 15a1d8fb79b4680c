"""The disk cache of compiled code: a folder for each binding, in the user's cache directory.

numba identifies compiled code by the name and the source file of a function. It does not notice that a function or
constant has changed which the function uses. So the name of a folder is a digest of everything that the code of a
binding depends on: bytecode, values of global names, versions of Python and numba, and the processor. Other changes
leave it valid.

Each file begins with a digest of its content. A file whose digest is wrong counts as missing, so its code is compiled
again.

The variable `KERNELS_VARIABLE` names a second folder of such folders, to read from only: programs in a sandbox have no
cache directory that outlives them.
"""

import hashlib
import os
import platform
import sys
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, BinaryIO

from engine import system

MAKERS = "binding.py", "pipelines.py", "wide_integers.py", "wide_lowering.py"
"""Modules in this folder that determine the compiled code."""

KERNELS_VARIABLE = "ARENA_KERNELS"
"""Environment variable with a second folder to read from."""

DIGEST_BYTES = 32
"""Length of the digest at the beginning of each file: SHA-256."""

LOCK = "lock"
"""File in each folder that a process locks while it compiles."""

MAX_WAIT_SECONDS = 60.0
"""Longest wait for a lock. Its holder may have been stopped; then two processes compile the same, which is harmless."""

MAX_UNUSED_SECONDS = 30 * 86_400.0
"""Folders that were not used for so long are deleted."""

POLL_SECONDS = 0.02
"""Time between two attempts to get a lock."""

_held: set[Path] = set()
"""Folders that this process has locked, or has waited for in vain; guarded by numba's lock, under which it compiles."""


def fingerprint(function: FunctionType, scope: Mapping[str, Any]) -> str:
    """Return a digest of a function: its module, its bytecode, its defaults, and the globals that it reads.

    A global function with a ``fingerprint`` of `engine.compiling.binding.specialise` counts with it.
    """
    digest = hashlib.sha256()
    for part in (function.__module__, *_parts(function.__code__, scope), _defaults(function)):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _parts(code: CodeType, scope: Mapping[str, Any]) -> Iterable[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant, scope)
        else:
            yield repr(sorted(constant) if isinstance(constant, frozenset) else constant)
    for name in code.co_names:
        if name in scope:
            yield f"{name} {_meaning(scope[name])}"


def _defaults(function: FunctionType) -> str:
    """Describe the defaults of a function."""
    return " ".join(map(_meaning, function.__defaults__ or ()))


def _meaning(value: Any) -> str:
    """Describe the value of a global name."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        return vars(value).get("fingerprint") or " ".join((*_parts(value.__code__, {}), _defaults(value)))
    if isinstance(value, type):
        return f"{value.__qualname__} {getattr(value, '_fields', ())}"
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, array):
        return f"{value.typecode} {value.tobytes().hex()}"
    return f"{value.dtype} {value.shape} {value.tobytes().hex()}" if hasattr(value, "tobytes") else repr(value)


def folder_of(fingerprints: Iterable[str]) -> Path | None:
    """Return the folder for the compiled code of functions with these digests, or None if it cannot be written."""
    folder = home() / "kernels" / hashlib.sha256(" ".join((_tools(), *fingerprints)).encode()).hexdigest()[:20]
    with suppress(OSError):
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            os.utime(folder)  # the time of its last use
            if is_new:
                _remove_unused(folder)
            return folder
    return None


def _remove_unused(newest: Path) -> None:
    """Delete the folders beside a new one that were not used for `MAX_UNUSED_SECONDS`: their sources have changed."""
    import shutil  # few processes store compiled code

    oldest = newest.stat().st_mtime - MAX_UNUSED_SECONDS
    for other in newest.parent.iterdir():
        with suppress(FileNotFoundError):  # another process deletes the same
            if other.stat().st_mtime < oldest:
                shutil.rmtree(other, ignore_errors=True)


def read(folder: Path, name: str) -> bytes | None:
    """Return the content of a file from the folder, else from the second folder; None if it is damaged or missing."""
    for kernels in (folder.parent, os.environ.get(KERNELS_VARIABLE)):
        if kernels is not None:
            with suppress(OSError):
                data = Path(kernels, folder.name, name).read_bytes()
                digest, content = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
                if hashlib.sha256(content).digest() == digest:
                    return content
    return None


def write(folder: Path, name: str, content: bytes) -> None:
    """Write a file; raises OSError. An incomplete file counts as missing."""
    (folder / name).write_bytes(hashlib.sha256(content).digest() + content)


def mark_complete(folder: Path, purpose: str, names: Iterable[str]) -> None:
    """Write the names of all files for a purpose; raises OSError."""
    write(folder, purpose, "\n".join(sorted(names)).encode())


def is_complete(folder: Path, purpose: str) -> bool:
    """Tell whether all files for a purpose exist."""
    names = read(folder, purpose)
    return names is not None and all(read(folder, name) is not None for name in names.decode().split())


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder while the body runs. Without a lock after MAX_WAIT_SECONDS, the body runs, too.

    A process that has the lock enters at once. Bindings call each other in one direction only, so there is no deadlock.
    """
    if not system.can_lock() or folder in _held:
        yield
        return
    with ExitStack() as stack:
        is_locked = False
        with suppress(OSError):
            # programs in sandboxes may only read the folder: they cannot lock what they cannot open
            is_locked = _lock(
                stack.enter_context(open(folder / LOCK, "ab", opener=lambda path, flags: os.open(path, flags, 0o200)))
            )
        _held.add(folder)
        try:
            yield
        finally:
            if is_locked:
                _held.remove(folder)


@contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder while the body runs, after a wait of any length; raises OSError."""
    with (folder / LOCK).open("ab") as file:
        system.lock(file, wait=True)
        yield


def _lock(file: BinaryIO) -> bool:
    """Lock a file within MAX_WAIT_SECONDS; tell whether it is locked. Closing the file unlocks it."""
    for _ in range(int(MAX_WAIT_SECONDS / POLL_SECONDS)):
        with suppress(BlockingIOError):
            system.lock(file)
            return True
        threading.Event().wait(POLL_SECONDS)
    return False


def home() -> Path:
    """Return the folder of this distribution in the user's cache directory. It may not exist yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or (Path.home() / ".cache")) / "gipf-arena"


@cache
def _tools() -> str:
    """Describe everything outside a binding that its code depends on: tools, sources, their path and the processor."""
    from importlib.metadata import version

    sources = hashlib.sha256(b"".join((Path(__file__).parent / name).read_bytes() for name in MAKERS)).hexdigest()
    return f"{sys.version} {version('numba')} {Path(__file__)} {sources} {_processor()}"


def _processor() -> str:
    """Describe the processor: numba compiles for all its instructions."""
    file = Path("/proc/cpuinfo")
    first = file.read_text(encoding="utf-8").partition("\n\n")[0] if file.exists() else ""  # the others are alike
    words = "model name", "flags", "Features", "CPU part"
    return "\n".join([platform.machine(), *(line for line in first.splitlines() if line.startswith(words))])
