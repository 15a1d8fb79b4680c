"""A disk that is full or cannot be written to, for real, and journals that were cut off or changed."""

import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
from hypothesis import given, strategies as st
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.match import recovery, verification
from engine.wire import messages as m
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import open_arena
from tests.server.process import Client, ServerProcess, seat


def _moves(parameters: str) -> Iterator[str]:
    """Return moves of a game that takes some while."""
    return iter(verification.verify(played(parameters, seed=4)).history.moves)


@pytest.mark.slow
def test_a_full_disk_ends_the_match_that_needs_it_and_nothing_earlier_is_lost(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(ServerProcess(tmp_path))
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (2000, 2000))
        ann, bob = Client(server.port, "ann"), Client(server.port, "bob")
        for client in (ann, bob):
            stack.enter_context(client.socket)
        seat(ann, bob, "params=2,3,5,5 budget=600000")
        ann.say(m.Move(m.Text("a1-b2")))
        assert (bob.hear(m.Result).result, ann.hear(m.Result).reason) == ("white", "dead_lock")
        seat(ann, bob, "params=3,3,9,9 budget=600000")
        told = []
        for ply, move in enumerate(_moves("3 3 9 9")):
            mover, other = ((ann, bob), (bob, ann))[ply % 2]
            mover.hear(m.Turn)
            mover.say(m.Move(m.Text(move)))
            said = [client.hear(m.Moved, m.Result) for client in (mover, other)][1]
            if isinstance(said, m.Result):
                break
            told.append(said.move)
        assert (said.result, said.reason) == ("annulled", "server_fault")
        assert len(told) > 10
        for client in (ann, bob):
            client.heard.clear()
        journal = (tmp_path / "running" / "2.txt").read_text(encoding="utf-8")
        assert list(verification.verify(journal).history.moves) == told
        seat(bob, ann, "params=2,3,5,5 budget=600000")
        bob.say(m.Move(m.Text("a1-b2")))
        assert ann.hear(m.Result).result == "white"
        assert server.stop() == 0
        assert "File too large" in server.log and "Traceback" not in server.log

    async def again() -> None:
        async with open_arena(tmp_path):
            pass

    trio.run(again)
    summary = verification.verify((tmp_path / "records" / "2.txt").read_text(encoding="utf-8"))
    assert (summary.result, list(summary.history.moves)) == ("annulled", told)


TEXT = played(stop_after=9)

DAMAGES: tuple[Callable[[bytes, int], bytes], ...] = (
    lambda data, at: data[:at],
    lambda data, at: data[:at] + bytes(len(data) - at),
    lambda data, at: data + data[at:],
    *(lambda data, at, byte=byte: data[:at] + bytes([byte]) + data[at + 1 :] for byte in (0, 10, 0xFF)),
    *(lambda data, at, bit=bit: data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :] for bit in (1, 0x20)),
)
"""Journals that were cut off, or of which a byte, or many, are others, from a place on."""

PLACES = st.integers(0, len(TEXT.encode()) - 1)


@given(PLACES, st.sampled_from(DAMAGES))
def test_of_any_damaged_journal_no_true_line_before_the_damage_is_lost(
    place: int, damage: Callable[[bytes, int], bytes]
) -> None:
    data = damage(TEXT.encode(), place)
    leftover = recovery.examine(7, data)
    pairs = zip(data, TEXT.encode(), strict=False)
    untouched = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(data), len(TEXT)))
    whole = TEXT[: TEXT.rfind("\n", 0, untouched) + 1]
    if len(whole) > TEXT.index("ready "):
        assert leftover.text.startswith(whole) and leftover.summary is not None
    if leftover.summary is not None:
        assert verification.verify(leftover.text).played == leftover.summary.played
    else:
        assert leftover.fault


@pytest.mark.slow
async def test_a_server_starts_over_any_damaged_journal_beside_sound_ones(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    damaged = [damage(TEXT.encode(), place) for place in range(0, len(TEXT), 90) for damage in DAMAGES]
    record_store = RecordStore(tmp_path)
    for number in range(1, 2 * len(damaged) + 1):
        name, rival = f"a{number}", f"b{number}"
        journal = TEXT.replace("match 7\n", f"match {number}\n")
        journal = journal.replace("white ann", f"white {name}").replace("black bob", f"black {rival}")
        record_store.begin(number, Keys.of(name, rival), journal).close()
        if number % 2:
            record_store.folders.journal(number).write_bytes(damaged[number // 2])
    with capture_logs():
        async with open_arena(tmp_path) as harness:
            assert set(range(2, 2 * len(damaged) + 1, 2)) <= set(harness.arena.matches)
            await harness.guest(m.Resume(40, "a40"), m.Moved)
    for number in range(1, 2 * len(damaged), 2):
        kept = [place for place in ("running", "damaged") if (tmp_path / place / f"{number}.txt").exists()]
        assert kept or (tmp_path / "records" / f"{number}.txt").exists(), number
