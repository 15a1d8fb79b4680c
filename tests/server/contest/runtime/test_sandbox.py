"""Programs in sandboxes: what they see, what they may use, and that nothing of them is left."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from inline_snapshot import snapshot

from engine.games.interface import Termination
from engine.wire.seat import Seat
from engine.wire.words import without_folders
from server.contest.definition import Bounds
from server.contest.programs import program as programs
from server.contest.programs.program import Program, Surroundings
from server.contest.programs.sandbox import process, seal
from server.contest.programs.sandbox.seal import Seal, VisibleFiles
from server.storage.player_logs import without_plies
from tests.descriptors import open_files
from tests.server.harness import until
from tests.waiting import WAIT_SECONDS

SEAT = Seat("127.0.0.1", 2754, "carol", "gipf", "5ec7e7")
USUAL = Bounds()
pytestmark = pytest.mark.usefixtures("needs_sandbox")


@asynccontextmanager
async def started(
    tmp_path: Path, source: str, *words: str, bounds: Bounds = USUAL, cpu_seconds: float = 1000.0
) -> AsyncIterator[Program]:
    """Start a Python program in a sandbox, with a folder of its own, and leave it to be ended by what follows."""
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    (own / "bot.py").write_text(source)
    seal = Seal(VisibleFiles(own, (own,)), bounds, cpu_seconds)
    place = Surroundings(own, "0" * 16, tmp_path / "data" / "errors.txt", seal=seal)
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            yield await nursery.start(programs.run, [sys.executable, "bot.py", *words], SEAT, place)
            nursery.cancel_scope.cancel()


def kept(tmp_path: Path) -> str:
    return without_plies((tmp_path / "data" / "errors.txt").read_text())


def with_word(word: str) -> list[int]:
    """Return the processes of this machine that have a word in their command."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


async def none_with_word(word: str) -> None:
    await until(lambda: not with_word(word))


LOOKS_AROUND = """
import json, os, socket, sys
found = {"environment": dict(os.environ), "here": os.getcwd(), "files": os.listdir("."), "user": os.getuid()}
def tried(name, what):
    try: found[name] = what()
    except OSError as error: found[name] = type(error).__name__
tried("processes", lambda: sorted(int(name) for name in os.listdir("/proc") if name.isdigit()))
tried("rival", lambda: os.listdir("../rival"))
tried("data", lambda: os.listdir("../data"))
tried("home", lambda: os.listdir(sys.argv[1]))
tried("root", lambda: sorted(os.listdir("/")))
tried("etc", lambda: open("/etc/shadow").read())
tried("hosts", lambda: open("/etc/hosts").read())
places = {"own": "x", "top": "/x", "dev": "/dev/x", "usr": "/usr/x", "kernel": "/proc/sys/kernel/core_pattern"}
places |= {"etc": "/etc/x", "hosts": "/etc/hosts"}
for name, path in places.items():
    tried("write " + name, lambda: open(path, "a").close())
tried("write scratch", lambda: open(os.path.join(os.environ["HOME"], "x"), "w").write("mine"))
tried("interfaces", lambda: [name for _, name in socket.if_nameindex()])
tried("server", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 5).close())
tried("kill", lambda: os.kill(int(sys.argv[3]), 0))
tried("descriptors", lambda: sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1])
tried("capabilities", lambda: [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")])
print(json.dumps(found), file=sys.stderr)
"""


