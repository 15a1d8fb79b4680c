"""The base install: its commands run without the packages of any extra, on each system, and name what they lack."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from engine.commands.program import EXTRAS
from tests.bots.test_examples import EXAMPLES
from tests.server.process import ServerProcess
from tests.waiting import BUILD_SECONDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

BASE = ("cyclopts", "msgspec", "rich", "structlog", "trio")
"""The packages of the base install."""

OURS = {"bots", "engine", "server"}

WITHOUT_EXTRAS = f"""
import sys
for package in {[package for packages in EXTRAS.values() for package in packages]}:
    sys.modules[package] = None
if {{"match", "server", "-c"}} & set(sys.orig_argv):  # bots do without it, and start sooner
    import trio
"""
"""The first lines of a process that finds none of the packages of extras."""

SYSTEMS = {
    "Linux": "",
    "macOS": """
import os, signal, subprocess
for name in ("fdatasync", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "sched_setscheduler", "waitid"):
    delattr(os, name)
del signal.pidfd_send_signal
""",
    "Windows": """
import os, select, selectors, signal, subprocess
subprocess.Popen.kill = lambda process: process.poll() is None and os.kill(process.pid, 9)
for name in ("fcntl", "grp", "pwd", "readline", "resource", "termios"):
    sys.modules[name] = None
for name in (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NONBLOCK", "chown", "fdatasync", "fork", "getloadavg", "getpgid",
    "getpriority", "getsid", "getuid", "killpg", "mkfifo", "nice", "pidfd_open", "sched_getaffinity",
    "sched_setaffinity", "sched_setscheduler", "set_blocking", "setpriority", "setsid", "sysconf", "wait4", "waitid",
):
    delattr(os, name)
for name in (
    "SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "pidfd_send_signal", "pthread_kill",
):
    delattr(signal, name)
del select.poll
if "trio" in sys.modules:
    del sys.modules["trio"].lowlevel.FdStream
selectors.DefaultSelector = selectors.SelectSelector
""",
}
"""Further lines that take away what a system lacks, on Linux: what was imported before them still has it."""


def run(folder: Path, *arguments: str, typed: str = "", system: str = "Linux") -> subprocess.CompletedProcess[str]:
    """Run Python in a folder. It and the Python processes that it starts lack what extras and other systems have."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(WITHOUT_EXTRAS + SYSTEMS[system], encoding="utf-8")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "0"}
    environment["TMPDIR"] = str(folder)  # a match that cannot lock its folder there would lose it to another match
    return subprocess.run(
        [sys.executable, "-P", *arguments], cwd=folder, env=environment, input=typed, capture_output=True, text=True,
        timeout=BUILD_SECONDS, check=False,
    )  # fmt: skip


def done(process: subprocess.CompletedProcess[str]) -> str:
    """Return what a process has printed, which has to have succeeded."""
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_each_package_of_an_extra_names_it() -> None:
    """`EXTRAS` has the packages that are imported, by the extras of pyproject.toml that install them."""
    assert {re.split(r"[^\w-]", line)[0] for line in PROJECT["dependencies"]} == set(BASE)
    for extra, packages in EXTRAS.items():
        named = {re.split(r"[^\w-]", line)[0] for line in PROJECT["optional-dependencies"][extra]}
        named = {{"markdown-it-py": "markdown_it", "pillow": "PIL"}.get(name, name.replace("-", "_")) for name in named}
        assert set(packages) - {"multipart"} >= named - {"markdown_it", "numpy"}, extra
    everything = PROJECT["optional-dependencies"]["all"]
    assert everything == [f"gipf-arena[{','.join(sorted(EXTRAS))}]"]


IMPORT = re.compile(r"^ *(?:from|import) +([a-zA-Z]\w*)", re.MULTILINE)


def imported() -> set[str]:
    """Return the packages that our sources import, ours and those of the standard library left out."""
    sources = [path.read_text(encoding="utf-8") for room in OURS for path in (ROOT / room).rglob("*.py")]
    return {name for source in sources for name in IMPORT.findall(source)} - sys.stdlib_module_names - OURS


def test_what_is_imported_is_of_the_base_install_or_of_an_extra() -> None:
    known = {name for names in (BASE, *EXTRAS.values()) for name in names}
    assert known - {"multipart"} <= imported() <= known | {"markdown_it"}, "rich brings that one"


HELP = """
import sys
import bots.cli, engine.cli, server.cli
for app in (bots.cli.app, engine.cli.application(), server.cli.app):
    for command in filter(str.isalpha, list(app)):
        app([command, "--help"], exit_on_error=False, result_action="return_none")
"""


@pytest.mark.slow
def test_every_command_has_its_help(tmp_path: Path) -> None:
    """On Windows, which lacks all that macOS lacks."""
    commands = done(run(tmp_path, "-c", HELP, system="Windows")).count("Usage: ")
    assert commands > 40


