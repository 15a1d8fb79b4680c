"""The options of numba that it documents nowhere still do what `engine.compiling.binding` wants of them.

When numba goes on to a version without one of them, the first test fails. `_nrt=False` leaves out the counting of
references to arrays, which is half of a search's speed; what to do without it is to keep numba below that version in
``pyproject.toml`` and ``constraints.txt``, or to hand arrays to compiled functions as pointers (``numba.carray``).
`no_cfunc_wrapper=True` and `no_cpython_wrapper=True` only save time to compile: drop them.
"""

from types import FunctionType
from typing import Any, cast

import pytest

from engine.compiling import binding
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
    (code,) = compiled.inspect_llvm().values()
    return str(code)


def test_compiled_functions_count_no_references_and_have_only_the_wrappers_that_are_called() -> None:
    code = code_of(binding._jit(cast(FunctionType, last_of), is_root=True))
    assert "NRT_incref" not in code and "NRT_decref" not in code, "numba's option _nrt has no effect any more"
    assert "cfunc." not in code, "numba's option no_cfunc_wrapper has no effect any more"
    inner = binding._jit(cast(FunctionType, last_of), is_root=False)
    inner.compile("(int64[:],)")
    assert "cpython" in code
    assert "cpython" not in str(inner.inspect_llvm()), "numba's option no_cpython_wrapper has no effect any more"


def test_without_the_options_they_would() -> None:
    code = code_of(binding._numba().njit(last_of))
    assert "NRT_incref" in code or "NRT_decref" in code
    assert "cfunc." in code
