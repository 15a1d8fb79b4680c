"""Matches beside hostile clients: what their players notice."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.attack import KINDS
from tests.bench.server import serving

MATCHES = 50
PACE = 20.0
"""Moves a second and match."""
SECONDS = 4.0
TIMES = 3
"""Each is measured so often, in turns, and the least counts: what else the machine does only ever adds."""
UNNOTICED = 10.0
"""Milliseconds below which a p99 is not called disturbed: what else this machine does accounts for as much."""

CONFIGURATION = """
[limits]
trusted = ["127.0.0.1/32"]
"""
"""The players are trusted, and the attackers, who come from another address of this machine, are not."""


class Disturbed(NamedTuple):
    """The figures of one kind of attack."""

    kind: str
    before: float
    """p99, the least of `TIMES`, from a MOVE to the opponent's TURN in milliseconds, without the attack."""
    beside: float


def run(kinds: Sequence[str] = KINDS) -> list[Disturbed]:
    """Print the table, and return it."""
    print(f"hostile: {MATCHES} matches of {PACE:.0f} moves a second; p99 from a MOVE to the opponent's TURN, ms")
    table = []
    for kind in kinds:
        figures = [(_slowest("nothing"), _slowest(kind)) for _ in range(TIMES)]
        row = Disturbed(kind, *map(min, zip(*figures, strict=True)))
        print(f"{kind:12} before {row.before:8.2f}, beside {row.beside:8.2f}", flush=True)
        table.append(row)
    return table


def _slowest(kind: str) -> float:
    """Return the p99 of matches beside an attack."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "arena.toml"
        configuration.write_text(CONFIGURATION)
        with serving("--config", str(configuration)) as server:
            attack = _started("attack", server.port, kind, SECONDS + 3)
            out, _ = _started("load", server.port, MATCHES, SECONDS, PACE).communicate()
            attack.communicate()
    return float(out.split()[2])


def _started(name: str, *words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-P", "-m", f"tests.bench.{name}", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
