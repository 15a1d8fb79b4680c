"""Compiled code is found again when, and only when, it was made from the same functions and constants."""

from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from engine import cache
from engine.compiled import can_compile, specialise

STEP = 0

needs_compiler = pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT")


def raised(number: int) -> int:
    return number + STEP


def raised_twice(number: int) -> int:
    return raised(raised(number))


def lowered(number: int) -> int:
    return number - STEP


def twice_of(inner: Any, step: int) -> Any:
    """Return a copy of `raised_twice` that calls a compiled copy of another function."""
    inner = FunctionType(inner.__code__, inner.__globals__, "raised")
    return specialise((inner, raised_twice), "test", {"STEP": step}, compile=True).raised_twice


@needs_compiler
def test_fingerprint_tells_what_a_function_does() -> None:
    """The same again is the same; another constant, or another function called in the same way, is not."""
    plain = twice_of(raised, 1).py_func.fingerprint
    assert plain == twice_of(raised, 1).py_func.fingerprint
    assert plain != twice_of(raised, 2).py_func.fingerprint
    assert plain != twice_of(lowered, 1).py_func.fingerprint


@needs_compiler
def test_a_changed_callee_is_compiled_anew() -> None:
    """The caller's own code and name are the same; by numba's own rules the old code would be found again."""
    assert twice_of(raised, 1)(10) == 12
    assert twice_of(lowered, 1)(10) == 8
    assert twice_of(raised, 3)(10) == 16


def test_folders_used_least_lately_are_cleared_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "FOLDERS_KEPT", 2)
    cache._kernels.cache_clear()
    try:
        names = [cache.folder_of([str(number)]) for number in range(4)]
        assert all(folder is not None and folder.is_dir() for folder in names)
        cache._kernels.cache_clear()
        cache.folder_of(["new"])
        assert sum(folder is not None and folder.is_dir() for folder in names) == 2
    finally:
        cache._kernels.cache_clear()


def test_without_a_place_for_it_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    cache._kernels.cache_clear()
    try:
        assert cache.folder_of(["1"]) is None
    finally:
        cache._kernels.cache_clear()
