"""Where compiled code is kept: a folder a binding, in the user's cache directory.

numba finds compiled code again by a function's name and source file, and does not notice that a function or
constant which it uses has changed. So the folder's name carries a digest of all that went into the binding: the
bytecode of its functions, and what the global names stand for that they read. A change anywhere else, in another
game for instance, leaves it valid.

Where the variable `GIVEN` names a folder of such folders, which may be read-only, one that is missing is copied from
there: programs in a sandbox have no cache directory that outlives them.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

FOLDERS_KEPT = 100
"""So many bindings are kept, the latest used: up to a megabyte each, and a variant of a game makes three."""


MAKERS = (
    "binding.py",
    "machine_code/object_code.py",
    "machine_code/object_writer.py",
    "wide_integers.py",
    "wide_lowering.py",
    "vector_lowering.py",
)
"""Modules in this folder on which it depends what is kept."""

GIVEN = "ARENA_KERNELS"
"""Environment variable with a folder to copy from."""


def fingerprint(function: FunctionType, scope: Mapping[str, Any]) -> str:
    """Return a digest of what a function does: of its bytecode and defaults, and of the globals it reads from a scope.

    Its module counts, too: numba's files name it. A global function that has a ``fingerprint`` of its own, as
    `engine.compiling.binding.specialise` gives it, counts with it.
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
            yield f"{name} {meaning(scope[name], _known)}"


def _defaults(function: FunctionType) -> str:
    """Describe what arguments that are left out stand for."""
    keywords = sorted((function.__kwdefaults__ or {}).items())
    return " ".join(meaning(value, _known) for value in (*(function.__defaults__ or ()), *keywords))


def _known(function: FunctionType) -> str:
    """Describe a function that another one calls."""
    if (known := vars(function).get("fingerprint")) is not None:
        return str(known)
    return " ".join((*_parts(function.__code__, {}), _defaults(function)))


def meaning(value: Any, of_function: Callable[[FunctionType], str]) -> str:
    """Describe what a global name stands for, a function as ``of_function`` does."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        return of_function(value)
    if isinstance(value, type):
        return f"{value.__qualname__} {getattr(value, '_fields', ())}"
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, array):
        return f"{value.typecode} {value.tobytes().hex()}"
    if hasattr(value, "tobytes"):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    return repr(value)


def folder_of(fingerprints: Iterable[str]) -> Path | None:
    """Return the folder for the compiled code of functions with these digests, or None where none can be written."""
    kernels = _kernels()
    if kernels is None:
        return None
    digest = hashlib.sha256(" ".join((_tools(), *fingerprints)).encode()).hexdigest()
    folder = kernels / digest[:20]
    try:
        if not folder.exists() and (given := os.environ.get(GIVEN)):
            _copy(Path(given) / folder.name, folder)
        folder.mkdir(exist_ok=True)
        folder.touch()
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _copy(given: Path, folder: Path) -> None:
    """Copy a folder that is there, as a whole or not at all: another process may do the same."""
    if given.is_dir():
        beside = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            shutil.copytree(given, beside, dirs_exist_ok=True)
            with suppress(OSError):  # the other one was faster
                beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def home() -> Path:
    """Return the folder of this distribution in the user's cache directory; nobody has made it yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or (Path.home() / ".cache")) / "gipf-arena"


@cache
def _kernels() -> Path | None:
    """Return the folder that holds all folders, rid of those that nobody has used for long; None where none can be."""
    kernels = home() / "kernels"
    try:
        kernels.mkdir(parents=True, exist_ok=True)
        by_use = sorted(kernels.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:  # also when another process clears up at the same time
        return kernels if kernels.is_dir() else None
    for old in by_use[FOLDERS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return kernels


@cache
def _tools() -> str:
    """Name what compiles, and where the sources lie: numba keeps their place in what it writes."""
    from importlib.metadata import version

    return f"{sys.version} {version('numba')} {Path(__file__)} {digest_of_files(MAKERS)}"


def digest_of_files(names: Iterable[str]) -> str:
    """Return a digest of modules beside this one."""
    return hashlib.sha256(b"".join((Path(__file__).parent / name).read_bytes() for name in names)).hexdigest()
