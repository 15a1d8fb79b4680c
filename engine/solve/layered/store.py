"""Where solved layers are kept: in memory, or in a directory, from which they are read again.

All values lie in one array, layer behind layer, those with the smaller numbers in their names first; so a store for
larger ones is the same with more behind it. On disk that is a file which is mapped into memory, with holes for what is
not solved. A journal beside it has a line for each layer that is complete, with a checksum of its values: a layer
without its line, or with values that do not fit it, is not there. Files that cannot be written are read all the same.
"""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

from engine.compiling.binding import zeros
from engine.games.interface import Kernel

COLUMNS = ("mine", "theirs", "positions", "checksum")
"""Of a line of the journal, separated by tabs."""


Name = tuple[int, int]
"""The two numbers by which the side to move names a layer."""


class LayerStore:
    """Solved layers of one game. ``values[offsets[m * width + o]]`` is the first value of layer (m, o)."""

    def __init__(self, kernel: Kernel, sizes: Sequence[Sequence[int]], directory: Path | None = None) -> None:
        """Make room for all layers (m, o), which have ``sizes[m][o]`` places, with m and o below ``len(sizes)``.

        With a directory, take what is there already. Raises OSError where it cannot be read.
        """
        self.width = len(sizes)
        self._sizes = sizes
        self._positions: dict[Name, int] = {}
        self._unverified: dict[Name, int] = {}
        self._file: Path | None = None
        self.offsets = zeros("q", self.width**2)
        total = 0
        for mine, theirs in _names(self.width):
            self.offsets[mine * self.width + theirs] = total
            total += self._sizes[mine][theirs]
        if directory is None:
            self.values: Any = memoryview(
                cast(Any, zeros("B", total))
            )  # or a file that is mapped, which is not written to
            return
        name = kernel.rules.label
        self._file = directory / f"{name}.layers"
        self._journal = directory / f"{name}.journal"
        self.values = _mapped(self._file, total)
        self._read_journal()

    def is_there(self, name: Name) -> bool:
        """Tell whether a layer is there, with its values as they were written."""
        if name in self._unverified:
            if zlib.crc32(self._layer(name)) != self._unverified[name]:
                del self._positions[name]
            del self._unverified[name]
        return name in self._positions

    def differing(self) -> list[Name]:
        """List the layers whose values are not as they were written; from then on these are there, to be looked at."""
        found = [name for name, expected in self._unverified.items() if zlib.crc32(self._layer(name)) != expected]
        self._unverified.clear()
        return found

    def positions(self, name: Name) -> int:
        """Return the number of positions of a layer up to symmetry, without a look at its values; 0 if unsolved."""
        return self._positions.get(name, 0)

    def put(self, name: Name, values: Any, positions: int) -> None:
        """Add a solved layer. Raises OSError where it cannot be written."""
        start = self._start(name)
        if self._file is None:
            self.values[start : start + len(values)] = values
        else:
            with self._file.open("r+b") as opened:
                opened.seek(start)
                opened.write(values)
            words = [*name, positions, zlib.crc32(values)]
            with self._journal.open("a", encoding="utf-8") as journal:
                if journal.tell() == 0:
                    journal.write("\t".join(COLUMNS))
                journal.write("\n" + "\t".join(map(str, words)))  # a crash may have cut the line before
        self._positions[name] = positions
        self._unverified.pop(name, None)

    def fill(self, values: bytes) -> None:
        """Take the values of all layers at once, into memory; their positions are not counted."""
        self.values[:] = values
        self._positions = dict.fromkeys(_names(self.width), 0)

    def value(self, name: Name, place: int) -> int:
        """Return a value of a layer that is there."""
        return int(self.values[self._start(name) + place])

    def byte_of(self, name: Name, place: int) -> int:
        """Return where the value of a place lies in the file."""
        return self._start(name) + place

    def _start(self, name: Name) -> int:
        return int(self.offsets[name[0] * self.width + name[1]])

    def _layer(self, name: Name) -> Any:
        start = self._start(name)
        return self.values[start : start + self._sizes[name[0]][name[1]]]

    def _read_journal(self) -> None:
        """Take what the journal has, if it was begun."""
        text = self._journal.read_text(encoding="utf-8") if self._journal.exists() else ""
        for line in text.splitlines()[1:]:
            try:
                mine, theirs, positions, checksum = map(int, line.split("\t"))
            except ValueError:  # a crash has cut the line
                continue
            if max(mine, theirs) < self.width:
                self._positions[mine, theirs] = positions
                self._unverified[mine, theirs] = checksum


def _names(width: int) -> Iterator[Name]:
    """Yield the names of layers, those with the smaller numbers first."""
    for number in range(width):
        yield from ((number, theirs) for theirs in range(number + 1))
        yield from ((mine, number) for mine in range(number))


def _mapped(file: Path, size: int) -> Any:
    """Return the bytes of a file, made at least so long, as an array that follows what is written to it.

    A file that cannot be written, and is shorter, is copied.
    """
    import numpy

    mode: Literal["c", "r+"] = "c"
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as opened:
            if opened.tell() < size:
                opened.truncate(size)
        mode = "r+"
    found = file.stat().st_size
    if found < size:
        values = numpy.zeros(size, numpy.uint8)
        values[:found] = numpy.fromfile(file, numpy.uint8, found)
        return values
    # compiled functions take an array that may be written to; nobody writes to this one
    return numpy.asarray(numpy.memmap(file, numpy.uint8, mode, shape=(size,)))
