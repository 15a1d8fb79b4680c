"""One source for rules and speed: copies of plain functions, bound to constants and, where asked, compiled.

The rules of a game are ordinary functions over integers that call each other, and read the constants of their
board, by global name. `specialise` copies such functions, binds the names to the constants of one board and
returns the copies: interpreted, so that they work for any board, or compiled by numba, so that they are fast.
The search is bound to a game's functions in the same way.

Compiled code is kept on disk, as `engine.compiling.code_cache` says.
"""

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

from engine.compiling import code_cache as disk

_CACHE_DIR = threading.Lock()
"""Held from when numba is told where to keep compiled code until it has read that: threads compile at the same time."""


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
    copies = []
    for function in functions:
        assert isinstance(function, FunctionType)
        assert function.__closure__ is None, "a closure's cells belong to no digest, and numba cannot keep its code"
        scope = {**function.__globals__, **bound}
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__qualname__ = f"{function.__qualname__}_{label}"
        copy.__module__ = function.__module__
        copy.__doc__ = function.__doc__
        bound[function.__name__] = copy
        copies.append(copy)
    if compile:
        for copy in copies:
            vars(copy)["fingerprint"] = disk.fingerprint(copy, copy.__globals__)
        folder = disk.folder_of(vars(copy)["fingerprint"] for copy in copies)
        jitted: dict[str, Any] = {}
        for copy in copies:
            copy.__globals__.update(jitted)
            jitted[copy.__name__] = copy.__globals__[copy.__name__] = _jit(copy, folder)
        bound.update(jitted)
    else:
        for copy in copies:
            copy.__globals__[copy.__name__] = copy
    return SimpleNamespace(**bound)


def can_compile() -> bool:
    """Tell whether numba compiles: not with ``NUMBA_DISABLE_JIT=1``, which runs everything interpreted."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def _jit(function: FunctionType, folder: Path | None) -> Any:
    numba = _numba()
    # without reference counts for arrays a search is half as fast again; what is compiled may then make none
    with _CACHE_DIR:
        before = numba.config.CACHE_DIR
        try:
            if folder is not None:
                numba.config.CACHE_DIR = str(folder)
            return numba.njit(nogil=True, _nrt=False, no_cfunc_wrapper=True, cache=folder is not None)(function)
        finally:
            numba.config.CACHE_DIR = before


@cache
def _numba() -> Any:
    """Import numba; only what compiles pays for that."""
    import numba
    from numba.extending import intrinsic, overload

    @intrinsic  # type: ignore[untyped-decorator]
    def count_bits(_context: Any, _bits: Any) -> Any:
        def generate(_ctx: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return numba.int64(numba.int64), generate

    @overload(popcount)
    def compiled_popcount(bits):  # type: ignore[no-untyped-def]  # numba compares the two signatures
        return lambda bits: count_bits(bits)

    return numba
