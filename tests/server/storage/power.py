"""A disk that loses its power: it does what it is asked, remembers what was synced, and can say what would be left.

A file that was synced has the bytes that it had then, and of what was appended after that any part, torn anywhere and
with zeros in place of what is missing. A folder that was synced has the names that it had then; names that were given
or taken away after that may be there or not, one by one, but a renamed file has one of its names at least.
"""

import random
from collections.abc import Callable
from pathlib import Path

from server.storage.disk import Disk


class _File:
    """A file, whatever it is called."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.sure = data


class PowerlessDisk(Disk):
    """Works on a real folder, and keeps account of what is certain."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root
        self.steps = 0
        self._open: dict[int, _File] = {}
        self._names: dict[Path, _File] = {}
        self._sure: dict[Path, _File] = {}
        self.watch: Callable[[], None] = lambda: None
        """Called after each step."""

    def create(self, path: Path, mode: int) -> int:
        number = super().create(path, mode)
        self._open[number] = self._names[path] = _File()
        return self._step(number)

    def open(self, path: Path) -> int:
        number = super().open(path)
        self._open[number] = self._names.setdefault(path, _File(path.read_bytes()))
        return self._step(number)

    def append(self, file: int, data: bytes) -> None:
        super().append(file, data)
        self._open[file].data += data
        self._step()

    def cut(self, file: int, length: int) -> None:
        super().cut(file, length)
        self._open[file].data = self._open[file].data[:length]
        self._step()

    def close(self, file: int) -> None:
        super().close(file)
        del self._open[file]

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        self._names[new] = self._names.pop(old)
        self._step()

    def unlink(self, path: Path) -> None:
        super().unlink(path)
        self._names.pop(path, None)
        self._step()

    def sync(self, path: Path) -> None:
        super().sync(path)
        if path in self._names:
            self._names[path].sure = self._names[path].data
        self._step()

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        self._sure = {name: file for name, file in self._sure.items() if name.parent != path}
        self._sure |= {name: file for name, file in self._names.items() if name.parent == path}
        self._step()

    def _step(self, result: int = 0) -> int:
        self.steps += 1
        self.watch()
        return result

    def left(self, chance: random.Random, place: Path) -> None:
        """Make a folder with what could be left if the power were cut now: the worst, the best, or anything between."""
        keep = chance.choice([0.0, 0.5, 1.0])
        names: dict[Path, _File] = {}
        for path in sorted(self._sure.keys() | self._names.keys()):
            before, now = self._sure.get(path), self._names.get(path)
            found = now if chance.random() < keep else before
            if found is not None:
                names[path] = found
        for path, file in self._sure.items():  # renamed: at least one of its names
            if file not in names.values() and file in self._names.values():
                names[path] = file
        for path, file in names.items():
            copy = place / path.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(_torn(file, chance, keep))


def _torn(file: _File, chance: random.Random, keep: float) -> bytes:
    """Return what is left of a file."""
    if not file.data.startswith(file.sure):  # it was cut after it was synced: both lengths may be found
        return file.data if chance.random() < keep else file.sure
    more = file.data[len(file.sure) :]
    if keep == 1.0:
        return file.data
    if keep == 0.0:
        return file.sure
    kept = more[: chance.randrange(len(more) + 1)]
    return file.sure + kept + chance.choice([b"", bytes(len(more) - len(kept))])
