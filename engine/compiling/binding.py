"""One source for rules and speed: copies of plain functions, bound to constants and, where asked, compiled.

The rules of a game are ordinary functions over integers that call each other, and read the constants of their
board, by global name. `specialise` copies such functions with all that they call, binds the names to the constants of
one board and returns the copies: interpreted, so that they work for any board, or compiled by numba, so that they are
fast. The search is bound to a game's functions in the same way.

A name that has to be bound stands for `UNBOUND` in its module; what still does when a function that reads it is bound
is an error. Compiled code is kept on disk, as `engine.compiling.code_cache` says.
"""

import mmap
import os
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol, TypeVar, TypeVarTuple, cast, overload
from weakref import WeakSet

from engine.compiling import code_cache as disk
from engine.compiling.bits import popcount as popcount
from engine.compiling.compile_lock import compile_once
from engine.compiling.machine_code import object_code
from engine.compiling.machine_code.object_code import NativeFunction, OtherTypes
from engine.compiling.wide_integers import CompiledOnly

Functions = TypeVarTuple("Functions")
Bound = TypeVar("Bound")

_CACHE_DIR = threading.Lock()
"""Held from when numba is told where to keep compiled code until it has read that: threads compile at the same time."""


LARGE_BYTES = 1 << 16
"""From this size on an array is made of memory that the system gives when it is written to."""


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
        binding = Binding(list(copies.values()))
        binding.roots = [CompiledFunction(copies[root], binding) for root in roots if root in copies]
        copies |= zip((root for root in roots if root in copies), binding.roots, strict=True)
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


class Binding:
    """Functions that were bound together to be compiled, callees before their callers.

    Machine code that is kept of them is loaded; what is missing there, numba compiles when it is called first.
    """

    def __init__(self, copies: Sequence[FunctionType]) -> None:
        """Take the copies, and find the folder of their code."""
        for copy in copies:
            vars(copy)["fingerprint"] = disk.fingerprint(copy, copy.__globals__)
        self.copies = copies
        """What was bound, interpreted."""
        self.folder = disk.folder_of(vars(copy)["fingerprint"] for copy in copies)
        self.roots: list[CompiledFunction] = []
        """Those functions that others than these call."""
        self._lock = threading.RLock()
        self._native: dict[str, NativeFunction] = {}
        self._has_unpacked = False
        self._dispatchers: dict[FunctionType, Any] = {}

    def is_kept(self, purpose: str) -> bool:
        """Tell whether machine code for a purpose is on the disk."""
        return self.folder is not None and object_code.is_there(self.folder, purpose)

    def native(self, copy: FunctionType) -> "NativeFunction | None":
        """Return a function as it was kept on the disk, or comes with the distribution; None where it does neither."""
        with self._lock:
            if copy.__name__ not in self._native and self.folder is not None:
                self._native |= object_code.load(self.folder)
                if copy.__name__ not in self._native and not self._has_unpacked and self._unpack(self.folder):
                    self._native |= object_code.load(self.folder)
            return self._native.get(copy.__name__)

    def _unpack(self, folder: Path) -> bool:
        """Keep what comes with the distribution, if anything does; its readers are imported by nobody else."""
        self._has_unpacked = True
        from engine.compiling.machine_code import shipped_code

        return shipped_code.unpack(self.copies, folder)

    def dispatcher(self, copy: FunctionType) -> Any:
        """Return a function as numba compiles it."""
        with self._lock:
            if not self._dispatchers:
                _dispatching.add(self)
                for each in self.copies:
                    self._dispatchers[each] = self._jitted(each)
            return self._dispatchers[copy]

    def keep(self, purpose: str) -> None:
        """Keep machine code of the functions that numba was asked to call since the last time; raises OSError."""
        from engine.compiling.machine_code import object_writer

        called = self.take_called()
        if called and self.folder is not None:
            object_code.write(self.folder, purpose, object_writer.write(called))

    def take_called(self) -> dict[str, Any]:
        """Return what numba has made of the functions that it was asked to call since the last time."""
        called = {root.py_func.__name__: root.compiled_for for root in self.roots if root.compiled_for is not None}
        for root in self.roots:
            root.compiled_for = None
        return called

    def _jitted(self, copy: FunctionType) -> Any:
        scope: dict[str, Any] = {}
        function = FunctionType(copy.__code__, scope, copy.__name__, copy.__defaults__)
        function.__kwdefaults__ = copy.__kwdefaults__
        function.__qualname__, function.__module__, function.__doc__ = copy.__qualname__, copy.__module__, copy.__doc__
        vars(function).update(vars(copy))
        scope.update({name: self._as_numba_reads(value) for name, value in copy.__globals__.items()})
        dispatcher = scope[copy.__name__] = _jit(function, self.folder)
        if self.folder is not None:
            compile_once(dispatcher, self.folder)
        return dispatcher

    def _as_numba_reads(self, value: Any) -> Any:
        """Return what stands for the value of a global name in functions that numba compiles."""
        if isinstance(value, CompiledFunction):
            return value.dispatcher
        if isinstance(value, FunctionType):
            return self._dispatchers.get(value, value)
        if isinstance(value, CompiledOnly):
            return _intrinsic(value)
        return numpy_array(value) if isinstance(value, array) else value


