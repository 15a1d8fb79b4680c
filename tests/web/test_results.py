"""The results of earlier servers: what is read of records, whatever these hold."""

import errno
from pathlib import Path

import msgspec
import pytest
import trio
import trio.testing

from engine.wire import messages as m
from server.match.recovery import read_finished_match
from server.match.referee import State
from server.storage.record_store import RecordStore
from server.web.replay import past_results
from server.web.views.lobby import RESULTS, Listed, overview
from tests.engine.test_record import played
from tests.server.harness import open_arena, ready


def keep(folder: Path, number: int, text: str | bytes) -> None:
    """Write a record as that of a match."""
    place = folder / "records"
    place.mkdir(exist_ok=True)
    data = text if isinstance(text, bytes) else text.replace("match 7\n", f"match {number}\n", 1).encode()
    (place / f"{number}.txt").write_bytes(data)


def numbers(found: list[Listed]) -> list[int]:
    return [one.match for one in found]


def test_the_newest_results_come_first(tmp_path: Path) -> None:
    for number in (2, 9, 10, 31):
        keep(tmp_path, number, played(end="resign", stop_after=number))
    found = past_results.newest(tmp_path, 3)
    assert numbers(found) == [31, 10, 9]
    assert [(one.plies, one.game, one.players, one.runs) for one in found[1:]] == [
        (plies, "gipf", ("ann", "bob"), (False, False)) for plies in (10, 9)
    ]
    assert found[1].ending is not None and found[1].ending.reason == "resign"
    assert msgspec.json.decode(msgspec.json.encode(found), type=list[Listed]) == found


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe\x00",
        b"\x00" * (past_results.MAX_BYTES + 1),
        "nonsense\n" * 1000,
        played(end="resign", stop_after=4).replace("move 3 ", "move 4 ", 1),
        played(stop_after=4)[:300],
        played(end="resign", stop_after=4).replace("match 7\n", "match 8\n"),
    ],
    ids=["empty", "no UTF-8", "huge", "nonsense", "untrue", "cut off", "of another match"],
)
def test_what_is_no_true_result_is_left_out(tmp_path: Path, text: str | bytes) -> None:
    keep(tmp_path, 4, played(end="resign", stop_after=4))
    keep(tmp_path, 5, text)
    (tmp_path / "records" / "6.txt").mkdir()
    (tmp_path / "records" / "notes.txt").write_text("by hand")
    assert numbers(past_results.newest(tmp_path, 5)) == [4]


def test_a_record_that_takes_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(text: str) -> State | None:
        while "match 5\n" in text:
            pass
        return read_finished_match(text)

    monkeypatch.setattr(past_results, "read_finished_match", slowly)
    monkeypatch.setattr(past_results, "RECORD_SECONDS", 0.05)
    for number in (4, 5, 6):
        keep(tmp_path, number, played(end="resign", stop_after=4))
    assert numbers(past_results.newest(tmp_path, 5)) == [6, 4]
    monkeypatch.setattr(past_results, "ALL_SECONDS", -1.0)
    assert past_results.newest(tmp_path, 5) == []


@pytest.mark.slow
def test_the_newest_of_many_records_are_found_without_looking_into_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "records"
    place.mkdir()
    for number in range(1, 10_001):
        (place / f"{number}.txt").touch()

    def looked(path: Path, *_: object, **__: object) -> None:
        raise AssertionError(f"{path} is looked at")

    for name in ("open", "stat", "read_bytes", "read_text"):
        monkeypatch.setattr(Path, name, looked)
    found = RecordStore.newest(tmp_path, 4)
    monkeypatch.undo()
    assert [path.stem for path in found] == ["10000", "9999", "9998", "9997"]


async def test_what_this_server_has_seen_is_not_listed_twice(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    for number in range(1, RESULTS + 10):
        keep(tmp_path, number, played(end="resign", stop_after=3))
    async with open_arena(tmp_path) as harness:
        first, second = await harness.pair("params=3,3,9,9 budget=60000")
        await ready(first, second)
        await first.say(m.Resign())
        await first.hear(m.Result)
        earlier = tuple(past_results.newest(tmp_path, RESULTS))
        assert numbers(list(earlier)) == list(range(RESULTS + 10, 10, -1))
        before = overview(harness.arena, None)
        assert numbers(list(before.recent)) == [RESULTS + 10] and not before.complete
        after = overview(harness.arena, earlier)
        assert numbers(list(after.recent)) == numbers(list(earlier)) and after.complete


async def test_what_could_not_be_read_is_not_said_to_be_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    """A lobby had no earlier matches and said that it was complete, where reading them took longer than was allowed."""
    keep(tmp_path, 4, played(end="resign", stop_after=4))
    results = past_results.PastResults(tmp_path)
    tries: list[object] = []

    async def ask(*_words: object) -> tuple[int, bytes]:
        tries.append(results.results)
        if len(tries) == 1:
            await trio.sleep(past_results.FIRST_SECONDS + 1)
        if len(tries) == 2:
            raise OSError(errno.EAGAIN, "no process")
        await trio.sleep(past_results.FIRST_SECONDS + 1)
        return 200, msgspec.json.encode(past_results.newest(tmp_path, RESULTS))

    monkeypatch.setattr(past_results, "ask_once", ask)
    results.want()
    await results.run()
    assert tries == [None, None, None]
    assert results.results is not None and numbers(list(results.results)) == [4]
