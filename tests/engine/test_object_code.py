"""Compiled functions are kept as machine code, and behave alike when they are loaded from it."""

import subprocess
import sys
import threading
from array import array
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.compiling import code_cache
from engine.compiling.binding import can_compile, keep_compiled, specialise, zeros
from engine.compiling.machine_code import object_code
from engine.compiling.machine_code.object_code import NativeFunction, OtherTypes
from engine.compiling.wide_integers import WideInteger

ROOT = Path(__file__).parents[2]


class Pair(NamedTuple):
    left: int
    right: int


class Lists(NamedTuple):
    words: Any
    shorts: Any


def swapped(pair: Pair, twice: bool) -> Pair:
    if twice:
        return Pair(pair.left, pair.right)
    return Pair(pair.right, pair.left)


def summed(lists: Lists, limit: int) -> int:
    total = 0
    for number in lists.words:
        total += number
    lists.shorts[0] = total
    if total > limit:
        raise OverflowError("too much of it")
    return total


def joined(wide: Any, number: int) -> Any:
    return wide, wide < number, number


FUNCTIONS: tuple[Any, ...] = swapped, summed, joined
SAMPLES = (
    (swapped, (Pair(1, -(1 << 63)), False)),
    (swapped, (Pair(1, 2), True)),
    (summed, (Lists(array("q", [1, 2, -5]), array("h", [7])), 3)),
    (summed, (Lists(array("q"), array("h", [7])), 3)),
    (joined, (WideInteger(-(1 << 100) - 5, 128), 3)),
    (joined, (WideInteger((1 << 100) + 5, 128), -1)),
)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NativeFunction]:
    """The functions above, compiled, kept and loaded."""
    from engine.compiling import wide_lowering

    assert wide_lowering, "it tells numba of wide integers"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        code_cache._kernels.cache_clear()
        try:
            compiled = specialise(FUNCTIONS, "native", {}, compile=True)
            functions: dict[Any, Any] = dict(zip(FUNCTIONS, compiled, strict=True))
            for function, arguments in SAMPLES:
                functions[function](*arguments)
            keep_compiled("testing")
            binding = functions[swapped].binding
            assert binding.is_kept("testing") and not binding.is_kept("another")
            return object_code.load(binding.folder)
        finally:
            code_cache._kernels.cache_clear()


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT"),
]


def test_loaded_functions_return_what_interpreted_ones_do(native: dict[str, NativeFunction]) -> None:
    for function, arguments in SAMPLES:
        result = native[function.__name__](*arguments)
        assert result == function(*arguments)
        assert type(result) is type(function(*arguments))


def test_they_write_into_arrays_and_raise_what_they_raise(native: dict[str, NativeFunction]) -> None:
    for words in (array("q", [4, 5]), memoryview(array("q", [4, 5]))):
        shorts = array("h", [0])
        with pytest.raises(OverflowError, match=r"^too much of it$"):
            native["summed"](Lists(words, shorts), 8)
        assert shorts == array("h", [9])
    large = zeros("q", 1 << 16)
    large[65535] = 12
    assert native["summed"](Lists(large, zeros("h", 1)), 12) == 12


def test_threads_do_not_get_each_others_results(native: dict[str, NativeFunction]) -> None:
    wrong: list[int] = []

    def call(number: int) -> None:
        wrong.extend(1 for _ in range(2000) if native["swapped"](Pair(number, -number), False) != (-number, number))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("summed", (Lists(array("i", [1]), array("h", [0])), 1)),
        ("summed", (Lists(array("q", [1]), array("H", [0])), 1)),
        ("summed", (Lists(memoryview(array("i", [1])), array("h", [0])), 1)),
        ("summed", (Lists(memoryview(array("q", [1, 2])), memoryview(array("h", [0, 0, 0]))[::2]), 1)),
        ("summed", (Lists(memoryview(array("q", [1])).toreadonly(), array("h", [0])), 1)),
        ("summed", ((array("q", [1]),), 1)),
        ("joined", (WideInteger(1, 192), 1)),
        ("joined", (1, 1)),
    ],
)
def test_arguments_of_other_types_never_reach_machine_code(
    native: dict[str, NativeFunction], name: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(OtherTypes):
        native[name](*arguments)


SEARCHED = """
import sys
from engine.games.catalogue import start_of
from engine.search.alphabeta import compiled_code
from engine.search.searcher import Searcher, SearchLimits
start = start_of("mnk", "3 3 3")
assert compiled_code(start).is_ready()
thought = Searcher(start.kernel()).think(start, (), SearchLimits(depth=4, lines=2), clock=lambda: 0.0)
print(thought.depth, thought.score, "numba" in sys.modules, "numpy" in sys.modules)
"""

SOLVED = """
import sys
from engine.games.catalogue import start_of
from engine.solve.solver import compiled_code, solve
start = start_of("gipf", "2 2 4 4")
assert compiled_code(start).is_ready()
solution = solve(start, trial=0)
print(solution.result, "numba" in sys.modules, "numpy" in sys.modules)
"""


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("variant", "purpose", "program", "expected"),
    [
        (("mnk", "3 3 3"), "search", SEARCHED, "4 512 False False\n"),
        pytest.param(("gipf", "2 2 4 4"), "solve", SOLVED, "draw False False\n", marks=pytest.mark.campaign),
    ],
)
def test_of_what_was_precompiled_nothing_is_missing(
    variant: tuple[str, str], purpose: str, program: str, expected: str
) -> None:
    command = [sys.executable, "-P", "-m", "engine", "precompile", *variant, "--purpose", purpose]
    for _ in range(2):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout == ""
    assert done.stderr == f"{' '.join(variant)}, {purpose}: compiled before\n"
    told = subprocess.run([sys.executable, "-P", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == expected


def test_code_for_another_processor_or_a_damaged_file_is_not_loaded(
    native: dict[str, NativeFunction], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = object_code.ObjectCode("another", {}, b"")
    object_code.write(tmp_path, "search", code)
    assert object_code.load(tmp_path) == {} and not object_code.is_there(tmp_path, "search")
    for damaged in (b"", b"no JSON\n", b"{}\n", b"[]\n"):
        (tmp_path / "search.o").write_bytes(damaged)
        assert object_code.load(tmp_path) == {} and not object_code.is_there(tmp_path, "search")
