"""Compiled code is found again when, and only when, it was made from the same functions and constants."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from engine.compiling import binding, code_cache
from engine.compiling.binding import UNBOUND, NotBound, bind_fields, can_compile, specialise

ROOT = Path(__file__).parents[2]

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
    (callee,) = specialise((inner,), "test", {"STEP": step}, compile=True)
    (caller,) = specialise((raised_twice,), "test", {"raised": callee}, compile=True)
    return caller


@pytest.mark.slow
@needs_compiler
def test_fingerprint_tells_what_a_function_does() -> None:
    """The same again is the same; another constant, or another function called in the same way, is not."""
    plain = twice_of(raised, 1).py_func.fingerprint
    assert plain == twice_of(raised, 1).py_func.fingerprint
    assert plain != twice_of(raised, 2).py_func.fingerprint
    assert plain != twice_of(lowered, 1).py_func.fingerprint


@pytest.mark.slow
@needs_compiler
def test_a_changed_callee_is_compiled_anew() -> None:
    """The caller's own code and name are the same; by numba's own rules the old code would be found again."""
    assert twice_of(raised, 1)(10) == 12
    assert twice_of(lowered, 1)(10) == 8
    assert twice_of(raised, 3)(10) == 16


BINDING = """
from engine.games.catalogue import GAMES
from engine.search import alphabeta
from engine.search.binding import bind
from engine.solve.layered.solver import layer_rules
from engine.solve.layered.values import ENTRY_POINTS

usual = ("arrows", "8 8"), ("morris", ""), ("mnk", "8 8 5")
for game, parameters in (("gipf", "3 3 5 5"), ("gipf", "6 4 15 15"), *usual):
    kernel = GAMES[game].start(parameters).kernel()
    alphabeta.bind(kernel)
    if kernel.rules.layers is not None:
        bind(ENTRY_POINTS, kernel._replace(rules=layer_rules(kernel)))
