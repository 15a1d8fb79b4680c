"""Programs that are started for a game: real processes, in real time."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.wire import messages as m
from engine.wire.seat import Seat, environment_variables, fill_command
from engine.wire.words import without_folders
from server.arena.session import serve_stream
from server.contest.programs import program as programs
from server.contest.programs.program import MachineFault, Program, Surroundings, connects
from server.ops import descendants
from server.storage.player_logs import without_plies
from tests.server.harness import open_arena
from tests.waiting import WAIT_SECONDS

SEAT = Seat("127.0.0.1", 2754, "carol", "gipf", "5ec7e7", "3,3,9,9")


@asynccontextmanager
async def started(tmp_path: Path, source: str, *words: str, core: int | None = None) -> AsyncIterator[Program]:
    """Start a Python program, and leave it to be ended by what follows."""
    place = Surroundings(tmp_path, descendants.home_of(tmp_path), tmp_path / "errors" / "1-carol.txt", core)
    command = [sys.executable, "-c", source, *words]
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            yield await nursery.start(programs.run, command, SEAT, place)
            nursery.cancel_scope.cancel()


def said_of(program: Program) -> str:
    """Return its report without its command."""
    return program.report().removeprefix(without_folders(program._called)).strip()


def kept(tmp_path: Path) -> str:
    return without_plies((tmp_path / "errors" / "1-carol.txt").read_text())


async def written(path: Path) -> str:
    """Wait until a file has a whole line, and return it."""
    while not path.exists() or not path.read_text().endswith("\n"):
        await trio.sleep(0.01)
    return path.read_text()


def alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_command_is_filled_in_and_other_braces_stay() -> None:
    command = ["./bot", "{host}:{port}", "{name}", "--{game}={token}", "{params}", "{dict}", "{}", "{{name}}", "{Name}"]
    told = ["./bot", "127.0.0.1:2754", "carol", "--gipf=5ec7e7", "3,3,9,9", "{dict}", "{}", "{carol}", "{Name}"]
    assert fill_command(command, SEAT) == told
    assert fill_command(["{name}"], SEAT._replace(name="{token}")) == ["{token}"]
    assert connects(command) and connects(["bot", "--port={port}"]) and connects(["bot", "{host}"])
    assert not connects(["bot", "{name}", "{game}", "{token}"])
    assert environment_variables(SEAT) == {
        "ARENA_HOST": "127.0.0.1",
        "ARENA_PORT": "2754",
        "ARENA_NAME": "carol",
        "ARENA_GAME": "gipf",
        "ARENA_TOKEN": "5ec7e7",
        "ARENA_PARAMS": "3,3,9,9",
        "ARENA_GAMES": "",
    }


TALKS = """
import os, sys
def say(*words): print(*words, flush=True)
for line in sys.stdin:
    kind, *fields = line.split()
    if kind == "ARENA": say("LOGIN", os.environ["ARENA_NAME"])
    elif kind == "WELCOME": say("SEEK", "gipf")
    elif kind == "MATCH": say("READY")
    elif kind == "TURN": say("MOVE", "a1-b2")
    elif kind == "RESULT": say("QUIT")
print("goodbye", file=sys.stderr)
"""


async def test_a_program_on_stdin_and_stdout_is_served_like_a_connection(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness, started(tmp_path, TALKS) as program, trio.open_nursery() as nursery:
        assert program.stream is not None
        nursery.start_soon(serve_stream, program.stream, harness.arena, harness.rate_limiter.admit("127.0.0.1"))
        bob = await harness.connect("bob")
        await bob.ask(m.Seek("gipf", m.Text("params=2,3,5,5 colour=black opponent=carol")), m.Match)
        result = await bob.ask(m.Ready(), m.Result)
        assert (result.result, result.reason) == ("white", "dead_lock")
        await program.ended.wait()
    assert said_of(program) == snapshot("ended by itself, with exit status 0; the last that it wrote: 'goodbye'")
    assert kept(tmp_path) == "goodbye\n"


WRITES_TO_THE_END = """
import sys
sys.stdin.read()
for number in range(100): print(number, flush=True)
sys.exit(3)
"""


async def test_a_program_may_write_after_its_input_was_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "LEAVE_SECONDS", WAIT_SECONDS)
    async with started(tmp_path, WRITES_TO_THE_END) as program:
        assert program.stream is not None
        program.stream.close()
    assert said_of(program) == snapshot("ended by itself, with exit status 3")


CONNECTS = """
import socket, sys
name, host, port = sys.argv[1:]
print("this goes to nobody")
with socket.create_connection((host, int(port))) as server:
    server.sendall(f"I am {name}\\n".encode())
    server.recv(1)
