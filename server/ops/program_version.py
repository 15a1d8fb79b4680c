"""Name and version of this program, and a digest of the sources that decide how a game goes on and ends."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import engine
import server

RULES = ("engine/games", "engine/match", "server/match")
"""Sources that decide a game: rules, clocks, records and the referee."""


def program() -> str:
    """Return name and version of this program, as in the greeting and in records."""
    return f"gipf-arena/{version('gipf-arena')}"


@cache
def program_with_rules() -> str:
    """Return name and version of this program, with a digest of its rules."""
    places = {package.__name__: Path(str(package.__file__)).parent.parent for package in (engine, server)}
    digest = hashlib.sha256()
    for name in RULES:
        root = places[name.partition("/")[0]]
        for path in sorted((root / name).rglob("*.py")) or [root / name]:
            digest.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size}\n".encode() + path.read_bytes())
    return f"{program()} with the rules {digest.hexdigest()[:16]}"