async def test_a_program_sees_its_own_folder_and_nothing_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of the server")
    (tmp_path / "rival").mkdir()
    (tmp_path / "rival" / "bot").write_text("secret")
    (tmp_path / "home").mkdir()
    with trio.socket.socket() as listener:
        await listener.bind(("127.0.0.1", 0))
        listener.listen()
        words = (str(tmp_path / "home"), str(listener.getsockname()[1]), str(os.getpid()))
        async with started(tmp_path, LOOKS_AROUND, *words) as program:
            await program.ended.wait()
            last = without_folders(f"; the last that it wrote: {kept(tmp_path)[:200]!r}")
            assert program.report().endswith(last), program.report()
    found = json.loads(kept(tmp_path))
    path = found["environment"].pop("PATH").split(":")
    assert {"/usr/bin", str(Path(sys.executable).parent)} <= set(path)
    told = {
        f"ARENA_{word}" for word in ["HOST", "PORT", "NAME", "GAME", "GAMES", "PARAMS", "TOKEN", "KERNELS", "PROGRAM"]
    }
    usual = {"HOME", "TMPDIR", "PWD", "LANG", "LC_ALL", "LC_CTYPE", "TZ"}
    assert told <= set(found["environment"]) <= told | usual
    assert (found["here"], found["files"]) == (str(tmp_path / "own"), ["bot.py"])
    assert len(found["processes"]) <= 2, "the first of the sandbox, and itself"
    assert [found[place] for place in ("rival", "data", "home")] == ["FileNotFoundError"] * 3
    assert not set(found["root"]) & {"home", "srv", "var", "run", "mnt", "boot", "sys"}
    assert found["etc"] == "FileNotFoundError"
    assert found["hosts"] == Path("/etc/hosts").read_text()
    for place in ("own", "top", "dev", "usr", "kernel", "etc", "hosts"):
        assert found[f"write {place}"] in ("OSError", "PermissionError"), place
    assert found["write scratch"] == 4
    assert found["interfaces"] == ["lo"]
    assert found["server"] == "ConnectionRefusedError"
    assert found["kill"] == "ProcessLookupError"
    assert found["descriptors"] == [0, 1, 2]
    assert found["capabilities"] == ["0000000000000000"]


REACHES_OUT = """
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
NEW_USERS, NEW_MOUNTS, CLONE = 0x10000000, 0x20000, {"x86_64": 56, "aarch64": 220}[os.uname().machine]
def called(result): return "done" if result != -1 else errno.errorcode[ctypes.get_errno()]
def tried(what):
    try: return what() and "done"
    except OSError as error: return errno.errorcode[error.errno]
found = {
    "core": tried(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)) or True),
    "nameless file": tried(lambda: os.memfd_create("x")),
    "shared memory": called(libc.shmget(0, 1 << 20, 0o1600)),
    "semaphores": called(libc.semget(0, 1, 0o1600)),
    "messages": called(libc.msgget(0, 0o1600)),
    "ring": called(libc.syscall(425, 8, 0)),
    "clone3": called(libc.syscall(435, 0, 0)),
    "secret memory": called(libc.syscall(447, 0)),
    "namespaces": called(libc.unshare(NEW_USERS | NEW_MOUNTS)),
    "process in namespaces": called(libc.syscall(CLONE, NEW_USERS | 17, 0, 0, 0, 0)),
    "other namespaces": called(libc.unshare(NEW_MOUNTS)),
    "process": called(libc.syscall(CLONE, 17, 0, 0, 0, 0)),
}
NUMBERS = {  # of other processes, keyrings, memory and events of the kernel
    "x86_64": {"ptrace": 101, "process_vm_writev": 311, "pidfd_getfd": 438, "add_key": 248, "request_key": 249,
               "keyctl": 250, "userfaultfd": 323, "bpf": 321, "perf_event_open": 298},
    "aarch64": {"ptrace": 117, "process_vm_writev": 271, "pidfd_getfd": 438, "add_key": 217, "request_key": 218,
                "keyctl": 219, "userfaultfd": 282, "bpf": 280, "perf_event_open": 241},
}[os.uname().machine]
for name, number in NUMBERS.items():
    found[name] = called(libc.syscall(number, 0, 0, 0, 0, 0))
found["socket to the host"] = called(libc.socket(40, 1, 0))
print(json.dumps(found), file=sys.stderr, flush=True)
os._exit(0)
"""


async def test_a_program_cannot_leave_its_core_and_has_no_memory_that_nobody_sees(tmp_path: Path) -> None:
    async with started(tmp_path, REACHES_OUT) as program:
        await program.ended.wait()
        assert "exit status 0" in program.report()
    found = json.loads(kept(tmp_path).splitlines()[0])
    refused = dict.fromkeys(found, "EPERM") | {"ring": "ENOSYS", "clone3": "ENOSYS", "process": "done"}
    assert found == refused


LEAVES_A_MESSAGE = """
import ctypes, errno, os, sys
libc, add_key = ctypes.CDLL(None, use_errno=True), {"x86_64": 248, "aarch64": 217}[os.uname().machine]
status = libc.syscall(add_key, b"user", b"arena-message", b"for the next game", 17, -3)
print(status, errno.errorcode.get(ctypes.get_errno()), file=sys.stderr)
"""


