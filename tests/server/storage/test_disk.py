"""A disk that is full or cannot be written to, for real, and journals that were cut off or changed.

With ARENA_CAMPAIGN=1 every byte of a journal is cut off and changed.
"""

import os
import random
import resource
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.match import recovery, verification
from engine.wire import messages as m
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import open_arena
from tests.server.process import Client, ServerProcess, seat

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))


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
    with ServerProcess(tmp_path) as again:
        assert again.stop() == 0
    summary = verification.verify((tmp_path / "records" / "2.txt").read_text(encoding="utf-8"))
    assert (summary.result, list(summary.history.moves)) == ("annulled", told)


def _damaged(text: str) -> Iterator[tuple[str, bytes]]:
    """Return journals that were cut off, or of which a byte, or many, are others."""
    data = text.encode()
    chance = random.Random(5)
    places = range(len(data)) if CAMPAIGN else sorted(chance.sample(range(len(data)), 60))
    for place in places:
        yield f"cut off at {place}", data[:place]
        for byte in (0, 10, 0xFF, data[place] ^ 1, data[place] ^ 0x20):
            yield f"{byte} at {place}", data[:place] + bytes([byte]) + data[place + 1 :]
    for place in places[:: 10 if CAMPAIGN else 20]:
        yield f"zeros from {place}", data[:place] + bytes(len(data) - place)
        yield f"twice from {place}", data + data[place:]


def test_of_any_damaged_journal_no_true_line_before_the_damage_is_lost() -> None:
    text = played(stop_after=9)
    events = text.index("ready ")
    for what, data in _damaged(text):
        leftover = recovery.examine(7, data)
        pairs = zip(data, text.encode(), strict=False)
        untouched = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(data), len(text)))
        whole = text[: text.rfind("\n", 0, untouched) + 1]
        if len(whole) > events:
            assert leftover.text.startswith(whole), what
            assert leftover.summary is not None, what
        if leftover.summary is not None:
            assert verification.verify(leftover.text).played == leftover.summary.played
        else:
            assert leftover.fault, what


async def test_a_server_starts_over_any_damaged_journal_beside_sound_ones(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    chance = random.Random(6)
    text = played(stop_after=9)
    damaged = list(_damaged(text))
    for round_ in range(20 if CAMPAIGN else 2):
        folder = tmp_path / str(round_)
        record_store = RecordStore(folder)
        for number in range(1, 41):
            name, rival = f"a{number}", f"b{number}"
            journal = text.replace("match 7\n", f"match {number}\n")
            journal = journal.replace("white ann", f"white {name}").replace("black bob", f"black {rival}")
            record_store.begin(number, Keys.of(name, rival), journal).close()
            if number % 2:
                record_store.folders.journal(number).write_bytes(chance.choice(damaged)[1])
        with capture_logs():
            async with open_arena(folder) as harness:
                assert set(range(2, 41, 2)) <= set(harness.arena.matches)
                await harness.guest(m.Resume(40, "a40"), m.Moved)
        for number in range(1, 41, 2):
            kept = [place for place in ("running", "damaged") if (folder / place / f"{number}.txt").exists()]
            assert kept or (folder / "records" / f"{number}.txt").exists(), number
