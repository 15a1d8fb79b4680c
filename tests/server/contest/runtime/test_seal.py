"""Where programs cannot be sealed: no contest begins that wants it, and one that is open waits and says why."""

import io
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

import pytest
import trio
import trio.testing
from inline_snapshot import snapshot
from msgspec.structs import replace
from rich.console import Console

from engine.games.catalogue import GAMES
from engine.match.clock import TimeControl
from engine.wire import messages as m
from engine.wire.messages import Code
from server.arena.session import serve_stream
from server.commands.run_contest import hold
from server.config.settings import Settings
from server.contest.definition import Bounds, Sandbox
from server.contest.fixtures import Fixture
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts.contest_players import ContestPlayers, ProgramCredential
from server.contest.programs.program import Program
from server.contest.programs.sandbox import seal
from server.contest.report.contents import make_report
from server.contest.runtime.service import take_snapshot
from server.net.admission import AddressUsage, ConnectionQuota
from tests.descriptors import open_files
from tests.server.contest import played
from tests.server.contest.runtime.bots import read_definition, running_contest, wait_until_over
from tests.server.contest.runtime.test_contest_command import entrants
from tests.server.harness import ArenaHarness, Client, hear_all, open_arena, stream_pair, until

PROGRAMS = """
name = "Sealed"
time = { budget = 60_000 }
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
""" + entrants(2, 0)


WAY_OUT = (
    'or write sandbox = "none" in the contest file: programs then run without a sandbox, '
    "with all rights of the server's user"
)
BUBBLEWRAP = "install bubblewrap (apt-get install bubblewrap libseccomp2)"
NAMESPACES = "let this user make user namespaces, and take bubblewrap 0.7 or later"


@pytest.mark.parametrize(
    ("lacks", "bubblewrap", "sentence"),
    [
        ("nothing", "exit 0", ""),
        ("nothing", "echo 'but a warning' >&2", ""),
        ("Linux", "exit 0", "this needs Linux; on Windows use WSL"),
        ("libseccomp", "exit 0", f"none here; install libseccomp (apt-get install libseccomp2), {WAY_OUT}"),
        ("bubblewrap", "", "PROGRAM does not run ([Errno 2] No such file or directory: 'PROGRAM'); "
                           f"{BUBBLEWRAP}, {WAY_OUT}"),
        ("namespaces", "echo 'bwrap: no\n namespaces' >&2; exit 1", f"bwrap: no namespaces; {NAMESPACES}, {WAY_OUT}"),
        ("namespaces", "exit 3", f"PROGRAM ended with status 3; {NAMESPACES}, {WAY_OUT}"),
    ],
)  # fmt: skip
def test_a_missing_part_of_the_sandbox_is_named_with_the_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str, bubblewrap: str, sentence: str
) -> None:
    def filter_to_read() -> int:
        if lacks == "libseccomp":
            raise OSError("none here")
        return os.open(os.devnull, os.O_RDONLY)

    program = tmp_path / "bwrap"
    if lacks != "bubblewrap":
        program.write_text(f"#!/bin/sh\n{bubblewrap}\n")
        program.chmod(0o755)
    monkeypatch.setattr(seal, "PROGRAM", str(program))
    monkeypatch.setattr(seal, "filter_to_read", filter_to_read)
    monkeypatch.setattr(os, "pidfd_open", None, raising=False)
    if lacks == "Linux":
        monkeypatch.delattr(os, "pidfd_open")
    before = open_files()
    expected = sentence and f"programs cannot be sealed: {sentence.replace('PROGRAM', str(program))}"
    assert seal.sandbox_obstacle.__wrapped__() == expected
    assert open_files() <= before


@pytest.mark.parametrize(
    ("bounds", "pinned", "cores", "cpu_seconds"),
    [
        (Bounds(), True, 4, 63.0),  # 60 s for the start, 1 s for each player, 10 ms for each of 100 plies
        (Bounds(), False, 4, 252.0),
        (Bounds(), False, None, 63.0),
        (Bounds(cpu_seconds=7), True, 4, 7.0),
    ],
)
def test_a_program_may_think_during_the_longest_game_on_its_cores_or_as_long_as_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bounds: Bounds, pinned: bool, cores: int | None, cpu_seconds: float
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    definition, game = replace(played.contest(2, RoundRobin()), bounds=bounds), Fixture(0, 1, 0, 0, 0, ("random", "a1"))
    expected = seal.Seal(seal.VisibleFiles(tmp_path.resolve()), bounds, cpu_seconds)
    assert seal.seal_of(definition, game, "random", tmp_path, pinned=pinned) == expected
    definition = replace(definition, sandbox=Sandbox.NONE)
    assert seal.seal_of(definition, game, "random", tmp_path, pinned=pinned) is None


