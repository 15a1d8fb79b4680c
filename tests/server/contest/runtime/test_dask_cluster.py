"""Games that other machines play, with a cluster that is made up."""

import os
import re
import shutil
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import msgspec.structs
import pytest
import trio
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from msgspec.structs import replace

from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.hosts import dask_cluster as cluster, game_worker
from server.contest.hosts.dask_cluster import BadCluster, Cluster, ClusterGame, connected_cluster
from server.contest.hosts.game_worker import (
    BadAnswer,
    Job,
    JobAnswer,
    check_answer,
    cluster_obstacle,
    foreign_program,
    greet,
    make_job,
    own_cores,
    play as play_wanted,
)
from server.contest.hosts.host import GameTask
from server.contest.plan import plan
from server.contest.programs.sandbox.seal import sandbox_obstacle
from server.contest.runtime.service import ContestService
from server.contest.store.store import FILE, Store
from server.ops import program_version
from server.ops.program_version import program_with_rules
from tests.server.contest.runtime.bots import SANDBOX
from tests.server.contest.runtime.test_contest_command import PROGRAMS, entrants
from tests.server.harness import open_arena, until
from tests.waiting import WAIT_SECONDS


@cache
def definition(folder: str = "/", text: str = PROGRAMS + entrants(3, 0)) -> Definition:
    return replace(contest_file.read(text, lambda name: Path(name).read_text()), folder=folder)


def job(match: int = 7, of: Definition | None = None) -> Job:
    found = of or definition()
    return make_job(GameTask(1, found, plan(found, []).due[0], match), "gipf-arena/test", Path(found.folder, "data"))


ABSENT = msgspec.json.encode(JobAnswer(program_with_rules(), why="p2 did not come", names=("p2",)))
"""The shortest valid answer of a worker."""


class MadeFuture(Future[Any]):
    """A call of a worker; the cluster removes it from the open calls."""

    def __init__(self, released: Callable[[], None]) -> None:
        super().__init__()
        self._released = released

    def release(self) -> None:
        self._released()
        self.cancel()


class Made:
    """A cluster that is made up, in place of the client of dask."""

    def __init__(self) -> None:
        self.threads: dict[str, int] = {}
        self.greetings: dict[str, Any] = {}
        """Answers of workers to the greeting: a sentence, or an exception."""
        self.answers: list[Any] = []
        """Answers of workers to jobs, one after the other; None leaves a job open. Later jobs are left open."""
        self.reached = True
        self.open: dict[MadeFuture, int] = {}
        """The matches of the games that are played."""
        self.closed = 0

    def connect(self, address: str) -> Any:
        if not self.reached:
            raise OSError(f"nobody at {address}")
        return self

    def nthreads(self) -> dict[str, int]:
        if not self.reached:
            raise OSError("no answer")
        return dict(self.threads)

    def run(self, _function: Any, *_arguments: Any, on_error: str) -> dict[str, Any]:
        assert on_error == "return"
        return self.greetings

    def submit(self, function: Any, pure: bool) -> MadeFuture:
        assert not pure
        future = MadeFuture(lambda: self.open.__delitem__(future))
        self.open[future] = msgspec.json.decode(function.args[0], type=Job).match
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            future.set_exception(answer)
        elif answer is not None:
            future.set_result(answer)
        return future

    def close(self, timeout: float) -> None:
        self.closed += 1
        for future in list(self.open):
            future.cancel()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr(cluster, "POLL_SECONDS", 0.02)
    return Made()


@asynccontextmanager
async def running(made: Made) -> AsyncIterator[Cluster]:
    found = Cluster("tcp://there:1", "/", made.connect)
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            await nursery.start(found.run)
            yield found
            nursery.cancel_scope.cancel()
    assert made.closed


async def test_games_go_to_the_scheduler_and_back_when_nobody_wants_them(made: Made) -> None:
    made.threads = {"one": 4, "two": 3}
    async with running(made) as found, trio.open_nursery() as nursery:
        assert (found.workers, found.games) == (2, 7)
        for match in range(1, 7):
            nursery.start_soon(found.play, job(match))
        await until(lambda: sorted(made.open.values()) == [1, 2, 3, 4, 5, 6])
        del made.threads["one"]
        await until(lambda: (found.workers, found.games) == (1, 3))
        nursery.cancel_scope.cancel()
    assert made.open == {}


async def test_games_of_a_lost_cluster_are_played_when_it_is_back_under_the_same_number(made: Made) -> None:
    made.threads = {"one": 2}
    async with running(made) as found, trio.open_nursery() as nursery:
        played: list[Any] = []

        async def play() -> None:
            played.append(await found.play(job(12)))

        nursery.start_soon(play)
        await until(lambda: list(made.open.values()) == [12])
        made.reached = False
        await until(lambda: found.games == 0 and made.open == {})
        made.answers = [ABSENT]
        await trio.sleep(0.05)
        assert played == []
        made.reached = True
        await until(lambda: bool(played))
        assert played[0].answer.names == ("p2",) and found.games == 2


