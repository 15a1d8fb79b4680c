"""The base install: its commands run without the packages of any extra, on each system, and name what they lack."""

import os
import re
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest
import trio

from engine.commands.program import EXTRAS
from tests.bots.test_examples import EXAMPLES
from tests.protocol.running import serving_here
from tests.waiting import BUILD_SECONDS, WAIT_SECONDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

BASE = ("cyclopts", "msgspec", "rich", "structlog", "trio")
"""The packages of the base install."""

OURS = {"bots", "engine", "server"}

WITHOUT_EXTRAS = f"""
import sys
for package in {[package for packages in EXTRAS.values() for package in packages]}:
    sys.modules[package] = None
if "-c" in sys.orig_argv:  # bots do without it, and start sooner
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


def test_what_is_imported_is_of_the_base_install_or_of_an_extra() -> None:
    known = {name for names in (BASE, *EXTRAS.values()) for name in names}
    sources = [path.read_text(encoding="utf-8") for room in OURS for path in (ROOT / room).rglob("*.py")]
    imported = {name for source in sources for name in IMPORT.findall(source)} - sys.stdlib_module_names - OURS
    assert known - {"multipart"} <= imported <= known | {"markdown_it"}, "rich brings that one"


HELP = """
import bots.cli, engine.cli, server.cli
for app in (bots.cli.app, engine.cli.application(), server.cli.app):
    for command in map(app.__getitem__, filter(str.isalpha, list(app))):
        print(command.help.splitlines()[0], command.default_command and len(command.assemble_argument_collection()))
"""
"""Load each command, and print the first line of its help, and its number of arguments."""


@pytest.mark.slow
def test_every_command_has_its_help(tmp_path: Path) -> None:
    """On Windows, which lacks all that macOS lacks."""
    assert len(done(run(tmp_path, "-c", HELP, system="Windows")).splitlines()) > 40


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
"""Run the command lines of stdin in one process. After a command that exits, print its status to stderr."""

SHELL = "SOLVE_GAME_STATE\n3 3 3 1\n1 1 0\n2 2 0\n0 0 0\n"

LOOP = """
import time
def choose(position, clocks):
    while True:
        time.sleep(0.001)
"""

FIRST_HOUR = """\
bots new mybot
bots check --only "plays the" -- python3 mybot/mybot.py
bots match {} "piped=python3 mybot/mybot.py" --games 2 --params 2,2,4,4 --records records --results match.sqlite3
engine record records/1.txt
"""
"""The match is between a Python file, which connects by itself, and a program that talks on stdin and stdout."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "bot"),
    [
        pytest.param("macOS", "mybot/mybot.py", marks=pytest.mark.thorough),
        ("Windows", f"loop.py --budget {100 * WAIT_SECONDS:.0f} --increment 0"),  # the other side has to start in it
    ],
)
def test_a_newcomer_gets_to_a_match_and_a_loop_is_explained(system: str, bot: str, tmp_path: Path) -> None:
    """The other commands are tried on Windows alone, which lacks all that macOS lacks."""
    (tmp_path / "loop.py").write_text(LOOP, encoding="utf-8")
    replayed = "bots replay records/1.txt loop.py" if system == "Windows" else ""
    hour = done(run(tmp_path, "-c", EACH, typed=FIRST_HOUR.format(bot) + replayed, system=system))
    assert all(words in hour for words in ("2 ok, 0 FAIL", "2 of 2 games", "verified match"))
    if system == "Windows":
        assert hour.count("loop.py, line ") == 3, "two games, and the replay"
        game = "play", "mnk", "--params", "3,3,3", "--first", "bot:0.1", "--second", "bot:0.1"
        assert "over" in done(run(tmp_path, "-m", "bots", *game, typed="quit\n", system=system))
        shell = run(tmp_path, "-m", "engine", "shell", "mnk", typed=SHELL, system=system)
        assert done(shell) == "FIRST_PLAYER_WINS\n"


@pytest.mark.slow
async def test_bots_of_the_base_install_play_and_watch_on_a_server(tmp_path: Path) -> None:
    async def play(name: str, opponent: str, *words: str) -> None:
        seat = "--name", name, "--opponent", opponent, "--port", str(port), "--params", "2,2,4,4"
        (tmp_path / name).mkdir()
        command = partial(run, tmp_path / name, "-m", "bots", words[0], *seat, *words[1:], system="Windows")
        done(await trio.to_thread.run_sync(command))

    async with serving_here(tmp_path / "data") as port:
        async with trio.open_nursery() as bots:
            bots.start_soon(play, "ann", "piped", "random")
            bots.start_soon(play, "piped", "ann", "bridge", "--", "python3", str(EXAMPLES / "python" / "bot.py"))
        watch = partial(run, tmp_path, "-m", "bots", "watch", "1", "--port", str(port), system="Windows")
        assert "ann" in done(await trio.to_thread.run_sync(watch))


@pytest.mark.slow
def test_the_search_says_how_to_get_the_compiler(tmp_path: Path) -> None:
    found = run(tmp_path, "-m", "engine", "analyse", "gipf", "--depth", "1")
    assert (found.returncode, found.stderr.count("\n")) == (0, 1)
    assert re.search(r'pip install ".*\[fast\].*"', found.stderr)


LACKING = {
    "Linux": {
        "server serve": 'pip install "gipf-arena[server]',
        "server demo": 'pip install "gipf-arena[server]',
        "server doctor": 'pip install "gipf-arena[server]',
        "engine verify gipf '2 2 4 4'": 'pip install "gipf-arena[fast]',
        "bots warm gipf": 'pip install "gipf-arena[fast]',
        "bots match random random --dask tcp://127.0.0.1:1": 'pip install "gipf-arena[dask]',
    },
    "Windows": dict.fromkeys(
        ("server serve", "server demo", "server doctor", "bots match random random --sandbox"), "WSL"
    ),
}
"""What each command of a system lacks in the base install, as its sentence names it."""


@pytest.mark.slow
@pytest.mark.parametrize("system", LACKING)
def test_a_command_names_what_it_lacks(system: str, tmp_path: Path) -> None:
    said = run(tmp_path, "-c", EACH, typed="\n".join(LACKING[system]), system=system).stderr.splitlines()
    assert said[1::2] == ["1"] * len(LACKING[system]), said
    for sentence, lacking in zip(said[::2], LACKING[system].values(), strict=True):
        assert lacking in sentence
