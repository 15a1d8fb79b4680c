"""Faults of the machine are no fault of an entrant: each error number, in one program and in a whole contest."""

import errno
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from inline_snapshot import snapshot
from msgspec.structs import replace
from structlog.testing import capture_logs

from server.commands import doctor
from server.contest.fixtures import SET_ASIDE, counted_games
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import MAX_FAILURES, CoreQueue
from server.contest.plan import plan
from server.contest.programs import program, program as programs
from server.contest.programs.program import MachineFault, Surroundings
from server.contest.programs.sandbox import cores
from server.contest.programs.sandbox.cores import spawn
from server.contest.runtime import ledger
from server.contest.runtime.service import take_snapshot
from server.contest.scoring import find_disqualified
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.net.admission import AcceptStatus, Listener
from server.ops import descendants
from server.ops.faults import PROGRAM_FAULTS, machine_fault
from tests.descriptors import open_files
from tests.server.conftest import Run
from tests.server.contest.runtime.bots import DICE, read_definition, running_contest, wait_until_over
from tests.server.contest.runtime.test_contest_command import hold, kept
from tests.server.contest.runtime.test_program import SEAT
from tests.server.contest.runtime.test_sandbox import with_word
from tests.server.harness import until
from tests.waiting import WAIT_SECONDS

COMMAND = [sys.executable, str(DICE)]

PROGRAMS = f"""
name = "Programs"
sandbox = "none"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
[[entrants]]
name = "p0"
command = ['{sys.executable}', '{DICE}']
[[entrants]]
name = "p1"
command = ['{sys.executable}', '{DICE}']
"""


@pytest.mark.slow
async def test_a_machine_with_one_core_says_so_in_the_log_and_to_its_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (cores, doctor):
        monkeypatch.setattr(module, "usable", lambda: (0,))
    monkeypatch.setattr(doctor, "sandbox_obstacle", lambda: "")
    found = [finding.sentence for finding in doctor.diagnosis(None, tmp_path) if finding.about == "sandbox"]
    assert found[1:] == snapshot(["both programs of a game share the only core, and each may slow down the other"])
    with capture_logs() as logs:
        async with running_contest(tmp_path, PROGRAMS):
            await until(lambda: ("contest_cores_shared", 1) in {(line["event"], line.get("cores")) for line in logs})


@pytest.mark.slow
async def test_a_contest_pauses_where_the_machine_lacks_something_and_nobody_has_lost_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "pause_seconds", lambda _: 0.05)
    failed = Counter[str]()

    def fails(*words: Any, **options: Any) -> Any:
        failed["starts"] += 1
        if failed["starts"] <= 20:
            raise OSError(errno.EMFILE, "too many files are open")
        return spawn(*words, **options)

    monkeypatch.setattr(program, "spawn", fails)
    async with running_contest(tmp_path, PROGRAMS) as (harness, store, contest):
        with trio.fail_after(WAIT_SECONDS):
            while (present := ContestPlayers.of(harness.arena).present.get(contest)) is None or present.paused is None:
                await trio.sleep(0.005)
        assert "EMFILE" in present.paused.reason
        games = await wait_until_over(store, contest)
        moment = take_snapshot(store, contest, datetime.now(UTC)).moment
    assert [game.termination for game in games if not game.played] == [] and len(games) == 2
    assert not find_disqualified(read_definition(PROGRAMS), games)
    assert moment.pauses and all(pause.ended is not None for pause in moment.pauses)
    assert "EMFILE" in moment.pauses[0].reason


