"""A server that watches itself: ``python -m tests.bench.sampled DATA SECONDS``.

Prints its port, and then every so many seconds a line: matches, kilobytes of memory, open descriptors, tasks of the
loop, blocks of memory that Python has given out, stalls so far.
"""

import os
import sys
from pathlib import Path

import trio

from server.arena.arena import Arena
from server.config.process_settings import prepare_server
from server.config.settings import Settings
from server.ops.logs import configure
from server.serve import serve


def memory(process: int | str = "self") -> int:
    """Return the kilobytes of memory that a process has in use (Linux)."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def sample(arena: Arena) -> tuple[int, ...]:
    """Return the figures of a line."""
    return (
        len(arena.matches),
        memory(),
        len(os.listdir("/proc/self/fd")),
        trio.lowlevel.current_statistics().tasks_living,
        sys.getallocatedblocks(),
        arena.stalls.count,
    )


async def main(data: Path, seconds: float) -> None:
    """Serve until killed."""
    async with trio.open_nursery() as nursery:
        arena: Arena = await nursery.start(serve, Settings(port=0, data=data))
        print(arena.ports[0], flush=True)
        while True:
            await trio.sleep(seconds)
            print(*sample(arena), flush=True)


if __name__ == "__main__":
    configure(quiet=True)
    prepare_server()
    trio.run(main, Path(sys.argv[1]), float(sys.argv[2]))
