"""What holds programs to their bounds: control groups, made up and of the kernel, and cores of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.games.interface import Termination
from server.contest.definition import Bounds
from server.contest.programs.sandbox import limits
from server.contest.programs.sandbox.cores import Cores, confine, started_on, usable
from server.contest.programs.sandbox.limits import around, clear, lack
from server.contest.programs.sandbox.seal import sandbox_obstacle
from tests.server.contest.runtime.test_sandbox import EATS, started

HOME = "0123456789abcdef"
BOUNDS = Bounds(memory=100, processes=10, scratch=20)

Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    """Make up a tree in which this process is in a group."""
    root = tmp_path / "cgroup"
    group = root / "system.slice" / "arena.service"
    group.mkdir(parents=True)
    (tmp_path / "mine").write_text("4:memory:/elsewhere\n0::/system.slice/arena.service\n")
    monkeypatch.setattr(limits, "ROOT", root)
    monkeypatch.setattr(limits, "MINE", tmp_path / "mine")
    remove = os.rmdir

    def rmdir(path: Path, **options: int) -> None:
        if not options and Path(path).is_relative_to(root):
            for file in Path(path).iterdir():  # folders of the kernel's tree are empty for who removes them
                file.unlink()
        remove(path, **options)

    monkeypatch.setattr(os, "rmdir", rmdir)

    def make(given: str = "cpu memory pids", divided: str = "", inside: str = str(os.getpid())) -> Path:
        (group / "cgroup.controllers").write_text(given + "\n")
        (group / "cgroup.subtree_control").write_text(divided + "\n")
        (group / "cgroup.procs").write_text(inside + "\n")
        return group

    limits._parent.cache_clear()
    yield make
    limits._parent.cache_clear()


def test_a_program_has_a_group_with_its_bounds_which_is_gone_after_it(tree: Tree) -> None:
    parent = tree(divided="memory pids")
    assert lack() == ""
    group = around(4711, HOME, BOUNDS)
    assert group is not None
    (path,) = parent.glob(f"arena-game-{HOME}-{os.getpid()}-*")
    held = {file.name: file.read_text() for file in path.iterdir()}
    assert held == {
        "memory.max": str(152 << 20), "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "20",
        "cgroup.procs": "4711",
    }  # fmt: skip
    assert (group.cpu_seconds, group.out_of_memory) == (0.0, False)
    (path / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")
    (path / "memory.events").write_text("oom 1\noom_kill 1\n")
    group.close()
    assert list(parent.glob("arena-game-*")) == []
    assert (group.cpu_seconds, group.out_of_memory) == (1.5, True), "also when it is gone"
    assert not (parent / "arena-server").exists(), "it was divided before"


def test_a_server_in_a_group_of_its_own_steps_out_of_it_and_divides_it(tree: Tree) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        parent = tree(inside=f"{os.getpid()}\n{child.pid}")
        assert lack() == "" and not (parent / "arena-server").exists(), "who only looks changes nothing"
        assert around(4711, HOME, BOUNDS) is not None
        assert (parent / "arena-server" / "cgroup.procs").read_text() == str(child.pid), "the last one that moved"
        assert (parent / "cgroup.subtree_control").read_text() == "+memory +pids"
    finally:
        child.communicate(b"\n")


@pytest.mark.parametrize(
    "how",
    [{"given": "cpu pids"}, {"inside": f"{os.getpid()}\n1"}, {"divided": "memory"}],
    ids=["no memory", "others are in it", "half divided"],
)
def test_where_no_groups_can_be_made_there_are_none_and_the_reason_is_said(tree: Tree, how: dict[str, str]) -> None:
    how = how if "inside" in how or "given" in how else {**how, "inside": "1"}
    parent = tree(**how)
    before = sorted(parent.iterdir())
    assert around(4711, HOME, BOUNDS) is None
    assert sorted(parent.iterdir()) == before
    assert "may make no groups with memory and pids" in lack() and "Delegate=yes" in lack()
    assert clear(HOME) == 0


def test_without_version_2_there_are_none(tree: Tree) -> None:
    limits.MINE.write_text("4:memory:/elsewhere\n")
    assert (around(4711, HOME, BOUNDS), lack()) == (None, f"no control groups of version 2 at {limits.ROOT}")


def test_a_group_that_cannot_be_bounded_or_entered_is_not_left(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = tree(divided="memory pids")
    write = Path.write_text
    for refused in ("pids.max", "cgroup.procs"):

        def write_text(path: Path, text: str, refused: str = refused) -> int:
            if path.name == refused:
                raise OSError("not this one")
            return write(path, text)

        monkeypatch.setattr(Path, "write_text", write_text)
        assert around(4711, HOME, BOUNDS) is None
        assert list(parent.glob("arena-game-*")) == []


def test_groups_that_a_killed_server_has_left_are_removed_and_those_of_others_stay(tree: Tree) -> None:
    parent = tree(divided="memory pids")
    for home in (HOME, HOME, "f" * 16):
        assert around(4711, home, BOUNDS) is not None
    assert clear(HOME) == 2
    assert [path.name.split("-")[2] for path in parent.glob("arena-game-*")] == ["f" * 16]


KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.skipif(bool(sandbox_obstacle()), reason=sandbox_obstacle())
async def test_who_is_ended_by_the_kernel_for_its_memory_is_out_of_memory(
    tmp_path: Path, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is put in before it begins; here it ends itself, as the kernel would end it."""
    parent = tree(divided="memory pids")
    fill = limits.Group.fill

    def killed(group: limits.Group, bounds: Bounds, process: int) -> None:
        assert Path(f"/proc/{process}/comm").read_text() == "bwrap\n", "it waits"
        fill(group, bounds, process)
        (group._path / "memory.events").write_text("oom_kill 1\n")

    monkeypatch.setattr(limits.Group, "fill", killed)
    async with started(tmp_path, KILLED, bounds=Bounds(memory=48)) as program:
        await program.ended.wait()
        assert program.termination is Termination.OUT_OF_MEMORY
        assert program.report().endswith("it may use 48 MB of memory, and the system has ended it")
    assert program.termination is Termination.OUT_OF_MEMORY
    assert list(parent.glob("arena-game-*")) == []
    monkeypatch.setattr(limits.Group, "fill", fill)
    async with started(tmp_path, KILLED) as program:
        await program.ended.wait()
    assert program.termination is Termination.CRASHED, "it was not for its memory"