THREE = """
name = "Three"
time = { budget = 600_000 }
entrants = [{ name = "ann" }, { name = "bob" }, { name = "carol" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""


@pytest.mark.slow
async def test_a_program_that_is_stopped_at_its_start_loses_for_no_answer_and_nothing_is_left_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LEAVE_SECONDS", "TERMINATE_SECONDS"):
        monkeypatch.setattr(program, name, 0.05)
    word = f"stops-{os.getpid()}"
    file = THREE.replace('{ name = "bob" }, { name = "carol" }', f"{{ name = 'stops', command = {COMMAND} }}")
    file = 'sandbox = "none"\nstart-seconds = 1\n' + file.replace(str(DICE), f"{DICE}', '{word}")
    async with running_contest(tmp_path, file, "ann") as (_, store, contest):
        games = await wait_until_over(store, contest)
    lost = [(game.fixture.players[game.winner or 0], game.termination) for game in counted_games(games)]
    assert lost == [("ann", "no_answer")] * 2
    assert with_word(word) == []


@pytest.mark.slow
def test_a_program_that_kills_the_server_costs_it_that_game_alone(tmp_path: Path, run: Run) -> None:
    """Servers died in this game before, and one more may. The last server runs within this process."""
    text, data = PROGRAMS.replace('"p1"', '"killer"'), tmp_path / "data"
    (tmp_path / "contest.toml").write_text(text, encoding="utf-8")
    data.mkdir()
    with closing(Store(data / FILE)) as store:
        definition = replace(read_definition(text), folder=str(tmp_path))
        contest = store.open_contest(text, definition, datetime.now(UTC))
        (kills,) = [game for game in plan(definition, []).due if game.players == ("killer", "p0")]
        for _ in range(MAX_FAILURES - 1):
            store.failed(contest, kills)
    assert hold(tmp_path / "contest.toml", data)[0] == -signal.SIGKILL
    assert run("contest", str(tmp_path / "contest.toml"), "--data", str(data), "--port", "0").status == 0
    games = counted_games(kept(data))
    assert [game.fixture.players for game in games if game.played] == [("p0", "killer")]
    (aside,) = [game for game in games if not game.played]
    assert (aside.fixture, aside.termination) == (kills, SET_ASIDE)
    report = (folder_of(data, 1) / "index.html").read_text(encoding="utf-8")
    assert aside.detail in report


def test_contests_take_turns_at_the_cores() -> None:
    turns, woken = CoreQueue(4), Counter[int]()

    def wake(contest: int) -> Callable[[], None]:
        return lambda: woken.update([contest])

    for contest in (1, 2):
        turns.enter(contest, wake(contest))
    turns.take(1, 2)
    turns.take(1, 2)
    assert turns.others(1) == 0 and turns.others(2) == 4
    turns.waits(2, True)
    turns.give_back(1, 2)
    assert woken == {1: 1, 2: 1}
    assert turns.others(1) == 4, "it has begun games, and another one waits"
    assert turns.others(2) == 2
    turns.take(2, 2)
    turns.waits(2, False)
    assert (turns.others(1), turns.others(2)) == (2, 2)
    turns.leave(2)
    assert turns.others(1) == 0


async def test_who_cannot_be_let_in_stands_before_a_closed_entrance(
    autojump_clock: trio.testing.MockClock,
) -> None:
    accept_status, calls = AcceptStatus(), Counter[str]()

    entrance, peer = trio.socket.socketpair()
    await peer.send(b"x")

    class Lacks:
        socket = entrance

        async def accept(self) -> str:
            await trio.lowlevel.checkpoint()
            calls["accept"] += 1
            if calls["accept"] <= 6:  # three times, each time also with the spare descriptor
                raise OSError(errno.EMFILE, "too many")
            return "stream"

    lacks: Any = Lacks()
    seen = [accept_status.closed]
    await Listener(lacks, accept_status).accept()
    seen.append(accept_status.closed)
    await trio.sleep(2)
    assert [*seen, accept_status.closed] == [False, True, False]
    assert calls["accept"] == 7
    entrance.close()
    peer.close()


OF_THE_MACHINE = [
    errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS,
    errno.ETXTBSY, errno.ENOBUFS,
]  # fmt: skip


PLACES: dict[str, tuple[object, str]] = {
    "thread": (trio.to_thread, "run_sync"),
    "pipe": (os, "pipe"),
    "popen": (subprocess, "Popen"),
    "dup": (os, "dup"),
    "second dup": (os, "dup"),
    "affinity": (os, "sched_setaffinity"),
    "handle": (os, "pidfd_open"),
}
"""The calls of the system with which a program is started."""


def children() -> set[int]:
    """Return the processes that this one has started and not reaped."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found.update(map(int, (task / "children").read_text().split()))
    return found


@pytest.mark.parametrize("number", OF_THE_MACHINE)
def test_a_lack_of_the_machine_is_told_in_a_clause_with_its_name(number: int) -> None:
    clause = machine_fault(OSError(number, os.strerror(number)))
    assert errno.errorcode[number] in clause and clause.isprintable()
    assert number not in PROGRAM_FAULTS


def test_what_a_program_does_itself_is_no_lack_of_the_machine() -> None:
    for number in PROGRAM_FAULTS:
        assert machine_fault(OSError(number, "words", "./bot")) == ""
    assert machine_fault(ValueError("embedded null byte")) == machine_fault(RuntimeError("another")) == ""
    assert "no memory left" in machine_fault(MemoryError())
    assert "no processes left" in machine_fault(RuntimeError("can't start new thread"))
    group = ExceptionGroup("two", [ValueError("mine"), ExceptionGroup("one", [OSError(errno.EMFILE, "")])])
    assert "EMFILE" in machine_fault(group)


@pytest.mark.parametrize("error", [OSError(errno.EAGAIN, "none left"), MemoryError()], ids=["system", "memory"])
@pytest.mark.parametrize("place", PLACES)
async def test_a_program_that_the_machine_does_not_start_is_not_to_blame_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: Exception
) -> None:
    where = Surroundings(tmp_path, descendants.home_of(tmp_path), tmp_path / "errors.txt", min(os.sched_getaffinity(0)))
    dup, calls = os.dup, []

    def fail(*_: object, **__: object) -> Any:
        raise error

    def fail_later(file: int) -> int:
        calls.append(file)
        return dup(file) if len(calls) == 1 else fail()

    await trio.to_thread.run_sync(int)  # threads, and what trio opens for them, are there
    before, running = open_files(), children()
    monkeypatch.setattr(*PLACES[place], fail_later if place == "second dup" else fail)
    with pytest.raises(MachineFault) as caught:
        await programs.run([sys.executable, "-c", "import sys; sys.stdin.read()"], SEAT, where)
    monkeypatch.undo()
    assert "cannot be started: " in str(caught.value)
    del caught
    assert open_files() <= before
    assert children() == running