"""


async def test_a_program_with_a_port_in_its_command_connects_by_itself(tmp_path: Path) -> None:
    with trio.socket.socket() as listener:
        await listener.bind(("127.0.0.1", 0))
        listener.listen()
        place = Surroundings(tmp_path, "0" * 16, tmp_path / "errors.txt")
        seat = SEAT._replace(port=listener.getsockname()[1])
        command = [sys.executable, "-c", CONNECTS, "{name}", "{host}", "{port}"]
        with trio.fail_after(WAIT_SECONDS):
            async with trio.open_nursery() as nursery:
                program = await nursery.start(programs.run, command, seat, place)
                assert program.stream is None
                connection, _ = await listener.accept()
                with connection:
                    assert await connection.recv(100) == b"I am carol\n"
                    assert program.report().partition("… ")[2] == snapshot(
                        "runs; the last that it wrote: 'this goes to nobody'"
                    )
        assert program.report().partition("… ")[2] == snapshot(
            "ended by itself, with exit status 0; the last that it wrote: 'this goes to nobody'"
        )


IGNORES_SIGTERM = """
import os, pathlib, signal, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
pathlib.Path("pid").write_text(f"{os.getpid()}\\n")
while True: time.sleep(1000)
"""


async def test_a_program_that_ignores_sigterm_is_killed_within_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "LEAVE_SECONDS", 0.05)
    monkeypatch.setattr(programs, "TERMINATE_SECONDS", 0.1)
    async with started(tmp_path, IGNORES_SIGTERM) as program:
        process = int(await written(tmp_path / "pid"))
        assert alive(process) and not program.ended.is_set()
        began = time.monotonic()
    assert time.monotonic() - began >= 0.15
    assert not alive(process)
    assert said_of(program) == snapshot("was ended by the signal SIGKILL")


FORKS = """
import os, pathlib, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        if os.fork() == 0:
            os.setpgid(0, 0)
        else:
            pathlib.Path("pid").write_text(f"{os.getpid()}\\n")
        while True: time.sleep(1000)
    os._exit(0)
sys.stdin.read()
"""


async def test_daemons_that_a_program_leaves_end_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "LEAVE_SECONDS", WAIT_SECONDS)
    async with started(tmp_path, FORKS) as program:
        daemon = int(await written(tmp_path / "pid"))
        assert alive(daemon)
    assert not alive(daemon)
    assert descendants.end_marked(descendants.home_of(tmp_path)) == 0, "neither is its child left"
    assert program.usage.status == 0


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            ("./nowhere", "it's"),
            snapshot(
                "NotStarted: the program ./nowhere 'it'\"'\"'s' cannot be started: No such file or directory: './nowhere'"
            ),
        ),
        (("./plain",), snapshot("NotStarted: the program ./plain cannot be started: Permission denied: './plain'")),
        (("./broken",), snapshot("NotStarted: the program ./broken cannot be started: Exec format error: './broken'")),
        (("a\0b",), snapshot("NotStarted: the program \"'a\\x00b'\" cannot be started: embedded null byte")),
    ],
)
async def test_what_cannot_be_started_is_said_with_the_reason(
    tmp_path: Path, command: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "plain").write_text("no program")
    (tmp_path / "broken").write_bytes(b"\x7fELF")
    (tmp_path / "broken").chmod(0o755)
    place = Surroundings(tmp_path, "0" * 16, tmp_path / "errors.txt")
    with raises(sentence):
        await programs.run(command, SEAT, place)
    with pytest.raises(MachineFault, match="/no/folder"):  # it is the folder of the contest
        await programs.run([sys.executable], SEAT, place._replace(folder=Path("/no/folder")))


@pytest.mark.parametrize(
    ("source", "how"),
    [
        (
            "import sys; sys.exit('no table of openings')",
            snapshot("ended by itself, with exit status 1; the last that it wrote: 'no table of openings'"),
        ),
        ("import os; os.kill(os.getpid(), 11)", snapshot("was ended by the signal SIGSEGV")),
        ("import os; os.kill(os.getpid(), 40)", snapshot("was ended by the signal 40")),
    ],
)
async def test_a_program_that_ends_at_once_is_told_with_status_and_last_words(
    tmp_path: Path, source: str, how: str
) -> None:
    async with started(tmp_path, source) as program:
        await program.ended.wait()
        assert said_of(program) == how


BURNS = """
import os, subprocess, sys, time
end = float(sys.argv[1])
while time.process_time() < end: pass
if len(sys.argv) > 2: subprocess.run([sys.executable, "-c", open("burns.py").read(), sys.argv[2]])
sys.exit(3)
"""


@pytest.mark.slow
async def test_what_a_program_without_a_sandbox_has_used_is_known_when_it_has_ended(tmp_path: Path) -> None:
    (tmp_path / "burns.py").write_text(BURNS)
    async with started(tmp_path, BURNS, "0.1", "0.05") as program:
        await program.ended.wait()
    used = program.usage
    assert used.cpu_seconds >= 0.15, "with that of a process that it has started, and waited for"
    assert (used.status, used.memory) == (3, None)
    assert used.wall_seconds > 0
    async with started(tmp_path, "import time; time.sleep(1000)") as program:
        pass
    assert program.usage.status is None, "the server has ended it"


THREADS = """
import os, pathlib, threading
found = []
thread = threading.Thread(target=lambda: found.append(os.sched_getaffinity(0)))
thread.start(); thread.join()
pathlib.Path("cores").write_text(f"{sorted(os.sched_getaffinity(0) | found[0])}\\n")
"""


@pytest.mark.slow
async def test_a_program_thinks_on_its_core_alone(tmp_path: Path) -> None:
    usable = os.sched_getaffinity(0)
    core = max(usable)
    async with started(tmp_path, THREADS, core=core):
        assert await written(tmp_path / "cores") == f"[{core}]\n"
    assert os.sched_getaffinity(0) == usable
    (tmp_path / "cores").unlink()
    async with started(tmp_path, THREADS):
        assert await written(tmp_path / "cores") == f"{sorted(usable)}\n"


STARTS = """
import sys, trio
from pathlib import Path
from server.contest.programs import program as programs
from server.ops import descendants
from engine.wire.seat import Seat
async def main(data, *command):
    place = programs.Surroundings(data, descendants.home_of(data), data / "errors.txt")
    seat = Seat("127.0.0.1", 1, "carol", "gipf", "token")
    async with trio.open_nursery() as nursery:
        for words in (command, (*command, "{port}")):
            await nursery.start(programs.run, words, seat, place)
        print("started", flush=True)
