"""Matches beside hostile clients: what their players notice, and how much memory the server takes."""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench.attack import KINDS
from tests.bench.sampled import memory
from tests.bench.server import Running, processor_seconds, serving

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
    """What one kind of attack came to."""

    kind: str
    before: float
    """p99, the least of `TIMES`, from a MOVE to the opponent's TURN in milliseconds, without the attack."""
    beside: float
    rate: float
    """Moves a second beside the attack."""
    cpu_before: float
    """Processor time that the server takes a second, without the attack."""
    cpu: float
    memory: float
    """Megabytes by which the server grew at most."""
    connections: int
    megabytes: float
    """What the attackers got rid of."""


def run(kinds: Sequence[str] = KINDS, seconds: float = SECONDS) -> list[Disturbed]:
    """Print the table, and return it."""
    print(f"hostile: {MATCHES} matches of {PACE:.0f} moves a second; milliseconds from a MOVE to the opponent's TURN")
    titles = (
        "p99 before",
        "beside",
        "ratio",
        "moves/s",
        "CPU before",
        "CPU beside",
        "MB more",
        "connections",
        "MB sent",
    )
    print(f"{'attack':12}", *(f"{title:>11}" for title in titles))
    table = []
    for kind in kinds:
        row = _measured(kind, seconds)
        table.append(row)
        figures = f"{row.before:11.2f} {row.beside:11.2f} {row.beside / row.before:11.2f} {row.rate:11.0f}"
        figures += f" {row.cpu_before:11.2f} {row.cpu:11.2f}"
        print(f"{kind:12} {figures} {row.memory:11.1f} {row.connections:11} {row.megabytes:11.1f}", flush=True)
    return table


def _measured(kind: str, seconds: float) -> Disturbed:
    alone, attacked = [], []
    for _ in range(TIMES):
        with _server() as server:
            alone.append(_load(server, seconds))
        attacked.append(_attacked(kind, seconds))
    least = min(attacked, key=lambda row: row.beside)
    before, cpu = min(slow for _, slow, _ in alone), min(cpu for _, _, cpu in alone)
    return least._replace(before=before, cpu_before=cpu, memory=max(row.memory for row in attacked))


def _attacked(kind: str, seconds: float) -> Disturbed:
    with _server() as server:
        grown = _Growth(server.process)
        attack = _started("attack", server.port, kind, seconds + 3)
        rate, beside, cpu = _load(server, seconds)
        out, _ = attack.communicate(timeout=seconds + 60)
        connections, sent = map(int, out.split())
        return Disturbed(kind, 0.0, beside, rate, 0.0, cpu, grown.end() / 1024, connections, sent / 1e6)


@contextmanager
def _server() -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "arena.toml"
        configuration.write_text(CONFIGURATION)
        with serving("--config", str(configuration)) as server:
            yield server


def _load(server: Running, seconds: float) -> tuple[float, float, float]:
    """Return moves a second, p99, and the processor time that the server took a second."""
    began, used = time.monotonic(), processor_seconds(server.process)
    out, _ = _started("load", server.port, MATCHES, seconds, PACE).communicate()
    cpu = (processor_seconds(server.process) - used) / (time.monotonic() - began)
    rate, _, slow, *_ = map(float, out.split())
    return rate, slow, cpu


def _started(name: str, *words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-P", "-m", f"tests.bench.{name}", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class _Growth:
    """Looks ten times a second how much memory a process has in use."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._first = self._most = memory(process)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            self._most = max(self._most, memory(self._process))

    def end(self) -> int:
        """Return by how many kilobytes it grew at most."""
        self._over.set()
        self._thread.join()
        return self._most - self._first
