"""``arena-bot match`` as its users call it: bots in a folder, faults, Ctrl-C, ``kill -9``, and nonsense."""

import json
import re
import shlex
from pathlib import Path

import cyclopts
import pytest

from engine.match import verification
from server.commands.match.command import AT_FAULT, INTERRUPTED, NOT_STRONGER, PLAYED, UNDECIDED, match
from server.commands.match.results import MatchProgress, MatchTally
from server.commands.match.setup import MatchSetup
from tests.server.commands.match.command import Match, row, run
from tests.server.commands.match.made import game

README = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8").partition("\n## Write a bot\n")[2]

SMALL = ("--game", "mnk", "--params", "3,3,3", "--plies", "2")

CHOOSE = """

def choose(position, clocks):
    return position.legal_moves[{place}]
"""


LOOPS = """
from time import sleep
def choose(position, clocks):
    while True:
        sleep(0.01)
"""


def write(folder: Path, **sources: str) -> None:
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")


@pytest.mark.slow
def test_two_bots_of_a_folder_play_with_records_and_reports(tmp_path: Path) -> None:
    plays = "from bots.client import play\n" + CHOOSE.format(place=-1) + "\nplay(choose, opponent='random')\n"
    write(tmp_path, ann=CHOOSE.format(place=0), bob=plays)
    options = ("--games", "2", "--records", "games", "--json", "match.json", "--junit", "match.xml")
    status, said, complained = run(tmp_path, "ann.py", "bob.py", *SMALL, *options)
    assert (status, complained) == (0, "")
    assert row(said, "ann")[1] == row(said, "bob")[1] == "2"
    found = json.loads((tmp_path / "match.json").read_text())
    assert found["status"] == 0 and len(found["games"]) == 2
    for played in found["games"]:
        summary = verification.verify((tmp_path / "games" / f"{played['number']}.txt").read_text())
        assert (list(summary.header.players), summary.history.plies) == (played["players"], played["plies"])
    assert 'failures="0"' in (tmp_path / "match.xml").read_text()
    assert sorted(path.name for path in tmp_path.glob("games/*.txt")) == ["1.txt", "2.txt"]


@pytest.mark.slow
def test_the_line_of_a_loop_stands_behind_its_loss(tmp_path: Path) -> None:
    write(tmp_path, ann=LOOPS, bob=CHOOSE.format(place=0))
    _, said, _ = run(tmp_path, "ann.py", "bob.py", *SMALL, "--games", "2", "--budget", "2000", "--increment", "0")
    assert len(re.findall(r"in ann\.py, line [45], in choose$", said, re.MULTILINE)) == 2


WAITS_FROM_THE_SECOND_GAME = """
import pathlib, time

pathlib.Path(f"{time.monotonic_ns()}.begun").touch()

def choose(position, clocks):
    while len([*pathlib.Path().glob("*.begun")]) > 1 and not pathlib.Path("go").exists():
        time.sleep(0.01)
    return position.legal_moves[0]
"""


@pytest.mark.slow
def test_a_killed_match_goes_on_where_its_results_end(tmp_path: Path) -> None:
    write(tmp_path, ann=WAITS_FROM_THE_SECOND_GAME, bob=CHOOSE.format(place=-1))
    words = ("ann.py", "bob.py", *SMALL, "--games", "2", "--concurrency", "1", "--budget", "600000")
    results = tmp_path / "results.sqlite3"
    with Match(tmp_path, *words, "--results", str(results)) as killed:
        killed.wait_for_games(results, 1)
    (tmp_path / "go").touch()
    status, said, _ = run(tmp_path, *words, "--results", str(results), "--json", "resumed.json")
    assert status == 0 and "after 1 game\n" in said
    games = json.loads((tmp_path / "resumed.json").read_text())["games"]
    assert [played["number"] for played in games] == [1, 2]


@pytest.mark.slow
def test_ctrl_c_prints_the_table_so_far(tmp_path: Path) -> None:
    write(tmp_path, ann=CHOOSE.format(place=0), bob=CHOOSE.format(place=-1))
    results = tmp_path / "results.sqlite3"
    words = ("ann.py", "bob.py", *SMALL, "--games", "1000", "--results", str(results), "--json", "-")
    with Match(tmp_path, *words) as stopped:
        stopped.wait_for_games(results, 2)
        stopped.interrupt()
        status, said, complained = stopped.end()
    assert status == 130, complained
    assert re.search(r"^\d+ of 1000 games", complained, re.MULTILINE)
    found = json.loads(said)
    assert (found["status"], found["complete"]) == (130, False) and 2 <= len(found["games"]) < 1000


@pytest.mark.slow
def test_the_test_ends_the_match(tmp_path: Path) -> None:
    resigns = "from bots.bot import Resigned\n\ndef choose(position, clocks):\n    raise Resigned\n"
    write(tmp_path, ann=CHOOSE.format(place=0), resigns=resigns)
    status, said, _ = run(tmp_path, "resigns.py", "ann.py", *SMALL, "--sprt", "-400", "800", "--games", "100")
    assert status == NOT_STRONGER and int(row(said, "ann")[1]) < 100, said


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
    monkeypatch: pytest.MonkeyPatch, won: int, is_interrupted: bool, options: tuple[str, ...], status: int
) -> None:
    async def hold(setup: MatchSetup, *_: object) -> tuple[MatchProgress, bool]:
        tally = MatchTally(setup.names, setup.test)
        for number in range(1, abs(won) + 1):
            tally.add(game(number, setup.names[won < 0], "crashed", setup.names))
        return MatchProgress(tally, 60), is_interrupted

    monkeypatch.setattr("server.commands.match.run.hold", hold)
    monkeypatch.setattr("server.config.process_settings.prepare_server", lambda: None)
    with pytest.raises(SystemExit) as ended:
        called("random", "random", *SMALL, *options)
    assert ended.value.code == status


def called(*words: str) -> None:
    """Call the command within this process."""
    app = cyclopts.App()
    app.default(match)
    app(words, exit_on_error=False, print_error=False)


@pytest.mark.slow
@pytest.mark.parametrize("line", re.findall(r"^    arena-bot match (.*?)(?:  .*)?$", README, re.MULTILINE))
def test_the_commands_of_readme_work(tmp_path: Path, line: str) -> None:
    bot = re.search(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert bot is not None
    (tmp_path / "old").mkdir()
    for path in ("mybot.py", "old/mybot.py"):
        (tmp_path / path).write_text(bot[1], encoding="utf-8")
    shorter = re.sub(r"--games \d+", "--games 2 --budget 1000 --params 2,2,5,5", line)
    status, said, complained = run(tmp_path, *shlex.split(shorter))
    assert status == 0, complained
    assert row(said, "mybot")[1] == "2"
