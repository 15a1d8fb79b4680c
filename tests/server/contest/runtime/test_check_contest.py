"""A contest file is checked before the contest: each program is started once, and nothing is left behind."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.commands import check_contest
from server.commands.check_contest import CheckedGame, check
from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.fixtures import Fixture
from server.contest.programs.sandbox.choice import view
from tests.bots.piped_programs import PIPED
from tests.server.contest.runtime.bots import SANDBOX
from tests.waiting import WAIT_SECONDS

START_SECONDS = int(WAIT_SECONDS / 4)
"""What every program gets to start, and what a silent one takes."""

DICE = Path(__file__).with_name("dice.py")

FILE = (
    SANDBOX
    + f"""
start-seconds = {START_SECONDS}
"""
    + """
name = "Tomorrow"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}, {{ game = "mnk", params = "4 4 3" }}]
stages = [{{ format = "round-robin" }}]
entrants = [{}]
"""
)


def entrant(name: str, *command: str) -> str:
    return f"{{ name = '{name}', command = {list(command)} }}" if command else f"{{ name = '{name}' }}"


@pytest.mark.slow
async def test_each_program_is_told_what_is_wrong_with_it_before_the_contest(tmp_path: Path) -> None:
    python = sys.executable
    text = FILE.format(
        ", ".join(
            [
                entrant("good", python, str(DICE)),
                entrant("crash", python, str(DICE)),
                entrant("typo", "pyhton3", "bot.py"),
                entrant("ends", python, "-c", "import sys; sys.exit('no weights.bin here')"),
                entrant("silent", python, "-c", "import time; time.sleep(1000)"),
                entrant("leaves", python, "-c", "input(); input()"),
                entrant("guest"),
            ]
        )
    )
    definition = replace(contest_file.read(text, str), folder=str(tmp_path))
    said: list[str] = []
    assert await check(definition, said.append) == 1
    lines = {line.split()[0]: line for line in said}
    assert said[0] == "Tomorrow: 7 entrants; m,n,k 3 3 3, m,n,k 4 4 3; 2 openings: the file can be played"
    assert said[1].startswith("84 games on "), said[1]
    assert "  ok: first word after " in lines["good"] and "in 2 games" in lines["good"]
    assert "NOT OK: in m,n,k 3 3 3: crashed after 2 moves" in lines["crash"] and "exit status 7" in lines["crash"]
    assert "'pyhton3'" in lines["typo"] and "cannot be started" in lines["typo"]
    assert "exit status 1" in lines["ends"] and "    | no weights.bin here" in " ".join(said)
    assert f"had neither read its input nor said anything after {START_SECONDS} seconds" in lines["silent"]
    assert "exit status 0" in lines["leaves"]
    assert lines["guest"].endswith("connects by itself: not checked")
    assert said[-1] == "5 of 6 programs cannot play as they are"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
async def test_programs_that_the_bridge_plays_with_play_in_contests(tmp_path: Path) -> None:
    for name, source in PIPED.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    table = ", ".join(entrant(name, sys.executable, f"{name}.py") for name in PIPED)
    definition = replace(contest_file.read(FILE.format(table), str), folder=str(tmp_path))
    said: list[str] = []
    assert await check(definition, said.append) == 0, said
    assert all("  ok: first word after " in line for line in said[2:5])


async def test_a_program_sees_in_its_check_what_it_will_see_in_the_contest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ", ".join(entrant(name, "python3", f"bots/{name}.py") for name in ("random", "ann"))
    found = replace(contest_file.read(FILE.format(table), str), folder=str(tmp_path))
    (tmp_path / "bots").mkdir()
    for name in ("random", "ann"):
        (tmp_path / "bots" / f"{name}.py").touch()
    seen = []

    async def play(definition: Definition, fixture: Fixture, _folder: Path) -> CheckedGame:
        name, opponent = fixture.players
        assert definition.entrant(opponent) is None, "a built-in bot"
        seen.append(view(definition, definition.entrant(name), tmp_path / "data"))
        return CheckedGame("", 5)

    monkeypatch.setattr(check_contest, "_play", play)
    assert await check(found, lambda _: None) == 0
    whole = [view(found, entrant, tmp_path / "data") for entrant in found.entrants]
    assert seen == [whole[0], whole[0], whole[1], whole[1]]