@pytest.mark.skipif(bool(sandbox_obstacle() or lack()), reason=sandbox_obstacle() or lack())
async def test_the_kernel_ends_who_takes_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.contest.programs.sandbox.limits.SandboxMonitor.measure", lambda _: None)
    async with started(tmp_path, EATS, bounds=Bounds(memory=48, scratch=1)) as program:
        await program.ended.wait()
    assert program.termination is Termination.OUT_OF_MEMORY, program.report()
    parent = limits._parent()
    assert parent is not None and list(parent.glob(f"arena-game-{'0' * 16}-{os.getpid()}-*")) == []


Machine = Callable[[int], dict[int, set[int]]]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Make up a machine of so many cores; what is set for threads is kept, and reaches none of them."""
    told: dict[int, set[int]] = {}

    def make(count: int) -> dict[int, set[int]]:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)))
        monkeypatch.setattr(os, "sched_setaffinity", lambda thread, some: told.update({thread: set(some)}))
        usable.cache_clear()
        return told

    yield make
    usable.cache_clear()


@pytest.mark.parametrize(("count", "programs"), [(1, 1), (2, 2), (3, 3), (4, 3), (8, 7)])
def test_cores_are_given_out_one_by_one_and_the_first_one_of_many_to_nobody(
    machine: Machine, count: int, programs: int
) -> None:
    told = machine(count)
    found = Cores()
    assert found.count == programs
    taken = [found.take() for _ in range(programs)]
    assert {lease.core for lease in taken} == set(range(count - programs, count))
    assert all(lease.ready.is_set() for lease in taken)
    none = found.take()
    assert none.core is None and none.ready.is_set()
    found.give_back(taken[0])
    found.give_back(none)
    assert (found.take().core, found.take().core) == (taken[0].core, None)
    assert told.get(os.getpid()) == ({0} if count > programs else None), "the server stays on its own"
    found.rest()
    assert told.get(os.getpid()) == (set(range(count)) if count > programs else None)


def test_a_core_whose_program_is_being_ended_is_had_when_it_is_given_back(machine: Machine) -> None:
    machine(2)
    found = Cores()
    first, second = found.take(), found.take()
    found.announce([first, second])
    waits, other, none = found.take(), found.take(), found.take()
    assert [waits.core, other.core, none.core] == [first.core, second.core, None]
    assert [lease.ready.is_set() for lease in (waits, other, none)] == [False, False, True]
    found.give_back(first)
    assert waits.ready.is_set() and not other.ready.is_set()
    found.give_back(second)
    found.give_back(other)
    assert found.take().core == other.core, "it was had, and is free"
    assert found.take().core is None, "the other one is still had"


@pytest.mark.skipif(len(usable()) < 2, reason="there is one core alone")
def test_what_the_server_has_started_in_its_session_goes_with_it_and_a_program_does_not() -> None:
    before = usable()
    mine, other = before[0], before[-1]
    command = [sys.executable, "-c", "input()"]
    beside = subprocess.Popen(command, stdin=subprocess.PIPE)
    with started_on(other):
        program = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    try:
        confine({mine})
        found = [os.sched_getaffinity(process) for process in (0, beside.pid, program.pid)]
        confine(before)
        assert found == [{mine}, {mine}, {other}]
        assert os.sched_getaffinity(beside.pid) == os.sched_getaffinity(0) == set(before)
    finally:
        for process in (beside, program):
            process.communicate(b"\n")
