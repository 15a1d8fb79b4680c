"""Moves through the server: validated, journalled, relayed; beside a bare relay in the same run."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

MATCHES = (1, 50, 500)
SECONDS = 5.0
PACE = 20.0
"""Moves a second and match, where players take their time."""


class Figures(NamedTuple):
    """What one load came to."""

    rate: float
    middle: float
    slow: float
    cpu: float
    """Microseconds of processor time that the server took for a move."""


def run() -> None:
    """Print the table."""
    print("server: moves relayed a second, and milliseconds from a MOVE sent to the opponent's TURN")
    print(f"{'matches':>8} {'':10} {'moves/s':>9} {'p50 ms':>8} {'p99 ms':>8} {'CPU us/move':>12}")
    for matches in MATCHES:
        with _program("tests.bench.relay") as (port, process):
            _show(matches, "bare relay", _load(port, process, matches))
        with tempfile.TemporaryDirectory() as folder:
            command = ("server", "serve", "--port", "0", "--data", folder)
            with _program(*command) as (port, process):
                _show(matches, "server", _load(port, process, matches))
            if matches == 50:
                with tempfile.TemporaryDirectory() as other, _program(*command[:-1], other) as (port, process):
                    _show(matches, f"{PACE:.0f} a match", _load(port, process, matches, PACE))


def _show(matches: int, what: str, figures: Figures) -> None:
    rate, middle, slow, cpu = figures
    print(f"{matches:8} {what:10} {rate:9.0f} {middle:8.2f} {slow:8.2f} {cpu:12.0f}", flush=True)


def _load(port: int, process: int, matches: int, pace: float = 0.0) -> Figures:
    before = _processor_seconds(process)
    command = [sys.executable, "-P", "-m", "tests.bench.load", str(port), str(matches), str(SECONDS), str(pace)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate, middle, slow = map(float, out.split())
    cpu = (_processor_seconds(process) - before) / (rate * (SECONDS + 1))
    return Figures(rate, middle, slow, cpu * 1e6)


@contextmanager
def _program(*arguments: str) -> Iterator[tuple[int, int]]:
    """Run a program that says its port; yield the port and the process's number."""
    command = [sys.executable, "-P", "-m", *arguments]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            yield _port(process, log), process.pid
        finally:
            process.terminate()


def _port(process: subprocess.Popen[str], log: object) -> int:
    """Return the port: the relay prints it, the server logs it."""
    assert process.stdout is not None
    if "relay" in str(process.args):
        return int(process.stdout.readline())
    while True:
        log.seek(0)  # type: ignore[attr-defined]
        found = re.search(r"ports=\"?\[([0-9]+)", log.read())  # type: ignore[attr-defined]
        if found:
            return int(found.group(1))
        if process.poll() is not None:
            raise SystemExit("the server did not start")


def _processor_seconds(process: int) -> float:
    """Return the processor time that a process has used, in seconds (Linux)."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
