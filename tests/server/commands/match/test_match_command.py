"""``arena-bot match`` as its users call it: bots in a folder, faults, Ctrl-C, ``kill -9``, and nonsense."""

import json
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import cyclopts
import pytest

from engine.match import verification
from server.commands.match.command import AT_FAULT, INTERRUPTED, NOT_STRONGER, PLAYED, UNDECIDED, match
from server.commands.match.results import MatchProgress, MatchTally
from server.commands.match.setup import MatchSetup
from tests.server.commands.match.command import Match, games_of, row
from tests.server.commands.match.made import game
from tests.server.contest.runtime.bots import DICE

README = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8").partition("\n## Write a bot\n")[2]

SMALL = ("--game", "mnk", "--params", "3,3,3", "--plies", "2")

LOOPS = """
from time import sleep
def choose(position, clocks):
    while True:
        sleep(0.01)
"""


def dice(name: str) -> str:
    """Return a player that loads no library of ours, and plays by its name."""
    return f"{name}={shlex.join((sys.executable, str(DICE)))}"


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return a function that runs the command in a folder of the test, within this process, and returns its status."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / ".tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ".tmp"))
    monkeypatch.setattr("server.config.process_settings.prepare_server", lambda: None)
    app = cyclopts.App()
    app.default(match)

    def call(*words: str) -> int:
        with pytest.raises(SystemExit) as ended:
            app(words, exit_on_error=False, print_error=False)
        return int(ended.value.code or 0)

    return call


@pytest.mark.slow
@pytest.mark.parametrize("line", re.findall(r"^    arena-bot match (.*?)(?:  .*)?$", README, re.MULTILINE))
def test_the_commands_of_readme_work_with_records_and_reports(
    tmp_path: Path, called: Callable[..., int], capsys: pytest.CaptureFixture[str], line: str
) -> None:
    bot = re.search(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert bot is not None
    (tmp_path / "mybot.py").write_text(bot[1], encoding="utf-8")
    shorter = re.sub(r"--games \d+", "--games 2 --budget 1000 --params 2,2,5,5", line)
    shorter = shorter.replace("alphabeta:1", "random")  # which starts in half of the time
    options = ("--records", "games", "--json", "match.json", "--junit", "match.xml")
    assert called(*shlex.split(shorter), *options) == 0
    said, complained = capsys.readouterr()
    assert (row(said, "mybot")[1], complained) == ("2", "")
    found = json.loads((tmp_path / "match.json").read_text())
    assert found["status"] == 0 and len(found["games"]) == 2
    for played in found["games"]:
        summary = verification.verify((tmp_path / "games" / f"{played['number']}.txt").read_text())
        assert (list(summary.header.players), summary.history.plies) == (played["players"], played["plies"])
    assert 'failures="0"' in (tmp_path / "match.xml").read_text()
    assert sorted(path.name for path in tmp_path.glob("games/*.txt")) == ["1.txt", "2.txt"]


@pytest.mark.slow
@pytest.mark.thorough
def test_the_line_of_a_loop_stands_behind_its_loss(
    tmp_path: Path, called: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ann.py").write_text(LOOPS, encoding="utf-8")
    called("ann.py", dice("bob"), *SMALL, "--games", "2", "--budget", "2000", "--increment", "0")
    assert len(re.findall(r"in ann\.py, line [45], in choose$", capsys.readouterr().out, re.MULTILINE)) == 2


@pytest.mark.slow
def test_a_killed_match_goes_on_where_its_results_end_and_ctrl_c_prints_the_table_so_far(tmp_path: Path) -> None:
    results = tmp_path / "results.sqlite3"
    words = (dice("ann"), dice("bob"), *SMALL, "--games", "10000", "--concurrency", "1", "--results", str(results))
    with Match(tmp_path, *words) as killed:
        killed.wait_for_games(results, 1)
    kept = games_of(results)
    with Match(tmp_path, *words, "--json", "-") as stopped:
        stopped.wait_for_games(results, kept + 1)
        stopped.process.send_signal(signal.SIGINT)
        status, said, complained = stopped.end()
    assert status == INTERRUPTED, complained
    assert re.search(rf"after {kept} games?$", complained, re.MULTILINE), complained
    assert re.search(r"^\d+ of 10000 games", complained, re.MULTILINE), complained
    found = json.loads(said)
    assert (found["status"], found["complete"]) == (INTERRUPTED, False)
    numbers = [played["number"] for played in found["games"]]
    assert numbers == [*range(1, len(numbers) + 1)] and kept < len(numbers) < 10000


RESIGNS = """
import os

print(f"LOGIN {os.environ['ARENA_NAME']} {os.environ['ARENA_TOKEN']}\\nSEEK {os.environ['ARENA_GAME']}", flush=True)
while line := input().split():
    if line[0] in ("BOARD", "TURN"):
        print("READY" if line[0] == "BOARD" else "RESIGN", flush=True)
    elif line[0] in ("RESULT", "BYE"):
        break
"""


@pytest.mark.slow
def test_the_test_ends_the_match(
    tmp_path: Path, called: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "resigns.py").write_text(RESIGNS, encoding="utf-8")
    resigns = f"resigns={shlex.quote(sys.executable)} resigns.py"
    assert called(resigns, dice("ann"), *SMALL, "--sprt", "-400", "800", "--games", "100") == NOT_STRONGER
    said = capsys.readouterr().out
    assert int(row(said, "ann")[1]) < 100, said


@pytest.mark.parametrize(
    ("won", "is_interrupted", "options", "status"),
    [
        (60, False, ("--sprt", "0", "300"), PLAYED),
        (-60, False, ("--sprt", "0", "300"), NOT_STRONGER),
        (2, False, ("--sprt", "0", "300"), UNDECIDED),
        (60, True, ("--sprt", "0", "300"), INTERRUPTED),
        (-2, False, (), PLAYED),
        (-2, False, ("--strict",), AT_FAULT),
    ],
)
def test_the_exit_status_tells_the_result(
    called: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    won: int,
    is_interrupted: bool,
    options: tuple[str, ...],
    status: int,
) -> None:
    async def hold(setup: MatchSetup, *_: object) -> tuple[MatchProgress, bool]:
        tally = MatchTally(setup.names, setup.test)
        for number in range(1, abs(won) + 1):
            tally.add(game(number, setup.names[won < 0], "crashed", setup.names))
        return MatchProgress(tally, 60), is_interrupted

    monkeypatch.setattr("server.commands.match.run.hold", hold)
    assert called("random", "random", *SMALL, *options) == status
