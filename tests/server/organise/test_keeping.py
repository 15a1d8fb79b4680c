"""What the database keeps for good."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from server.archive import Archive, Keys
from server.contest.definition import RoundRobin
from server.contest.fixtures import Finished, Fixture
from server.disk import Disk
from server.organise import keeping
from server.organise.keeping import STOP_SECONDS, kept_on_disk
from server.organise.store import FILE, Store
from tests.engine.test_record import played
from tests.server.contest.played import contest

DATE = datetime(2026, 11, 22, tzinfo=UTC)
GAME = Finished(Fixture(0, 1, 0, 0, 0, ("a1", "a2")), 3, 0, "line")


def test_results_are_synced_before_they_stand(tmp_path: Path) -> None:
    """What is kept for good is synced with all before it (SQLite, PRAGMA synchronous: 2 is FULL), not what begins."""
    with closing(Store(tmp_path / FILE)) as store:
        modes: list[tuple[str, int]] = []

        def look(statement: str) -> None:
            if statement.startswith(("INSERT", "UPDATE")):
                modes.append((statement.split()[2], mode()))

        def mode() -> int:
            store._connection.set_trace_callback(None)
            found = int(store._connection.execute("PRAGMA synchronous").fetchone()[0])
            store._connection.set_trace_callback(look)
            return found

        store._connection.set_trace_callback(look)
        store.open_contest("", contest(2, RoundRobin()), DATE)
        store.begin(1, GAME.fixture, 3)
        store.finish(1, GAME, "0a" * 32)
        store._connection.set_trace_callback(None)
        assert dict(modes) == {"contests": 2, "entrants": 2, "pairings": 1, "games": 2}
        assert store.records(1) == {3: "0a" * 32}
        store.sync()


class _Hanging(Disk):
    """A disk that does not answer until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.hangs, self.free = False, Event()

    def sync(self, path: Path) -> None:
        if self.hangs:
            self.free.wait()
        super().sync(path)


async def test_a_disk_that_does_not_answer_holds_up_a_stop_for_so_long_and_no_longer(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    disk = _Hanging()
    archive = Archive(tmp_path, synced=True, disk=disk)
    archive.begin(3, Keys.of("one", "two"), played(end="resign", stop_after=4)).finish()
    disk.hangs = True
    began = trio.current_time()
    try:
        with capture_logs() as logs, trio.move_on_after(5):
            await kept_on_disk(archive, GAME)
            raise AssertionError("nothing was kept")
        assert trio.current_time() == began + 5 + STOP_SECONDS
        assert [(line["match"], line["log_level"]) for line in logs] == [(3, "error")]
    finally:
        disk.free.set()


async def test_a_game_that_is_over_when_its_contest_stops_is_kept_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = trio.Event(), Event()

    def settled(_archive: Archive, game: Finished) -> tuple[Finished, str]:
        trio.from_thread.run_sync(begun.set)
        may_end.wait()
        return game, "0a"

    monkeypatch.setattr(keeping, "settled", settled)
    archive, found = Archive(tmp_path), []
    async with trio.open_nursery() as nursery:

        async def keep() -> None:
            found.append(await kept_on_disk(archive, GAME))

        nursery.start_soon(keep)
        await begun.wait()
        nursery.cancel_scope.cancel()
        may_end.set()
    assert found == [(GAME, "0a")]
