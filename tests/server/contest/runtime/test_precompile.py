"""What is compiled before a contest, and that nothing of it can hold a contest up."""

import subprocess
import sys
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from engine.match.clock import TimeControl
from server.contest.definition import Entrant, Qualification, Sandbox, Variant
from server.contest.formats.round_robin import RoundRobin
from server.contest.hosts import precompile
from server.contest.hosts.precompile import YIELDING, games_to_compile, precompile_bots
from tests.server.contest.played import contest

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


@pytest.mark.parametrize("beside_games", [True, False])
async def test_it_is_compiled_variant_by_variant_and_a_failure_stops_nothing(
    beside_games: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    async def run(command: list[str], **_: Any) -> Any:
        asked.append(tuple(command[command.index("warm") + 1 :]))
        assert (YIELDING in command) == beside_games
        return subprocess.CompletedProcess(command, 1, b"", b"no compiler")

    monkeypatch.setattr(trio, "run_process", run)
    await precompile_bots(OURS, beside_games=beside_games)
    assert asked == [tuple(filter(None, one)) for one in ALL]

    async def fail(*_: Any, **__: Any) -> Any:
        raise OSError("no more processes")

    monkeypatch.setattr(trio, "run_process", fail)
    await precompile_bots(OURS, beside_games=beside_games)
    await precompile.precompile_bots(contest(2, RoundRobin()), beside_games=beside_games)


@pytest.mark.parametrize("program", [("-c", YIELDING), ("-m", "bots")])
def test_it_runs_the_command_that_compiles(program: tuple[str, str]) -> None:
    done = subprocess.run([sys.executable, "-P", *program, "warm", "gipf", "1,1"], capture_output=True, text=True)
    assert done.returncode != 0 and "1,1" in done.stdout + done.stderr, "it has looked at the parameters"
