"""Name and version of this program, and a digest of the sources that decide how a game goes on and ends."""

import hashlib
from functools import cache
from pathlib import Path

from engine.commands.program import VERSION

ROOT = Path(__file__).parents[2]
"""The folder of the packages of this distribution."""

RULES = ("engine/games", "engine/match", "server/match")
"""Sources that decide a game: rules, clocks, records and the referee."""


def program() -> str:
    """Return name and version of this program, as in the greeting and in records."""
    return f"gipf-arena/{VERSION}"


@cache
def program_with_rules() -> str:
    """Return name and version of this program, with a digest of its rules."""
    digest = hashlib.sha256()
    for path in (path for name in RULES for path in sorted((ROOT / name).rglob("*.py"))):
        digest.update(f"{path.relative_to(ROOT).as_posix()} {path.stat().st_size}\n".encode() + path.read_bytes())
    return f"{program()} with the rules {digest.hexdigest()[:16]}"
