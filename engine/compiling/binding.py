"""One source for rules and speed: copies of plain functions, bound to constants and, where asked, compiled.

The rules of a game are ordinary functions over integers that call each other, and read the constants of their
board, by global name. `specialise` copies such functions with all that they call, binds the names to the constants of
one board and returns the copies: interpreted, so that they work for any board, or compiled by numba, so that they are
fast. The search is bound to a game's functions in the same way.

A name that has to be bound stands for `UNBOUND` in its module; what still does when a function that reads it is bound
is an error. Compiled code is kept on disk, as `engine.compiling.code_cache` says.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol, TypeVar, TypeVarTuple, cast, overload

from engine.compiling import code_cache as disk
from engine.compiling.compile_lock import compile_once

Functions = TypeVarTuple("Functions")
Bound = TypeVar("Bound")

_CACHE_DIR = threading.Lock()
"""Held from when numba is told where to keep compiled code until it has read that: threads compile at the same time."""


class Numbers(Protocol):
    """Numbers that functions read and write: a list or `array.array`; where they are compiled, an array of numpy's."""

    def __len__(self) -> int:
        """Return how many there are."""

    @overload
    def __getitem__(self, at: int, /) -> int: ...
    @overload
    def __getitem__(self, at: slice, /) -> "Numbers": ...

    def __setitem__(self, at: int, number: int, /) -> None:
        """Write a number."""

    def __iter__(self) -> Iterator[int]:
        """Yield all numbers."""


class NotBound(TypeError):
    """A function that cannot be bound. ``str(error)`` is a sentence that says why."""


class _Unbound:
    """The type of `UNBOUND`."""

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND: Any = _Unbound()
"""Stands for a constant or function that is bound later. Of any type, so that its name is declared with its own."""


def popcount(bits: int) -> int:
    """Count the bits that are set in a number >= 0. Compiled to one machine instruction."""
    return bits.bit_count()


def specialise(
    functions: tuple[*Functions], label: str, constants: Mapping[str, Any], *, compile: bool
) -> tuple[*Functions]:
    """Copy functions, and those that they call, with their global names bound, and return the copies of the former.

    A name that ``constants`` holds is bound to what stands there; a function of such a name is left out in its favour.
    A function may call itself, but no two functions each other. ``label`` tells this binding from others of the same
    functions (letters, digits and underscores): it becomes part of the copies' names, by which numba finds them in its
    disk cache. Copies that are compiled release the interpreter lock while they run. Raises `NotBound` for a name that
    stands for `UNBOUND`, and for a function that cannot be copied.
    """
    roots = [constants.get(cast(FunctionType, function).__name__, function) for function in functions]
    copies: dict[Any, Any] = {}
    for root in roots:
        _copy(root, label, constants, copies, ())
    if compile:
        _compile(copies)
    return cast(tuple[*Functions], tuple(copies.get(root, root) for root in roots))


def bind_fields(
    bound: type[Bound], modules: Sequence[ModuleType], label: str, constants: Mapping[str, Any], *, compile: bool
) -> Bound:
    """Return an object of a dataclass that has bound functions and constants, and ``label``, for its fields.

    A field is filled with the constant of its name, or with the function of its name that one of the modules has, as
    `specialise` binds it. Raises TypeError where nothing has the name of a field without default.
    """
    names = [field.name for field in fields(cast(Any, bound))]
    found = {**{name: constants[name] for name in names if name in constants}, "label": label}
    functions = {
        name: vars(module)[name]
        for module in modules
        for name in names
        if name not in found and isinstance(vars(module).get(name), FunctionType)
    }
    copies = specialise(tuple(functions.values()), label, constants, compile=compile)
    return bound(**found, **dict(zip(functions, copies, strict=True)))


def _copy(
    function: Any, label: str, constants: Mapping[str, Any], copies: dict[Any, Any], callers: tuple[Any, ...]
) -> None:
    """Copy a function after all that it calls, in the order in which they are to be compiled: callees first."""
    if not _is_copied(function) or function in copies:
        return
    if function.__closure__ is not None:
        raise NotBound(f"{function.__qualname__} has a closure: its cells belong to no digest of compiled code")
    if function in callers:
        raise NotBound(f"{function.__qualname__} and {callers[-1].__qualname__} call each other")
    scope = {}
    for name in _names(function.__code__):
        if name in constants:
            scope[name] = constants[name]
        elif name in function.__globals__:
            value = function.__globals__[name]
            if value is UNBOUND:
                raise NotBound(f"{function.__qualname__} reads {name}, which nothing is bound to")
            if value is not function:
                _copy(value, label, constants, copies, (*callers, function))
            scope[name] = copies.get(value, value) if _is_copied(value) else value
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = f"{function.__qualname__}_{label}"
    copy.__module__ = function.__module__
    copy.__doc__ = function.__doc__
    scope[function.__name__] = copy
    copies[function] = copy


def _is_copied(value: Any) -> bool:
    """Tell whether something is a function to be copied: not where numba is told how to compile it itself."""
    return isinstance(value, FunctionType) and value is not popcount


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function reads; bytecode has those of attributes among them."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _compile(copies: dict[Any, Any]) -> None:
    """Replace copies, callees first, by what numba makes of them."""
    for copy in copies.values():
        vars(copy)["fingerprint"] = disk.fingerprint(copy, copy.__globals__)
    folder = disk.folder_of(vars(copy)["fingerprint"] for copy in copies.values())
    jitted: dict[Any, Any] = {}
    for function, copy in copies.items():
        for name, value in copy.__globals__.items():
            if _is_copied(value) and value in jitted:
                copy.__globals__[name] = jitted[value]
        copies[function] = jitted[copy] = copy.__globals__[copy.__name__] = _jit(copy, folder)
        if folder is not None:
            compile_once(jitted[copy], folder)


def table(values: Iterable[int], *, compile: bool) -> Sequence[int]:
    """Return numbers as functions read them by global name: a tuple, or an int64 array for compiled functions."""
    if not compile:
        return tuple(values)
    import numpy

    return cast(Sequence[int], numpy.array(tuple(values), dtype=numpy.int64))


def can_compile() -> bool:
    """Tell whether numba compiles: not with ``NUMBA_DISABLE_JIT=1``, which runs everything interpreted."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def _jit(function: FunctionType, folder: Path | None) -> Any:
    numba = _numba()
    # without reference counts for arrays a search is half as fast again; what is compiled may then make none. The two
    # options without documentation are numba's own affair: tests/engine/test_numba_options.py watches over them
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
        return (lambda bits: count_bits(bits)) if isinstance(bits, numba.types.Integer) else None

    return numba
