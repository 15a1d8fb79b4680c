"""Checks before a contest: each program is started once, and its search is compiled."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
from inline_snapshot import snapshot
from msgspec.structs import replace

from engine.match.clock import TimeControl
from server.commands.run_contest import check
from server.contest import contest_file
from server.contest.definition import Entrant, Qualification, Sandbox, Variant
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts import arena_host
from server.contest.hosts.arena_host import YIELDING, games_to_compile, precompile_bots
from tests.server.contest.played import contest
from tests.server.contest.runtime.bots import DICE, SANDBOX
from tests.waiting import WAIT_SECONDS

FILE = (
    SANDBOX
    + """
start-seconds = {}
name = "Tomorrow"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
entrants = [{}]
"""
)


def entrant(name: str, *command: str) -> str:
    return f"{{ name = '{name}', command = {list(command)} }}" if command else f"{{ name = '{name}' }}"


async def checked(folder: Path, start_seconds: int, *entrants: str, **changes: Any) -> list[str]:
    """Check a contest of which some programs fail; return what is said of it."""
    definition = contest_file.read(FILE.format(start_seconds, ", ".join(entrants)), str)
    said: list[str] = []
    assert await check(replace(definition, folder=str(folder), **changes), said.append) == 1
    assert list(folder.iterdir()) == []
    return said


@pytest.fixture
def quick_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs play against a bot that starts fast."""
    monkeypatch.setattr(arena_host, "builtin_bot_command", lambda _: (sys.executable, str(DICE)))


@pytest.mark.slow
@pytest.mark.usefixtures("quick_opponent")
async def test_each_program_is_told_what_is_wrong_with_it_before_the_contest(tmp_path: Path) -> None:
    python = sys.executable
    said = await checked(
        tmp_path,
        int(WAIT_SECONDS),
        entrant("good", python, str(DICE)),
        entrant("crash", python, str(DICE)),
        entrant("typo", "pyhton3", "bot.py"),
        entrant("text", "/etc/passwd"),
        entrant("ends", python, "-c", "import sys; sys.exit('no weights.bin here')"),
        entrant("guest"),
    )
    lines = {line.split()[0]: line for line in said}
    assert said[1].startswith("30 games on "), said[1]
    assert "NOT OK: in m,n,k 3 3 3: crashed after " in lines["crash"] and "exit status 7" in lines["crash"]
    assert "exit status 1" in lines["ends"] and "    | no weights.bin here" in " ".join(said)
    told = "\n".join((said[0], lines["good"], lines["typo"], lines["text"], lines["guest"], said[-1]))
    assert told.replace(str(tmp_path), "FOLDER") == snapshot("""\
Tomorrow: 6 entrants; m,n,k 3 3 3; 1 opening: the file can be played
good   ok: it has played in 1 variant
typo   NOT OK: pyhton3 is no program that can be started from FOLDER
text   NOT OK: /etc/passwd is no program that can be started from FOLDER
guest  connects by itself: not checked
5 programs checked, 4 failed\
""")


@pytest.mark.slow
@pytest.mark.usefixtures("quick_opponent")
async def test_a_program_that_does_not_answer_is_told_so_when_its_time_is_up(tmp_path: Path) -> None:
    silent, bare = entrant("silent", "sleep", "1000"), entrant("bare", "sh", "-c", 'echo "let us go"; exec sleep 1000')
    start = int(WAIT_SECONDS // 10)
    said = await checked(tmp_path, start, silent, bare, sandbox=Sandbox.NONE)
    lines = {line.split()[0]: line for line in said}
    # the opponent may be late, too, and stands behind it or before it
    told = [re.findall(rf"sleep 1000\W* runs, and had (.*?) after {start} seconds", line) for line in lines.values()]
    assert [sentence for sentences in told for sentence in sentences] == snapshot(
        [
            "neither read its input nor said anything",
            "not read its input, and its first line, 'let us go', is no request",
        ]
    )


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


@pytest.mark.slow  # it takes no time from others, and a busy machine has none left
def test_it_runs_the_command_that_compiles() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", YIELDING, "warm", "gipf", "1,1"], capture_output=True, text=True)
    assert done.returncode != 0 and "1,1" in done.stdout + done.stderr, "it has looked at the parameters"