"""


@pytest.mark.slow
@needs_compiler
def test_every_process_looks_for_the_same_code(tmp_path: Path) -> None:
    """Whatever the order of its sets and the places of its objects are."""
    folders = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": str(tmp_path / seed)}
        subprocess.run([sys.executable, "-P", "-c", BINDING], env=environment, cwd=ROOT, check=True)
        folders.append({folder.name for folder in (tmp_path / seed / "gipf-arena" / "kernels").iterdir()})
    assert folders[0] == folders[1]
    assert len(folders[0]) == 12, "two a variant, and two for the layers of the first"


def test_folders_used_least_lately_are_cleared_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(code_cache, "FOLDERS_KEPT", 2)
    code_cache._kernels.cache_clear()
    try:
        names = [code_cache.folder_of([str(number)]) for number in range(4)]
        assert all(folder is not None and folder.is_dir() for folder in names)
        code_cache._kernels.cache_clear()
        code_cache.folder_of(["new"])
        assert sum(folder is not None and folder.is_dir() for folder in names) == 2
    finally:
        code_cache._kernels.cache_clear()


def test_what_was_given_is_copied_once_as_a_whole_and_is_then_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given, home = tmp_path / "given", tmp_path / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(given))
    code_cache._kernels.cache_clear()
    try:
        theirs = code_cache.folder_of(["1"])
        assert theirs is not None
        (theirs / "sub").mkdir()
        (theirs / "sub" / "code.nbc").write_bytes(b"compiled")
        monkeypatch.setenv("XDG_CACHE_HOME", str(home))
        monkeypatch.setenv(code_cache.GIVEN, str(theirs.parent))
        code_cache._kernels.cache_clear()
        mine = code_cache.folder_of(["1"])
        assert mine is not None and mine.is_relative_to(home) and mine.name == theirs.name
        assert (mine / "sub" / "code.nbc").read_bytes() == b"compiled"
        (mine / "sub" / "code.nbc").write_bytes(b"newer")
        assert code_cache.folder_of(["1"]) == mine
        assert (mine / "sub" / "code.nbc").read_bytes() == b"newer", "what is there is not copied again"
        assert (theirs / "sub" / "code.nbc").read_bytes() == b"compiled"
        other = code_cache.folder_of(["2"])
        assert other is not None and list(other.iterdir()) == [], "what is not given is made empty"
        assert sorted(mine.parent.iterdir()) == sorted([mine, other]), "nothing else is left there"
        monkeypatch.setenv(code_cache.GIVEN, str(tmp_path / "nowhere"))
        assert code_cache.folder_of(["3"]) is not None
    finally:
        code_cache._kernels.cache_clear()


def test_without_a_place_for_it_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    code_cache._kernels.cache_clear()
    try:
        assert code_cache.folder_of(["1"]) is None
    finally:
        code_cache._kernels.cache_clear()


def stepped(number: int, step: int = 1) -> int:
    return number + step


def keyed(number: int, *, step: int = 1) -> int:
    return number + step


def with_step(function: Any, step: int) -> FunctionType:
    """Return the same code with another default."""
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    copy.__defaults__ = (step,) if function.__defaults__ else None
    copy.__kwdefaults__ = {"step": step} if function.__kwdefaults__ else None
    return copy


@pytest.mark.slow
@needs_compiler
def test_other_defaults_are_compiled_anew() -> None:
    """They stand neither in the bytecode nor among the globals."""
    for step in (1, 2):
        assert specialise((with_step(stepped, step),), "defaults", {}, compile=True)[0](10) == 10 + step


@pytest.mark.parametrize("function", [stepped, keyed])
def test_other_defaults_have_another_fingerprint(function: Any) -> None:
    assert code_cache.fingerprint(with_step(function, 1), {}) == code_cache.fingerprint(with_step(function, 1), {})
    assert code_cache.fingerprint(with_step(function, 1), {}) != code_cache.fingerprint(with_step(function, 2), {})


def test_a_function_that_closes_over_something_is_not_taken() -> None:
    step = 3

    def closing(number: int) -> int:
        return number + step

    with pytest.raises(NotBound, match="closure"):
        specialise((closing,), "closing", {}, compile=False)


SIZE: int = UNBOUND


def sized(number: int) -> int:
    return number + SIZE


def sized_twice(number: int) -> int:
    return sized(sized(number))


def test_callees_are_bound_with_their_callers_and_a_name_that_nothing_is_bound_to_is_an_error() -> None:
    (bound,) = specialise((sized_twice,), "sized", {"SIZE": 4}, compile=False)
    assert (bound(1), sized_twice.__globals__["SIZE"]) == (9, UNBOUND)
    with pytest.raises(NotBound, match=r"^sized reads SIZE, which nothing is bound to$"):
        specialise((sized_twice,), "sized", {"STEP": 4}, compile=False)


def test_a_constant_takes_the_place_of_a_function_of_its_name() -> None:
    bound, callee = specialise((sized_twice, sized), "sized", {"sized": abs}, compile=False)
    assert (bound(-3), callee) == (3, abs)


def even(number: int) -> bool:
    return number == 0 or odd(number - 1)


def odd(number: int) -> bool:
    return number != 0 and even(number - 1)


def test_functions_that_call_each_other_are_not_taken() -> None:
    """Numba would compile neither before the other."""
    with pytest.raises(NotBound, match="even and odd call each other"):
        specialise((even,), "parity", {}, compile=False)


@dataclass(frozen=True)
class Sized:
    label: str
    sized: Callable[[int], int]
    lowered: Callable[[int], int]
    SIZE: int = 0
    missing: Callable[[int], int] | None = None


def test_fields_are_filled_with_constants_and_bound_functions_of_their_names() -> None:
    modules = (sys.modules[__name__],)
    bound = bind_fields(Sized, modules, "test", {"SIZE": 3, "STEP": 2}, compile=False)
    assert (bound.label, bound.sized(1), bound.lowered(1), bound.SIZE, bound.missing) == ("test", 4, -1, 3, None)
    with pytest.raises(TypeError, match="'sized' and 'lowered'"):
        bind_fields(Sized, (), "test", {}, compile=False)


@pytest.mark.slow
@needs_compiler
def test_threads_that_compile_at_once_keep_their_code_in_their_own_folders(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    numba = binding._numba()
    found: dict[str, str] = {}
    inside, both = threading.Event(), threading.Event()

    def jitted(**_options: object) -> Any:
        if inside.is_set():
            both.set()
        inside.set()
        both.wait(0.2)  # for as long the other one could come in between
        return lambda function: found.__setitem__(function.__name__, numba.config.CACHE_DIR)

    monkeypatch.setattr(numba, "njit", jitted)
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    threads = []
    for function in (raised, lowered):
        threads.append(threading.Thread(target=binding._jit, args=(function, tmp_path / function.__name__)))
        threads[-1].start()
        inside.wait()
    for thread in threads:
        thread.join()
    assert found == {name: str(tmp_path / name) for name in ("raised", "lowered")}
