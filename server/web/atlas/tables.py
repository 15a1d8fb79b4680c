"""Which tablebases a server has, and their files to be downloaded, with checksums.

Those that belong to the distribution are unpacked in memory; others are files in the cache of the user who runs the
server, and may grow: what was written in the last moments has no checksum yet, and is not given out.
"""

import hashlib
import io
import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import BinaryIO

import msgspec

from engine.solve.layered.store import read_journal
from engine.solve.tablebase import making, shipped

FORMAT = making.FORMAT
"""Of the files, as `DESCRIPTION` tells it."""

DESCRIPTION = resources.files("engine.solve.tablebase") / "format"
"""What the format is, and programs that read it."""

SETTLED_SECONDS = 5.0
"""A file that has not changed for so long is not being written."""

BLOCK = 1 << 20
"""Bytes that are hashed at a time."""

NAME = re.compile(r"gipf_([2-9])_([2-9])\.(layers|journal)")


class TableFile(msgspec.Struct, frozen=True):
    """A file of a tablebase."""

    name: str
    bytes: int
    sha256: str | None
    """None as long as it is being written."""


class Layer(msgspec.Struct, frozen=True):
    """What a tablebase tells of a layer: positions up to symmetry, and the plies of the longest of these games."""

    mine: int
    theirs: int
    positions: int
    won: int
    lost: int
    longest: int


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """The tablebase of a board and a run length."""

    size: int
    run: int
    files: tuple[TableFile, ...]
    layers: tuple[Layer, ...]
    """Those that are complete; empty where the distribution has all of them, up to 15 pieces a side."""


class Tables(msgspec.Struct, frozen=True, kw_only=True):
    """All tablebases of a server."""

    format: int
    tables: tuple[Table, ...]


class TableFiles:
    """The tablebases of a server. Its methods read whole files at times: they are called in a thread, one at a time."""

    def __init__(self) -> None:
        """Look at nothing yet."""
        self._digests: dict[Path, tuple[int, int, str]] = {}
        """By file: its size and date when it was read, and the checksum."""

    def tables(self) -> Tables:
        """Return what there is, smaller boards first."""
        boards: dict[tuple[int, int], list[str]] = {}
        for name in sorted(_names(), reverse=True):  # layers before the journal
            size, run = (int(number) for number in name.partition(".")[0].split("_")[1:])
            boards.setdefault((size, run), []).append(name)
        found = (self._table(size, run, names) for (size, run), names in sorted(boards.items()))
        return Tables(format=FORMAT, tables=tuple(found))

    def describe(self, name: str) -> TableFile | None:
        """Return a file that can be downloaded, None where there is none of that name."""
        if name in _shipped():
            packed = _unpacked(name)
            return TableFile(name, len(packed), hashlib.sha256(packed).hexdigest())
        path = _path(name)
        if path is None:
            return None
        state = path.stat()
        if 0 <= time.time() - state.st_mtime < SETTLED_SECONDS:
            return TableFile(name, state.st_size, None)
        return TableFile(name, state.st_size, self._digest(path, state.st_size, state.st_mtime_ns))

    def _table(self, size: int, run: int, names: list[str]) -> Table:
        layers: tuple[Layer, ...] = ()
        journal = None if names[0] in _shipped() else _path(f"gipf_{size}_{run}.journal")
        if journal is not None:
            known = read_journal(journal.read_text(encoding="utf-8", errors="replace"))
            layers = tuple(Layer(*layer, *figures[:4]) for layer, (figures, _) in sorted(known.items()))
        described = map(self.describe, names)
        return Table(size=size, run=run, files=tuple(file for file in described if file is not None), layers=layers)

    def _digest(self, path: Path, size: int, changed: int) -> str:
        """Return the SHA-256 of a file, worked out once as long as its size and date stay."""
        known = self._digests.get(path)
        if known is None or known[:2] != (size, changed):
            digest = hashlib.sha256()
            with path.open("rb") as file:
                while block := file.read(BLOCK):
                    digest.update(block)
            self._digests[path] = known = size, changed, digest.hexdigest()
        return known[2]


def open_file(name: str) -> BinaryIO:
    """Open a file that `TableFiles.describe` has found; raises OSError."""
    if name in _shipped():
        return io.BytesIO(_unpacked(name))
    path = _path(name)
    if path is None:
        raise FileNotFoundError(name)
    return path.open("rb")


def _names() -> Iterator[str]:
    yield from _shipped()
    directory = making.folder()
    if directory is not None and directory.is_dir():
        yield from (path.name for path in directory.iterdir() if path.name not in _shipped() and _path(path.name))


def _path(name: str) -> Path | None:
    """Return a file of the cache by its name, None where it is no name of a tablebase or there is no such file."""
    directory = making.folder()
    if directory is None or not NAME.fullmatch(name):
        return None
    path = directory / name
    return path if path.is_file() else None


def _shipped() -> dict[str, int]:
    """Return the files of the tablebases that belong to the distribution, with their K."""
    if not making.reads_shipped():
        return {}
    return {f"gipf_{shipped.SIZE}_{run}.layers": run for run in shipped.RUNS}


@cache
def _unpacked(name: str) -> bytes:
    return shipped.unpacked(_shipped()[name])
