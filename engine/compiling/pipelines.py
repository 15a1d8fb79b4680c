"""How numba compiles bound functions. An import of this module loads numba.

By default numba makes machine code of each function, with everything that it calls, and a wrapper for Python. Only
functions that Python calls need both. Other functions stay LLVM code. It is optimised: otherwise a search is up to a
quarter slower.

The options and methods of numba that this module uses are not all documented. `tests/engine/test_numba_options.py`
checks their effects.
"""

import copy
from functools import cache, partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from engine.compiling import wide_lowering as wide_lowering  # has the compiled `popcount`


def jit(function: FunctionType, *, is_root: bool) -> Any:
    """Return the numba dispatcher of a function, which Python calls (``is_root``) or only compiled functions call."""
    # A search is half as fast again without reference counts for arrays; then compiled functions cannot make arrays.
    return numba.njit(
        nogil=True, _nrt=False, no_cfunc_wrapper=True, no_cpython_wrapper=not is_root, pipeline_class=_Pipeline
    )(function)


_signature_of = cache(lambda context, function, args: context.resolve_function_type(function, args, {}))


def _resolve(context: Any, function: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a function for types of arguments. Signatures of builtins and operators are cached.

    numba infers types in rounds. In each round it tries the templates of each operator, up to the first that fits.
    """
    if isinstance(function, numba.types.Function) and not kws:
        return _signature_of(context, function, args)
    return context.resolve_function_type(function, args, kws)


class _Pipeline(Compiler):  # type: ignore[misc]
    """Compiles one function, with a cache of signatures that other users of numba do not share."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        context = copy.copy(typing)
        context.resolve_function_type = partial(_resolve, typing)
        if flags.no_cpython_wrapper:
            library = _CalleeLibrary(target.codegen(), "callee")
        super().__init__(context, target, library, args, result, flags, names)


class _CalleeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code of a function and its callees, to be linked by callers."""

    codegen = SimpleNamespace(set_env=lambda *_: None)
    """Leaves out the environment, which only machine code has."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True