async def test_a_program_leaves_no_message_in_a_keyring_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def session_keyring() -> int:
        """Return the number of the session keyring of this thread; -1 without keyrings."""
        return int(ctypes.CDLL(None).syscall({"x86_64": 250, "aarch64": 219}[os.uname().machine], 0, -3, 0))

    with ThreadPoolExecutor(1) as spawner:
        monkeypatch.setattr(process, "_SPAWNER", spawner)
        async with started(tmp_path, LEAVES_A_MESSAGE) as program:
            await program.ended.wait()
        given = spawner.submit(session_keyring).result()  # its program had the same one
    assert kept(tmp_path) == "-1 EPERM\n"
    assert given == -1 or given != session_keyring(), "each program has a session keyring of its own"


EATS = """
import sys, time
held = []
try:
    while True: held.append(bytearray(b"x") * (1 << 20))
except MemoryError: print("refused", file=sys.stderr)
time.sleep(1000)
"""
FORKS = """
import os, time
for number in range(100):
    try:
        if os.fork() == 0: break
    except OSError: break
time.sleep(1000)
"""
SPINS = "while True: pass"
WRITES = """
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
with open(os.environ["HOME"] + "/x", "wb") as file:
    for _ in range(64): file.write(bytes(1 << 20))
"""


@pytest.mark.parametrize(
    ("source", "bounds", "termination", "says"),
    [
        (EATS, Bounds(memory=48), Termination.OUT_OF_MEMORY, "it may use 48 MB of memory"),
        (FORKS, Bounds(processes=30), Termination.TOO_MANY_PROCESSES, "it may have 30 processes and threads, and had "),
        (SPINS, Bounds(), Termination.OUT_OF_CPU_TIME, "it may use 0.3 s of processor time in a game"),
        (WRITES, Bounds(file_size=1), Termination.FILE_TOO_LARGE, "a file may have 1 MB"),
        ("import os; os.abort()", Bounds(), Termination.CRASHED, "was ended by the signal SIGABRT"),
        ("raise SystemExit(3)", Bounds(), Termination.CRASHED, "ended by itself, with exit status 3"),
    ],
    ids=lambda value: value.value if isinstance(value, Termination) else "",
)
async def test_who_exceeds_a_bound_is_ended_and_the_bound_is_named(
    tmp_path: Path, source: str, bounds: Bounds, termination: Termination, says: str
) -> None:
    async with started(tmp_path, source, bounds=bounds, cpu_seconds=0.3) as program:
        await program.ended.wait()
    assert (program.termination, says in program.report()) == (termination, True), program.report()
    status = {Termination.FILE_TOO_LARGE: -signal.SIGXFSZ}.get(termination, -signal.SIGKILL)
    if termination is Termination.CRASHED:
        status = 3 if "SystemExit" in source else -signal.SIGABRT
    assert program.usage.wall_seconds > 0 and program.usage.status == status
    if termination is Termination.OUT_OF_MEMORY:
        assert program.usage.memory is not None and program.usage.memory > 48 << 20
    if termination is Termination.OUT_OF_CPU_TIME:
        assert program.usage.cpu_seconds >= 0.3


RESERVES = """
import mmap, os, sys
whole = mmap.mmap(-1, 8 << 30, mmap.MAP_PRIVATE, mmap.PROT_READ)
scratch = os.environ["HOME"]
try:
    for number in range(100): open(f"{scratch}/{number}", "wb").write(bytes(1 << 20))
except OSError as error: print("scratch:", error.strerror, number, file=sys.stderr)
try:
    files = [open("/dev/null") for _ in range(100)]
except OSError as error: print("files:", error.strerror, file=sys.stderr)
"""


async def test_what_is_reserved_is_free_and_what_is_too_much_is_refused(tmp_path: Path) -> None:
    bounds = Bounds(memory=64, scratch=3, open_files=32)
    async with started(tmp_path, RESERVES, bounds=bounds) as program:
        await program.ended.wait()
    assert program.termination is Termination.CRASHED
    assert program.report().startswith("the program") and "exit status 0" in program.report()
    assert kept(tmp_path) == "scratch: No space left on device 3\nfiles: Too many open files\n"


CONNECTS = """
import os, socket, sys
host, port, elsewhere = sys.argv[1:]
with socket.create_connection((host, int(port))) as server:
    server.sendall(b"I am here")
    server.recv(1)
try: socket.create_connection((host, int(elsewhere)))
except OSError as error: print(error.strerror, file=sys.stderr)
"""