def _intrinsic(function: CompiledOnly) -> Any:
    """Return what numba knows a function by that interpreted rules do without."""
    from engine.compiling import wide_lowering

    found = getattr(wide_lowering, function.name)
    return found(function.width) if function.width else found


_dispatching: WeakSet[Binding] = WeakSet()


def dispatching() -> list[Binding]:
    """Return the bindings of which numba has been asked for functions in this process."""
    return list(_dispatching)


def keep_compiled(purpose: str) -> None:
    """Keep machine code of what numba was asked to call since the last time, for others to load; raises OSError.

    ``purpose`` names what it is all of that is needed for: letters, digits and underscores.
    """
    for binding in dispatching():
        binding.keep(purpose)


class CompiledFunction:
    """A bound function that is compiled: loaded from the disk if it is there, else compiled when it is first called."""

    def __init__(self, copy: FunctionType, binding: Binding) -> None:
        """Take the interpreted copy, and the binding that it is part of."""
        self.py_func = copy
        self.binding = binding
        self.compiled_for: Any = None
        """What numba has made of it for the types of the first call that it was asked for since code was kept."""
        self._call: Callable[..., Any] = self._first_call

    def __call__(self, *arguments: Any) -> Any:
        """Call it; the interpreter lock is released meanwhile."""
        return self._call(*arguments)

    @property
    def dispatcher(self) -> Any:
        """Return what numba has of the function, for others that it compiles."""
        return self.binding.dispatcher(self.py_func)

    def _first_call(self, *arguments: Any) -> Any:
        native = self.binding.native(self.py_func)
        if native is not None:
            with suppress(OtherTypes):
                result = native(*arguments)
                self._call = native
                return result
        self._call = self._dispatch
        return self._dispatch(*arguments)

    def _dispatch(self, *arguments: Any) -> Any:
        dispatcher, taken = self.dispatcher, tuple(map(_as_numba_takes, arguments))
        result = dispatcher(*taken)
        if self.compiled_for is None:  # to find the types of arguments takes longer than most calls
            self.compiled_for = dispatcher.overloads.get(tuple(map(_numba().typeof, taken)))
        return result


def _as_numba_takes(argument: Any) -> Any:
    """Return an argument with numpy's arrays in the place of others."""
    if isinstance(argument, array | memoryview):
        return numpy_array(argument)
    if isinstance(argument, tuple):
        parts = map(_as_numba_takes, argument)
        return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)
    return argument


def numpy_array(numbers: Any) -> Any:
    """Return an array of numpy's that shares its memory with another one."""
    import numpy

    return numpy.asarray(numbers)


def zeros(typecode: str, count: int) -> Numbers:
    """Return an array of that many zeros: ``q``, ``i``, ``h``, ``I`` and ``B`` as `array` has them.

    A large one takes no memory before it is written to.
    """
    size = array(typecode).itemsize * count
    if size < LARGE_BYTES:
        return array(typecode, bytes(size))
    return cast(Numbers, memoryview(mmap.mmap(-1, size)).cast("B").cast(cast(Any, typecode)))


def table(values: Iterable[int], *, compile: bool) -> Sequence[int]:
    """Return numbers as functions read them by global name: a tuple, or an int64 array for compiled functions."""
    return array("q", values) if compile else tuple(values)


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
