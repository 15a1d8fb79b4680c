"""Moves through the server: validated, journalled, relayed; beside a bare relay in the same run."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench.sampled import memory
from tests.server.process import ServerProcess

MATCHES = (1, 10, 50, 200, 500, 2000)
SECONDS = 5.0
PACED = 50
"""Matches of the rows in which players take their time."""
PACE = 20.0
"""Moves a second and match, there."""
BARS = {500: "15000 moves/s, p99 30 ms"}
"""Targets at full load, by the number of matches."""
PACED_BAR = "p99 1 ms"
"""Target of the rows in which players take their time."""
NOTED = 500
"""Matches of the row with a note before each move."""


class Running(NamedTuple):
    """A process that listens."""

    port: int
    process: int


class Figures(NamedTuple):
    """Figures of one load."""

    rate: float
    middle: float
    slow: float
    slowest: float
    cpu: float
    """Microseconds of processor time that the server took for a move."""
    memory: float
    """Kilobytes that the server has grown by, for a match."""


def run() -> None:
    """Print the table."""
    print("server: moves relayed a second, and milliseconds from a MOVE sent to the opponent's TURN")
    titles = ("moves/s", "p50 ms", "p99 ms", "p99.9 ms", "CPU us/move", "KB/match")
    print(f"{'matches':>8} {'':24}", *(f"{title:>11}" for title in titles), "  bar")
    for matches in MATCHES:
        with _relay() as relay:
            _show(matches, "bare relay", load(relay, matches))
        _serve(matches, "server", bar=BARS.get(matches, ""))
    _serve(NOTED, "server, a note a move", 0, 1)
    _serve(PACED, f"{PACE:.0f} a match", PACE, bar=PACED_BAR)


def _serve(matches: int, what: str, pace: float = 0.0, notes: int = 0, *, bar: str = "") -> None:
    with serving() as server:
        _show(matches, what, load(server, matches, pace, notes), bar)


def _show(matches: int, what: str, figures: Figures, bar: str = "") -> None:
    rate, middle, slow, slowest, cpu, kilobytes = figures
    times = f"{rate:11.0f} {middle:11.2f} {slow:11.2f} {slowest:11.2f}"
    print(f"{matches:8} {what:24} {times} {cpu:11.0f} {kilobytes:11.0f}   {bar}".rstrip(), flush=True)


def load(server: Running, matches: int, *more: float) -> Figures:
    """Let so many matches be played, as `tests.bench.load` is told, and return what that came to."""
    before = memory(server.process)
    words = [server.port, matches, SECONDS, *more]
    command = [sys.executable, "-P", "-m", "tests.bench.load", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None and client.stderr is not None
        client.stderr.readline()  # while matches begin, moves that are not counted are played already
        seconds = processor_seconds(server.process)
        rate, middle, slow, slowest = map(float, client.stdout.readline().split())
        cpu = (processor_seconds(server.process) - seconds) / (rate * SECONDS)
    return Figures(rate, middle, slow, slowest, cpu * 1e6, (memory(server.process) - before) / matches)


@contextmanager
def serving(*options: str) -> Iterator[Running]:
    """Run a server over a directory of its own; it ends with the ``with``."""
    with tempfile.TemporaryDirectory() as folder, ServerProcess(Path(folder), *options) as server:
        yield Running(server.port, server.process.pid)


@contextmanager
def _relay() -> Iterator[Running]:
    """Run the bare relay; it ends with the ``with``."""
    command = [sys.executable, "-P", "-m", "tests.bench.relay"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Running(int(process.stdout.readline()), process.pid)
        finally:
            process.terminate()


def processor_seconds(process: int) -> float:
    """Return the processor time that a process and those that it has started have used, in seconds (Linux)."""
    folder = Path(f"/proc/{process}")
    fields = (folder / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = (folder / "task" / str(process) / "children").read_text(encoding="ascii").split()
    return own + sum(processor_seconds(int(child)) for child in children)