class Hindrance:
    """Stands for `seal.sandbox_obstacle`: says the same until it is asked to look again."""

    def __init__(self) -> None:
        self.why = self._said = "no namespaces here"

    def __call__(self) -> str:
        return self._said

    def cache_clear(self) -> None:
        self._said = self.why


@pytest.fixture
def hindrance(monkeypatch: pytest.MonkeyPatch) -> Hindrance:
    fake = Hindrance()
    monkeypatch.setattr(seal, "sandbox_obstacle", fake)
    return fake


async def test_a_contest_of_programs_is_not_begun_and_nothing_is_left_of_it(
    tmp_path: Path, hindrance: Hindrance
) -> None:
    settings = Settings(data=tmp_path / "data")
    with pytest.raises(OSError, match=r"^no namespaces here$"):
        await hold(PROGRAMS, read_definition(PROGRAMS), settings, "", Console(file=io.StringIO()))
    assert not (tmp_path / "data").exists(), "its file may be changed, and the contest have the same name"


def test_it_matters_only_where_programs_are_to_be_sealed(hindrance: Hindrance) -> None:
    programs = read_definition(PROGRAMS)
    connecting = read_definition(PROGRAMS.partition("[[entrants]]")[0] + entrants(0, 2))
    qualified = read_definition('qualification = { opponents = ["random"] }' + PROGRAMS.partition("[[entrants]]")[0]
                              + entrants(0, 2))  # fmt: skip
    assert seal.contest_obstacle(programs) == seal.contest_obstacle(qualified) == "no namespaces here"
    assert seal.contest_obstacle(connecting) == ""
    assert seal.contest_obstacle(read_definition('sandbox = "none"' + PROGRAMS)) == ""


@pytest.mark.slow
@pytest.mark.usefixtures("needs_sandbox")
async def test_a_contest_that_is_open_waits_says_why_and_goes_on(tmp_path: Path, hindrance: Hindrance) -> None:
    async with running_contest(tmp_path, PROGRAMS) as (harness, store, contest):
        await until(lambda: store.pauses(contest))
        paused = ContestPlayers.of(harness.arena).present[contest].paused
        assert paused is not None and paused.reason == snapshot("no game can begin: no namespaces here")
        found = take_snapshot(store, contest, datetime.now(UTC), ContestPlayers.of(harness.arena).present[contest])
        assert [(pause.reason, pause.ended) for pause in make_report(*found).pauses] == [(paused.reason, None)]
        assert store.games(contest) == [] and store.begun(contest) == {}
        hindrance.why = ""
        games = await wait_until_over(store, contest)
        (pause,) = store.pauses(contest)
    assert (pause.ended is not None, pause.reason) == (True, paused.reason)
    assert len(games) == 2 and all(game.played for game in games), games


@asynccontextmanager
async def connected(harness: ArenaHarness, ticket: ProgramCredential | None) -> AsyncIterator[Client]:
    """Connect as a program does out of its sandbox, for which a ticket was issued; None: as anybody does."""
    near, far = stream_pair()
    limits = harness.arena.settings.limits
    visit = ConnectionQuota("program", AddressUsage(limits, trusted=True), limits, lambda: 0)
    visit.seat_token = "" if ticket is None else ticket.token
    async with near, trio.open_nursery() as nursery:
        nursery.start_soon(serve_stream, far, harness.arena, visit)
        client = Client(near)
        await client.hear(m.Arena)
        yield client
        nursery.cancel_scope.cancel()


async def test_a_program_comes_back_to_its_own_match_alone(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, _ = await harness.pair()
        contest_players = ContestPlayers.of(harness.arena)
        tickets = {name: contest_players.issue(name) for name in ("carol", "dave")}
        for ticket in tickets.values():
            ticket.program = Mock(spec=Program)
        async with connected(harness, tickets["carol"]) as carol, connected(harness, tickets["dave"]) as dave:
            for client, (name, ticket) in zip((carol, dave), tickets.items(), strict=True):
                await client.ask(m.Login(name, ticket.token), m.Welcome)
                await client.say(m.Seek("any"))
                await ticket.here.wait()
            players = [ticket.player for ticket in tickets.values() if ticket.player is not None]
            position = GAMES["mnk"].start("3 3 3")
            number = harness.arena.record_store.numbers.next()
            harness.arena.begin_match(number, position, players, TimeControl(60_000_000, 0), 100)
            await hear_all(m.Board, carol, dave)
            async with connected(harness, tickets["carol"]) as again:
                for match, token in ((1, ann.token), (number, dave.token)):
                    refused = await again.ask(m.Resume(match, token), m.Error)
                    assert (refused.code, refused.sentence) == (
                        Code.BAD_TOKEN,
                        snapshot("a program comes back here to its own match alone"),
                    )
                await again.ask(m.Resume(number, carol.token), m.Board)
            async with connected(harness, None) as anybody:
                await anybody.ask(m.Resume(1, ann.token), m.Board)
