"""Undocumented options and methods of numba still have the effect that `engine.compiling.pipelines` needs.

If a new version of numba lacks one of them, the first test fails. `_nrt=False` leaves out the counting of references
to arrays, which costs a third of a search's speed. Without it, keep numba below that version in ``pyproject.toml`` and
``constraints.txt``, or hand arrays to compiled functions as pointers (``numba.carray``). `no_cfunc_wrapper=True`,
`no_cpython_wrapper=True` and the pipelines only save time to compile: drop them.
"""

from types import FunctionType
from typing import Any, cast

import pytest

from engine.compiling.binding import can_compile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT"),
]


def last_of(rows: Any) -> int:
    kept = rows
    for _ in range(len(rows)):
        kept = rows
    return kept[len(kept) - 1]


def code_of(compiled: Any) -> str:
    """Return what numba has made of `last_of`, once it is called."""
    import numpy

    assert compiled(numpy.arange(5)) == 4
    return str(*compiled.inspect_llvm().values())


def test_compiled_functions_count_no_references_and_have_only_the_wrappers_that_are_called() -> None:
    from engine.compiling import pipelines

    code = code_of(pipelines.jit(cast(FunctionType, last_of), is_root=True))
    assert "NRT_incref" not in code and "NRT_decref" not in code, "numba's option _nrt has no effect any more"
    assert "cfunc." not in code, "numba's option no_cfunc_wrapper has no effect any more"
    inner = pipelines.jit(cast(FunctionType, last_of), is_root=False)
    inner.compile("(int64[:],)")
    assert "cpython" in code and "cpython" not in str(inner.inspect_llvm()), "no_cpython_wrapper has no effect any more"
    (made,) = inner.overloads.values()
    assert not made.library.get_pointer_to_function(made.fndesc.llvm_func_name), "callees have machine code"


def test_without_the_options_they_would() -> None:
    import numba

    code = code_of(numba.njit(last_of))
    assert ("NRT_incref" in code or "NRT_decref" in code) and "cfunc." in code
