"""Moves over WebSocket beside moves over TCP, in turns."""

import tempfile
from pathlib import Path
from statistics import median

from tests.bench.server import PACE, Figures, Running, load
from tests.web.site import Site

TURNS = 3
LOADS = ((1, 0.0), (50, 0.0), (50, PACE))
"""Matches, and moves a second of each, 0 for as fast as it goes."""


def run() -> None:
    """Print medians."""
    print(f"web-sockets: moves relayed, medians of {TURNS} runs in turns over TCP and over WebSocket")
    print(f"{'matches':>8} {'':22} {'moves/s':>9} {'p50 ms':>9} {'p99 ms':>9} {'CPU us/move':>12}", flush=True)
    for matches, pace in LOADS:
        pairs = [(_measure(matches, pace, 0), _measure(matches, pace, 1)) for _ in range(TURNS)]
        for name, figures in zip(("TCP", "WebSocket"), zip(*pairs, strict=True), strict=True):
            _show(matches, f"{name}, {pace:.0f} a match" if pace else name, figures)


def _measure(matches: int, pace: float, web_socket: int) -> Figures:
    """Measure with a server of its own: players of an earlier one would be waited for."""
    with tempfile.TemporaryDirectory() as folder, Site(Path(folder)) as site:
        port = site.web_port if web_socket else site.port
        return load(Running(port, site.process.pid), matches, pace, 0, 0, 0, web_socket)


def _show(matches: int, what: str, figures: tuple[Figures, ...]) -> None:
    rate, middle, slow, _, cpu, _ = map(median, zip(*figures, strict=True))
    print(f"{matches:8} {what:22} {rate:9.0f} {middle:9.2f} {slow:9.2f} {cpu:12.0f}", flush=True)