trio.run(main, Path(sys.argv[1]), *sys.argv[2:])
"""

WRITES_ITS_NUMBER = """
import os, pathlib, sys, time
pathlib.Path(f"pid-{len(sys.argv)}").write_text(f"{os.getpid()}\\n")
if len(sys.argv) == 1: sys.stdin.read()
while True: time.sleep(0.01 if len(sys.argv) > 1 else sys.exit(0))
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.campaign)])
async def test_what_a_killed_server_has_left_ends_with_it(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", STARTS, str(tmp_path), sys.executable, "-c", WRITES_ITS_NUMBER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as starter:
        try:
            with trio.fail_after(WAIT_SECONDS):
                talks, waits = [int(await written(tmp_path / f"pid-{number}")) for number in (1, 2)]
                starter.send_signal(how)
                starter.communicate()
                while alive(talks) or alive(waits):
                    await trio.sleep(0.01)
        finally:
            starter.kill()


def test_python_does_not_warn_of_the_guard_that_outlives_its_process() -> None:
    code = "from server.ops import descendants; descendants.marker('0' * 16)"
    command = (sys.executable, "-P", "-X", "dev", "-c", code)
    assert subprocess.run(command, cwd=Path(__file__).parents[4], check=True, capture_output=True).stderr == b""


async def test_a_server_ends_what_another_one_in_its_data_directory_has_left(tmp_path: Path) -> None:
    home, other = descendants.home_of(tmp_path), descendants.home_of(tmp_path / "other")
    environment = {**os.environ, descendants.VARIABLE: f"{home}.0000000000000000.0000000000000000"}
    pipe = subprocess.PIPE
    with subprocess.Popen(("cat",), bufsize=0, stdin=pipe, stdout=pipe, env=environment) as left:
        assert left.stdin is not None and left.stdout is not None
        left.stdin.write(b"x")  # the system shows no environment before the program has begun
        assert left.stdout.read(1) == b"x"
        try:
            assert descendants.end_marked(f"{home}.{descendants.INSTANCE}.") == descendants.end_marked(other) == 0
            assert descendants.end_marked(home) == 1
        finally:
            left.kill()
    assert left.returncode == -signal.SIGKILL


def test_homes_and_markers_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    home: Callable[[Path], str] = descendants.home_of
    assert home(tmp_path / "link") == home(tmp_path) != home(tmp_path / "data")
    assert descendants.marker("0" * 16) != descendants.marker("0" * 16)
