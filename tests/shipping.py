"""Makes the compiled code that comes with the distribution, ``make shipped-code``: after changes in its sources.

Each variant is compiled in a process and a cache of its own, for processors that most machines have.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from engine.commands.precompile import CODE
from engine.compiling.binding import Binding, dispatching
from engine.compiling.machine_code import shipped_code
from engine.compiling.machine_code.shipped_code import ARCHIVE, Piece, digest_of, read_archive, write_archive
from engine.games.catalogue import start_of
from engine.search.binding import SEARCHING, SOLVING

PROCESSOR = "x86-64-v3"
"""With vectors of 256 bits, as of 2013 and later. LLVM makes do with shorter ones where a processor has no such."""


class Shipped(NamedTuple):
    """What is compiled."""

    game: str
    parameters: str
    purpose: str


SHIPPED = (
    *(Shipped("gipf", parameters, SEARCHING) for parameters in ("3 3 9 9", "3 4 9 9", "4 3 15 15", "4 4 15 15")),
    *(Shipped("gipf", parameters, SEARCHING) for parameters in ("4 5 15 15", "5 4 20 20")),
    *(Shipped("gipf", parameters, SOLVING) for parameters in ("3 3 9 9", "4 4 15 15")),
    *(Shipped("arrows", "8 8", purpose) for purpose in (SEARCHING, SOLVING)),
    *(Shipped("morris", "", purpose) for purpose in (SEARCHING, SOLVING)),
    *(Shipped("mnk", "4 4 3", purpose) for purpose in (SEARCHING, SOLVING)),
    Shipped("mnk", "8 8 3", SOLVING),
    *(Shipped("mnk", parameters, SEARCHING) for parameters in ("3 3 3", "8 8 5", "15 15 5")),
)
"""Usual variants; whatever its reserves, a variant of GIPF has the same code."""


def bindings_of(shipped: Shipped) -> list[Binding]:
    """Return the bindings whose code is needed."""
    code_of, _ = CODE[shipped.purpose]
    return code_of(start_of(shipped.game, shipped.parameters)).bindings


def pieces(bindings: Iterable[Binding], purpose: str) -> list[Piece]:
    """Return what was compiled of bindings in this process since the last time."""
    from engine.compiling.machine_code.object_writer import bitcode  # which imports numba

    called = [(binding, functions) for binding in bindings if (functions := binding.take_called())]
    return [Piece(digest_of(binding.copies), purpose, *bitcode(functions)) for binding, functions in called]


def needed(shipped: Shipped) -> set[tuple[str, str]]:
    """Return the digests and purposes of the pieces that have to be there."""
    return {(digest_of(binding.copies), shipped.purpose) for binding in bindings_of(shipped)}


def make() -> None:
    """Make the archive anew, on all cores; what was made from the same sources is kept."""
    known = {(piece.digest, piece.purpose): piece for piece in read_archive(ARCHIVE)} if ARCHIVE.is_file() else {}
    found = {key: piece for shipped in SHIPPED for key in needed(shipped) if (piece := known.get(key)) is not None}
    missing = [number for number, shipped in enumerate(SHIPPED) if not needed(shipped) <= found.keys()]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        files = [Path(folder) / str(number) for number in missing]
        for number, size in zip(missing, pool.map(_compile_apart, missing, files), strict=True):
            print(*SHIPPED[number], f"{size} bytes", flush=True)
        found |= {(piece.digest, piece.purpose): piece for file in files for piece in read_archive(file)}
    write_archive(found.values(), ARCHIVE)
    print(f"{ARCHIVE.name}: {ARCHIVE.stat().st_size} bytes, {len(found)} pieces")


def _compile_apart(number: int, file: Path) -> int:
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ,
            "XDG_CACHE_HOME": cache,
            "NUMBA_CPU_NAME": PROCESSOR,
            "NUMBA_CPU_FEATURES": "",
        }
        words = (sys.executable, "-P", "-m", "tests.shipping", str(number), str(file))
        subprocess.run(words, env=environment, check=True)
    return file.stat().st_size


def _compile(number: int, file: Path) -> None:
    """Compile what has a number, and write it to a file as an archive of its own."""
    shipped_code.ARCHIVE = file  # which is not there: nothing is taken from the last archive
    shipped = SHIPPED[number]
    CODE[shipped.purpose][1](start_of(shipped.game, shipped.parameters))
    write_archive(pieces(dispatching(), shipped.purpose), file)


if __name__ == "__main__":
    if sys.argv[1:]:
        _compile(int(sys.argv[1]), Path(sys.argv[2]))
    else:
        make()
