"""The server at half load for a long time: what grows? ``python -m tests.bench soak --minutes 30``."""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MATCHES = 200
PACE = 25.0
"""Moves a second and match: with so many matches about a third of what the server does at full load, and half of what
is left of it where the client runs on the same two cores."""

SETTLING_MINUTES = 5.0
"""Minutes before the first comparison: caches and pools may still grow."""

WINDOW_MINUTES = 5.0
"""The first and the last minutes that are compared."""

EVERY_SECONDS = 5.0

COLUMNS = ("matches", "memory, KB", "descriptors", "tasks", "blocks", "stalls")


def run(minutes: float = 30.0) -> None:
    """Play, and print how each figure has changed."""
    folder = Path(tempfile.mkdtemp())
    try:
        samples = _samples(folder / "data", minutes)
    finally:
        shutil.rmtree(folder)
    settling, window = (round(60 * part / EVERY_SECONDS) for part in (SETTLING_MINUTES, WINDOW_MINUTES))
    if minutes < SETTLING_MINUTES + 2 * WINDOW_MINUTES:
        settling, window = len(samples) // 6, len(samples) // 3
    early, late = samples[settling : settling + window], samples[-window:]
    print(f"soak: {minutes:g} minutes, {MATCHES} matches, {PACE:g} moves a second each; medians of the first and last")
    print(f"{window * EVERY_SECONDS / 60:g} minutes after the first {settling * EVERY_SECONDS / 60:g}")
    for number, name in enumerate(COLUMNS):
        first, last = (statistics.median(sample[number] for sample in part) for part in (early, late))
        print(f"{name:>12} {first:10.0f} {last:10.0f} {100 * (last - first) / max(1.0, first):+7.2f} %")


def _samples(data: Path, minutes: float) -> list[tuple[int, ...]]:
    """Let a server and its clients run; return what the server told of itself."""
    command = [sys.executable, "-P", "-m", "tests.bench.sampled", str(data), str(EVERY_SECONDS)]
    samples: list[tuple[int, ...]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        seconds = str(60 * minutes)
        load = [sys.executable, "-P", "-m", "tests.bench.load", port, str(MATCHES), seconds, str(PACE)]
        with subprocess.Popen(load, stdout=subprocess.PIPE, text=True) as client:
            end = time.monotonic() + 60 * minutes
            while time.monotonic() < end:
                samples.append(tuple(map(int, server.stdout.readline().split())))
                print(f"{len(samples) * EVERY_SECONDS:6.0f} s", *samples[-1], file=sys.stderr, flush=True)
            assert client.stdout is not None
            rate, *times = map(float, client.stdout.read().split())
        server.kill()
    shares = " ".join(f"{share:.2f}" for share in times)
    print(f"{rate:.0f} moves a second; to the opponent's TURN {shares} ms: p50 p99 p99.9")
    return samples
