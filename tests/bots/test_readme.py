"""What README tells a newcomer to do, done: in every order, and again and again."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
    assert newcomer(1).last_lines(1) == ["mybot.py: no server at 127.0.0.1 port 1: Connection refused"]
    with ServerProcess(tmp_path / "data", *SERVER[1].split(), *QUICK) as server:
        for number in (1, 2):
            *_, first, last = newcomer(server.port).last_lines()
            assert first.startswith(f"match {number}: GIPF 4 4 15 15, 1 s, ") and " against random" in first
            assert last.startswith(f"match {number}: ")
        for wish, opponent in (
            ('game="arrows", opponent="random-arrows"', "random-arrows"),
            ('opponent="alphabeta"', "alphabeta"),
        ):
            *_, first, last = newcomer(server.port, wish=wish).last_lines()
            assert f" against {opponent}" in first and f" against {opponent}" in last
        many = [newcomer(server.port, name=f"mybot{number}") for number in range(5)]
        for each in many:
            assert sum(line.startswith("match ") for line in each.last_lines()) == 2