async def test_a_game_that_fails_again_and_again_is_given_back(made: Made) -> None:
    full = msgspec.json.encode(JobAnswer(program_with_rules(), fault="the disk is full"))
    async with running(made) as found:
        made.answers = [RuntimeError("it ended"), full, ABSENT]
        assert (await found.play(job())).answer.names == ("p2",)
        made.answers = [RuntimeError("it ended"), *[full] * 4]
        with raises(snapshot("NotPlayed: it was tried 5 times on the cluster; the last time the disk is full")):
            await found.play(job())
    assert made.answers == [] and made.open == {}


def test_what_hinders_at_the_beginning_is_one_sentence(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    async def begin() -> None:
        async with running(made):
            pass

    def sentence() -> str:
        with pytest.raises(BaseExceptionGroup) as caught:
            trio.run(begin)
        (leaf,) = caught.value.exceptions
        while isinstance(leaf, BaseExceptionGroup):
            (leaf,) = leaf.exceptions
        assert isinstance(leaf, BadCluster)
        return str(leaf)

    made.reached = False
    assert sentence() == snapshot("no dask scheduler can be reached at 'tcp://there:1': nobody at tcp://there:1")
    made.reached = True
    made.greetings = {"good": "", "one": greet("/nowhere", "")}
    assert sentence().replace(socket.gethostname(), "HOST") == snapshot(
        "the worker one cannot play: the contest file's folder /nowhere is not there on HOST"
    )
    made.greetings = {"one": ModuleNotFoundError("No module named 'server'")}
    assert sentence() == snapshot(
        "the worker one cannot play: it cannot run this program: ModuleNotFoundError: No module named 'server'"
    )
    assert greet("/", "gipf-arena/0.9").replace(program_with_rules(), "MINE") == snapshot(
        "the worker runs MINE, and the server runs gipf-arena/0.9"
    )


def test_games_that_another_version_has_played_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("gipf-arena/0.9 with the rules 0123456789abcdef", program_with_rules() + "0"):
        with pytest.raises(BadAnswer) as caught:
            check_answer(job(), msgspec.json.encode(JobAnswer(other, why="p2 did not come", names=("p2",))))
        assert str(caught.value) == foreign_program(other, program_with_rules())
    with raises(snapshot("BadAnswer: the answer cannot be read: Object missing required field `program`")):
        check_answer(job(), b'{"why": "p2 did not come", "names": ["p2"]}')


@pytest.mark.parametrize("source", ["engine/games/mnk/rules.py", "engine/match/referee.py", "server/match/match.py"])
def test_the_digest_of_the_rules_changes_with_each_source(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in program_version.RULES:
        shutil.copytree(program_version.ROOT / name, tmp_path / name)
    mine = program_with_rules()
    monkeypatch.setattr(program_version, "ROOT", tmp_path)
    digest = program_with_rules.__wrapped__
    assert digest() == mine
    path = tmp_path / source
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert digest() != mine


async def test_contests_that_cannot_be_played_on_a_cluster_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    connecting = definition(text=PROGRAMS + entrants(1, 4))
    assert cluster_obstacle(connecting) == snapshot(
        "a cluster plays programs, and these entrants have no command: c0, c1, c2, c3"
    )
    adjudicated = definition(text=PROGRAMS + "adjudication = {}\n" + entrants(2, 0))
    assert cluster_obstacle(adjudicated) == snapshot(
        "games on a cluster are not adjudicated; take [adjudication] out of the contest file"
    )
    assert cluster_obstacle(definition()) == ""
    monkeypatch.setitem(sys.modules, "distributed", None)
    for found, sentence in ((connecting, cluster_obstacle(connecting)), (definition(), "gipf-arena[dask]")):
        with pytest.raises(BadCluster, match=re.escape(sentence)):
            await connected_cluster("tcp://there:1", found).__aenter__()


@pytest.mark.slow
async def test_an_answer_is_taken_only_with_the_true_record_of_its_game(tmp_path: Path) -> None:
    task = job(7)
    with trio.fail_after(WAIT_SECONDS):
        answer = await game_worker.play_job(task)
    assert (answer.names, answer.fault, answer.wrote) == ((), "", {})
    assert answer.record.startswith("arena-record 1\nmatch 7\n")
    played = check_answer(task, msgspec.json.encode(answer))
    assert played.state is not None and played.state.outcome is not None
    assert (played.state.header.match, played.state.gone) == (7, (False, False))
    for usage in answer.programs:
        assert usage is not None and usage.wall_seconds > 0
    record_store = SimpleNamespace(import_record=lambda _number, _text: None)
    arena: Any = SimpleNamespace(server="", settings=SimpleNamespace(data=tmp_path), record_store=record_store)

    async def give(_: Job) -> Any:
        return played

    given: Any = SimpleNamespace(play=give)
    game = ClusterGame(arena, given, GameTask(1, task.definition, task.fixture, 7))
    assert (await game.result()).programs == answer.programs, "they are kept with the result, at once"
    assert game.recorded and game.programs == (None, None)

    def refused(of: Job = task, **changes: Any) -> str:
        with pytest.raises(BadAnswer) as caught:
            check_answer(of, msgspec.json.encode(msgspec.structs.replace(answer, **changes)))
        return str(caught.value)

    other = refused(msgspec.structs.replace(task, match=8))
    assert (
        other
        == refused(msgspec.structs.replace(task, fixture=task.fixture.swapped))
        == snapshot("the record is that of another game")
    )
    longer = answer.record.replace("result ", "move first 1.000 2.000 3.000 1 1\nresult ")
    assert refused(record=longer).partition(": line")[0] == snapshot("the record is not true")
    cut = answer.record[: answer.record.index("result ")]
    assert refused(record=cut) == snapshot("the record has no result")
    assert (
        refused(record="")
        == refused(record="", names=("somebody",))
        == snapshot("the answer has neither a record nor the names of those who did not come")
    )
    assert refused(wrote={"../../evil": b""}) == snapshot("the answer has what programs of others have written")


async def test_who_does_not_come_is_named_and_what_it_wrote_and_saw_comes_back(tmp_path: Path) -> None:
    (tmp_path / "data" / "tokens").mkdir(parents=True)
    looks = [sys.executable, "-c", "import os, sys; sys.exit(os.listdir('data'))"]
    entrant = f'[[entrants]]\nname = "bad"\ncommand = {looks}\n'
    sandbox = SANDBOX if sandbox_obstacle() else ""
    text = f'{sandbox}visible = ["."]\n{PROGRAMS.removeprefix(SANDBOX)}{entrants(1, 0)}{entrant}'
    found = definition(str(tmp_path), text)
    with trio.fail_after(WAIT_SECONDS):
        answer = await game_worker.play_job(job(of=found))
    listed = "['tokens']" if sandbox else "[]"
    assert answer.names == ("bad",) and listed in answer.why
    assert listed.encode() in answer.wrote["bad"]
    _, bad = check_answer(job(of=found), msgspec.json.encode(answer)).answer.programs
    assert bad is not None and bad.status == 1


async def test_what_is_wrong_with_a_machine_is_no_fault_of_entrants() -> None:
    answer = msgspec.json.decode(await play_wanted(b"nonsense", lambda: True), type=JobAnswer)
    assert (answer.names, answer.record) == ((), "")
    assert answer.fault.startswith("DecodeError")


@pytest.mark.slow
async def test_a_game_that_nobody_wants_any_more_ends_with_its_programs(tmp_path: Path) -> None:
    sleeper = f"[[entrants]]\nname = 's{{}}'\ncommand = {['sleep', str(SLEEP)]}\n"
    text = PROGRAMS + sleeper.format(1) + sleeper.format(2)
    task = msgspec.json.encode(job(of=definition(str(tmp_path), text)))
    began = time.monotonic()
    seen: list[int] = []

    def wanted() -> bool:
        seen[:] = sleepers() or seen
        return len(seen) < 2 and time.monotonic() < began + WAIT_SECONDS

    assert await play_wanted(task, wanted) == b""
    assert len(seen) == 2
    assert sleepers() == []


def test_games_of_a_machine_claim_cores_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(game_worker, "usable_cores", lambda: range(5))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with own_cores(2) as first, own_cores(2) as second, own_cores(2) as third:
        assert (first, second, third) == ((0, 1), (2, 3), ())
    with own_cores(2) as again:
        assert again == (0, 1)


SLEEP = 10_000_000 + os.getpid()
"""Seconds that nobody else on this machine sleeps."""


def sleepers() -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes() == f"sleep\0{SLEEP}\0".encode():
                found.append(int(path.parent.name))
    return found


async def test_a_game_that_is_given_away_when_the_server_stops_has_not_failed(made: Made, tmp_path: Path) -> None:
    made.threads = {"w1": 2}
    with closing(Store(tmp_path / FILE)) as store:
        contest = store.open_contest("", definition(), datetime.now(UTC))
        async with open_arena(tmp_path) as harness, running(made) as found, trio.open_nursery() as nursery:
            nursery.start_soon(ContestService(harness.arena, store, found).run)
            await until(lambda: len(made.open) == 2)
            assert len(store.begun(contest)) == 2
            nursery.cancel_scope.cancel()
        assert (store.begun(contest), store.failures(contest)) == ({}, {})
