"""One source for rules and speed: copies of plain functions, bound to constants and, where asked, compiled.

The rules of a game are ordinary functions over integers that call each other, and read the constants of their
board, by global name. `specialise` copies such functions, binds the names to the constants of one board and
returns the copies: interpreted, so that they work for any board, or compiled by numba, so that they are fast.
The search is bound to a game's functions in the same way.

Compiled code is kept in the user's cache directory, in a folder whose name carries a digest of the engine's
sources: numba itself does not notice that a function which a cached one calls has changed.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

CACHE_FOLDERS_KEPT = 4
"""Cache folders of this many versions of the engine are kept, so that two checkouts do not evict each other."""


def popcount(bits: int) -> int:
    """Count the bits that are set in a number >= 0. Compiled to one machine instruction."""
    return bits.bit_count()


def specialise(
    functions: Iterable[Callable[..., Any]], label: str, constants: Mapping[str, Any], *, compile: bool
) -> SimpleNamespace:
    """Copy functions with their global names bound, and return constants and copies under their names.

    ``functions`` come in the order in which they call each other, callees first; a function may call itself.
    ``label`` tells this binding from others of the same functions (letters, digits and underscores): it becomes
    part of the copies' names, by which numba finds them in its disk cache. Copies that are compiled release the
    interpreter lock while they run.
    """
    bound: dict[str, Any] = dict(constants)
    for function in functions:
        assert isinstance(function, FunctionType)
        scope = {**function.__globals__, **bound}
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
        copy.__qualname__ = f"{function.__qualname__}_{label}"
        copy.__module__ = function.__module__
        copy.__doc__ = function.__doc__
        bound[function.__name__] = scope[function.__name__] = _jit(copy) if compile else copy
    return SimpleNamespace(**bound)


def can_compile() -> bool:
    """Tell whether numba compiles: not with ``NUMBA_DISABLE_JIT=1``, which runs everything interpreted."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def _jit(function: FunctionType) -> Any:
    # without reference counts for arrays a search is half as fast again; what is compiled may then make none
    return _numba().njit(nogil=True, _nrt=False, no_cfunc_wrapper=True, cache=_cache_folder() is not None)(function)


@cache
def _numba() -> Any:
    """Import numba with its cache folder set; only what compiles pays for the import."""
    import numba
    from numba.extending import intrinsic, overload

    folder = _cache_folder()
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)

    @intrinsic  # type: ignore[untyped-decorator]
    def count_bits(_context: Any, _bits: Any) -> Any:
        def generate(_ctx: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return numba.int64(numba.int64), generate

    @overload(popcount)
    def compiled_popcount(bits):  # type: ignore[no-untyped-def]  # numba compares the two signatures
        return lambda bits: count_bits(bits)

    return numba


@cache
def _cache_folder() -> Path | None:
    """Return the folder for this engine's compiled code, or None where none can be written."""
    home = os.environ.get("XDG_CACHE_HOME") or (Path.home() / ".cache")
    kernels = Path(home) / "gipf-arena" / "kernels"
    folder = kernels / _digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.touch()
        if not os.access(folder, os.W_OK):
            return None
        versions = sorted(kernels.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in versions[CACHE_FOLDERS_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return None
    return folder


def _digest() -> str:
    """Name this version of the engine's sources, of Python and of numba."""
    from importlib.metadata import version

    digest = hashlib.sha256(f"{sys.version} {version('numba')} {__file__}".encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
