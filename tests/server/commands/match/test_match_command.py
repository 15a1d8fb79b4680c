"""``arena-bot match`` as its users call it: bots in a folder, faults, Ctrl-C, ``kill -9``, and nonsense."""

import json
import re
import shlex
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from engine.match import verification
from tests.server.commands.match.command import Match, row, run

README = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8").partition("\n## Write a bot\n")[2]

SMALL = ("--game", "mnk", "--params", "3,3,3", "--plies", "2")

CHOOSE = """

def choose(position, clocks):
    return position.legal_moves[{place}]
"""


LOOPS = """
def choose(position, clocks):
    while True:
        pass
"""


def write(folder: Path, **sources: str) -> None:
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")


@pytest.mark.slow
def test_two_bots_of_a_folder_play_with_records_and_reports(tmp_path: Path) -> None:
    plays = "from bots.client import play\n" + CHOOSE.format(place=-1) + "\nplay(choose, opponent='random')\n"
    write(tmp_path, ann=CHOOSE.format(place=0), bob=plays)
    options = ("--games", "4", "--records", "games", "--json", "match.json", "--junit", "match.xml")
    status, said, complained = run(tmp_path, "ann.py", "bob.py", *SMALL, *options)
    assert (status, complained) == (0, "")
    assert said.splitlines()[0] == "ann against bob: m,n,k 3 3 3, 10 s + 100 ms a move, 4 games"
    assert row(said, "ann")[1] == row(said, "bob")[1] == "4"
    found = json.loads((tmp_path / "match.json").read_text())
    assert found["status"] == 0 and len(found["games"]) == 4
    for game in found["games"]:
        summary = verification.verify((tmp_path / "games" / f"{game['number']}.txt").read_text())
        assert (list(summary.header.players), summary.history.plies) == (game["players"], game["plies"])
    assert 'failures="0"' in (tmp_path / "match.xml").read_text()
    assert sorted(path.name for path in tmp_path.glob("games/*.txt")) == ["1.txt", "2.txt", "3.txt", "4.txt"]


@pytest.mark.slow
def test_the_line_of_a_loop_stands_behind_its_loss(tmp_path: Path) -> None:
    write(tmp_path, ann=LOOPS, bob=CHOOSE.format(place=0))
    _, said, _ = run(tmp_path, "ann.py", "bob.py", *SMALL, "--games", "2", "--budget", "500", "--increment", "0")
    assert said.count("; choose has not returned in the ") == 2
    assert fnmatchcase(said, "*: time: ann (*) ran out of time: *, and stands in ann.py, line [34], in choose\n*")


BY_SOCKET_WITHOUT_TOKEN = """
import os, socket

stream = socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"]))).makefile("rw")
print(f"LOGIN {os.environ['ARENA_NAME']}", file=stream, flush=True)
while stream.readline():
    pass
"""


@pytest.mark.slow
def test_a_program_that_cannot_log_in_is_told_why_soon(tmp_path: Path) -> None:
    write(tmp_path, ann=BY_SOCKET_WITHOUT_TOKEN)
    status, _, complained = run(tmp_path, f"{sys.executable} ann.py {{port}}", "random", *SMALL, "--games", "2")
    assert status == 1
    assert fnmatchcase(
        complained, "arena-bot: ann did not come *; it wrote a line that was refused: LOGIN: *ARENA_TOKEN*\n*"
    )
    assert "after 60 seconds" not in complained


@pytest.mark.slow
def test_a_killed_match_goes_on_where_its_results_end(tmp_path: Path) -> None:
    write(tmp_path, ann=CHOOSE.format(place=0), bob=CHOOSE.format(place=-1))
    words = ("ann.py", "bob.py", *SMALL, "--games", "4")
    results = tmp_path / "results.sqlite3"
    with Match(tmp_path, *words, "--results", str(results)) as killed:
        killed.wait_for_games(results, 2)
    status, said, _ = run(tmp_path, *words, "--results", str(results), "--json", "resumed.json")
    assert status == 0 and re.search(r"^going on after [23] games$", said, re.MULTILINE), said
    games = json.loads((tmp_path / "resumed.json").read_text())["games"]
    assert [game["number"] for game in games] == [1, 2, 3, 4]
    write(tmp_path, ann=CHOOSE.format(place=1))
    status, _, complained = run(tmp_path, *words, "--results", str(results))
    assert status == 2 and "this file holds another match (different: players)" in complained


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
    assert complained.endswith("stopped by Ctrl-C; the same command goes on\n")
    found = json.loads(said)
    assert (found["status"], found["complete"]) == (130, False) and 2 <= len(found["games"]) < 1000


@pytest.mark.slow
def test_the_test_ends_the_match_and_says_so_by_the_exit_status(tmp_path: Path) -> None:
    resigns = "from bots.bot import Resigned\n\ndef choose(position, clocks):\n    raise Resigned\n"
    write(tmp_path, ann=CHOOSE.format(place=0), resigns=resigns)
    both = ("ann.py", "resigns.py")
    options = (*SMALL, "--sprt", "-400", "800", "--games", "100")
    status, said, _ = run(tmp_path, *both, *options)
    assert status == 0 and "H1: ann is stronger than resigns by more than -400 Elo" in said, said
    status, said, _ = run(tmp_path, *both[::-1], *options)
    assert status == 3 and "H0: resigns is not stronger than ann by 800 Elo" in said, said
    status, said, _ = run(tmp_path, *both, *SMALL, "--sprt", "0", "800", "--games", "2")
    assert status == 4 and said.splitlines()[-2].endswith(", open"), said


@pytest.mark.slow
@pytest.mark.parametrize("line", re.findall(r"^    arena-bot match (.*?)(?:  .*)?$", README, re.MULTILINE))
def test_the_commands_of_readme_work(tmp_path: Path, line: str) -> None:
    bot = re.search(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert bot is not None
    (tmp_path / "old").mkdir()
    for path in ("mybot.py", "old/mybot.py"):
        (tmp_path / path).write_text(bot[1], encoding="utf-8")
    shorter = re.sub(r"--games \d+", "--games 2 --budget 1000", line)
    status, said, complained = run(tmp_path, *shlex.split(shorter))
    assert status == 0, complained
    assert "2 of 2 games" in said
