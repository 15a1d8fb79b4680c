"""Binding: copies of plain functions with constants for their global names, interpreted or compiled by numba.

The rules of a game are functions over integers. By global name they call each other and read the constants of a board.
`specialise` copies such functions with everything that they call, and binds the names to the constants of one board.
The search is bound to the functions of a game in the same way.

In its module, a name to bind has the value `UNBOUND`. A name that remains unbound is an error. Compiled code is cached
on disk (`engine.compiling.code_cache`).
"""

import hashlib
import mmap
import os
import pickle
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeAlias, TypeVar, TypeVarTuple, cast

from engine.compiling import code_cache as disk
from engine.compiling.wide_integers import WORD_BITS, CompiledOnly, WideInteger, WideTable, popcount as popcount

Functions = TypeVarTuple("Functions")
Bound = TypeVar("Bound")

LARGE_BYTES = 1 << 16
"""Least size of an array in memory-mapped pages, which take no memory before they are written."""


_BUFFERS = array, memoryview
_CONVERTED = array, memoryview, tuple


Numbers: TypeAlias = MutableSequence[int]
"""Numbers that functions read and write: a list or `array.array`, or a numpy array in compiled functions."""

UNBOUND: Any = object()
"""Value of a constant or function before it is bound. Its type is Any, so names can be declared with their own
types."""


def specialise(
    functions: tuple[*Functions], label: str, constants: Mapping[str, Any], *, compile: bool
) -> tuple[*Functions]:
    """Copy functions and everything that they call, bind their global names, and return the copies of the functions.

    A name in ``constants`` is bound to its value there, which also replaces a function of this name. A function may
    call itself, but two functions must not call each other. ``label`` (letters, digits and underscores) becomes a part
    of the names of the copies, by which numba finds them in its cache. Compiled copies release the interpreter lock.
    Raises `TypeError` for a name that remains `UNBOUND`, and for a function that cannot be copied.
    """
    roots = [constants.get(cast(FunctionType, function).__name__, function) for function in functions]
    copies: dict[Any, Any] = {}
    for root in roots:
        _copy(root, label, constants, copies, ())
    if compile:
        binding = Binding(list(copies.values()))
        copies |= {root: CompiledFunction(copies[root], binding) for root in roots if root in copies}
    return cast(tuple[*Functions], tuple(copies.get(root, root) for root in roots))


