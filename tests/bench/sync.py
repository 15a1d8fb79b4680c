"""What syncing costs: moves through a server that syncs every second, and through one that never does, in turns.

``python -m tests.bench sync`` measures pairs of servers, one after the other, so that what else goes on on the machine
falls on both; the medians of the ratios count.
"""

import statistics

from tests.bench.server import Figures, load, serving

MATCHES = 500
PAIRS = 6


def run() -> None:
    """Print the figures of each pair, and what they come to."""
    print(f"sync: {MATCHES} matches at full load; --sync-interval 1 beside 0, in turns", flush=True)
    print(f"{'':>8} {'moves/s':>11} {'without':>11} {'ratio':>7} {'p99 ms':>8} {'without':>8}")
    rates, slow = [], []
    for number in range(PAIRS):
        order = ("1", "0") if number % 2 else ("0", "1")
        found = {seconds: _one(seconds) for seconds in order}
        with_, without = found["1"], found["0"]
        rates.append(with_.rate / without.rate)
        slow.append(with_.slow / without.slow)
        times = f"{with_.slow:8.2f} {without.slow:8.2f}"
        print(f"{number + 1:8} {with_.rate:11.0f} {without.rate:11.0f} {rates[-1]:7.2f} {times}", flush=True)
    print(f"  medians: {statistics.median(rates):.2f} of the moves, p99 {statistics.median(slow):.2f} times as long")


def _one(seconds: str) -> Figures:
    with serving("--sync-interval", seconds) as server:
        return load(server, MATCHES)
