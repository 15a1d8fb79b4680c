"""The power is cut at every step that the records take on their way to the disk, and a server starts on what is left.

With ARENA_CAMPAIGN=1 a hundred times at each step; what is left is drawn at random.
"""

import errno
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple
from unittest.mock import Mock

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.games.interface import Termination
from engine.match import verification
from engine.wire import messages as m
from server.arena.journals import Rounds
from server.contest.fixtures import Fixture, GameResult
from server.contest.runtime.ledger import sync_result
from server.storage import record_store as numbering
from server.storage.disk import Disk, SyncRound
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import hear_all, open_arena, play, ready, say_all
from tests.server.storage.power import PowerlessDisk

CUTS = 100 if os.environ.get("ARENA_CAMPAIGN") else 1
FIXTURE = Fixture(0, 1, 0, 0, 0, ("ann", "bob"))


class _Promised(NamedTuple):
    """Data that has to survive a power failure."""

    numbers: int
    """The highest that was given."""
    synced: dict[int, str]
    """By match: the record as far as a round has brought it."""
    kept: dict[int, str]
    """By match whose result the store has: the SHA-256 of the record."""


class _Scenario:
    """Some matches from beginning to end, and what is promised meanwhile."""

    def __init__(self, folder: Path, cut: "_Cut") -> None:
        self.disk = PowerlessDisk(folder)
        self.disk.watch = lambda: cut.maybe(self)
        self.record_store = RecordStore(folder, synced=True, disk=self.disk)
        self.promised = _Promised(0, {}, {})
        self._written: dict[int, str] = {}

    def play(self) -> None:
        self.record_store.numbers.reserve()
        one, two = self._begin(stop_after=6), self._begin(stop_after=7)
        next(one), next(one), next(two)
        self._round()
        for _ in one:
            next(two, None)
        self.promised.kept[1] = self.record_store.sync_record(1)
        three = self._begin(end="resign", stop_after=4)
        for _ in three:
            pass
        self._round()
        four = self._begin(stop_after=5)
        next(four)
        self._round()
        for _ in four:
            pass

    def _begin(self, *, stop_after: int, end: str = "") -> Iterator[None]:
        """Play a match, some lines at a time."""
        number = self.record_store.numbers.next()
        self.promised = self.promised._replace(numbers=number)
        end = end or ("time" if number == 1 else "")
        text = played(stop_after=stop_after, end=end).replace("match 7\n", f"match {number}\n")
        text = text.replace("ann", f"a{number}").replace("bob", f"b{number}")
        head = text[: text.index("ready ")]
        lines = text[len(head) :].splitlines(keepends=True)
        journal = self.record_store.begin(number, Keys.of(f"a{number}", f"b{number}"), head)
        self._written[number] = head
        yield
        for line in lines:
            journal.write(line)
            self._written[number] += line
            if not line.startswith("unanswered"):
                yield
        if end:
            journal.finish()

    def _round(self) -> None:
        work, written = self.record_store.unsynced.round(), dict(self._written)
        synced = self.record_store.unsynced.sync(work)
        assert not synced.failed
        self.record_store.done(work, synced)
        self.promised.synced.update(written)