def bind_fields(
    bound: type[Bound], modules: Sequence[ModuleType], label: str, constants: Mapping[str, Any], *, compile: bool
) -> Bound:
    """Return an object of a dataclass whose fields are constants, functions of modules and ``label``, by name.

    Functions are bound by `specialise`. Raises TypeError if there is no value for a field without default.
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
    """Copy a function after everything that it calls: callees are compiled first."""
    if not _is_copied(function) or function in copies:
        return
    if function.__closure__ is not None or function.__kwdefaults__:
        reason = "has a closure or keyword defaults, which the digest of compiled code does not contain"
        raise TypeError(f"{function.__qualname__} {reason}")
    if function in callers:
        raise TypeError(f"{function.__qualname__} and {callers[-1].__qualname__} call each other")
    scope = {}
    for name in _names(function.__code__):
        if name in constants:
            scope[name] = constants[name]
        elif name in function.__globals__:
            value = function.__globals__[name]
            if value is UNBOUND:
                raise TypeError(f"{function.__qualname__} reads {name}, which is not bound")
            if value is not function:
                _copy(value, label, constants, copies, (*callers, function))
            scope[name] = copies.get(value, value) if _is_copied(value) else value
    copies[function] = _with_globals(function, scope, f"{function.__qualname__}_{label}")


def _with_globals(function: FunctionType, scope: dict[str, Any], qualname: str) -> FunctionType:
    """Return a copy of a function that reads its global names from a scope. The scope gets its own name."""
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    copy.__qualname__, copy.__module__ = qualname, function.__module__
    scope[function.__name__] = copy
    return copy


def _is_copied(value: Any) -> bool:
    """Tell whether a value is a function to copy. `popcount` is not copied, since numba has its own version."""
    return isinstance(value, FunctionType) and value is not popcount


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function reads, including names of attributes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


class Binding:
    """Functions that were bound together, callees before their callers.

    numba compiles a function at its first call, or loads it from the disk.
    """

    def __init__(self, copies: Sequence[FunctionType]) -> None:
        """Take the copies, and determine the folder of their code."""
        for copy in copies:
            vars(copy)["fingerprint"] = disk.fingerprint(copy, copy.__globals__)
        self.folder = disk.folder_of(vars(copy)["fingerprint"] for copy in copies)
        self._copies = copies
        self._lock = threading.RLock()
        self._dispatchers: dict[tuple[FunctionType, bool], Any] = {}

    def is_complete(self, purpose: str) -> bool:
        """Tell whether all code for a purpose is on the disk."""
        return self.folder is not None and disk.is_complete(self.folder, purpose)

    def dispatcher(self, copy: FunctionType, *, is_root: bool) -> Any:
        """Return the numba dispatcher of a function, for Python (``is_root``) or for compiled functions."""
        from engine.compiling import pipelines

        with self._lock:
            if (copy, is_root) not in self._dispatchers:
                function = _with_globals(copy, {}, copy.__qualname__)
                function.__globals__.update(
                    (name, self._as_numba_reads(value))
                    for name, value in copy.__globals__.items()
                    if value is not copy  # a function that calls itself
                )
                dispatcher = pipelines.jit(function, is_root=is_root)
                self._dispatchers[copy, is_root] = function.__globals__[copy.__name__] = dispatcher
                if is_root and self.folder is not None:
                    CachedFunction(dispatcher, self.folder)
            return self._dispatchers[copy, is_root]

    def _as_numba_reads(self, value: Any) -> Any:
        """Return the value of a global name for functions that numba compiles."""
        if isinstance(value, CompiledFunction):
            return value.binding.dispatcher(value.py_func, is_root=False)
        if isinstance(value, FunctionType) and value in self._copies:
            return self.dispatcher(value, is_root=False)
        if isinstance(value, CompiledOnly):
            from engine.compiling import wide_lowering

            found = getattr(wide_lowering, value.name)
            return found(value.width) if value.width else found
        return numpy_array(value) if isinstance(value, array) else value


_used: dict[Path, set[str]] = {}
"""For each folder, the names of the files with the code that this process has called."""


def mark_code_complete(purpose: str) -> None:
    """Mark the compiled code that this process has called as all code for a purpose; raises OSError.

    ``purpose`` is a word of letters.
    """
    for folder, names in list(_used.items()):
        disk.mark_complete(folder, purpose, names)


class CompiledFunction:
    """A bound function that numba compiles, or loads from the disk, when Python calls it for the first time.

    Compiled functions that call it contain their own copy of its code.
    """

    def __init__(self, copy: FunctionType, binding: Binding) -> None:
        """Take the interpreted copy, and its binding."""
        self.py_func = copy
        self.binding = binding

    def __call__(self, *arguments: Any) -> Any:
        """Call the function, which releases the interpreter lock."""
        return self.dispatcher(*map(as_numba_takes, arguments))

    @cached_property
    def dispatcher(self) -> Any:
        """The numba dispatcher of the function."""
        return self.binding.dispatcher(self.py_func, is_root=True)


class CachedFunction:
    """The disk cache of one function's compiled code, with the methods that its dispatcher calls."""

    def __init__(self, dispatcher: Any, folder: Path) -> None:
        """Become the cache of a dispatcher."""
        self._name = dispatcher.py_func.__name__
        self._folder = folder
        self._compile = dispatcher.compile
        dispatcher._cache = self
        dispatcher.compile = self.compile

    def compile(self, signature: Any) -> Any:
        """Load or compile the function for a signature. A process that compiles holds the lock of the folder."""
        from numba.core.compiler_lock import global_compiler_lock

        if disk.read(self._folder, self._file(signature)) is not None:
            return self._compile(signature)
        with global_compiler_lock, disk.folder_lock(self._folder):
            return self._compile(signature)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the compiled code for a signature, or None."""
        from numba.core.compiler import CompileResult

        found = disk.read(self._folder, self._file(signature))
        if found is None:
            return None
        _used.setdefault(self._folder, set()).add(self._file(signature))
        return CompileResult._rebuild(context, *pickle.loads(found))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write the compiled code for a signature. A write error is ignored."""
        from numba.core.serialize import dumps

        if not compiled.library.has_dynamic_globals:
            with suppress(OSError):
                disk.write(self._folder, self._file(signature), dumps(compiled._reduce()))
                _used.setdefault(self._folder, set()).add(self._file(signature))

    def _file(self, signature: Any) -> str:
        return f"{self._name}-{hashlib.sha256(str(signature).encode()).hexdigest()[:16]}"