async def test_a_program_that_connects_reaches_its_game_and_nothing_else(tmp_path: Path) -> None:
    with trio.socket.socket() as other:
        await other.bind(("127.0.0.1", 0))
        other.listen()
        elsewhere = str(other.getsockname()[1])
        async with started(tmp_path, CONNECTS, "{host}", "{port}", elsewhere) as program:
            assert program.stream is None and program.listener is not None
            stream = await program.listener.accept()
            assert await stream.receive_some(100) == b"I am here"
            await stream.aclose()
            await program.listener.aclose()
            await program.ended.wait()
    assert kept(tmp_path) == "Connection refused\n"


STARTS = """
import sys, threading, trio
from pathlib import Path
from server.contest.definition import Bounds
from server.contest.programs import program as programs
from server.ops import descendants
from engine.wire.seat import Seat
from server.contest.programs.sandbox.seal import VisibleFiles
from server.contest.programs.sandbox.seal import Seal
folder, mark, source = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
seal, home = Seal(VisibleFiles(folder), Bounds(), 1000.0), descendants.home_of(folder)
def words(stage, ready=None):
    place = programs.Surroundings(folder, home, folder / stage, ready=ready, seal=seal)
    return programs.run, (sys.executable, "-c", source, mark + stage), Seat("127.0.0.1", 1, "carol", "gipf", "x"), place
async def main():
    trio._core._thread_cache.IDLE_TIMEOUT = 0.05
    async with trio.open_nursery() as nursery:
        nursery.start_soon(*words("waits", trio.Event()))
        program = await nursery.start(*words("runs"))
        await trio.lowlevel.wait_readable(program.stream.source())
        while any("Trio" in thread.name for thread in threading.enumerate()):
            await trio.sleep(0.01)
        await nursery.start(*words("begins"))
        print("started", flush=True)
        await trio.sleep_forever()
trio.run(main)
"""


@pytest.mark.slow
@pytest.mark.thorough
async def test_nothing_is_left_when_the_server_is_killed(tmp_path: Path) -> None:
    """Where it is killed while a sandbox is still being made, its guard ends it, by its marker.

    A sandbox ends with the thread that has started it, and idle threads of trio end. A program whose sandbox waits
    never begins.
    """
    mark, stages = f"orphan-{os.getpid()}-", ("waits", "runs", "begins")
    source = "import sys, time; print('mine', file=sys.stderr); print('here', flush=True); time.sleep(1000)"
    command = [sys.executable, "-c", STARTS, str(tmp_path), mark, source]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert await trio.to_thread.run_sync(server.stdout.readline) == b"started\n"
        await until(
            lambda: all(len(with_word(mark + stage)) >= 2 for stage in stages)
        )  # bubblewrap, and the first in it
        server.send_signal(signal.SIGKILL)
    for stage in stages:
        await none_with_word(mark + stage)
    assert (tmp_path / "runs").exists() and not (tmp_path / "waits").exists()


@pytest.mark.slow
@pytest.mark.parametrize("begins", [True, False])
async def test_a_sandbox_that_is_made_ahead_begins_when_its_core_is_free_or_leaves_nothing(
    tmp_path: Path, begins: bool
) -> None:
    own, word, ready = tmp_path / "own", f"ahead-{begins}-{os.getpid()}", trio.Event()
    own.mkdir()
    source = "import sys; print('here', file=sys.stderr, flush=True); input()"
    place = Surroundings(own, "0" * 16, tmp_path / "errors.txt", None, ready, Seal(VisibleFiles(own), Bounds(), 1000.0))
    before = open_files()
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            command = [sys.executable, "-c", source, word]
            nursery.start_soon(programs.run, command, SEAT, place)
            await until(lambda: len(with_word(word)) >= 2)  # bubblewrap, and the first process in the sandbox
            if begins:
                assert not place.errors.exists()
                ready.set()
                await until(lambda: place.errors.exists())
            nursery.cancel_scope.cancel()
    await none_with_word(word)
    assert open_files() <= before


async def test_a_sandbox_that_cannot_be_made_is_no_fault_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(seal, "PROGRAM", str(broken))
    place = Surroundings(tmp_path, "0" * 16, tmp_path / "errors.txt", seal=Seal(VisibleFiles(tmp_path), Bounds(), 1.0))
    with pytest.raises(programs.MachineFault) as caught:
        await programs.run([sys.executable], SEAT, place)
    assert str(caught.value).partition(": ")[2] == snapshot("no sandbox could be made: bubblewrap ended with status 1")
