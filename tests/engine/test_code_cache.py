"""Compiled code is found again when, and only when, it was made from the same functions and constants."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.compiling import code_cache
from engine.compiling.binding import UNBOUND, bind_fields, can_compile, specialise

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
def test_a_changed_callee_is_compiled_anew() -> None:
    """The caller's own code and name are the same; by numba's own rules the old code would be found again."""
    assert twice_of(raised, 1)(10) == 12
    assert twice_of(lowered, 1)(10) == 8
    assert twice_of(raised, 3)(10) == 16


BINDING = """
from engine.games.catalogue import GAMES
from engine.search import alphabeta
from engine.games.kernels import bind
from engine.solve.layers import layer_rules
from engine.solve.layer_values import ENTRY_POINTS

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


def folder_of(text: str) -> Path:
    folder = code_cache.folder_of([text])
    assert folder is not None and folder.is_dir()
    return folder


def test_a_second_folder_is_read_where_the_first_one_has_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "given"))
    theirs = folder_of("1")
    code_cache.write(theirs, "code", b"compiled")
    code_cache.mark_complete(theirs, "search", ["code"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    mine = folder_of("1")
    assert mine.name == theirs.name and not code_cache.is_complete(mine, "search")
    monkeypatch.setenv(code_cache.KERNELS_VARIABLE, str(theirs.parent))
    assert code_cache.is_complete(mine, "search") and code_cache.read(mine, "code") == b"compiled"
    code_cache.write(mine, "code", b"newer")
    assert code_cache.read(mine, "code") == b"newer" and code_cache.read(theirs, "code") == b"compiled"


def test_folders_that_were_not_used_for_long_are_deleted_when_another_one_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    unused, used_again, used = folder_of("1"), folder_of("2"), folder_of("3")
    code_cache.write(unused, "code", b"compiled")
    now = used.stat().st_mtime
    for folder, age in ((unused, 1.0), (used_again, 1.0), (used, -60.0)):
        last = now - code_cache.MAX_UNUSED_SECONDS - age
        os.utime(folder, (last, last))
    assert folder_of("2") == used_again and unused.is_dir(), "nothing is new"
    folder_of("4")
    assert not unused.exists() and used_again.is_dir() and used.is_dir()


def test_a_damaged_file_counts_as_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = folder_of("1")
    code_cache.write(folder, "code", b"compiled")
    code_cache.mark_complete(folder, "search", ["code"])
    whole = {name: (folder / name).read_bytes() for name in ("code", "search")}
    assert code_cache.is_complete(folder, "search")
    for name, content in whole.items():
        flipped = (content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in range(len(content)))
        for damaged in (*(content[:length] for length in range(len(content))), *flipped, content + b"x"):
            (folder / name).write_bytes(damaged)
            assert code_cache.read(folder, name) is None and not code_cache.is_complete(folder, "search")
        (folder / name).write_bytes(content)
    assert code_cache.is_complete(folder, "search")


def test_without_a_place_for_it_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    assert code_cache.folder_of(["1"]) is None


def stepped(number: int, step: int = 1) -> int:
    return number + step


def test_other_defaults_have_another_fingerprint() -> None:
    found = set()
    for step in (1, 1, 2):
        copy = FunctionType(stepped.__code__, stepped.__globals__, "stepped", (step,))
        found.add(code_cache.fingerprint(copy, {}))
    assert len(found) == 2


def test_a_function_that_closes_over_something_is_not_taken() -> None:
    step = 3

    def closing(number: int) -> int:
        return number + step

    with pytest.raises(TypeError, match="closure"):
        specialise((closing,), "closing", {}, compile=False)


SIZE: int = UNBOUND


def sized(number: int) -> int:
    return number + SIZE


def sized_twice(number: int) -> int:
    return sized(sized(number))


def test_callees_are_bound_with_their_callers_and_a_name_that_nothing_is_bound_to_is_an_error() -> None:
    (bound,) = specialise((sized_twice,), "sized", {"SIZE": 4}, compile=False)
    assert (bound(1), sized_twice.__globals__["SIZE"]) == (9, UNBOUND)
    with raises(snapshot("TypeError: sized reads SIZE, which is not bound")):
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
    with raises(snapshot("TypeError: even and odd call each other")):
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