def as_numba_takes(argument: Any) -> Any:
    """Convert the arrays in an argument to numpy arrays. An argument without arrays is returned itself."""
    if isinstance(argument, _BUFFERS):
        return numpy_array(argument)
    if isinstance(argument, tuple):
        for part in argument:
            if isinstance(part, _CONVERTED):
                parts = map(as_numba_takes, argument)
                return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)
    return argument


def numpy_array(numbers: Any) -> Any:
    """Return a numpy array that shares the memory of another array."""
    import numpy

    return numpy.asarray(numbers)


def zeros(typecode: str, count: int) -> Numbers:
    """Return an array of zeros with a typecode of `array`: ``q``, ``i``, ``h``, ``I`` or ``B``.

    A large array takes no memory before it is written.
    """
    size = array(typecode).itemsize * count
    if size < LARGE_BYTES:
        return array(typecode, bytes(size))
    return cast(Numbers, memoryview(mmap.mmap(-1, size)).cast("B").cast(cast(Any, typecode)))


def copy_of(values: Numbers) -> Numbers:
    """Return an array with the same numbers."""
    view = memoryview(cast(Any, values))
    return array(view.format, view.tobytes())


def table(values: Iterable[int], *, compile: bool) -> Sequence[int]:
    """Return numbers for functions that read them by global name: a tuple, or an int64 array for compiled functions."""
    return array("q", values) if compile else tuple(values)


@cache
def is_installed(package: str) -> bool:
    """Tell whether a package of the extra ``fast`` can be imported."""
    return find_spec(package) is not None


def can_compile() -> bool:
    """Tell whether numba is installed and compiles. With ``NUMBA_DISABLE_JIT=1`` everything is interpreted."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") and is_installed("numba")


def get_fields(arena: Numbers, at: int) -> int:
    """Return the set of fields at a place of an arena: one number, or several words."""
    return arena[at]


def put_fields(arena: Numbers, at: int, fields: int) -> None:
    """Write a set of fields into an arena."""
    arena[at] = fields


class FieldSets(NamedTuple):
    """The representation of sets of fields on one board."""

    compiled: bool
    width: int
    """Bits of a compiled set: a multiple of 64."""

    @property
    def is_wide(self) -> bool:
        """Whether a set has several machine words."""
        return self.compiled and self.width > WORD_BITS

    def number(self, fields: int) -> int:
        """Return a set of fields for the rules."""
        return WideInteger(fields, self.width) if self.is_wide else fields

    def table(self, sets: Iterable[int]) -> Sequence[int]:
        """Return a table of sets of fields, for functions that read it by global name."""
        return WideTable(sets, self.width) if self.is_wide else table(sets, compile=self.compiled)

    def constants(self) -> dict[str, Any]:
        """Return the number of words of a set, and the functions that read and write several words."""
        if not self.is_wide:
            return {"SET_WORDS": 1}
        return {
            "SET_WORDS": self.width // WORD_BITS,
            "get_fields": CompiledOnly("reader", self.width),
            "put_fields": CompiledOnly("writer", self.width),
        }
