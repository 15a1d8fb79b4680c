"""The instructions of README for a newcomer, carried out, and the sentences that the newcomer reads."""

import re
import signal
import subprocess
import sys
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


def newcomer(folder: Path, port: int, wish: str) -> list[str]:
    """Run README's bot to its end, as its author starts it; return the lines that it shows."""
    assert BOT is not None and BOT[1].count(FROM) == 1
    program = folder / "mybot.py"
    program.write_text(BOT[1].replace(FROM, f"{wish}, port={port})"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=WAIT_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def test_what_readme_adds_in_its_comment_is_what_is_tried_here() -> None:
    assert BOT is not None and '# and, say, game="arrows", opponent="random-arrows"' in BOT[1]


@pytest.mark.slow
def test_readmes_bot_plays_as_often_as_it_is_started(tmp_path: Path) -> None:
    assert SERVER is not None
    with ServerProcess(tmp_path / "data", *SERVER[1].split(), *QUICK) as server:
        *_, first, last = newcomer(tmp_path, server.port, 'opponent="random"')
        assert first.startswith("match 1: GIPF 4 4 15 15, 1 s, ") and " against random" in first
        assert last.startswith("match 1: ")
        *_, first, last = newcomer(tmp_path, server.port, 'game="arrows", opponent="random-arrows"')
        assert " against random-arrows" in first and " against random-arrows" in last


FIRST_BOT = """
from bots.client import play

play(lambda position, clocks: {choice}, name="mybot", port={port})
"""


WAITING = login_of("mybot") + SEEK + "hold\n"


@pytest.mark.slow
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
games = [{{ game = "arrows", params = "4 4" }}]
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
def test_it_comes_back_as_the_conformance_test_asks(file: Path) -> None:
    right, said = checked(chosen("resumes"), [sys.executable, str(file)])
    assert right, said


@pytest.mark.slow
async def test_it_plays_in_a_contest(file: Path, tmp_path: Path) -> None:
    said: list[str] = []
    definition = replace(contest_file.read(CONTEST, str), folder=str(tmp_path))
    assert await check(definition, said.append) == 0, said
    (line,) = (line for line in said if line.startswith("ann "))
    assert " ok: " in line, line
