"""Moves through the server while browsers watch one of its matches, beside the same server without browsers."""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench.load import WARM_SECONDS
from tests.bench.server import processor_seconds
from tests.web.site import Site

MATCHES = 50
"""Matches beside the one that is watched, all players answering at once."""
BROWSERS = 500
RATE_BAR = 0.9
"""Part of the moves a second that is to be left beside the browsers."""

SECONDS = 5.0
ROUNDS = 5


def run() -> None:
    """Print the table."""
    print(f"web: {MATCHES} matches as fast as they go; {BROWSERS} browsers on another one of 20 moves a second")
    titles = ("without", "with", "moves/s", "moves/CPU s", "events/s")
    print(f"{'round':>8}", *(f"{title:>13}" for title in titles))
    rates, costs = [], []
    for number in range(1, ROUNDS + 1):
        without, with_them = _measure(0), _measure(BROWSERS)
        rates.append(with_them.rate / without.rate)
        costs.append(with_them.efficiency / without.efficiency)
        figures = f"{without.rate:13.0f} {with_them.rate:13.0f} {rates[-1]:13.3f} {costs[-1]:13.3f}"
        print(f"{number:8} {figures} {with_them.events:13.1f}", flush=True)
    for title, ratios, bar in (
        ("moves/s", rates, f"   bar {RATE_BAR}"),
        ("moves per second of the server's processor time", costs, ""),
    ):
        print(f"{title}: median ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}){bar}")


class Figures(NamedTuple):
    """What one run came to."""

    rate: float
    """Moves a second of the matches that nobody watches."""
    efficiency: float
    """Moves for each second of processor time that the server took: on a busy machine it tells more than the rate."""
    events: float
    """Events that each browser got a second."""


def _measure(browsers: int) -> Figures:
    with _watched(browsers) as (server, port, watching):
        before = processor_seconds(server)
        load = _python("tests.bench.load", str(port), str(MATCHES), str(SECONDS))
        out = subprocess.run(load, check=True, capture_output=True, text=True).stdout
        spent = processor_seconds(server) - before
        told, _ = watching.communicate()
    rate = float(out.split()[0])
    return Figures(rate, rate * (SECONDS + WARM_SECONDS) / spent, float(told))


@contextmanager
def _watched(browsers: int) -> Iterator[tuple[int, int, "subprocess.Popen[str]"]]:
    """Run a server with a match that so many browsers watch: its process, its port, and theirs, which is ready."""
    with tempfile.TemporaryDirectory() as folder, Site(Path(folder)) as server:
        watch = ["tests.bench.browsers", str(server.port), str(server.web_port), str(browsers), str(SECONDS + 2)]
        with subprocess.Popen(_python(*watch), stdout=subprocess.PIPE, text=True) as watching:
            assert watching.stdout is not None
            watching.stdout.readline()
            yield server.process.pid, server.port, watching


def _python(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", *arguments]
