"""How much of the disk a folder takes. Links are not followed: a build may have made one to anywhere."""

import os
from pathlib import Path
from typing import NamedTuple

BLOCK = 512
"""Bytes of a block, as `os.stat_result.st_blocks` counts them (POSIX)."""


class DiskUse(NamedTuple):
    """What is in a folder."""

    size: int
    """Bytes on the disk."""
    entries: int
    """Files and folders."""


def disk_use(folder: Path) -> DiskUse:
    """Return what a folder takes; nothing where there is none. What goes away meanwhile is left out. Raises OSError."""
    size, entries, left = 0, 0, [str(folder)]
    while left:
        try:
            with os.scandir(left.pop()) as found:
                for entry in found:
                    entries += 1
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        size += _size(entry)
        except FileNotFoundError:
            continue
    return DiskUse(size, entries)


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * BLOCK
    except FileNotFoundError:
        return 0
