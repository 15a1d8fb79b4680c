"""Cores of programs and of the server."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from server.contest.programs.sandbox.cores import Cores, confine, started_on, usable

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
