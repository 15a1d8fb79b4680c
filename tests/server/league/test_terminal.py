"""What commands ask of the running server."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from trio.testing import MockClock

from engine.wire import messages as m
from server.commands.upkeep import running_server
from server.commands.upkeep.audit import LAST, audit
from server.commands.upkeep.overview_text import render_overview
from server.contest.hosts.contest_players import ContestPlayers
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.league.console.overview import ContestLine, LadderLine, Machine, Overview, SetAside, Upload
from server.league.console.terminal import WAIT_SECONDS, Answer, Kind, TerminalRequests, TerminalService
from server.storage.database import BadStore
from server.storage.disk import lock_data_directory
from server.web.views.contests import Entry
from server.web.views.lobby import Listed, Presence
from tests.server.harness import ArenaHarness, open_arena, ready

NOTHING_ELSE: Any = None
"""In place of contests, versions and the ladder, which acts on matches and players do not need."""


@pytest.fixture
def requests(accounts: Accounts) -> TerminalRequests:
    return TerminalRequests(accounts)


def service(requests: TerminalRequests, harness: ArenaHarness) -> TerminalService:
    return TerminalService(requests, harness.arena, NOTHING_ELSE, NOTHING_ELSE, NOTHING_ELSE)


async def answered(service: TerminalService, requests: TerminalRequests, kind: Kind, *what: str) -> Answer | None:
    """Ask for something, let the server look, and return its answer."""
    number = requests.ask(kind, what[0], "".join(what[1:]), "the command line")
    await service.answer_waiting()
    return requests.answer_to(number)


async def test_a_running_match_is_annulled_once(
    tmp_path: Path, accounts: Accounts, requests: TerminalRequests, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        server = service(requests, harness)
        done = await answered(server, requests, "annul", "1", "the wrong  variant")
        assert done == Answer(False, "match 1 was annulled")
        for client in (ann, bob):
            result = await client.hear(m.Result)
            assert (result.reason, result.sentence) == (
                "organiser", "the organiser has annulled the match: the wrong variant",
            )  # fmt: skip
        over = await answered(server, requests, "annul", "1")
        assert over == Answer(True, "match 1 is over; arena-server contest replay annuls a result of a contest")
        for number in ("7", "0", "-1"):
            none = await answered(server, requests, "annul", number)
            assert none == Answer(True, f"there is no match {number}; arena-server now lists those that are running")
    done_so_far = [(entry.who, entry.what) for entry in accounts.audit(9)]
    assert done_so_far == [("the command line", "annulled match 1")]


async def test_a_match_of_an_earlier_server_is_over(
    tmp_path: Path, requests: TerminalRequests, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        await harness.pair()
        await answered(service(requests, harness), requests, "annul", "1")
    async with open_arena(tmp_path) as harness:
        later = await answered(service(requests, harness), requests, "annul", "1")
        assert later is not None and later.is_refused and later.text.startswith("match 1 is over; ")


async def test_a_player_is_sent_away_and_others_are_not(
    tmp_path: Path, accounts: Accounts, requests: TerminalRequests, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.connect("Ann"), await harness.connect("bob")
        await harness.connect("Engine", ContestPlayers.of(harness.arena).issue("Engine").token)
        server = service(requests, harness)
        done = await answered(server, requests, "dismiss", "ann", "not so fast")
        assert done == Answer(False, "Ann was sent away")
        bye = await ann.hear(m.Bye)
        assert (bye.reason, bye.sentence) == ("dismissed", "the organiser has sent you away: not so fast")
        again = await answered(server, requests, "dismiss", "ann")
        assert again == Answer(True, "nobody is logged in as 'ann'")
        program = await answered(server, requests, "dismiss", "engine")
        assert program is not None and program.is_refused and "is a program of a contest" in program.text
        await bob.say(m.Ping())
        assert await bob.next() == m.Pong()
    assert [entry.what for entry in accounts.audit(9)] == ["sent Ann away"]


async def test_an_answer_that_could_not_be_written_is_written_later_and_nothing_done_twice(
    tmp_path: Path, accounts: Accounts, requests: TerminalRequests, autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with open_arena(tmp_path) as harness:
        await harness.connect("ann")
        server, number = service(requests, harness), requests.ask("dismiss", "ann", "", "the command line")

        def full(*_: object) -> None:
            raise BadStore("the disk is full")

        with monkeypatch.context() as broken:
            broken.setattr(requests, "answer", full)
            with pytest.raises(BadStore):
                await server.answer_waiting()
        await harness.connect("ann")
        await server.answer_waiting()
        assert requests.answer_to(number) == Answer(False, "ann was sent away")
        assert "ann" in harness.arena.sessions
    assert [entry.what for entry in accounts.audit(9)] == ["sent ann away"]


def test_what_nobody_waits_for_any_more_is_not_done(accounts: Accounts) -> None:
    date = datetime(2026, 11, 25, tzinfo=UTC)
    requests = TerminalRequests(accounts, lambda: date)
    left, withdrawn = (requests.ask("dismiss", name, "", "x") for name in ("ann", "bob"))
    requests.withdraw(withdrawn)
    assert [one.number for one in requests.waiting()] == [left]
    date += timedelta(seconds=WAIT_SECONDS + 1)
    assert requests.waiting() == []
    assert requests.ask("now", "", "", "x") > withdrawn > left
    assert len(accounts.rows("SELECT id FROM terminal_requests")) == 1


@pytest.mark.parametrize("sentence", ["x" * 201, "a\x07b", "\u202eab"])
def test_players_are_told_one_line(requests: TerminalRequests, sentence: str) -> None:
    with pytest.raises(NotAllowed, match="one line of at most 200 characters"):
        requests.ask("dismiss", "ann", sentence, "x")
    assert requests.waiting() == []


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory that a server uses which does not answer."""
    with lock_data_directory(tmp_path):
        yield tmp_path


