"""Compiled code that comes with the distribution does what the sources say, and nothing else is taken for it."""

import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import pytest

from engine.compiling import code_cache
from engine.compiling.binding import CompiledFunction, can_compile, specialise
from engine.compiling.machine_code import object_code, shipped_code
from engine.compiling.machine_code.shipped_code import Piece, digest_of, read_archive, unpack, write_archive
from tests.shipping import SHIPPED, Shipped, bindings_of, pieces

ROOT = Path(__file__).parents[2]

STEP = 0

on_its_machines = pytest.mark.skipif(
    f"{sys.platform} {platform.machine()}" not in shipped_code.MACHINES, reason="there is no code for this machine"
)
needs_compiler = pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT")


def raised(number: int) -> int:
    """Raise a number."""
    return number + STEP


def raised_twice(number: int) -> int:
    if number < 0:
        raise OverflowError("below zero")
    return raised(raised(number))


def copies(**constants: Any) -> list[FunctionType]:
    """Return the functions as they are bound to be compiled."""
    (bound,) = specialise((raised_twice,), "shipped", {"STEP": 0, **constants}, compile=False)
    return [cast(FunctionType, bound)]


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: "-".join(shipped).replace(" ", "_"))
def test_what_is_shipped_was_made_from_these_sources(shipped: Shipped) -> None:
    bindings = bindings_of(shipped)
    assert bindings
    for binding in bindings:
        assert shipped_code.is_there(binding.copies, shipped.purpose), "make shipped-code makes it anew"


def test_nothing_else_is_shipped() -> None:
    assert len(list(read_archive(shipped_code.ARCHIVE))) <= 3 * len(SHIPPED)


COMPARED = """
import sys
from engine.games.catalogue import start_of
from engine.search.searcher import Searcher, SearchLimits

for game, parameters, depth in (
    ("gipf", "4 4 15 15", 5), ("gipf", "3 3 7 8", 5), ("gipf", "5 4 20 20", 3), ("arrows", "8 8", 2), ("morris", "", 4),
    ("mnk", "8 8 5", 3), ("mnk", "15 15 5", 3),
):
    position = start_of(game, parameters)
    found = []
    for compile in (True, False):
        limits = SearchLimits(depth=depth)
        result = Searcher(position.kernel(compile=compile), megabytes=1).think(position, (), limits, clock=lambda: 0.0)
        found.append((result.move, result.score, result.nodes))
    assert found[0] == found[1], (game, parameters, found)
assert "numba" not in sys.modules, "it was compiled"
"""


@pytest.mark.slow
@needs_compiler
@on_its_machines
def test_it_searches_as_interpreted_code_does_on_a_machine_that_has_compiled_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-P", "-c", COMPARED], cwd=ROOT, env=environment, check=True)


@pytest.mark.slow
@needs_compiler
@on_its_machines
def test_a_process_that_compiles_takes_it(tmp_path: Path) -> None:
    said = precompiled("4 4 3", tmp_path)
    assert "m,n,k 4 4 3, solve: compiled in" in said and "numba" not in said


@pytest.mark.campaign
@needs_compiler
@on_its_machines
def test_what_is_not_shipped_is_compiled(tmp_path: Path) -> None:
    """In short that is what a small function shows below, and a tablebase that a process makes in test_tablebase.py."""
    said = precompiled("4 4 4", tmp_path)
    assert "mnk 4 4 4, solve: compiled in" in said and "numba" in said


def precompiled(parameters: str, cache: Path) -> str:
    """Let a process compile what solving needs; return what it says, and all that it imports."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    words = ("-X", "importtime", "-m", "engine", "precompile", "mnk", parameters, "--purpose", "solve")
    done = subprocess.run([sys.executable, "-P", *words], cwd=ROOT, env=environment, check=True, capture_output=True,
                          text=True)  # fmt: skip
    return done.stderr


@pytest.mark.slow
@needs_compiler
@on_its_machines
def test_a_command_goes_over_to_it_and_comes_to_its_end(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    words = [sys.executable, "-P", "-m", "engine", "analyse", "gipf", "--depth", "9"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    depths = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("depth ")]
    assert depths == [str(depth) for depth in range(1, 10)]


def test_a_digest_tells_what_functions_do() -> None:
    plain = digest_of(copies())
    assert plain == digest_of(copies()) and len(plain) == 32
    assert plain != digest_of(copies(STEP=1)), "of what they call, too"


def test_comments_and_docstrings_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for number, body in enumerate(
        (
            "    return number + 1\n",
            '    """Add one."""\n    # it is small\n    return  (number+1)\n',
            "    return number + 2\n",
        )
    ):
        (tmp_path / f"module_{number}.py").write_text(f"def added(number):\n{body}")
        module = __import__(f"module_{number}")
        found.append(digest_of(specialise((module.added,), "test", {}, compile=False)))
    assert found[0] == found[1] != found[2]


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Keep compiled code in a folder of its own, and take what is shipped from another archive, which is not there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(shipped_code, "ARCHIVE", tmp_path / "archive.zip")
    code_cache._kernels.cache_clear()
    yield tmp_path
    code_cache._kernels.cache_clear()


@pytest.mark.slow
@needs_compiler
@on_its_machines
def test_what_one_process_ships_another_one_calls(fresh_cache: Path) -> None:
    (compiled,) = specialise((raised_twice,), "shipped", {"STEP": 3}, compile=True)
    assert isinstance(compiled, CompiledFunction) and compiled(1) == 7
    write_archive(pieces([compiled.binding], "testing"), shipped_code.ARCHIVE)
    assert [sorted(piece.entries) for piece in read_archive(shipped_code.ARCHIVE)] == [["raised_twice"]]

    (folder := fresh_cache / "another").mkdir()
    assert unpack(compiled.binding.copies, folder) and object_code.is_there(folder, "testing")
    native = object_code.load(folder)["raised_twice"]
    assert native(1) == 7
    with pytest.raises(OverflowError, match="below zero"):
        native(-1)
    assert not unpack(copies(STEP=4), folder), "other constants are other functions"


@pytest.mark.parametrize("content", [None, b"", b"PK nothing"], ids=["none", "empty", "damaged"])
def test_an_archive_that_cannot_be_read_is_as_none(fresh_cache: Path, content: bytes | None) -> None:
    if content is not None:
        shipped_code.ARCHIVE.write_bytes(content)
    assert not unpack(copies(), fresh_cache) and not shipped_code.is_there(copies(), "testing")


def test_bitcode_that_llvm_cannot_read_is_as_none(fresh_cache: Path) -> None:
    write_archive([Piece(digest_of(copies()), "testing", {}, b"BC\xc0\xde of a later version")], shipped_code.ARCHIVE)
    assert shipped_code.is_there(copies(), "testing")
    assert not unpack(copies(), fresh_cache) and not list(fresh_cache.glob("*.o"))


def test_other_machines_compile(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_code, "MACHINES", ())
    write_archive([], shipped_code.ARCHIVE)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert not unpack(copies(), fresh_cache)
