"""Where a contest keeps what is no record: its report, and what programs have written."""

from collections.abc import Mapping
from pathlib import Path

FOLDER = "contests"
"""Part of the data directory with a folder for each contest: its report, and what its programs wrote on stderr."""


def folder_of(data: Path, contest: int) -> Path:
    """Return the folder of a contest in a data directory."""
    return data / FOLDER / str(contest)


def errors_of(data: Path, contest: int, match: int, name: str) -> Path:
    """Return the file for what the program of a player writes on stderr in a game."""
    return folder_of(data, contest) / "programs" / f"{match}-{name}.txt"


def keep_written(data: Path, contest: int, match: int, wrote: Mapping[str, bytes]) -> None:
    """Keep what programs have written elsewhere on stderr, by their players' names; raises OSError."""
    for name, written in wrote.items():
        path = errors_of(data, contest, match, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written)
