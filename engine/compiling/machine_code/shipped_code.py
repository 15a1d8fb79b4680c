"""Compiled code that comes with the distribution: a machine makes machine code of it in a moment, without numba.

It is LLVM's bitcode of what numba has compiled, optimised. What is left to do for a processor, to choose instructions,
takes some tenths of a second, where compiling takes ten. Each piece is named by a digest of the source of all
functions in it, and of the constants that they read: what has been changed since is compiled as if nothing were here.
`tests.shipping` makes the archive.
"""

import ast
import hashlib
import inspect
import json
import platform
import sys
import textwrap
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from engine.compiling.code_cache import digest_of_files, meaning
from engine.compiling.machine_code.object_code import Entries, ObjectCode, initialise, target, write
from engine.compiling.machine_code.object_code import is_there as is_kept

ARCHIVE = Path(__file__).with_name("shipped_code.zip")

MAKERS = (
    "machine_code/object_code.py",
    "machine_code/object_writer.py",
    "wide_lowering.py",
    "vector_lowering.py",
)
"""Modules that bitcode depends on, beside the functions that it was made of."""

MACHINES = ("linux x86_64",)
"""For which there is code: others lay out memory, or call functions, in other ways."""

OPTIMISATION = 3
"""As numba has it."""


class Piece(NamedTuple):
    """Compiled code of the functions of a binding, for a purpose."""

    digest: str
    purpose: str
    entries: Entries
    bitcode: bytes


def digest_of(functions: Iterable[FunctionType]) -> str:
    """Return a digest of what bound functions are made from, the same in each version of Python.

    Comments, docstrings and the layout of the source do not matter.
    """
    known: dict[int, str] = {}

    def describe(function: FunctionType) -> str:
        if id(function) not in known:
            known[id(function)] = function.__name__  # which it calls itself by
            parts = [_source(function), repr((function.__defaults__, function.__kwdefaults__))]
            if function.__qualname__ != function.__name__:  # a copy, whose scope has nothing but what it reads
                scope = function.__globals__
                parts += [f"{name} {meaning(scope[name], describe)}" for name in sorted(scope)]
            known[id(function)] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return known[id(function)]

    parts = (digest_of_files(MAKERS), *map(describe, functions))
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:32]


def is_there(functions: Sequence[FunctionType], purpose: str) -> bool:
    """Tell whether the archive has code of functions for a purpose."""
    with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(ARCHIVE) as zipped:
        return _member(digest_of(functions), purpose) in zipped.namelist()
    return False


def unpack(functions: Sequence[FunctionType], folder: Path) -> bool:
    """Make machine code of what the archive has of functions, and a folder has not; tell whether there was anything.

    Nothing is done on other machines than `MACHINES`, nor where the archive cannot be read.
    """
    if f"{sys.platform} {platform.machine()}" not in MACHINES:
        return False
    done = False
    # RuntimeError is what LLVM raises for bitcode of a later version
    with suppress(OSError, zipfile.BadZipFile, ValueError, KeyError, RuntimeError):
        digest = digest_of(functions)
        for piece in read_archive(ARCHIVE, digest):
            if is_kept(folder, piece.purpose):
                continue
            write(folder, piece.purpose, ObjectCode(target(), piece.entries, _machine_code(piece.bitcode)))
            done = True
    return done


def read_archive(file: Path, digest: str = "") -> Iterator[Piece]:
    """Yield the pieces of an archive, those alone with this digest, if one is given.

    Raises OSError, `zipfile.BadZipFile`, ValueError and KeyError where the file is no archive.
    """
    with zipfile.ZipFile(file) as zipped:
        for name in zipped.namelist():
            own, purpose = name.split(" ")
            if digest in ("", own):
                head, bitcode = zipped.read(name).split(b"\n", 1)
                yield Piece(own, purpose, json.loads(head), bitcode)


def write_archive(pieces: Iterable[Piece], file: Path) -> None:
    """Write an archive of pieces; the same pieces give the same file."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for piece in sorted(pieces):
            member = zipfile.ZipInfo(_member(piece.digest, piece.purpose))  # of 1980, whenever it is made
            member.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(member, json.dumps(piece.entries).encode() + b"\n" + piece.bitcode)


def _member(digest: str, purpose: str) -> str:
    return f"{digest} {purpose}"


def _source(function: FunctionType) -> str:
    """Return the source of a function in a layout of its own, without its docstring."""
    tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if ast.get_docstring(tree) is not None:
        del tree.body[0]
    return ast.unparse(tree)


def _machine_code(bitcode: bytes) -> bytes:
    """Return an object file for this processor."""
    import llvmlite.binding as llvm

    initialise()
    module = llvm.parse_bitcode(bitcode)
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=OPTIMISATION,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )
    return bytes(machine.emit_object(module))
