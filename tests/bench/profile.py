"""Where the server's time goes: ``python -m tests.bench profile``.

The server runs under cProfile with many matches at full load. What is called is grouped by what it is for; a profile
makes small functions look dearer than they are.
"""

import cProfile
import pstats
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import trio

from server.arena.arena import Arena
from server.config.process_settings import prepare_server
from server.config.settings import Settings
from server.ops.logs import configure
from server.serve import serve

MATCHES = 500
SECONDS = 8.0

PARTS = (
    ("rules: legal, next position, end", ("engine/games", "engine/compiling")),
    ("kernel: send", ("posix.write",)),
    ("kernel: receive, wait", ("posix.read", "method 'poll", "_io_epoll")),
    ("event loop", ("trio/", "outcome/", "heapq", "sortedcontainers", "contextvars")),
    ("protocol: lines and messages", ("engine/wire",)),
    ("referee, clocks, record", ("server/match/referee", "engine/clock", "engine/record")),
    ("journals and records", ("server/storage", "pathlib")),
    ("matches, arena, sessions, connections", ("server/",)),
)
"""What a part is called, and what its functions' places have in them; the first part that fits counts."""


async def _profiled(folder: Path) -> pstats.Stats:
    """Let a server play under the profiler, with its clients in another process."""
    profile = cProfile.Profile()
    async with trio.open_nursery() as nursery:
        arena: Arena = await nursery.start(serve, Settings(port=0, data=folder / "data", web=None))
        command = [sys.executable, "-P", "-m", "tests.bench.load", str(arena.ports[0]), str(MATCHES), str(SECONDS)]
        profile.enable()
        await trio.run_process(command, stdout=subprocess.DEVNULL)
        profile.disable()
        nursery.cancel_scope.cancel()
    return pstats.Stats(profile)


def _shares(stats: pstats.Stats) -> Iterable[tuple[str, float]]:
    """Return each part with its share of the time in which the processor was busy."""
    seconds = dict.fromkeys([name for name, _ in PARTS] + ["other"], 0.0)
    for (file, _, function), (_, _, own, _, _) in stats.stats.items():  # type: ignore[attr-defined]
        place = f"{file}/{function}"
        if "method 'poll'" in function:
            continue  # waiting
        seconds[next((name for name, words in PARTS if any(word in place for word in words)), "other")] += own
    total = sum(seconds.values())
    return [(name, spent / total) for name, spent in sorted(seconds.items(), key=lambda item: -item[1])]


def run() -> None:
    """Print the parts, the largest first."""
    configure(quiet=True)
    with tempfile.TemporaryDirectory() as folder:
        prepare_server()
        stats = trio.run(_profiled, Path(folder))
    print(f"profile: {MATCHES} matches at full load; share of the server's own time")
    for name, share in _shares(stats):
        print(f"{100 * share:6.1f} %  {name}")
