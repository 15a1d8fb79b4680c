"""README's bot, without a word changed: in the conformance test, in a match and in a contest."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from bots.cli import main
from server.commands.check_contest import check
from server.contest import contest_file
from tests.bots.test_readme import BOT
from tests.server.contest.runtime.bots import SANDBOX
from tests.waiting import WAIT_SECONDS

CONTEST = (
    SANDBOX
    + f"""
name = "One file"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}, {{ game = "morris" }}]
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
def test_it_is_tested_as_it_is(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--game", "arrows", "--only", "greeting", "--", sys.executable, str(file)])
    assert ended.value.code == 0, capsys.readouterr().out


@pytest.mark.slow
async def test_it_plays_in_a_contest(file: Path, tmp_path: Path) -> None:
    said: list[str] = []
    definition = replace(contest_file.read(CONTEST, str), folder=str(tmp_path))
    assert await check(definition, said.append) == 0, said
    (line,) = (line for line in said if line.startswith("ann "))
    assert "ok: it has played in 2 variants" in line


@pytest.mark.slow
def test_it_plays_matches(file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    words = ["match", "mybot.py", "random", "--games", "2", "--game", "mnk", "--params", "3,3,3", "--seed", "1"]
    done = subprocess.run([sys.executable, "-m", "bots", *words], capture_output=True, text=True, timeout=WAIT_SECONDS)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 games" in done.stdout + done.stderr