def failed(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    with pytest.raises(SystemExit) as ended:
        running_server.annul(1, data=folder)
    assert ended.value.code == 1
    return capsys.readouterr().err


def test_without_a_server_one_sentence_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        said = failed(capsys, folder)
        assert said == (
            f"arena-server: no server uses {folder} now; "
            "give the data directory of the one that is running with --data\n"
        )
    assert [*tmp_path.iterdir()] == []


def test_a_command_does_not_wait_for_ever_and_leaves_nothing(
    data: Path, accounts: Accounts, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_server, "WAIT_SECONDS", -1.0)
    assert "has not answered within" in failed(capsys, data)
    assert accounts.rows("SELECT id FROM terminal_requests") == []


def test_the_audit_log_is_printed_the_newest_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        audit(data=tmp_path)
    assert "has no audit log" in capsys.readouterr().err and [*tmp_path.iterdir()] == []
    with closing(Accounts(tmp_path, lambda: DATE)) as accounts:
        for number in range(25):
            accounts.note("teacher", f"annulled match {number}")
        accounts.note("the command line", "announced: \x1b[2J")
    audit(data=tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == LAST and lines[-2] == "2026-11-25 18:05 UTC, teacher: annulled match 24"
    assert lines[-1] == "2026-11-25 18:05 UTC, the command line: announced: \\x1b[2J"
    audit(data=tmp_path, last=1)
    assert capsys.readouterr().out.splitlines() == lines[-1:]
    for last in (0, 10**30):
        with pytest.raises(SystemExit, match="2"):
            audit(data=tmp_path, last=last)
        assert f"--last is {last}; it lies between" in capsys.readouterr().err


DATE = datetime(2026, 11, 25, 18, 5, tzinfo=UTC)

BUSY = Overview(
    players=(Presence("ann", "plays", 17), Presence("carl", "rests", None)),
    present=3,
    guests=1,
    seeking=0,
    matches=(
        Listed(
            match=17,
            game="mnk",
            parameters="3 3 3",
            sides=("x", "o"),
            players=("ann", "bob"),
            plies=4,
            clocks=(1000, 1000),
            runs=(True, False),
            ending=None,
        ),
    ),
    playing=2,
    contests=(
        ContestLine(
            contest=1,
            name="Autumn [bold]\x1b[2J",
            opened=DATE,
            closed=None,
            is_paused=True,
            progress=Entry(
                contest=1,
                name="Autumn",
                state="open",
                opened=DATE,
                closed=None,
                entrants=3,
                done=2,
                running=1,
                known=6,
                leader="ann",
            ),
        ),
        ContestLine(contest=2, name="Spring", opened=DATE, closed=DATE, is_paused=False, progress=None),
    ),
    ladder=LadderLine(paused="", fault="no such game", running=1, set_aside=(SetAside(4, "GIPF, ann – bob: died"),)),
    machine=Machine(
        processors=8,
        load=1.26,
        free_bytes=7 * 2**30 + 1,
        cores=1,
        cores_taken=1,
        cluster_workers=3,
        cluster_games=12,
    ),
    uploads=(Upload("dora", 3, "building"),),
)


def test_what_goes_on_is_printed_as_tables() -> None:
    console = Console(width=100, color_system=None)
    with console.capture() as captured:
        for part in render_overview(BUSY):
            console.print(part)
    assert [" ".join(line.split()) for line in captured.get().splitlines() if line.strip()] == [
        "Contest Opened, UTC State Games First",
        "Autumn [bold]\\x1b[2J 2026-11-25 18:05 paused 2 of 6, 1 running ann",
        "Spring 2026-11-25 18:05 over since 2026-11-25 18:05",
        "ladder: 1 game being played",
        "its file is wrong, and it goes on as before: no such game",
        "set aside, number 4: GIPF, ann – bob: died",
        "Match Players Game Moves",
        "17 ann – bob m,n,k 3 3 3 4",
        "2 matches running, of which 1 not listed",
        "Name State",
        "ann plays match 17",
        "carl rests",
        "3 logged in, of which 1 not listed; 0 players wait for an opponent; 1 connection has not logged in",
        "1 of 1 core taken by programs of contests; 8 processors, load 1.3; 7 GB free",
        "cluster: 3 workers, with room for 12 games",
        "version 3 of dora: building",
    ]
