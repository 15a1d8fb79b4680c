"""Recovery of journals after a server died: whole, torn, damaged, and of ended matches."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine.match import referee, verification
from engine.match.record import event_line
from engine.match.recovery import examine, restore, stamp_at
from engine.match.verification import finished_match
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import open_arena

MATCH = 7
"""The number of the matches that `played` plays."""


def test_a_whole_journal_is_taken_up_where_it_stands() -> None:
    text = played(stop_after=9)
    leftover = examine(MATCH, text.encode())
    assert (leftover.text, leftover.torn, leftover.fault) == (text, 0, None)
    assert leftover.summary is not None
    state, lines = restore(leftover.summary, 5_000_000, 6_000_000)
    assert state.awaited == referee.AwaitedPlayers((True, True), 6_000_000)
    assert state.playing and state.clock.since == (None, None) and state.clock.increment == 1_500
    assert state.history.plies == len(state.shown) == 9
    assert [moved.move for moved in state.shown] == list(state.history.moves)
    assert (state.shown[-1].first, state.shown[-1].second) == state.clock.milliseconds(0)
    assert lines == "restarted 5000.000\n"
    assert verification.verify(text + "restarted 5000.000\n").left == state.clock.left


@pytest.mark.parametrize(("end", "plies"), [("bad_move", 9), ("resign", 9), ("crashed", 9), ("", 1000)])
def test_a_match_that_was_over_gets_the_result_that_was_cut_off(end: str, plies: int) -> None:
    text = played(seed=3, stop_after=plies, end=end)
    result = text.splitlines(keepends=True)[-1]
    assert result.startswith("result ")
    for cut in (1, len(result)):
        leftover = examine(MATCH, text[:-cut].encode())
        assert leftover.summary is not None
        state, lines = restore(leftover.summary, 10**12, 10**12)
        assert lines == result
        assert state.outcome is not None
        assert verification.verify(leftover.text + lines).result == state.outcome.result(state.sides)


@pytest.mark.parametrize("end", ["time", "adjudicated", "server_stop"])
def test_an_end_that_nobody_was_told_has_not_happened(end: str) -> None:
    text = played(stop_after=9, end=end)
    lines = text.splitlines(keepends=True)
    assert lines[-2].startswith("unanswered ")
    leftover = examine(MATCH, "".join(lines[:-1]).encode())
    assert leftover.text == "".join(lines[:-2])
    assert leftover.torn == len(lines[-2])
    assert leftover.summary is not None
    assert restore(leftover.summary, 10**9, 10**9)[0].outcome is None


@pytest.mark.parametrize("end", ["bad_move", "resign", "crashed", "time", "adjudicated", "server_stop", ""])
def test_a_complete_record_is_as_the_match_ended(end: str) -> None:
    text = played(stop_after=1000 if not end else 9, end=end)
    summary = finished_match(text)
    assert summary is not None and summary.state.outcome is not None
    state, outcome = summary.state, summary.state.outcome
    words: tuple[str | int, ...] = (
        outcome.result(state.sides),
        str(outcome.reason),
        state.stamp,
        *state.clock.left,
        outcome.detail,
    )
    assert event_line("result", *words) == text.splitlines(keepends=True)[-1]
    assert state.stamp == summary.latest


def test_a_journal_of_another_match_is_not_taken_for_this_one() -> None:
    leftover = examine(MATCH + 1, played(stop_after=9).encode())
    assert str(leftover.fault) == snapshot("line 2: this is match 7, not 8")
    assert leftover.summary is None


def test_stamps_go_on_by_date_but_never_back() -> None:
    summary = examine(MATCH, played(stop_after=9).encode()).summary
    assert summary is not None
    began = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC).timestamp()  # as in the head
    assert stamp_at(summary, began + 2 * 24 * 3600) == 2 * 24 * 3600 * 1_000_000
    assert stamp_at(summary, began - 2 * 24 * 3600) == summary.latest >= summary.state.stamp


# On disk.


def place(folder: Path, text: bytes, *, keys: bool = True, match: int = MATCH) -> RecordStore:
    record_store = RecordStore(folder)
    if keys:
        record_store.begin(match, Keys.of("a", "b"), "").close()
    (folder / "running" / f"{match}.txt").write_bytes(text)
    return record_store


async def test_a_damaged_journal_is_kept_and_its_match_annulled(tmp_path: Path) -> None:
    text = played(stop_after=9).encode()
    damaged = text + b"nonsense\n"
    place(tmp_path, damaged)
    async with open_arena(tmp_path) as harness:
        assert harness.arena.matches == {}
        assert (tmp_path / "damaged" / "7.txt").read_bytes() == damaged
        summary = verification.verify(harness.record(MATCH))
        assert (summary.result, summary.reason, summary.history.plies) == ("annulled", "server_fault", 9)
        assert summary.sentence == snapshot("the record of the match was damaged in line 33")
    assert list((tmp_path / "running").iterdir()) == []
    assert RecordStore(tmp_path).numbers.next() == MATCH + 1


async def test_a_match_to_which_nobody_can_come_back_is_annulled(tmp_path: Path) -> None:
    place(tmp_path, played(stop_after=9).encode() + b"move 10", keys=False)
    async with open_arena(tmp_path) as harness:
        summary = verification.verify(harness.record(MATCH))
    assert (summary.reason, summary.history.plies, summary.sentence) == (
        "server_fault",
        9,
        snapshot("the server died, and nobody can come back to the match"),
    )


@pytest.mark.parametrize("tail", ["", "gone wh"])
async def test_a_match_that_was_over_is_put_away(tmp_path: Path, tail: str) -> None:
    text = played(stop_after=9, end="resign")
    place(tmp_path, (text + tail).encode())
    async with open_arena(tmp_path) as harness:
        assert harness.record(MATCH) == text
        assert harness.arena.matches == {}
