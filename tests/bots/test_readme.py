"""The instructions of README for a newcomer, carried out, and the sentences that the newcomer reads."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from bots.check.run import chosen
from server.commands.run_contest import check
from server.contest import contest_file
from tests.bots.fake import FakeServer
from tests.bots.scripts import SEEK, login_of
from tests.bots.test_check import checked
from tests.server.contest.runtime.bots import SANDBOX
from tests.server.process import ServerProcess
from tests.waiting import WAIT_SECONDS

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("\n## Write a bot\n")[2].partition("\n## ")[0]
SERVER = re.search(r"^    arena-server serve (.*)$", SECTION, re.MULTILINE)
BOT = re.search(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
assert SERVER is not None and BOT is not None

QUICK = ("--budget", "1000")
"""So that a bot that uses the clock does not take a minute: the only thing that is not as README has it."""

FROM = 'opponent="random")'
"""How README's bot says whom it plays against."""


class Newcomer:
    """README's bot, as its author starts it."""

    def __init__(self, folder: Path, port: int, *, name: str = "mybot", wish: str = 'opponent="random"') -> None:
        assert BOT is not None and BOT[1].count(FROM) == 1
        program = folder / f"{name}.py"
        program.write_text(BOT[1].replace(FROM, f'name="{name}", {wish}, port={port})'), encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(program)], text=True, stderr=subprocess.PIPE)

    def line(self) -> str:
        """Return the next line that it shows."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().rstrip("\n")

    def last_lines(self, status: int = 0) -> list[str]:
        """Wait for its end, and return what else it has shown."""
        shown = self.process.communicate(timeout=WAIT_SECONDS)[1]
        assert self.process.returncode == status, shown
        return shown.splitlines()


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Callable[..., Newcomer]]:
    """Start newcomers, and end those that are still there."""
    started: list[Newcomer] = []

    def start(port: int, **options: str) -> Newcomer:
        started.append(Newcomer(tmp_path, port, **options))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()


def test_what_readme_adds_in_its_comment_is_what_is_tried_here() -> None:
    assert BOT is not None and '# and, say, game="arrows", opponent="random-arrows"' in BOT[1]


@pytest.mark.slow
def test_readmes_bot_plays_as_often_as_it_is_started(
    tmp_path: Path, newcomer: Callable[..., Newcomer], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SERVER is not None
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # to compile takes longer than all of these matches
    (said,) = newcomer(1).last_lines(1)
    assert said.startswith("mybot.py: ") and " port 1: " in said
    with ServerProcess(tmp_path / "data", *SERVER[1].split(), *QUICK) as server:
        *_, first, last = newcomer(server.port).last_lines()
        assert first.startswith("match 1: GIPF 4 4 15 15, 1 s, ") and " against random" in first
        assert last.startswith("match 1: ")
        for wish, opponent in (
            ('game="arrows", opponent="random-arrows"', "random-arrows"),
            ('opponent="alphabeta"', "alphabeta"),
        ):
            *_, first, last = newcomer(server.port, wish=wish).last_lines()
            assert f" against {opponent}" in first and f" against {opponent}" in last
        many = [newcomer(server.port, name=f"mybot{number}") for number in range(2)]
        for each in many:
            assert sum(line.startswith("match ") for line in each.last_lines()) == 2


FIRST_BOT = """
from bots.client import play

play(lambda position, clocks: {choice}, name="mybot", port={port})
"""


WAITING = login_of("mybot") + SEEK + "hold\n"


def test_ctrl_c_ends_without_a_traceback(tmp_path: Path) -> None:
    program = tmp_path / "mybot.py"
    with FakeServer(WAITING) as server:
        program.write_text(FIRST_BOT.format(choice="None", port=server.port), encoding="utf-8")
        bot = subprocess.Popen([sys.executable, str(program)], stderr=subprocess.PIPE, text=True)
        server.wait_for("SEEK gipf")
        bot.send_signal(signal.SIGINT)
        shown = bot.communicate()[1]
    assert (bot.returncode, shown) == (-signal.SIGINT, "mybot.py: interrupted\n")
    assert server.said[-1] == "QUIT"


CONTEST = (
    SANDBOX
    + f"""
name = "One file"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}, {{ game = "arrows", params = "4 4" }}]
stages = [{{ format = "round-robin" }}]
entrants = [{{ name = "ann", command = ['{sys.executable}', "mybot.py"] }}, {{ name = "bob" }}]
"""
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    assert BOT is not None
    path = tmp_path / "mybot.py"
    path.write_text(BOT[1], encoding="utf-8")
    return path


@pytest.mark.slow
def test_it_moves_and_comes_back_as_the_conformance_test_asks(file: Path) -> None:
    right, said = checked([*chosen("plays the"), *chosen("resumes")], [sys.executable, str(file)])
    assert right, said


@pytest.mark.slow
async def test_it_plays_in_a_contest(file: Path, tmp_path: Path) -> None:
    said: list[str] = []
    definition = replace(contest_file.read(CONTEST, str), folder=str(tmp_path))
    assert await check(definition, said.append) == 0, said
    (line,) = (line for line in said if line.startswith("ann "))
    assert " ok: " in line and " 2 variants" in line