def check_and_play(folder: Path, bot: str, system: str) -> None:
    """Test a bot and let it play a match as a Python file, which connects by itself, and on stdin and stdout."""

    def answer(*arguments: str) -> str:
        return done(run(folder, "-m", "bots", *arguments, system=system))

    assert "2 ok, 0 FAIL" in answer("check", "--only", "plays the", "--", "python3", bot)
    words = "--games", "2", "--params", "2,2,4,4", "--records", "records", "--results", "match.sqlite3"
    assert "2 of 2 games" in answer("match", bot, f"piped=python3 {bot}", *words)


@pytest.mark.slow
def test_a_newcomer_gets_to_a_match_on_macos(tmp_path: Path) -> None:
    check_and_play(tmp_path, str(EXAMPLES / "python" / "bot.py"), "macOS")


@pytest.mark.slow
def test_a_newcomer_gets_to_a_match_on_windows(tmp_path: Path) -> None:
    def answer(*arguments: str, typed: str = "") -> str:
        return done(run(tmp_path, "-m", *arguments, typed=typed, system="Windows"))

    answer("bots", "new", "mybot")
    check_and_play(tmp_path, "mybot/mybot.py", "Windows")
    assert "verified match" in answer("engine", "record", "records/1.txt")
    game = "play", "mnk", "--params", "3,3,3", "--first", "bot:0.1", "--second", "bot:0.1"
    assert "over" in answer("bots", *game, typed="quit\n")
    assert answer("engine", "shell", "mnk", typed=SHELL) == "FIRST_PLAYER_WINS\n"


@pytest.mark.slow
def test_a_loop_is_explained_on_windows(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(
        "import time\ndef choose(position, clocks):\n    while True:\n        time.sleep(0.001)\n", encoding="utf-8"
    )
    words = "--games", "2", "--budget", "600", "--increment", "0", "--records", "records"
    match = run(tmp_path, "-m", "bots", "match", "loop.py", "alphabeta:1", *words, system="Windows")
    assert done(match).count("loop.py, line ") == 2
    assert match.stderr.count('pip install "') == 1, "the search says once how to get the compiler"
    replayed = run(tmp_path, "-m", "bots", "replay", "records/1.txt", "loop.py", system="Windows")
    assert replayed.returncode == 1 and "loop.py, line " in replayed.stdout


@pytest.mark.slow
def test_bots_of_the_base_install_play_and_watch_on_a_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--builtin", "random") as site:
        seat = "--port", str(site.port), "--opponent", "random", "--params", "2,2,4,4"
        piped = "--", "python3", str(EXAMPLES / "python" / "bot.py")
        done(run(tmp_path, "-m", "bots", "random", "--name", "ann", *seat, system="Windows"))
        done(run(tmp_path, "-m", "bots", "bridge", "--name", "piped", *seat, *piped, system="Windows"))
        watched = done(run(tmp_path, "-m", "bots", "watch", "1", "--port", str(site.port), system="Windows"))
        assert "ann" in watched


EACH = """
import shlex, sys
from engine.commands.program import run_program
for line in sys.stdin.read().splitlines():
    room, *words = shlex.split(line)
    sys.argv = [room, *words]
    try:
        run_program(room, f"{room}.cli")
    except SystemExit as leaving:
        print(leaving.code, file=sys.stderr)
"""
"""Run the command lines of stdin in one process; print the status of each behind what it says."""


@pytest.mark.slow
def test_windows_is_told_of_wsl(tmp_path: Path) -> None:
    commands = "server serve\nserver demo\nserver doctor\nbots match random random --sandbox\n"
    said = run(tmp_path, "-c", EACH, typed=commands, system="Windows").stderr.splitlines()
    assert said[1::2] == ["1"] * 4 and all("WSL" in line for line in said[::2]), said


SHELL = "SOLVE_GAME_STATE\n3 3 3 1\n1 1 0\n2 2 0\n0 0 0\n"


@pytest.mark.slow
def test_the_search_says_how_to_get_the_compiler(tmp_path: Path) -> None:
    found = run(tmp_path, "-m", "engine", "analyse", "gipf", "--depth", "1")
    assert (found.returncode, found.stderr.count("\n")) == (0, 1)
    assert re.search(r'pip install ".*\[fast\].*"', found.stderr)


LACKING = {
    "server serve": "server",
    "server demo": "server",
    "server doctor": "server",
    "engine verify gipf '2 2 4 4'": "fast",
    "bots warm gipf": "fast",
    "bots match random random --dask tcp://127.0.0.1:1": "dask",
}
"""The extra that each command lacks in the base install."""


@pytest.mark.slow
def test_a_command_names_the_extra_that_it_lacks(tmp_path: Path) -> None:
    said = run(tmp_path, "-c", EACH, typed="\n".join(LACKING)).stderr.splitlines()
    assert said[1::2] == ["1"] * len(LACKING), said
    for sentence, extra in zip(said[::2], LACKING.values(), strict=True):
        assert re.search(rf'pip install "gipf-arena\[{extra}\].*"', sentence), sentence
