"""What happens before a contest: each program is started once as a check, and its search is compiled."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from engine.match.clock import TimeControl
from server.commands.run_contest import check
from server.contest import contest_file
from server.contest.definition import Entrant, Qualification, Sandbox, Variant
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts.arena_host import YIELDING, games_to_compile, precompile_bots
from tests.server.contest.played import contest
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
                entrant("bare", python, "-c", "print('let us go', flush=True); import time; time.sleep(1000)"),
                entrant("leaves", python, "-c", "input(); input()"),
                entrant("guest"),
            ]
        )
    )
    definition = replace(contest_file.read(text, str), folder=str(tmp_path))
    said: list[str] = []
    assert await check(definition, said.append) == 1
    lines = {line.split()[0]: line for line in said}
    assert said[0] == "Tomorrow: 8 entrants; m,n,k 3 3 3, m,n,k 4 4 3; 2 openings: the file can be played"
    assert said[1].startswith("112 games on "), said[1]
    assert lines["good"].endswith("  ok: it has played in 2 variants")
    assert "NOT OK: in m,n,k 3 3 3: crashed after " in lines["crash"] and "exit status 7" in lines["crash"]
    assert "'pyhton3'" in lines["typo"] and "cannot be started" in lines["typo"]
    assert "exit status 1" in lines["ends"] and "    | no weights.bin here" in " ".join(said)
    assert f"had neither read its input nor said anything after {START_SECONDS} seconds" in lines["silent"]
    assert "had not read its input, and its first line, 'let us go', is no request after " in lines["bare"]
    assert "exit status 0" in lines["leaves"]
    assert lines["guest"].endswith("connects by itself: not checked")
    assert said[-1] == "6 of 7 programs cannot play as they are"
    assert list(tmp_path.iterdir()) == []


VARIANTS = (Variant("gipf", "3 3 9 9", ("",)), Variant("mnk", "3 3 3", ("",)), Variant("gipf", "2 2 5 5", ("",)))
OURS = replace(
    contest(1, RoundRobin()),
    variants=VARIANTS,
    entrants=(Entrant("a", ("arena-bot", "alphabeta", "--host", "{host}")),),
)
ALL = [("gipf", ""), ("mnk", ""), ("gipf", "3 3 9 9"), ("mnk", "3 3 3"), ("gipf", "2 2 5 5")]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (("arena-bot", "alphabeta"), ALL),
        (("/usr/bin/arena-bot", "alphabeta", "--depth", "3"), ALL),
        (("python3", "-P", "-m", "bots", "alphabeta"), ALL),
        (("arena-bot", "random"), []),
        (("./mine", "alphabeta"), []),
        (("alphabeta",), []),
        ((), []),
    ],
)
def test_it_is_what_the_bot_that_searches_needs(command: tuple[str, ...], found: list[tuple[str, str]]) -> None:
    definition = replace(OURS, entrants=(Entrant("a", command),))
    assert games_to_compile(definition) == found
    without = replace(definition, sandbox=Sandbox.NONE)
    assert games_to_compile(without) == found, "what compiles beside a bot is ended with its game"
    control = TimeControl(1, 1)
    for opponents, needed in ((("alphabeta",), ALL), (("alphabeta-3",), ALL), (("random",), found)):
        rules = Qualification(opponents, control, 1, 2, 1)
        assert games_to_compile(replace(definition, qualification=rules)) == needed


async def test_it_is_compiled_variant_by_variant_and_a_failure_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    async def run(command: list[str], **_: Any) -> Any:
        asked.append(tuple(command[command.index("warm") + 1 :]))
        assert YIELDING in command
        return subprocess.CompletedProcess(command, 1, b"", b"no compiler")

    monkeypatch.setattr(trio, "run_process", run)
    await precompile_bots(OURS)
    assert asked == [tuple(filter(None, one)) for one in ALL]

    async def fail(*_: Any, **__: Any) -> Any:
        raise OSError("no more processes")

    monkeypatch.setattr(trio, "run_process", fail)
    await precompile_bots(OURS)
    await precompile_bots(contest(2, RoundRobin()))


def test_it_runs_the_command_that_compiles() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", YIELDING, "warm", "gipf", "1,1"], capture_output=True, text=True)
    assert done.returncode != 0 and "1,1" in done.stdout + done.stderr, "it has looked at the parameters"