class _Cut:
    """Keeps what is left at each step."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder, self._chance = folder, chance
        self.left: list[tuple[Path, _Promised]] = []

    def maybe(self, scenario: _Scenario) -> None:
        for _ in range(CUTS if hasattr(scenario, "promised") else 0):
            place = self._folder / str(len(self.left))
            place.mkdir()
            scenario.disk.left(self._chance, place)
            now = scenario.promised
            self.left.append((place, _Promised(now.numbers, dict(now.synced), dict(now.kept))))


@pytest.mark.slow
async def test_a_power_cut_costs_what_was_not_synced_and_nothing_else(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = _Cut(tmp_path, random.Random(20261122))
    scenario = _Scenario(tmp_path / "data", cut)
    scenario.play()
    assert len(cut.left) == CUTS * (scenario.disk.steps - 5) > 50
    monkeypatch.setattr(numbering, "boot", lambda: "after the power cut")
    lost = 0
    for place, promised in cut.left:
        with capture_logs():
            async with open_arena(place) as harness:
                assert harness.arena.record_store.numbers.next() > promised.numbers
                for match, text in promised.synced.items():
                    state = harness.arena.matches.get(match)
                    whole = verification.verify(text)
                    if state is None:
                        assert harness.record(match).startswith(text), place
                        assert verification.verify(harness.record(match)).reason == {1: "time", 3: "resign"}[match]
                    else:
                        assert state.state.history.moves[: whole.history.plies] == whole.history.moves
                        assert harness.arena.record_store.journal(match).decode().startswith(text), place
                for match, sha256 in promised.kept.items():
                    assert harness.arena.record_store.sync_record(match) == sha256
                lost += len(promised.synced) < promised.numbers
    assert lost, "no cut came before everything was synced"


async def test_numbers_of_matches_that_a_power_cut_took_away_are_not_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_store = RecordStore(tmp_path, synced=True)
    record_store.numbers.reserve()
    given = [record_store.numbers.next() for _ in range(numbering.BLOCK)]
    assert given == list(range(1, numbering.BLOCK + 1))
    assert record_store.numbers.next() == numbering.BLOCK + 1
    assert RecordStore(tmp_path).numbers.next() == 1, "a kill of the process takes no file away"
    monkeypatch.setattr(numbering, "boot", lambda: "next")
    assert RecordStore(tmp_path).numbers.next() == 2 * numbering.BLOCK + 1
    record_store.numbers.release_reserved()
    monkeypatch.setattr(numbering, "boot", lambda: "another")
    assert RecordStore(tmp_path).numbers.next() == numbering.BLOCK + 2, (
        "a server that was stopped in order leaves no gap"
    )


class _Failing(Disk):
    """A disk that does not keep what is written to some files."""

    def __init__(self, kind: int, *names: str) -> None:
        super().__init__()
        self.kind, self.names = kind, names

    def _sync(self, path: Path, flags: int) -> None:
        if path.name in self.names:
            raise OSError(self.kind, os.strerror(self.kind))
        super()._sync(path, flags)


@pytest.mark.parametrize(("kind", "has_threads"), [(errno.EIO, True), (errno.ENOSPC, True), (errno.ENOSPC, False)])
async def test_a_match_that_the_disk_does_not_keep_is_annulled_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: int, has_threads: bool
) -> None:
    disk = _Failing(kind)
    async with open_arena(
        tmp_path / "data", record_store=lambda folder: RecordStore(folder, synced=True, disk=disk)
    ) as harness:
        rounds = Rounds(harness.arena.record_store, harness.arena, lambda: None)
        ann, bob = await harness.begin("params=3,3,9,9 budget=600000")
        if not has_threads:
            monkeypatch.setattr(trio.to_thread, "run_sync", Mock(side_effect=RuntimeError("can't start new thread")))
        await rounds.one()
        disk.names = ("1.txt",)
        await play(ann, bob, "a1-b2")
        with capture_logs() as logs:
            await rounds.one()
        result = await bob.hear(m.Result)
        assert (result.result, result.reason) == ("annulled", "server_fault")
        (line,) = [line for line in logs if line["event"] == "records_lost"]
        assert (line["matches"], line["log_level"]) == ([1], "error")
        await ann.hear(m.Result)
        disk.names = ()
        await say_all(m.Seek("gipf", m.Text("params=3,3,9,9")), ann, bob)
        await hear_all(m.Board, ann, bob)
        await ready(ann, bob)
        await rounds.one()
        assert harness.arena.matches.keys() == {2}
        assert not (tmp_path / "data" / "records" / "1.txt").exists(), "nobody knows what stands on the disk"
        assert (tmp_path / "data" / "damaged" / "1.txt").exists()


def sync_round(record_store: RecordStore) -> None:
    """Do what the thread that syncs does each second."""
    work = record_store.unsynced.round()
    record_store.done(work, record_store.unsynced.sync(work))


def _over(record_store: RecordStore) -> None:
    """Leave match 7 behind, which is over."""
    journal = record_store.begin(7, Keys.of("one", "two"), played(stop_after=4, end="resign"))
    journal.finish()


def test_a_game_whose_record_the_disk_does_not_keep_is_no_result(tmp_path: Path) -> None:
    record_store = RecordStore(tmp_path, synced=True, disk=_Failing(errno.EIO, "7.txt"))
    _over(record_store)
    game = GameResult(FIXTURE, 7, 0, "resign", "bob (black) resigned", 4)
    with capture_logs() as logs:
        kept, sha256 = sync_result(record_store, game)
    assert (kept.winner, kept.termination, sha256) == (None, Termination.SERVER_FAULT, "")
    assert "Input/output error" in kept.detail and logs[0]["log_level"] == "error"
    sync_round(record_store)
    assert record_store.read(7) is None and (tmp_path / "damaged" / "7.txt").exists()


def test_a_result_is_kept_when_its_record_stands_in_the_records(tmp_path: Path) -> None:
    """Else a server that is killed just after the last game of a contest leaves links in its report to no file."""
    record_store = RecordStore(tmp_path, synced=True)
    _over(record_store)
    game = GameResult(FIXTURE, 7, 0, "resign", "bob (black) resigned", 4)
    assert sync_result(record_store, game) == (game, record_store.sync_record(7))
    assert _places(tmp_path) == ["records"]
    sync_round(record_store)
    assert (_places(tmp_path), record_store.unsynced.round()) == (["records"], SyncRound(set(), set(), set()))


def _places(folder: Path) -> list[str]:
    """Return where match 7 has a record."""
    return [place for place in ("records", "running", "damaged") if (folder / place / "7.txt").exists()]


def test_where_files_cannot_be_synced_everything_goes_on_and_the_log_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_sync(file: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr("server.storage.disk.SYNC", no_sync)
    with capture_logs() as logs:
        record_store = RecordStore(tmp_path, synced=True)
        _over(record_store)
        sync_round(record_store)
        assert record_store.sync_record(7)
    assert [line["log_level"] for line in logs] == ["warning"]
    assert record_store.read(7) == played(stop_after=4, end="resign")


@pytest.mark.parametrize("name", ["7.txt", "keys", "running", "records"])
def test_what_no_file_could_be_opened_for_is_synced_in_the_next_round(tmp_path: Path, name: str) -> None:
    class Watched(_Failing):
        synced: ClassVar[set[str]] = set()

        def _sync(self, path: Path, flags: int) -> None:
            super()._sync(path, flags)
            self.synced.add(path.name)

    disk = Watched(errno.EMFILE)
    record_store = RecordStore(tmp_path, synced=True, disk=disk)
    _over(record_store)
    for names in ((name,), ()):
        disk.names = names
        disk.synced.clear()
        work = record_store.unsynced.round()
        synced = record_store.unsynced.sync(work)
        assert not synced.failed
        record_store.done(work, synced)
        assert record_store.read(7) == played(stop_after=4, end="resign"), "wherever it is"
        assert (tmp_path / "records" / "7.txt").exists() == (not names or name == "records")
    assert name in disk.synced
    assert record_store.unsynced.round() == SyncRound(set(), set(), set())


def test_keys_that_are_not_needed_any_more_are_deleted_by_the_thread_that_syncs(tmp_path: Path) -> None:
    """To delete a file waits for the disk where others are synced: a tenth of a second without a move was seen."""
    record_store = RecordStore(tmp_path, recent=1, synced=True)
    keys = tmp_path / "keys"
    for match in (7, 8, 9):
        record_store.begin(match, Keys.of("a", "b"), played(stop_after=4, end="resign")).finish()
    sync_round(record_store)
    assert len(list(keys.iterdir())) == 3
    work = record_store.unsynced.round()
    assert work.expired == {7, 8} and len(list(keys.iterdir())) == 3
    record_store.unsynced.sync(work)
    assert [path.name for path in keys.iterdir()] == ["9.txt"]


async def test_a_journal_beside_the_record_of_its_match_never_replaces_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    text = played(stop_after=4, end="resign")
    for number, copy in enumerate((text, text.replace("result white", "result black")), 1):
        folder = tmp_path / str(number)
        record_store = RecordStore(folder)
        _over(record_store)
        record_store.folders.journal(7).write_text(copy, encoding="utf-8")
        with capture_logs():
            async with open_arena(folder) as harness:
                assert harness.record(7) == text
        assert not (folder / "running" / "7.txt").exists()
        assert (folder / "damaged" / "7.txt").exists() == (copy != text)
    await trio.lowlevel.checkpoint()
