"""A program that plays by seed, and attacks at its first move as its name says; what it tried and got is on its stderr.

Run as: attacker.py SECRETS DATA RIVAL PORT, where the first three are a home with secrets, the server's data directory,
and a rival's program. Nothing but the standard library, and dice.py beside it.
"""

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

name = os.environ["ARENA_NAME"]
secrets, data, rival, port = sys.argv[1:]
MINE = os.environ.get("ARENA_PROGRAM", "").partition(".")[0]
"""Mark that only the programs of this contest have."""
SANDBOXED = os.getpid() < 100
"""Only then is everybody in sight fair game: elsewhere there are others on the machine."""


def say(line: str) -> None:
    print(line, flush=True)


def tell(**what: object) -> None:
    print("ATTACK " + json.dumps(what), file=sys.stderr, flush=True)


def tried(what: Callable[[], object]) -> object:
    try:
        return what()
    except (OSError, sqlite3.Error) as error:
        return type(error).__name__


def others() -> Iterator[tuple[int, bytes]]:
    """Name the processes of others in sight, and their environment."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            number, environment = int(path.name), (path / "environ").read_bytes()
        except OSError:
            continue
        mine = f"ARENA_NAME={name}\0".encode()
        ours = f"ARENA_PROGRAM={MINE}".encode() in environment or SANDBOXED
        if number not in (1, os.getpid(), os.getppid()) and mine not in environment + b"\0" and ours:
            yield number, environment


def kills() -> None:
    found = [number for number, _ in others()]
    for number in found:
        os.kill(number, signal.SIGSTOP)
        os.kill(number, signal.SIGKILL)
    tell(killed=len(found))


def reads() -> None:
    words = [word for _, environment in others() for word in environment.split(b"\0")]
    tell(
        tokens=sum(word.startswith(b"ARENA_TOKEN=") for word in words),
        ssh=tried(lambda: Path(secrets, ".ssh", "id").read_text()),
        records=tried(lambda: len(os.listdir(Path(data, "running")))),
        secret=os.environ.get("ARENA_SECRET"),
    )


def edits() -> None:
    def edit() -> int:
        with sqlite3.connect(f"file:{data}/arena.sqlite3?mode=rw", uri=True, timeout=30) as store:
            return store.execute("UPDATE games SET detail = 'edited' WHERE id = 1").rowcount

    tell(database=tried(edit), record=tried(lambda: Path(data, "records", "1.txt").write_text("mine")))


def append(path: str) -> int:
    with open(path, "a") as file:
        return file.write("\n# mine\n")


def overwrites() -> None:
    tell(
        rival=tried(lambda: append(rival)),
        own=tried(lambda: append(__file__)),
    )


def fills() -> None:
    def fill(folder: str) -> object:
        size = 0
        try:
            with open(f"{folder}/big", "wb") as file:
                while size < 40:
                    file.write(bytes(1 << 20))
                    size += 1
        except OSError as error:
            return [size, type(error).__name__]
        return [size, ""]

    tell(scratch=fill(os.environ["HOME"]), shared=fill("/dev/shm"), own=fill("."))


def forks() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)", f"stays-{port}"], {})
        os._exit(0)


def eats() -> None:
    held = []
    try:
        while True:
            held.append(bytearray(b"x") * (1 << 20))
    except MemoryError:
        time.sleep(1000)


def spins() -> None:
    while True:
        pass


def floods() -> None:
    sys.stderr.write("flood\n" * 500_000)
    for _ in range(2000):
        say("NONSENSE " + "x" * 500)


exits, aborts = partial(sys.exit, 5), os.abort


def pretends() -> None:
    tell(pretended=pretended)


TRIES = {
    "hidden": ("pretends", "reads", "edits", "overwrites", "fills", "kills", "forks"),
    "open": ("reads", "overwrites", "kills"),
}
"""Attacks of a program that tries several, by its name. The last one starts a process, which would be killed as well."""


def attack() -> None:
    """Say what is tried, and try it: `dice` calls this before its first move."""
    for tried in TRIES.get(name, (name,)):
        tell(tried=tried)
        globals()[tried]()


if __name__ == "__main__":
    if name == "hidden":
        say("LOGIN honest1")
        sys.stdin.readline()
        pretended = sys.stdin.readline().split()[:2]
    import dice  # type: ignore[import-not-found]  # noqa: F401  # it lies beside this program, and plays
